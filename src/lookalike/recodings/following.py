"""Publish a linked column as blurred as the quasi-identifiers it follows: one label per published value of theirs.

The label is the set or range of the values that the released rows with that published value have: a range where both
columns are ordered, the set would be long, or it would name a number that only a few people have; ranges end as those
of quasi-identifiers do (`edges`). It is a function of what is published anyway, so it tells nobody further apart. O(n).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lookalike.recodings.boxes import enclose
from lookalike.recodings.edges import SHARED, find_edges
from lookalike.tables.cells import Attribute
from lookalike.tables.columns.grouping import group_codes, tally
from lookalike.tables.columns.notation import STAR
from lookalike.tables.table import Table

Texts = Mapping[
    str, tuple[NDArray[np.int32], list[Any]]
]  #: column -> the label of each row, and the labels' texts
LONGEST = 20  #: a set of more values is written as a range, or as a star where the column has no order


def follow(
    table: Table, name: str, of: Sequence[str], texts: Texts, of_row: NDArray[np.int32]
) -> tuple[NDArray[np.int32], list[Any]]:
    """The label of each row (-1: not released) and the texts of the labels, from the rows released and no others."""
    kept = of_row >= 0
    columns, sizes = [], []
    for quasi in of:
        where, labels = texts[quasi]
        place: dict[Any, int] = {}
        same = np.array([place.setdefault(label, len(place)) for label in labels], dtype=np.int32)
        columns.append(same[where[kept]])
        sizes.append(len(place))
    groups = np.full(len(table), -1, dtype=np.int32)
    groups[kept], boxes = group_codes(columns, sizes, int(kept.sum()))
    column, inside = table.column(name).part(kept), groups[kept]
    attribute = Attribute(column, partial(table.tree, name))
    if not boxes:
        return groups, [None]
    sets = enclose(attribute, "set", column.codes, inside, boxes)
    telling = np.diff(sets.starts) > LONGEST
    if not column.kind.ordered:
        longer: list[str | None] = [STAR] * boxes
    else:
        edges = None
        if column.kind.numeric:
            counts = table.people_having(name, among=kept)
            least = int(
                tally(inside, boxes, None if table.times is None else table.times[kept]).min(initial=SHARED)
            )
            edges = find_edges(column.domain, counts, least)
            rare = counts < least
            rare[len(column.domain.values) :] = False  # missing is no number
            telling |= np.logical_or.reduceat(rare[sets.code], sets.starts[:-1]) & (np.diff(sets.starts) > 1)
        longer = enclose(attribute, "range", column.codes, inside, boxes, edges).texts()
        if all(table.column(quasi).kind.ordered for quasi in of):
            return groups, longer
    texts_of = [
        long if tells else short for tells, long, short in zip(telling, longer, sets.texts(), strict=True)
    ]
    return groups, texts_of
