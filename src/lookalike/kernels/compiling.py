"""Tells when a kernel is being compiled: on its first use on a machine, before numba finds it on disk."""

from __future__ import annotations

from typing import Any

from numba.core import event


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
