"""An order of rows by what they hold, never by their place, so that no answer depends on the order they came in.

Rows are ordered by their quasi-identifiers; ties are broken by the other columns, one after another, until none is
left. Rows that tie in every column are the same row twice. O(n) where the quasi-identifiers tell all rows apart, and
O(t log t) more per column for the t rows still tied.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from lookalike.columns.grouping import group_keys
from lookalike.columns.spelling import canonical_texts, is_nested


def order_rows(of_row: NDArray[np.integer[Any]], columns: Iterable[pl.Series]) -> NDArray[np.int64]:
    """Positions of the rows ordered by a number per row, ties by the content of columns, the first one first."""
    place = of_row.astype(np.int64)
    groups = int(place.max(initial=-1)) + 1
    for column in columns:
        tied = np.flatnonzero(np.bincount(place, minlength=groups)[place] > 1)
        if not len(tied):
            break
        rank, ranks = _ranks(column.gather(pl.Series(tied)))
        place *= ranks
        place[tied] += rank
        labels, distinct = group_keys(place, groups * ranks)
        place, groups = labels.astype(np.int64), len(distinct)
    return np.argsort(place, kind="stable")


def _ranks(series: pl.Series) -> tuple[NDArray[np.int64], int]:
    """Each value's place among the distinct ones, missing first, and how many places there are."""
    if is_nested(series.dtype):
        series = canonical_texts(series)
    elif isinstance(series.dtype, pl.Enum | pl.Categorical) or series.dtype in (pl.Boolean, pl.Null):
        series = series.cast(pl.String)
    rank = series.rank("dense").fill_null(0).to_numpy().astype(np.int64)
    return rank, int(rank.max(initial=0)) + 1
