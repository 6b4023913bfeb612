"""Which of the records that share a tuple goes to which of its classes, by a keyed digest of what else they say.

A method sees nothing but the columns that are counted, so records that are alike in those are dealt out afterwards.
Every value of every other published column has a number of 63 bits, a digest of its text under the seed and the name of
the column; a row has the exclusive or of its values' numbers (A. L. Zobrist, A new hashing method with application for
game playing, 1970). So any engine finds a row's number by one join per column, whatever it takes for the text of a
number or a date, and the order of rows tells nothing. O(n log n) for records whose tuple has several classes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from lookalike.tables.columns.coding import Distinct
from lookalike.tables.columns.digests import numbers_of
from lookalike.tables.columns.grouping import group_codes
from lookalike.tables.ordering import order_rows, order_values, rank_values
from lookalike.tables.table import Table


def columns_seen(people: Table, besides: Sequence[str] = ()) -> list[str]:
    """The columns that a method may look at: records that are alike in these are alike to it."""
    named = {*people.quasi, *people.sensitive, people.unit, *besides}
    return [name for name in people.names if name in named]


def planning_order(people: Table, besides: Sequence[str] = ()) -> NDArray[np.int64]:
    """Positions of the rows by what a method may look at, quasi-identifiers first; nothing else matters, nor place.

    Spellings that are read as one value come last: they tell which tuple a row has, wherever tuples are counted.
    """
    cells = people.cells(sensitive=[])
    known = [attribute.name for attribute in cells.attributes]
    spelt = [a.name for a in cells.attributes if len(people.as_it_came(a.name).values) > len(a.domain.values)]
    rest = [name for name in columns_seen(people, besides) if name not in known]
    came = (people.as_it_came(name) for name in (*rest, *spelt))
    ranks = (rank_values(column, order_values(column.values)) for column in came)
    return order_rows(len(people), chain([(cells.of_row, len(cells))], ranks))


def deal_out(
    people: Table,
    of_row: NDArray[np.int32],
    *,
    besides: Sequence[str],
    published: Mapping[str, Distinct],
    seed: int,
) -> NDArray[np.int32]:
    """The same classes for each tuple, given to its records in the order of their numbers.

    besides: columns that were looked at besides those with a role. published: what is published of all others.
    """
    came = [people.as_it_came(name) for name in columns_seen(people, besides)]
    sizes = [len(column.values) + 1 for column in came]
    tuples, groups = group_codes([column.codes + 1 for column in came], sizes, len(people))
    one = np.empty(groups, dtype=np.int32)
    one[tuples] = of_row
    several = np.zeros(groups, dtype=bool)
    several[tuples[of_row != one[tuples]]] = True
    rows = np.flatnonzero(several[tuples])
    if not len(rows):
        return of_row
    numbers = np.zeros(len(rows), dtype=np.int64)
    for name, column in published.items():
        numbers ^= numbers_of(column.values, name, seed)[column.codes[rows]]
    place = np.empty(len(people), dtype=np.int64)
    place[people.content_order()] = np.arange(len(people))
    mine = tuples[rows]
    dealt = of_row.copy()
    dealt[rows[np.lexsort((place[rows], numbers, mine))]] = of_row[rows][np.lexsort((of_row[rows], mine))]
    return dealt
