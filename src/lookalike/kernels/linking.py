"""How parts get into kernels: linked as they are written, then optimised and made machine code once, in the kernel.

Numba does both for every function by itself, and again in every caller. That is half of what a first call waits for.
A good part of the rest are its steps for what kernels never do, and questions it asks itself over and over.
"""

from __future__ import annotations

import gc
from collections.abc import Callable, Hashable
from functools import cache
from types import BuiltinFunctionType
from typing import Any, ClassVar

from numba.core import typed_passes, types, untyped_passes
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import Compiler, Flags
from numba.core.compiler_machinery import PassManager
from numba.core.registry import CPUDispatcher
from numba.core.targetconfig import ConfigStack

from lookalike.kernels.lowering import Lowering


class _Library(JITCodeLibrary):
    """Code without counts of references, which need not be pruned before it is optimised."""

    def _optimize_functions(self, module: Any) -> None:
        """All is optimised at once, in the kernel."""
        module.data_layout = self._codegen._data_layout

    def _optimize_final_module(self) -> None:
        manager, builder = self._codegen._module_pass_manager()
        manager.run(self._final_module, builder)


class _PartLibrary(_Library):
    """Code that others link and nobody runs."""

    def finalize(self) -> None:
        """Nothing is linked in: who links this one links what it calls, each once."""
        for function in self._final_module.functions:
            if not function.is_declaration:
                function.linkage = "linkonce_odr"
        self._shared_module = self._final_module
        self._finalized = True


class _Options(Flags):
    """Options of the compiler, one object for equal ones: numba compares them word by word at every turn."""

    _known: ClassVar[dict[str, _Options]] = {}

    def copy(self) -> _Options:
        return self._known.setdefault(self.summary(), self)

    __hash__ = object.__hash__

    def __eq__(self, other: object) -> bool:
        return self is other


class _Typing:
    """Numba's typing context, which answers a question about the same operands once and remembers."""

    def __init__(self, context: Any) -> None:
        self.context = context
        self.known: dict[Hashable, Any] = {}

    def __getattr__(self, name: str) -> Any:
        return getattr(self.context, name)

    def recall(self, key: Hashable, answer: Callable[[], Any]) -> Any:
        """What was answered before, under the same options of the compiler."""
        key = key, ConfigStack.top_or_none()
        if key not in self.known:
            self.known[key] = answer()
        return self.known[key]

    def resolve_function_type(self, function: Any, args: Any, kws: Any) -> Any:
        """The signature of a function called with these."""
        if isinstance(function, types.Function | BuiltinFunctionType) and not kws:
            return self.recall(
                (function, tuple(args)), lambda: self.context.resolve_function_type(function, args, kws)
            )
        return self.context.resolve_function_type(function, args, kws)

    def resolve_setitem(self, *args: Any) -> Any:
        """The signature of an assignment to a place in an array."""
        return self.recall(args, lambda: self.context.resolve_setitem(*args))

    def resolve_getattr(self, owner: Any, name: str) -> Any:
        """The type of an attribute."""
        return self.recall((owner, name), lambda: self.context.resolve_getattr(owner, name))

    def resolve_value_type(self, value: Any) -> Any:
        """The type of a value; of an operator one that remembers its signatures."""
        if not isinstance(value, BuiltinFunctionType | type):
            return self.context.resolve_value_type(value)
        found = self.recall(value, lambda: self.context.resolve_value_type(value))
        return _Operator(found.templates) if value.__module__ == "_operator" else found


class _Operator(types.Function):
    """An operator as code is made for it, where numba asks again for what it found when it inferred types."""

    def get_call_type(self, context: Any, args: Any, kws: Any) -> Any:
        ask = super().get_call_type
        if not isinstance(context, _Typing):
            return ask(context, args, kws)
        return context.recall((self, tuple(args)), lambda: ask(context.context, args, kws))


_typing = cache(_Typing)


class LeanCompiler(Compiler):
    """Numba's compiler without its steps for closures, `with`, literals, counts of references and so on."""

    def __init__(
        self, typing: Any, target: Any, library: Any, args: Any, returns: Any, options: Any, local: Any
    ) -> None:
        super().__init__(typing, target, library, args, returns, _Options(options), local)
        self.state.typingctx = self.state.targetctx.typing_context = _typing(typing)
        self.state.targetctx.refresh = lambda: None  # it would be for every place in an array that is read

    def _compile_core(self) -> Any:
        """Without looking for garbage meanwhile: there is little, and what is kept is much."""
        collects = gc.isenabled()
        gc.disable()
        try:
            return super()._compile_core()
        finally:
            if collects:
                gc.enable()

    def define_pipelines(self) -> Any:
        manager: Any = PassManager("kernel")
        for step in _STEPS:
            manager.add_pass(step, "")
        manager.finalize()
        return [manager]


_STEPS = (
    untyped_passes.TranslateByteCode,
    untyped_passes.FixupArgs,
    untyped_passes.IRProcessing,
    untyped_passes.GenericRewrites,
    untyped_passes.InlineInlinables,
    untyped_passes.ReconstructSSA,
    typed_passes.NopythonTypeInference,
    typed_passes.PreLowerStripPhis,
    Lowering,
    typed_passes.NoPythonBackend,
)


class _PartCompiler(LeanCompiler):
    def __init__(self, *given: Any) -> None:
        super().__init__(*given)
        self.state.library = _PartLibrary(self.state.targetctx.codegen(), "part")
        self.state.flags.no_compile = True


class KernelCompiler(LeanCompiler):
    """Compiles a kernel."""

    def __init__(self, *given: Any) -> None:
        super().__init__(*given)
        self.state.library = _Library(self.state.targetctx.codegen(), "kernel")
        self.state.library.enable_object_caching()


class Part(CPUDispatcher):
    """A function that is compiled into those that call it. Called from Python, it runs as it is written."""

    def __init__(self, function: Callable[..., Any], options: dict[str, Any]) -> None:
        super().__init__(function, targetoptions=options, pipeline_class=_PartCompiler)

    def get_call_template(self, args: Any, kws: Any) -> Any:
        """One version for all numbers: numba would make another one for each that is written down."""
        return super().get_call_template([types.unliteral(arg) for arg in args], kws)

    def add_overload(self, compiled: Any) -> None:
        """Callers find it by a name of its own, in place of its address."""
        name = object()
        called = dict.fromkeys([compiled.library, *compiled.library._linking_libraries])
        compiled.target_context.insert_user_function(name, compiled.fndesc, list(called))
        self.overloads[tuple(compiled.signature.args)] = compiled._replace(entry_point=name)

    def __call__(self, *args: Any) -> Any:
        return self.py_func(*args)
