"""All minimal quasi-identifiers: the smallest sets of columns whose separation (or uniqueness) passes a threshold.

Adding a column never lowers these measures, so the sets that pass are known from their minimal ones, and those that
fail from their maximal ones. Each border is grown from the other: a minimal passing set must hit the complement of
every maximal failing set (Gunopulos et al. 2003, Dualize and Advance, https://doi.org/10.1145/777943.777945). What
is measured is the two borders and a path to each failing set, never the power set.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lookalike.base.checks import share, whole_number
from lookalike.base.errors import RequestError
from lookalike.base.progress import Progress, Report, track
from lookalike.recognition.frames import takes_frames
from lookalike.recognition.subsets import Universe
from lookalike.tables.table import Table

MEASURES = ("separation", "uniqueness", "distinction")


@dataclass(frozen=True)
class MinimalSets:
    """Minimal sets of columns that pass, smallest first; and how many sets were measured to be sure."""

    sets: tuple[tuple[str, ...], ...]
    values: tuple[float, ...]
    measure: str
    threshold: float
    measured: int
    columns: int

    def __len__(self) -> int:
        return len(self.sets)

    def to_dict(self) -> dict[str, Any]:
        """As plain JSON values."""
        return {
            "measure": self.measure,
            "threshold": self.threshold,
            "measured": self.measured,
            "sets": [
                {"columns": list(s), self.measure: v} for s, v in zip(self.sets, self.values, strict=True)
            ],
        }

    def __repr__(self) -> str:
        shown = "; ".join("{" + ", ".join(s) + "}" for s in self.sets[:5])
        more = f"; and {len(self.sets) - 5} more" if len(self.sets) > 5 else ""
        return (
            f"MinimalSets({len(self.sets)} with {self.measure} of at least {self.threshold:g}: {shown}{more}; "
            f"{self.measured:,} of {2**self.columns:,} subsets measured)"
        )


@takes_frames
def minimal_quasi(
    table: Table,
    *,
    threshold: float,
    measure: str = "separation",
    columns: Sequence[str] | None = None,
    most: int = 5_000,
    threads: int | None = None,
    progress: Progress = False,
) -> MinimalSets:
    """Every set of columns that reaches the threshold while none of its own subsets does.

    measure: "separation" (share of pairs told apart), "uniqueness" (share of records alone in their class) or
    "distinction" (classes per record). columns: where to look; all but the identifiers unless given. most: give up
    beyond this many candidates, since their number can grow exponentially with the columns.
    table: the table. threshold: what a set must reach.
    threads: how many to use; all cores unless given.

    Examples:
        >>> import polars as pl
        >>> import lookalike as la
        >>> ages, sexes = [31, 32, 33, 71, 72, 73], ["f", "m", "f", "m", "f", "m"]
        >>> illnesses = ["flu", "flu", "cold", "flu", "cold", "cold"]
        >>> frame = pl.DataFrame({"age": ages, "sex": sexes, "disease": illnesses})
        >>> found = la.minimal_quasi(la.table(frame, others=[]), threshold=1.0)
        >>> print(found)
        MinimalSets(1 with separation of at least 1: {age}; 5 of 8 subsets measured)
    """
    if measure not in MEASURES:
        raise RequestError(f"measure is one of {', '.join(MEASURES)}, not {measure!r}.")
    share(threshold, "threshold", above=True)
    whole_number(most, "most", least=1)
    universe = Universe(table, columns, threads=threads)
    seen: dict[int, float] = {}

    def value_of(subsets: list[int]) -> list[float]:
        new = [s for s in dict.fromkeys(subsets) if s not in seen]
        if new:
            values: NDArray[np.float64] = getattr(universe.measure(new), measure)
            seen.update(zip(new, values.tolist(), strict=True))
        return [seen[s] for s in subsets]

    def passes(subsets: list[int]) -> list[bool]:
        return [value >= threshold for value in value_of(subsets)]

    with track(progress, "Growing both borders") as report:
        found = _grow_borders(len(universe), passes, most, report)
    listed = sorted((universe.columns(s) for s in found), key=lambda s: (len(s), s))
    values = value_of([universe.subset(s) for s in listed])
    return MinimalSets(tuple(listed), tuple(values), measure, threshold, len(seen), len(universe))


def _grow_borders(
    width: int, passes: Callable[[list[int]], list[bool]], most: int, report: Report
) -> set[int]:
    everything = (1 << width) - 1
    if not passes([everything])[0]:
        return set()
    if passes([0])[0]:
        return {0}
    minimal: set[int] = set()
    hitting = {0}  # minimal sets that hit every complement so far; those that pass are minimal for good
    while True:
        untried = sorted(hitting - minimal)
        verdicts = passes(untried)
        minimal |= {s for s, passed in zip(untried, verdicts, strict=True) if passed}
        failing = [s for s, passed in zip(untried, verdicts, strict=True) if not passed]
        report(len(minimal) / max(len(minimal) + len(failing), 1))
        if not failing:
            return minimal
        for start in failing:
            if start in hitting:  # else an earlier complement of this round has grown it already
                hitting = _hit(hitting, everything & ~_extend(start, width, passes))
            if len(hitting) > most:
                raise RequestError(
                    f"there are more than {most:,} candidates for minimal sets among {width} columns. Name fewer "
                    "columns, choose another threshold, or raise most=."
                )


def _extend(subset: int, width: int, passes: Callable[[list[int]], list[bool]]) -> int:
    """A maximal failing set around a failing one: add every column that keeps it failing."""
    for i in range(width):
        wider = subset | 1 << i
        if wider != subset and not passes([wider])[0]:
            subset = wider
    return subset


def _hit(hitting: set[int], complement: int) -> set[int]:
    """Berge's step: the minimal sets that hit one more set as well."""
    kept = {s for s in hitting if s & complement}
    bits = [1 << i for i in range(complement.bit_length()) if complement >> i & 1]
    grown = {s | bit for s in hitting - kept for bit in bits}
    return kept | {s for s in grown if not any(k & s == k for k in kept)}
