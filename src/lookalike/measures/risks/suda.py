"""Special uniques: which few columns single a record out. Minimal sample uniques with SUDA scores.

A set of columns is a minimal sample unique of a record when nobody else shares the record's values there, while every
smaller set of them is shared. Elliot, Manning and Ford 2002, https://doi.org/10.1142/S0218488502001600; Manning,
Haglin and Keane 2008 (SUDA2), https://doi.org/10.1007/s10618-007-0078-6. Here every set up to `max_size` columns is
grouped once, on cells: exact, O(sets x cells).
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lookalike.base.checks import whole_number
from lookalike.tables.cells import Cells
from lookalike.tables.columns.grouping import group_codes

ALL_SETS = 1023  # with so many sets of columns or fewer, all sizes are searched by default
DEFAULT_SIZE = 3


@dataclass(frozen=True, eq=False)
class SpecialUniques:
    """People who are unique by few columns."""

    quasi: tuple[str, ...]
    max_size: int  #: larger sets of columns were not looked at
    sets: tuple[
        tuple[str, ...], ...
    ]  #: sets of columns that are a minimal sample unique of somebody, most people first
    people: NDArray[np.int64]  #: how many people each of them singles out
    scores: NDArray[
        np.float64
    ]  #: SUDA score of each row: 0 for nobody special, higher the fewer columns it takes
    smallest: NDArray[np.int64]  #: per row the size of its smallest minimal sample unique; 0 for none
    contributions: dict[str, float]  #: per column the share of all scores from sets with it

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON values; scores of single rows stay out."""
        return {
            "max_size": self.max_size,
            "unique_records": int((self.smallest > 0).sum()),
            "sets": [
                {"columns": list(columns), "people": int(n)}
                for columns, n in zip(self.sets, self.people, strict=True)
            ],
            "contributions": self.contributions,
        }

    def __repr__(self) -> str:
        return (
            f"SpecialUniques({int((self.smallest > 0).sum()):,} of {len(self.smallest):,} records are unique by "
            f"{self.max_size} columns or fewer)"
        )


def find_special_uniques(cells: Cells, *, max_size: int | None = None) -> SpecialUniques:
    """Minimal sample uniques of up to `max_size` columns (all sizes for ten columns or fewer, else three)."""
    q = len(cells.attributes)
    if max_size is None:
        max_size = q if 2**q - 1 <= ALL_SETS else DEFAULT_SIZE
    max_size = min(whole_number(max_size, "max_size", least=1), q)
    score, smallest = np.zeros(len(cells)), np.zeros(len(cells), dtype=np.int64)
    by_column = np.zeros(q)
    found: list[tuple[tuple[int, ...], int]] = []
    for columns, special in _minimal(cells, max_size):
        # The number of orders in which further columns can be added until max_size are known.
        weight = math.prod(q - i for i in range(len(columns), max_size))
        score[special] += weight
        smallest[special] = np.where(smallest[special] == 0, len(columns), smallest[special])
        by_column[list(columns)] += weight * len(special)
        found.append((columns, len(special)))
    found.sort(key=lambda pair: (-pair[1], len(pair[0]), pair[0]))
    total = float(score.sum())
    names = cells.names
    return SpecialUniques(
        tuple(names),
        max_size,
        tuple(tuple(names[i] for i in columns) for columns, _ in found),
        np.array([n for _, n in found], dtype=np.int64),
        score[cells.of_row],
        smallest[cells.of_row],
        {name: float(part / total) if total else 0.0 for name, part in zip(names, by_column, strict=True)},
    )


def _minimal(cells: Cells, max_size: int) -> Iterator[tuple[tuple[int, ...], NDArray[np.int64]]]:
    """Each set of columns with the cells it is a minimal sample unique of, where there are any."""
    # Only cells of one person can be unique by fewer columns; the others still count as lookalikes.
    alone = np.flatnonzero(cells.counts == 1)
    smaller: dict[tuple[int, ...], NDArray[np.bool_]] = {(): np.full(len(alone), cells.people == 1)}
    for size in range(1, max_size + 1):
        here: dict[tuple[int, ...], NDArray[np.bool_]] = {}
        for columns in combinations(range(len(cells.attributes)), size):
            before = [smaller[columns[:i] + columns[i + 1 :]] for i in range(size)]
            known = np.logical_or.reduce(before)
            here[columns] = known
            if known.all():
                continue
            unique = _unique(cells, columns)[alone]
            special = alone[unique & ~known]
            here[columns] = unique | known
            if len(special):
                yield columns, special
        smaller = here


def _unique(cells: Cells, columns: Sequence[int]) -> NDArray[np.bool_]:
    """Which cells are shared by nobody else, seen through these columns."""
    labels, n = group_codes([cells.codes[i] for i in columns], [cells.sizes[i] for i in columns], len(cells))
    if cells.entries.unit is None:
        people = np.bincount(labels, weights=cells.counts, minlength=n)
    else:
        people = cells.merge(labels, n).counts
    alone: NDArray[np.bool_] = people == 1
    return alone[labels]
