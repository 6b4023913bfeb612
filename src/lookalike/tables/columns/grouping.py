"""Group tuples of codes: pack each tuple into one 64-bit integer, then label equal integers.

Groups come out in lexicographic order of their codes, so the answer never depends on the order of rows.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

Labels = NDArray[np.int32]
_LIMIT = 2**62
_DENSE = 1 << 22  # below this many possible keys, a presence table beats hashing
_CACHED = 1 << 16  # so many keys are hashed within the cache
_FIRST = 4_096  # rows that one of each of few groups is looked for in first


def group_keys(keys: NDArray[np.int64], span: int) -> tuple[Labels, NDArray[np.int64]]:
    """Label keys from 0 .. span-1; return the label of each key and the distinct keys, both in key order."""
    if span <= max(_DENSE, 4 * len(keys)) and span <= 2**31 - 1:
        present = np.zeros(span, dtype=bool)
        present[keys] = True
        distinct = np.flatnonzero(present)
        place = np.zeros(span, dtype=np.int32)
        place[distinct] = np.arange(len(distinct), dtype=np.int32)
        return place[keys], distinct
    if len(keys) > _CACHED and _mostly_distinct(keys):
        return _sort_keys(keys)
    from lookalike.kernels.grouping import group

    return group(keys)


def group_codes(
    columns: Sequence[NDArray[np.integer[Any]]], sizes: Sequence[int], n: int
) -> tuple[Labels, int]:
    """Label rows by their tuple of codes; return the labels and how many groups there are.

    When the product of the sizes outgrows 64 bits, what is packed so far is grouped first and its labels go on; once
    every row is a group of its own, more columns change nothing.
    """
    keys = np.zeros(n, dtype=np.int64)
    span = 1
    for codes, size in zip(columns, sizes, strict=True):
        if span * size > _LIMIT:
            labels, distinct = group_keys(keys, span)
            if len(distinct) == n:
                return labels, n
            keys, span = labels.astype(np.int64), len(distinct)
        keys *= size
        keys += codes
        span *= size
    labels, distinct = group_keys(keys, max(span, 1))
    return labels, len(distinct)


def _mostly_distinct(keys: NDArray[np.int64]) -> bool:
    """Whether most of a sample of the keys occur once in it: sorting then beats hashing, which would miss the cache."""
    sample = np.sort(keys[:: max(len(keys) >> 14, 1)])
    return int(np.count_nonzero(sample[1:] != sample[:-1])) >= len(sample) / 2


def _sort_keys(keys: NDArray[np.int64]) -> tuple[Labels, NDArray[np.int64]]:
    order = np.argsort(keys)
    ordered = keys[order]
    new = np.empty(len(keys), dtype=bool)
    new[:1] = True
    np.not_equal(ordered[1:], ordered[:-1], out=new[1:])
    labels = np.empty(len(keys), dtype=np.int32)
    labels[order] = np.cumsum(new, dtype=np.int32) - np.int32(1)
    return labels, ordered[new]


def group_sizes(
    columns: Sequence[NDArray[np.integer[Any]]], sizes: Sequence[int], n: int
) -> NDArray[np.int64]:
    """How many rows have each tuple of codes, in the order of the tuples; quicker than labelling them."""
    keys, span = np.zeros(n, dtype=np.int64), 1
    for codes, size in zip(columns, sizes, strict=True):
        if span * size > _LIMIT:
            labels, distinct = group_keys(keys, span)
            keys, span = labels.astype(np.int64), len(distinct)
        keys *= size
        keys += codes
        span *= size
    if span <= max(_DENSE, n):
        counts = np.bincount(keys)
        return counts[counts > 0]
    keys.sort()
    ends = np.flatnonzero(np.append(keys[1:] != keys[:-1], True)) if n else np.empty(0, dtype=np.int64)
    return np.diff(ends, prepend=-1)


def first_of_each(labels: Labels, groups: int) -> NDArray[np.int64]:
    """The position of one member of each group; which one does not matter to its codes."""
    if len(labels) > _FIRST > groups:  # a few large groups: most likely all of them are among the first rows
        out = np.full(groups, -1, dtype=np.int64)
        out[labels[:_FIRST]] = np.arange(_FIRST)
        if out.min(initial=0) >= 0:
            return out
    out = np.empty(groups, dtype=np.int64)
    out[labels] = np.arange(len(labels))
    return out


def tally(
    labels: NDArray[np.integer[Any]], groups: int, times: NDArray[np.int64] | None = None
) -> NDArray[np.int64]:
    """How many records have each label; a row stands for one, or for `times` of them."""
    if times is not None:
        return sum_by(labels, times, groups)
    return np.bincount(labels, minlength=groups).astype(np.int64)


def sum_by(
    labels: NDArray[np.integer[Any]], values: NDArray[np.integer[Any]], groups: int
) -> NDArray[np.int64]:
    """Exact integer sums of values per label."""
    out = np.zeros(groups, dtype=np.int64)
    np.add.at(out, labels, values)
    return out
