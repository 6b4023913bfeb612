"""Count different people over several runs of a list: O(total length of the runs)."""

from __future__ import annotations

from typing import Any

from lookalike.kernels.compiling import kernel


@kernel
def count_distinct(begin: Any, end: Any, units: Any, seen: Any, out: Any) -> None:
    """Add to out[j] the number of different units in the runs units[begin[i, j]:end[i, j]]; `seen` starts at -1."""
    for j in range(begin.shape[1]):
        for i in range(begin.shape[0]):
            for e in range(begin[i, j], end[i, j]):
                if seen[units[e]] != j:
                    seen[units[e]] = j
                    out[j] += 1
