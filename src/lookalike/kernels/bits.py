"""Bit sets as rows of 64-bit words: bit m of a set lives in word m >> 6 at place m & 63.

Counting, scanning and merging equal sets; merging is one pass with a hash table, O(rows x words).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from lookalike.kernels.compiling import kernel, part

ONE = np.uint64(1)
ZERO = np.uint64(0)


@part
def popcount(x: Any) -> Any:
    """Number of bits set in one word."""
    x = x - ((x >> np.uint64(1)) & np.uint64(0x5555555555555555))
    x = (x & np.uint64(0x3333333333333333)) + ((x >> np.uint64(2)) & np.uint64(0x3333333333333333))
    x = (x + (x >> np.uint64(4))) & np.uint64(0x0F0F0F0F0F0F0F0F)
    return np.int64((x * np.uint64(0x0101010101010101)) >> np.uint64(56))


@part
def lowest(x: Any) -> Any:
    """Place of the lowest bit set in a non-zero word."""
    return popcount((x & (~x + ONE)) - ONE)


@part
def copy(words: Any, out: Any) -> None:
    """One set into the place of another."""
    for w in range(words.shape[0]):
        out[w] = words[w]


@part
def has(words: Any, bit: Any) -> Any:
    return (words[bit >> 6] >> np.uint64(bit & 63)) & ONE != ZERO


@part
def mix(words: Any) -> Any:
    """A 64-bit hash of one set (the finaliser of splitmix64 over the words)."""
    h = np.uint64(0x9E3779B97F4A7C15)
    for w in range(words.shape[0]):
        h ^= words[w]
        h ^= h >> np.uint64(30)
        h *= np.uint64(0xBF58476D1CE4E5B9)
        h ^= h >> np.uint64(27)
        h *= np.uint64(0x94D049BB133111EB)
        h ^= h >> np.uint64(31)
    return h


@part
def equal(a: Any, b: Any) -> Any:
    same = True
    for w in range(a.shape[0]):
        same = same and a[w] == b[w]
    return same


@part
def within(words: Any, others: Any) -> Any:
    """Whether one set has no bit that the other lacks."""
    w = 0
    while w < words.shape[0] and words[w] & ~others[w] == ZERO:
        w += 1
    return w == words.shape[0]


@part
def find(table: Any, sets: Any, words: Any, h: Any) -> Any:
    """Slot of `words` in an open-addressing table of set numbers, or the empty slot where it belongs."""
    mask = np.uint64(table.shape[0] - 1)
    slot = h & mask
    while table[slot] >= 0 and not equal(sets[table[slot]], words):
        slot = (slot + ONE) & mask
    return slot


def merge_equal(rows: Any) -> Any:
    """Number the distinct rows by first appearance: (first row of each, number of every row)."""
    first, number = np.empty((2, len(rows)), np.int64)
    found = _merge_equal(rows, np.full(1 << max(2 * len(rows) - 1, 15).bit_length(), -1), first, number)
    return first[:found].copy(), number


@kernel
def _merge_equal(rows: Any, table: Any, first: Any, number: Any) -> Any:
    mask = np.uint64(table.shape[0] - 1)
    found = 0
    for i in range(rows.shape[0]):
        slot = mix(rows[i]) & mask
        while table[slot] >= 0 and not equal(rows[first[table[slot]]], rows[i]):
            slot = (slot + ONE) & mask
        if table[slot] < 0:
            table[slot] = found
            first[found] = i
            found += 1
        number[i] = table[slot]
    return found


def sum_by_bit(rows: Any, weights: Any) -> Any:
    """For each bit the sum of the weights of the rows that have it."""
    sums = np.zeros(64 * rows.shape[1], np.int64)
    _sum_by_bit(rows, weights, sums)
    return sums


@kernel
def _sum_by_bit(rows: Any, weights: Any, sums: Any) -> None:
    for r in range(rows.shape[0]):
        for w in range(rows.shape[1]):
            x = rows[r, w]
            while x != ZERO:
                sums[64 * w + lowest(x)] += weights[r]
                x &= x - ONE
