"""Whether the installed numba is built as `lean` needs it: asked of what is there, not of its version.

First that all is there under its name, then that methods which are replaced or called take what they took, then that
a small kernel gives what Python gives. The kernel is found on disk afterwards, so asking costs thirty milliseconds.
"""

from __future__ import annotations

import inspect
from pkgutil import resolve_name

#: the functions and methods of numba that are replaced or called, and the names of what they take
EXPECTED = {
    "numba.core.codegen.JITCodeLibrary._optimize_functions": "self ll_module",
    "numba.core.codegen.JITCodeLibrary._optimize_final_module": "self",
    "numba.core.codegen.JITCodeLibrary.finalize": "self",
    "numba.core.codegen.JITCodeLibrary.enable_object_caching": "self",
    "numba.core.compiler.Compiler.__init__": "self typingctx targetctx library args return_type flags locals",
    "numba.core.compiler.Compiler._compile_core": "self",
    "numba.core.compiler.Compiler.define_pipelines": "self",
    "numba.core.compiler.Flags.copy": "self",
    "numba.core.compiler.Flags.summary": "self",
    "numba.core.compiler_machinery.PassManager.add_pass": "self pss description",
    "numba.core.typing.context.BaseContext.resolve_function_type": "self func args kws",
    "numba.core.typing.context.BaseContext.resolve_setitem": "self target index value",
    "numba.core.typing.context.BaseContext.resolve_getattr": "self typ attr",
    "numba.core.typing.context.BaseContext.resolve_value_type": "self val",
    "numba.core.types.Function.get_call_type": "self context args kws",
    "numba.core.registry.CPUDispatcher.__init__": "self py_func locals targetoptions pipeline_class",
    "numba.core.registry.CPUDispatcher.get_call_template": "self args kws",
    "numba.core.registry.CPUDispatcher.add_overload": "self cres",
    "numba.core.base.BaseContext.insert_user_function": "self func fndesc libs",
    "numba.core.lowering.Lower._find_singly_assigned_variable": "self",
    "numba.core.lowering.Lower._alloca_var": "self name fetype",
    "numba.core.lowering.Lower.storevar": "self value name argidx",
    "numba.core.lowering.Lower.delvar": "self name",
    "numba.core.lowering.Lower.lower_getitem": "self resty expr value index signature",
    "numba.core.lowering.Lower.lower_setitem": "self target_var index_var value_var signature",
    "numba.core.analysis.must_use_alloca": "blocks",
    "numba.np.arrayobj.fix_integer_index": "context builder idxty idx size",
    "numba.np.arrayobj.load_item": "context builder arrayty ptr",
    "numba.np.arrayobj.store_item": "context builder arrayty val ptr",
    "numba.core.caching.FunctionCache.load_overload": "self sig target_context",
    "numba.core.caching.FunctionCache._load_overload": "self sig target_context",
    "numba.core.caching.FunctionCache.save_overload": "self sig data",
    "numba.core.caching._CacheLocator.from_function": "py_func py_file",
    "numba.core.caching._CacheLocator.get_cache_path": "self",
    "numba.core.caching._CacheLocator.get_source_stamp": "self",
    "numba.core.caching._CacheLocator.get_disambiguator": "self",
}


def misfit() -> str:
    """What is not as expected, in a few words, or nothing."""
    try:
        for name, expected in EXPECTED.items():
            if " ".join(inspect.signature(resolve_name(name)).parameters) != expected:
                return f"{name} takes something else"
        from numba.core.registry import cpu_target

        if not isinstance(cpu_target.target_context.codegen()._module_pass_manager(), tuple):
            return "its optimiser is another"
        from lookalike.kernels.trial import succeeds

        return "" if succeeds() else "a small function gave something else"
    except Exception as problem:  # whatever a changed numba raises
        return f"{type(problem).__name__}: {problem}".partition("\n")[0]
