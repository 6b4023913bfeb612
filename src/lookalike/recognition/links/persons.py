"""Whose rows are they? A key is one person's where what never changes about a person never changes within it.

A household's phone, a doctor's name or a machine's number stand in rows of both sexes and all ages. O(n log n).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lookalike.recognition.links.dependence import RankedCodes, measure
from lookalike.tables.columns.coding import Column
from lookalike.tables.columns.roles import Kind
from lookalike.tables.table import Table

LASTING = ("sex", "birth_date", "birth_year", "birth_part", "race")  #: what stays as it is
_STAYS = 0.8  #: share of its variety that a key accounts for beyond luck; typing errors take some of it
_ALIKE = 0.95  #: chance that two rows agree by which nothing is told
_REPEATS = 10  #: rows that come again, from which something is told
_LOOKED_AT = 500_000  #: rows, all of some keys


def is_one_persons(people: Table, keys: NDArray[np.int32], about: Mapping[str, str]) -> bool | None:
    """Whether the rows that share a key are one person's; None where nothing tells. Arguments as in `agreements`."""
    shares = agreements(people, keys, about)
    return min(shares) >= _STAYS if shares else None


def agreements(people: Table, keys: NDArray[np.int32], about: Mapping[str, str]) -> list[float]:
    """How far each column that lasts about a person is the same in rows that share a key: 1 always, 0 as if by luck.

    keys: one per row, negative where there is none. about: the concept of each column that may tell.
    """
    if len(keys) > _LOOKED_AT:  # some keys with all their rows, whatever the order of rows
        keys = np.where(keys % -(-len(keys) // _LOOKED_AT) == 0, keys, -1)
    told = []
    for name, concept in about.items():
        column = people.column(name)
        if concept in LASTING:
            told.append(_accounted(keys, column))
        elif concept == "age" and column.kind.numeric:
            told.append(_aged(keys, column))
    return [share for share in told if share is not None]


def keys_of(column: Column) -> NDArray[np.int32]:
    """The codes of a column, negative where a value is missing."""
    return np.where(column.codes < len(column.domain.values), column.codes, -1).astype(np.int32)


def places_of_numbers(
    people: Table, names: Iterable[str], rows: NDArray[Any]
) -> dict[str, NDArray[np.int32]]:
    """Of the columns that hold numbers: the place of each of some rows' numbers in order, negative where missing."""
    columns = (people.column(name) for name in names)
    return {one.name: keys_of(one)[rows] for one in columns if one.kind in (Kind.INTEGER, Kind.DECIMAL)}


def _accounted(keys: NDArray[np.int32], column: Column) -> float | None:
    pairs = _repeated(keys, column)
    if pairs is None:
        return None
    one = RankedCodes(pairs[0], int(pairs[0].max()) + 1, 0)
    other = RankedCodes(pairs[1], column.domain.size, 0)
    return None if other.alike >= _ALIKE else float(measure(one, [other]).onto[0])


def _aged(keys: NDArray[np.int32], column: Column) -> float | None:
    """The same of ages, which grow between one's rows: the share of their variance that lies between keys."""
    pairs = _repeated(keys, column)
    if pairs is None:
        return None
    of_row, ages = pairs[0], np.asarray(column.domain.values, dtype=np.float64)[pairs[1]]
    total = float(ages.var(ddof=1))
    rows = np.bincount(of_row)
    means = np.bincount(of_row, ages) / rows
    within = float(((ages - means[of_row]) ** 2).sum()) / (len(ages) - len(rows))
    return 1 - within / total if total > 0 else None


def _repeated(keys: NDArray[np.int32], column: Column) -> tuple[NDArray[np.int32], NDArray[np.int32]] | None:
    """Keys, numbered anew, and values of the rows whose key comes again, where both are known."""
    kept = (keys >= 0) & (keys_of(column) >= 0)
    _, of_row, counts = np.unique(keys[kept], return_inverse=True, return_counts=True)
    again = counts > 1
    if int(counts[again].sum()) - int(again.sum()) < _REPEATS:
        return None
    rows = again[of_row]
    numbered = (np.cumsum(again) - 1)[of_row[rows]].astype(np.int32)
    return numbered, column.codes[kept][rows]
