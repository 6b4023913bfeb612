"""Whether a plan recodes each quasi-identifier by its own value alone, as full-domain generalisation does, and how.

Then rows find their class by what is published of each value, and tuples of that are far fewer than tuples of values:
less to look up, and less to send to those who look. It is checked on every tuple that was counted, those that are held
back too, so nothing is assumed about who made the plan. O(tuples x columns).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
import polars as pl
from numpy.typing import NDArray

from lookalike.tables.columns.grouping import sum_by
from lookalike.tables.engines.engine import Places
from lookalike.tables.engines.stored.known_values import KnownValues

_LIMIT = 2**62

Coarse = dict[
    str, NDArray[np.int32]
]  #: column -> for the code of each value, a number of what is published of it


def coarsen(places: Places, dictionaries: Mapping[str, KnownValues]) -> tuple[Places, Coarse] | None:
    """The same places by tuples of what is published; None where a value's label depends on other columns."""
    names = places.tuples.columns
    if places.split or set(names) != set(places.boxes):
        return None
    kept, coarse, numbers = places.classes >= 0, Coarse(), {}
    if places.stars is not None:
        kept &= places.classes != places.stars
    keys, span = np.zeros(len(places.of_tuple), dtype=np.int64), 1
    for name in names:
        box, known = places.boxes[name], dictionaries[name]
        codes = known.codes(places.tuples[name])[places.of_tuple]
        shown = box.codes[places.classes[kept]] + 1
        nothing = len(box.values) + 1  # is published of values that only rows have which are held back
        table = np.full(known.size, nothing, dtype=np.int32)
        table[codes[kept]] = shown
        if (table[codes[kept]] != shown).any() or span * (nothing + 1) > _LIMIT:
            return None
        coarse[name], numbers[name] = table, table[codes]
        keys, span = keys * (nothing + 1) + numbers[name], span * (nothing + 1)
    _, first, group = np.unique(keys, return_index=True, return_inverse=True)
    classes = places.classes[first]
    if (classes[group] != places.classes).any():  # held back by something else than what is published
        return None
    tuples = pl.DataFrame({name: each[first] for name, each in numbers.items()})
    order = np.arange(len(first), dtype=np.int32)
    records = sum_by(group, places.records, len(first))
    return replace(places, tuples=tuples, of_tuple=order, classes=classes, records=records), coarse
