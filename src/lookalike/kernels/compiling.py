"""What makes a function a kernel: compiled by numba on its first use on a machine, then found on disk (`caching`).

`lean` compiles in a quarter of numba's time, and needs numba to be built as it is today (`probing`). Where it is not,
`plain` asks of numba what its documentation promises: the same answers, after a longer wait.
"""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable
from functools import cache
from types import ModuleType
from typing import Any

import numba
from numba.core import event

from lookalike.kernels import plain


def kernel(function: Callable[..., Any]) -> Any:
    """Compile a function on its first call; it releases the interpreter and is kept for the next process.

    It makes no arrays: who calls brings all of them. What numba would need for that takes as long to compile as the
    kernels themselves, and so do minima, sorting and assignments to slices: write the loop.
    """
    return _compiler().kernel(function)


def part(function: Callable[..., Any]) -> Any:
    """A function that kernels call: compiled into each of them, without a door to Python or a file."""
    return _compiler().part(function)


def paragraph(function: Callable[..., Any]) -> Any:
    """A part that one kernel calls in one place, and that is put there before anything is compiled."""
    return _compiler().paragraph(function)


@cache
def _compiler() -> ModuleType:
    """`lean` where it works, else `plain`; LOOKALIKE_COMPILER=plain chooses it."""
    if os.environ.get("LOOKALIKE_COMPILER") == "plain":
        return plain
    from lookalike.kernels.probing import misfit

    reason = misfit()
    if reason:
        event.register("numba:compile", _Notice(reason))
        return plain
    from lookalike.kernels import lean

    return lean


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


class _Notice(_Listener):
    """Warns when the first function is compiled the longer way; who finds all on disk does not wait."""

    def __init__(self, reason: str) -> None:
        super().__init__(self._warn)
        self.reason = reason

    def _warn(self, _: str) -> None:
        reason, self.reason = self.reason, ""
        if reason:
            warnings.warn(
                f"Lookalike does not know the inside of numba {numba.__version__} ({reason}), so compiling on first "
                "use takes about four times as long. Results are the same. Another numba is faster.",
                RuntimeWarning,
                stacklevel=2,
            )
