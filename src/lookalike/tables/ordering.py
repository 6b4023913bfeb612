"""An order of rows by what they hold, never by their place, so that no answer depends on the order they came in.

Columns are packed into one 64-bit key as far as they go, and rows sorted by it; only rows that still tie are looked at
further. Rows that tie in every column are the same row twice. O(n log n), and O(t log t) more for the t rows tied.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from lookalike.columns.coding import Distinct
from lookalike.columns.spelling import canonical_texts, is_nested
from lookalike.columns.texts import FEW

Ranks = tuple[NDArray[np.integer[Any]], int]  #: a number per row, below this one
_LIMIT = 2**62
_MANY = 10_000  # texts worth packing into words before they are sorted
_ROOM = 4  # so many times as many possible keys as rows, and it is worth looking for ties


def order_rows(n: int, columns: Iterable[Ranks]) -> NDArray[np.int64]:
    """Positions of n rows ordered by a number in each column, the first column first."""
    order = np.arange(n, dtype=np.int64)
    places = np.arange(n)  # in `order`, of the rows that still tie
    keys, span = np.zeros(n, dtype=np.int64), 1
    for ranks, size in columns:
        if span * size > _LIMIT or span > _ROOM * len(places):
            places, keys, span = _sort(order, places, keys)
            if not len(places):
                return order
        keys = keys * size + ranks[order[places]]
        span *= size
    _sort(order, places, keys)
    return order


def _sort(
    order: NDArray[np.int64], places: NDArray[np.int64], keys: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64], int]:
    """Put tied rows in the order of their keys; return the places that still tie, and the tie each belongs to."""
    by_key = np.argsort(keys, kind="stable")
    order[places] = order[places][by_key]
    ordered = keys[by_key]
    new = np.ones(len(keys) + 1, dtype=bool)
    np.not_equal(ordered[1:], ordered[:-1], out=new[1:-1])
    tied = ~(new[1:] & new[:-1])
    ties = (np.cumsum(new[:-1]) - 1)[tied]
    return places[tied], ties, int(ties.max(initial=0)) + 1


def order_values(values: pl.Series) -> NDArray[np.int64]:
    """The places of distinct values when they are sorted."""
    if is_nested(values.dtype):
        values = canonical_texts(values)
    elif isinstance(values.dtype, pl.Enum | pl.Categorical) or values.dtype in (pl.Boolean, pl.Null):
        values = values.cast(pl.String)
    if values.dtype == pl.String and len(values) <= FEW and not values.null_count():
        few = values.to_list()
        return np.array(sorted(range(len(few)), key=few.__getitem__), dtype=np.int64)
    words = _as_words(values) if values.dtype == pl.String else None
    order = values.arg_sort().to_numpy() if words is None else np.argsort(words)
    return order.astype(np.int64)


def _as_words(texts: pl.Series) -> NDArray[np.uint64] | None:
    """Many short texts as numbers in the same order, which are sorted far quicker; None where they do not fit."""
    if len(texts) < _MANY or texts.str.len_bytes().max() > 8:  # type: ignore[operator]
        return None
    lengths = texts.str.len_bytes().to_numpy().astype(np.int64)
    text = np.frombuffer("".join(texts.to_list()).encode(), dtype=np.uint8)
    if not text.all():
        return None
    out = np.zeros((len(texts), 8), dtype=np.uint8)
    starts = np.cumsum(lengths) - lengths
    out.reshape(-1)[np.arange(len(text)) + np.repeat(np.arange(len(texts)) * 8 - starts, lengths)] = text
    return out.view(">u8").reshape(-1).astype(np.uint64)


def rank_values(column: Distinct, order: NDArray[np.int64]) -> Ranks:
    """Each row's place among the sorted values of its column, missing first, and how many places there are."""
    ranks = np.zeros(len(order) + 1, dtype=np.int64)
    ranks[order] = np.arange(1, len(order) + 1)
    return ranks[column.codes], len(order) + 1
