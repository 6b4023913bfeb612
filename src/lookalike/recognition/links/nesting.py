"""Columns that say the same as another, or a coarser thing: districts and regions, codes and their descriptions.

Found by counting pairs of values: A says the same as B where each value of A goes with one value of B and the other way
round, and lies below B where only the first holds. O(columns^2 x n); of many columns, only those that are exactly the
same but for their spelling are compared.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from lookalike.recognition.links.dependence import RankedCodes, in_step
from lookalike.tables.columns.grouping import group_codes
from lookalike.tables.table import Table

NEARLY = 0.99  #: share of records that must agree
_SPELLED = ("mask", "prefixes", "parts")  #: hierarchies of codes, by their first characters
_ALL = 0.9  #: share of records in one group from which on nearly everything lies below it


@dataclass(frozen=True)
class Above:
    """A level of another column's hierarchy; level 0 is the column itself."""

    column: str
    level: int

    def codes(self, people: Table) -> tuple[NDArray[np.int32], list[str]]:
        """The group of each record, and what the groups are called."""
        if not self.level:
            column = people.column(self.column)
            return column.codes, [*column.domain.texts, "missing"]
        tree = people.tree(self.column)
        labels = ["missing" if label is None else str(label) for label in tree.published(self.level)]
        return tree.up[self.level][people.column(self.column).codes].astype(np.int32), labels


MANY = 300  #: columns from which on not every pair is compared


def say_the_same(people: Table, names: Sequence[str]) -> dict[str, str]:
    """Columns that are one to one with an earlier kept one: {doubled: kept}. Words are kept rather than numbers."""
    order = sorted(names, key=lambda name: _says_numbers(people, name))
    kept: dict[bytes, list[str]] = {}
    doubled: dict[str, str] = {}
    for name in order:
        alike = kept.setdefault(_shape(people, name) if len(names) > MANY else b"", [])
        same = next(
            (
                other
                for other in alike
                if _below(people, name, Above(other, 0)) and _below(people, other, Above(name, 0))
            ),
            None,
        )
        if same is None or people.column(name).domain.size <= 2:
            alike.append(name)
        else:
            doubled[name] = same
    return doubled


def lies_below(people: Table, name: str, others: Sequence[str]) -> Above | None:
    """The finest of the other columns each of whose values holds whole values of this one.

    Where none does, the finest level of the codes among them, whose first characters may.
    """
    most = people.column(name).domain.size / 2
    others = [other for other in others if other != name]
    codes = [other for other in others if people.tree(other).recipe.how in _SPELLED]
    coarser = [Above(other, level) for other in codes for level in range(1, people.tree(other).height)]
    for candidates in ([Above(other, 0) for other in others], coarser):
        sized = [(len(people.tree(one.column).labels[one.level]), one) for one in candidates]
        found = [(n, one) for n, one in sized if 2 <= n <= most and _below(people, name, one)]
        if found:
            return max(found, key=lambda pair: pair[0])[1]
    return None


def go_in_step(people: Table, name: str, other: str) -> float:
    """How far two ordered columns rise together, or one as the other falls: rank correlation without its sign."""
    columns = people.column(name), people.column(other)
    return abs(in_step(*(RankedCodes(one.codes, one.domain.size, len(one.domain.values)) for one in columns)))


def most_common_above(people: Table, name: str, above: Above) -> list[str]:
    """For each value of a column what the coarser group is called that it goes with most often."""
    lower = people.column(name)
    upper, labels = above.codes(people)
    table = np.zeros((lower.domain.size, len(labels)), dtype=np.int64)
    np.add.at(table, (lower.codes, upper), 1)
    return [labels[best] for best in table[: len(lower.domain.values)].argmax(axis=1).tolist()]


def _says_numbers(people: Table, name: str) -> bool:
    """Whether a column holds numbers, be they names of something or amounts."""
    column = people.column(name)
    return column.kind.ordered or all(text.isdigit() for text in column.domain.texts)


def _shape(people: Table, name: str) -> bytes:
    """Which rows have the same value: equal for columns that are one to one."""
    codes = people.column(name).codes
    _, first, of_row = np.unique(codes, return_index=True, return_inverse=True)
    return first[of_row].astype(np.int64).tobytes()


def _below(people: Table, name: str, above: Above) -> bool:
    """Whether nearly all records with one value are in one group of the other column; single records say nothing."""
    one = people.column(name)
    two, labels = above.codes(people)
    if above.level and np.bincount(two).max() > _ALL * len(people):
        return False
    pair, pairs = group_codes([one.codes, two], [one.domain.size, len(labels)], len(people))
    value_of = np.zeros(pairs, dtype=np.int64)
    value_of[pair] = one.codes
    most = np.zeros(one.domain.size, dtype=np.int64)
    np.maximum.at(most, value_of, np.bincount(pair, minlength=pairs))
    repeated = one.counts > 1
    records = int(one.counts[repeated].sum())
    return records >= len(people) / 2 and bool(most[repeated].sum() >= NEARLY * records)
