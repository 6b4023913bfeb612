"""What makes a function a kernel: compiled by numba on its first use on a machine, then found on disk (`caching`)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from numba import njit
from numba.core import event

from lookalike.kernels.caching import cache_of

Function = TypeVar("Function", bound=Callable[..., Any])


def kernel(function: Function) -> Function:
    """Compile a function on its first call; it releases the interpreter and is kept for the next process."""
    compiled: Any = njit(nogil=True)(function)
    compiled._cache = cache_of(function)
    return compiled  # type: ignore[no-any-return]


def tell_compiling(tell: Any) -> None:
    """Call `tell()` once, when the first kernel is compiled; never where all are found on disk."""
    event.register("numba:compile", _FirstTime(tell))  # type: ignore[no-untyped-call]


class _FirstTime(event.Listener):
    def __init__(self, tell: Any) -> None:
        self.tell, self.told = tell, False

    def on_start(self, event: Any) -> None:
        if not self.told:
            self.told = True
            self.tell()

    def on_end(self, event: Any) -> None:
        """Nothing is said."""
