"""Hash grouping of packed 64-bit keys: one pass, O(n)."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

_MULTIPLIER = np.uint64(0x9E3779B97F4A7C15)  # 2**64 / golden ratio: spreads neighbouring keys over the table


@njit(cache=True, nogil=True)
def hash_group(keys: Any) -> Any:
    """Label every key by its order of first appearance; return labels and the distinct keys in that order."""
    n = len(keys)
    labels = np.empty(n, dtype=np.int32)
    bits = 12
    slots = np.full(1 << bits, -1, dtype=np.int32)
    distinct = np.empty(1 << (bits - 1), dtype=np.int64)
    found = 0
    for i in range(n):
        key = keys[i]
        slot = np.int64((np.uint64(key) * _MULTIPLIER) >> np.uint64(64 - bits))
        while slots[slot] >= 0 and distinct[slots[slot]] != key:
            slot = (slot + 1) & ((1 << bits) - 1)
        if slots[slot] < 0:
            slots[slot] = found
            distinct[found] = key
            found += 1
            labels[i] = found - 1
            if found == len(distinct):
                bits += 1
                slots = np.full(1 << bits, -1, dtype=np.int32)
                larger = np.empty(1 << (bits - 1), dtype=np.int64)
                larger[:found] = distinct
                distinct = larger
                for j in range(found):
                    again = np.int64((np.uint64(distinct[j]) * _MULTIPLIER) >> np.uint64(64 - bits))
                    while slots[again] >= 0:
                        again = (again + 1) & ((1 << bits) - 1)
                    slots[again] = j
        else:
            labels[i] = slots[slot]
    return labels, distinct[:found].copy()


@njit(cache=True, nogil=True)
def relabel(labels: Any, rank: Any) -> None:
    """Replace each label by its rank, in place."""
    for i in range(len(labels)):
        labels[i] = rank[labels[i]]


def group(keys: NDArray[np.int64]) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
    """Labels 0 .. m-1 in key order, and the m distinct keys, sorted."""
    labels, distinct = hash_group(keys)
    order = np.argsort(distinct)
    rank = np.empty(len(order), dtype=np.int32)
    rank[order] = np.arange(len(order), dtype=np.int32)
    relabel(labels, rank)
    return labels, distinct[order]
