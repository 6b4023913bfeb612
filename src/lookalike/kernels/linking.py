"""How parts get into kernels: linked as they are written, then optimised and made machine code once, in the kernel.

Numba does both for every function by itself, and again in every caller. That is half of what a first call waits for.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from numba.core import types
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import Compiler
from numba.core.registry import CPUDispatcher


class _PartLibrary(JITCodeLibrary):
    """Code that others link and nobody runs."""

    def finalize(self) -> None:
        for library in dict.fromkeys(self._linking_libraries):
            self._reload_init.update(library._reload_init)
            self._final_module.link_in(library._get_module_for_linking(), preserve=True)
        self._finalized = True


class _KernelLibrary(JITCodeLibrary):
    """Code without counts of references, which need not be pruned before it is optimised."""

    def _optimize_final_module(self) -> None:
        manager, builder = self._codegen._module_pass_manager()  # type: ignore[no-untyped-call]
        manager.run(self._final_module, builder)


class _PartCompiler(Compiler):
    def __init__(self, *given: Any) -> None:
        super().__init__(*given)  # type: ignore[no-untyped-call]
        self.state.library = _PartLibrary(self.state.targetctx.codegen(), "part")  # type: ignore[no-untyped-call]
        self.state.flags.no_compile = True


class KernelCompiler(Compiler):
    """Compiles a kernel that makes no arrays."""

    def __init__(self, *given: Any) -> None:
        super().__init__(*given)  # type: ignore[no-untyped-call]
        self.state.library = _KernelLibrary(self.state.targetctx.codegen(), "kernel")  # type: ignore[no-untyped-call]
        self.state.library.enable_object_caching()


class Part(CPUDispatcher):
    """A function that is compiled into those that call it. Called from Python, it runs as it is written."""

    def __init__(self, function: Callable[..., Any], options: dict[str, Any]) -> None:
        super().__init__(function, targetoptions=options, pipeline_class=_PartCompiler)

    def get_call_template(self, args: Any, kws: Any) -> Any:
        """One version for all numbers: numba would make another one for each that is written down."""
        return super().get_call_template([types.unliteral(arg) for arg in args], kws)  # type: ignore[no-untyped-call]

    def add_overload(self, compiled: Any) -> None:
        """Callers find it by a name of its own, in place of its address."""
        name = object()
        compiled.target_context.insert_user_function(name, compiled.fndesc, [compiled.library])
        self.overloads[tuple(compiled.signature.args)] = compiled._replace(entry_point=name)

    def __call__(self, *args: Any) -> Any:
        return self.py_func(*args)
