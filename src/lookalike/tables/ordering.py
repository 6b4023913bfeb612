"""An order of rows by what they hold, never by their place, so that no answer depends on the order they came in.

Columns are packed into one 64-bit key as far as they go, and rows sorted by it; only rows that still tie are looked at
further. Rows that tie in every column are the same row twice. O(n log n), and O(t log t) more for the t rows tied; O(n)
where random numbers decide.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from lookalike.tables.columns.coding import Distinct
from lookalike.tables.columns.grouping import group_keys
from lookalike.tables.columns.spelling import canonical_texts, is_nested
from lookalike.tables.columns.texts import FEW

Ranks = tuple[NDArray[np.integer[Any]], int]  #: a number per row, below this one
_LIMIT, _ANY = 2**62, 2**63 - 1
_SOME = 1_024  # rows that tell whether many are alike
_MANY = 10_000  # texts worth packing into words before they are sorted
_DEALT = 100_000  # rows worth a kernel
_BESIDE = 3  # rows that lie beside each other in one heap, as a power of two
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


def drawn_order(
    n: int, columns: Sequence[tuple[Distinct, NDArray[np.int64]]], draw: np.random.Generator
) -> NDArray[np.int64]:
    """Positions of n rows in an order that their content and what is drawn decide; of columns and their values' orders.

    Each value draws a number, and rows are sorted by the sum of theirs. Where two different rows have the same sum,
    which nobody will live to see, they are sorted by content and shuffled.
    """
    sums = np.zeros(n, dtype=np.uint64)
    for column, order in columns:
        numbers = np.empty(len(order) + 1, dtype=np.uint64)
        numbers[np.append(order, len(order))] = draw.integers(0, 2**64, len(order) + 1, dtype=np.uint64)
        sums += numbers[column.codes]
    places, ordered = _by_size(sums)
    tied = np.flatnonzero(ordered[1:] == ordered[:-1])
    one, other = places[tied], places[tied + 1]
    if all(np.array_equal(column.codes[one], column.codes[other]) for column, _ in columns):
        return places
    by_content = order_rows(n, (rank_values(column, order) for column, order in columns))
    return by_content[draw.permutation(n)]


def _by_size(sums: NDArray[np.uint64]) -> tuple[NDArray[np.int64], NDArray[np.uint64]]:
    """Positions from the smallest sum to the largest, and the sums in this order."""
    if len(np.unique(sums[:_SOME])) <= _SOME // 2:  # few are different, and only these are sorted
        labels, distinct = group_keys((sums ^ np.uint64(2**63)).view(np.int64), _ANY)
        places = np.argsort(labels.astype(np.uint16) if len(distinct) < 2**16 else labels, kind="stable")
    elif len(sums) < _DEALT:
        places = np.argsort(sums)
    else:
        return deal_out(sums)
    return places, sums[places]


def deal_out(sums: NDArray[np.uint64]) -> tuple[NDArray[np.int64], NDArray[np.uint64]]:
    """The same of numbers that are spread evenly, most of them once."""
    from lookalike.kernels.shuffling import HEAP, deal

    bits = max(len(sums).bit_length() - _BESIDE, 1)
    counts = np.bincount((sums >> np.uint64(64 - bits)).view(np.int64), minlength=1 << bits)
    ends = np.cumsum(counts) - counts  # where heaps begin, as long as nothing is in them
    ordered, places = np.empty_like(sums), np.empty(len(sums), dtype=np.int64)
    deal(sums, 64 - bits, ends, ordered, places)
    for heap in np.flatnonzero(counts > HEAP).tolist():
        part = slice(ends[heap] - counts[heap], ends[heap])
        order = np.argsort(ordered[part])
        ordered[part], places[part] = ordered[part][order], places[part][order]
    return places, ordered


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
    if values.dtype == pl.String and values.flags["SORTED_ASC"]:
        return np.arange(len(values), dtype=np.int64)
    order = _sort_texts(values) if values.dtype == pl.String else None
    return (values.arg_sort().to_numpy() if order is None else order).astype(np.int64)


def _sort_texts(texts: pl.Series) -> NDArray[np.int64] | None:
    """The order of many short texts, packed into numbers that sort far quicker; None where they do not fit."""
    longest = texts.str.len_bytes().max() if len(texts) >= _MANY else None
    if not isinstance(longest, int) or longest > 16 or texts.str.contains("\0", literal=True).any():
        return None
    if not texts.str.len_chars().eq(texts.str.len_bytes()).all():
        return None
    filled = texts.str.pad_end(8 if longest <= 8 else 16, "\0")
    first, rest = (
        filled.str.slice(at, 8).cast(pl.Binary).bin.reinterpret(dtype=pl.UInt64, endianness="big")
        for at in (0, 8)
    )
    return np.argsort(first.to_numpy()) if longest <= 8 else np.lexsort((rest.to_numpy(), first.to_numpy()))


def rank_values(column: Distinct, order: NDArray[np.int64]) -> Ranks:
    """Each row's place among the sorted values of its column, missing first, and how many places there are."""
    ranks = np.zeros(len(order) + 1, dtype=np.int64)
    ranks[order] = np.arange(1, len(order) + 1)
    return ranks[column.codes], len(order) + 1
