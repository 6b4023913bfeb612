"""Columns that say the same as another, or a coarser thing: districts and regions, codes and their descriptions.

Found by counting pairs of values: A says the same as B where each value of A goes with one value of B and the other way
round, and lies below B where only the first holds. O(columns^2 x n).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from lookalike.columns.grouping import group_codes
from lookalike.tables.table import Table

NEARLY = 0.99  #: share of records that must agree


def say_the_same(people: Table, names: Sequence[str]) -> dict[str, str]:
    """Columns that are one to one with an earlier kept one: {doubled: kept}. Words are kept rather than numbers."""
    order = sorted(names, key=lambda name: people.column(name).kind.ordered)
    kept: list[str] = []
    doubled: dict[str, str] = {}
    for name in order:
        same = next(
            (other for other in kept if _below(people, name, other) and _below(people, other, name)), None
        )
        if same is None or people.column(name).domain.size <= 2:
            kept.append(name)
        else:
            doubled[name] = same
    return doubled


def lies_below(people: Table, name: str, others: Sequence[str]) -> str | None:
    """The finest of the other columns each of whose values holds whole values of this one; None where there is none."""
    size = people.column(name).domain.size
    above = [
        other
        for other in others
        if other != name and 2 <= people.column(other).domain.size <= size / 2 and _below(people, name, other)
    ]
    return max(above, key=lambda other: people.column(other).domain.size, default=None)


def most_common_above(people: Table, name: str, above: str) -> NDArray[np.int64]:
    """For each value of a column the value of the coarser one that it goes with most often."""
    lower, upper = people.column(name), people.column(above)
    table = np.zeros((lower.domain.size, upper.domain.size), dtype=np.int64)
    np.add.at(table, (lower.codes, upper.codes), 1)
    best: NDArray[np.int64] = table.argmax(axis=1)
    return best


def _below(people: Table, name: str, other: str) -> bool:
    """Whether nearly all records with one value of the one have one value of the other; single records say nothing."""
    one, two = people.column(name), people.column(other)
    pair, pairs = group_codes([one.codes, two.codes], [one.domain.size, two.domain.size], len(people))
    value_of = np.zeros(pairs, dtype=np.int64)
    value_of[pair] = one.codes
    most = np.zeros(one.domain.size, dtype=np.int64)
    np.maximum.at(most, value_of, np.bincount(pair, minlength=pairs))
    repeated = one.counts > 1
    records = int(one.counts[repeated].sum())
    return records >= len(people) / 2 and bool(most[repeated].sum() >= NEARLY * records)
