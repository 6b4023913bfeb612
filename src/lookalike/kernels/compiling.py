"""What makes a function a kernel: compiled by numba on its first use on a machine, then found on disk (`caching`)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numba
from numba.core import event

from lookalike.kernels.caching import cache_of
from lookalike.kernels.linking import KernelCompiler, Part

_OPTIONS = {"nogil": True, "no_cfunc_wrapper": True, "_nrt": False}
_INNER = _OPTIONS | {"nopython": True, "boundscheck": None, "no_cpython_wrapper": True}


def kernel(function: Callable[..., Any]) -> Any:
    """Compile a function on its first call; it releases the interpreter and is kept for the next process.

    It makes no arrays: who calls brings all of them. What numba would need for that takes as long to compile as the
    kernels themselves, and so do minima, sorting and assignments to slices: write the loop.
    """
    compiled = numba.njit(**_OPTIONS, pipeline_class=KernelCompiler)(function)
    compiled._cache = cache_of(function)
    return compiled


def part(function: Callable[..., Any]) -> Any:
    """A function that kernels call: compiled into each of them, without a door to Python or a file."""
    return Part(function, _INNER)


def paragraph(function: Callable[..., Any]) -> Any:
    """A part that one kernel calls in one place, and that is put there before anything is compiled."""
    return Part(function, _INNER | {"inline": "always"})


def tell_compiling(tell: Callable[[str], None]) -> None:
    """Call `tell(name)` whenever a kernel is about to be compiled; never where all are found on disk."""
    event.register("numba:compile", _Listener(tell))


class _Listener(event.Listener):
    def __init__(self, tell: Callable[[str], None]) -> None:
        self.tell = tell

    def on_start(self, event: Any) -> None:
        self.tell(event.data["dispatcher"].py_func.__name__)

    def on_end(self, event: Any) -> None:
        """Nothing is said."""
