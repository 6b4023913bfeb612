"""Hash grouping of packed 64-bit keys: one pass, O(n)."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from lookalike.kernels.compiling import kernel

_MULTIPLIER = np.uint64(0x9E3779B97F4A7C15)  # 2**64 / golden ratio: spreads neighbouring keys over the table


@kernel
def insert(keys: Any, labels: Any, start: int, slots: Any, shift: int, distinct: Any, found: int) -> Any:
    """Label keys from `start` on by their order of first appearance, until `distinct` is full.

    Returns where it stopped and how many distinct keys there are. Growing the arrays is left to the caller: it keeps
    this kernel small, and so quick to compile.
    """
    mask = len(slots) - 1
    for i in range(start, len(keys)):
        slot = np.int64((np.uint64(keys[i]) * _MULTIPLIER) >> np.uint64(shift))
        while slots[slot] >= 0 and distinct[slots[slot]] != keys[i]:
            slot = (slot + 1) & mask
        if slots[slot] < 0:
            if found == len(distinct):
                return i, found
            slots[slot] = found
            distinct[found] = keys[i]
            found += 1
        labels[i] = slots[slot]
    return len(keys), found


@kernel
def look_up(keys: Any, slots: Any, shift: int, distinct: Any, found: Any) -> None:
    """The place of each key among those that were inserted, -1 where it was not."""
    mask = len(slots) - 1
    for i in range(len(keys)):
        slot = np.int64((np.uint64(keys[i]) * _MULTIPLIER) >> np.uint64(shift))
        while slots[slot] >= 0 and distinct[slots[slot]] != keys[i]:
            slot = (slot + 1) & mask
        found[i] = slots[slot]


@kernel
def count_up(labels: Any, times: Any) -> None:
    """Count each label once more."""
    for i in range(len(labels)):
        times[labels[i]] += 1


@kernel
def relabel(labels: Any, rank: Any) -> None:
    """Replace each label by its rank, in place."""
    for i in range(len(labels)):
        labels[i] = rank[labels[i]]


def _still(keys: NDArray[np.int64]) -> NDArray[np.int64]:
    """Keys that cannot be changed: another type to numba than those that can, for which it would compile again."""
    keys = keys.view()
    keys.flags.writeable = False
    return keys


class GrowingKeys:
    """Distinct keys in the order they first appeared in; more can come."""

    def __init__(self) -> None:
        self._bits, self._found = 12, 0
        self._distinct = np.empty(1 << 11, dtype=np.int64)
        self._slots = np.full(1 << 12, -1, dtype=np.int32)

    def __len__(self) -> int:
        return self._found

    @property
    def known(self) -> NDArray[np.int64]:
        """The distinct keys."""
        return self._distinct[: self._found]

    def label(self, keys: NDArray[np.int64]) -> NDArray[np.int32]:
        """The place of each key, new ones being added."""
        keys, labels, place = _still(keys), np.empty(len(keys), dtype=np.int32), 0
        while True:
            place, self._found = insert(
                keys, labels, place, self._slots, 64 - self._bits, self._distinct, self._found
            )
            if place == len(keys):
                return labels
            self._grow()

    def _grow(self) -> None:
        known = _still(self.known)
        self._bits += 2
        self._distinct = np.empty(1 << (self._bits - 1), dtype=np.int64)
        self._slots = np.full(1 << self._bits, -1, dtype=np.int32)
        again = np.empty(len(known), dtype=np.int32)
        insert(known, again, 0, self._slots, 64 - self._bits, self._distinct, 0)


def group(keys: NDArray[np.int64]) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
    """Labels 0 .. m-1 in key order, and the m distinct keys, sorted."""
    found = GrowingKeys()
    labels, distinct = found.label(keys), found.known
    order = np.argsort(distinct)
    rank = np.empty(len(order), dtype=np.int32)
    rank[order] = np.arange(len(order), dtype=np.int32)
    relabel(labels, rank)
    return labels, distinct[order]


class KnownKeys:
    """Distinct keys, each of which is found again by its place among them."""

    def __init__(self, keys: NDArray[np.int64]) -> None:
        bits = max(int(len(keys) * 2).bit_length(), 4)
        self._shift, self._slots = 64 - bits, np.full(1 << bits, -1, dtype=np.int32)
        self._keys = np.empty(len(keys), dtype=np.int64)
        labels = np.empty(len(keys), dtype=np.int32)
        insert(_still(keys), labels, 0, self._slots, self._shift, self._keys, 0)

    def find(self, keys: NDArray[np.int64]) -> NDArray[np.int32]:
        """The place of each key, -1 where it is not known."""
        found = np.empty(len(keys), dtype=np.int32)
        look_up(_still(keys), self._slots, self._shift, self._keys, found)
        return found
