"""A word to whoever watches while kernels are compiled."""

from __future__ import annotations

import sys
from time import monotonic


def announce_compiling() -> None:
    """Before the first use of a kernel: tell who is watching when kernels must be compiled, and how it goes on."""
    if sys.stderr.isatty():
        from lookalike.kernels.compiling import tell_compiling

        tell_compiling(Compiling())


class Compiling:
    """Says at the first kernel what goes on, and every few seconds how many there were."""

    def __init__(self) -> None:
        self.kernels, self.said = 0, 0.0

    def __call__(self, name: str) -> None:
        self.kernels += 1
        if self.kernels == 1:
            self._say("Compiling for this machine, on first use (`lookalike warm` does all of it at once) …")
        elif monotonic() > self.said + 2:
            self._say(f"  {self.kernels - 1} functions compiled …")

    def _say(self, line: str) -> None:
        # Looked up when told, and not typer.echo: a progress bar puts a stream of its own there and stays below.
        print(line, file=sys.stderr)
        self.said = monotonic()
