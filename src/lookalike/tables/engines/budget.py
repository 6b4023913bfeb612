"""How much memory a table that is not in memory may take: what the process takes more than when it was opened.

What rows may take at a time is what is left of that, so that tuples, plans and the caller's own growth make pieces
smaller and not the process larger.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from pathlib import Path

from lookalike.base.errors import RequestError

MEMORY = 2 << 30  #: unless told otherwise
_LEAST = 64 << 20  # rows get this much, whatever happens
_LIBRARIES = 200 << 20  # what libraries take when they are first used is nobody's fault


def resident() -> int:
    """Bytes that the process has in memory; 0 where the system does not tell."""
    try:
        pages = int(Path("/proc/self/statm").read_text().split()[1])
    except (OSError, ValueError, IndexError):
        return 0
    return pages * os.sysconf("SC_PAGE_SIZE")


@dataclass(frozen=True)
class Budget:
    """So many bytes on top of what the process had before."""

    bytes: int = MEMORY
    before: int = field(default_factory=resident)

    def left(self) -> int:
        """What may still be taken; never less than a little."""
        return max(self.bytes - self.taken(), _LEAST)

    def taken(self) -> int:
        """What has been taken."""
        return max(resident() - self.before, 0)

    def refuse_spent(self, what: str) -> None:
        """Refuse to go on where nothing is left."""
        if self.taken() > self.bytes + _LIBRARIES:
            raise RequestError(
                f"{what} took {self.taken() >> 20:,} MB of memory, and {self.bytes >> 20:,} MB may be taken. Coarsen a "
                "column that has many values, name fewer quasi-identifiers and sensitive columns, or allow more "
                "`memory`."
            )
