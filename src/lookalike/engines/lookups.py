"""Whether a plan recodes each quasi-identifier by its own value alone, as full-domain generalisation does, and how.

Then rows find their class by one small table per column: each value becomes a number, the sum of a row's numbers names
its class. That is checked on every tuple that was counted, those that are held back too, so nothing is assumed about
who made the plan. O(tuples x columns).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import polars as pl

from lookalike.engines.engine import CLASS, NOW, Places

_LIMIT = 2**62


@dataclass(frozen=True, eq=False)
class Lookups:
    """A number for each value of each column, and the class that a sum of them names."""

    NUMBER: ClassVar[str] = "number of the value"
    KEY: ClassVar[str] = "number of the class"

    numbers: Mapping[str, pl.DataFrame]  #: column -> value, number
    classes: pl.DataFrame  #: the sum of the numbers, what is published of each column, the class


def find_lookups(places: Places) -> Lookups | None:
    """The tables of a plan that looks at each column alone; None where it does not."""
    names = list(places.boxes)
    if places.split or sorted(places.tuples.columns) != sorted(names):
        return None
    lines = places.lines()
    numbers, span = {}, 1
    for name in names:
        pairs = lines.select(name, f"{NOW}{name}").unique()
        if pairs.height > pairs[name].n_unique():
            return None
        labels = pairs.select(pl.col(f"{NOW}{name}").rank("dense").fill_null(0).cast(pl.Int64)).to_series()
        numbers[name] = pairs.select(name, (labels * span).alias(Lookups.NUMBER))
        span *= int(labels.max() or 0) + 1  # type: ignore[arg-type]
        if span > _LIMIT:
            return None
    found = places.tuples.with_columns(pl.Series(CLASS, places.classes)).sort(CLASS, descending=True)
    for i, name in enumerate(names):
        mine = numbers[name].rename({Lookups.NUMBER: f"{Lookups.NUMBER} {i}"})
        found = found.join(mine, on=name, how="inner", nulls_equal=True)
    key = pl.sum_horizontal(f"{Lookups.NUMBER} {i}" for i in range(len(names))).alias(Lookups.KEY)
    by_key = found.select(key, CLASS).unique()
    if by_key.height > by_key[Lookups.KEY].n_unique():  # held back by something else than its class
        return None
    labels_of = lines.select(CLASS, *(f"{NOW}{name}" for name in names)).unique(CLASS)
    return Lookups(numbers, by_key.filter(pl.col(CLASS) >= 0).join(labels_of, on=CLASS))
