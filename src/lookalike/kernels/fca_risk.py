"""Basic semantic risk of every distinct row, without a lattice.

For a row e the kernel finds the rows that have all attributes of e, and among the attributes e lacks the one that
most of them share; what remains is the gap, and r_BS(e) = 1/gap. The supersets of all rows are found together:
queries and candidates are split by one attribute after the other (queries with the attribute keep only candidates
with it), rare attributes first, until a block is small enough to compare directly. Under nominal scales this is
close to O(rows x attributes); the pairs (row, superset) bound it below.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

from lookalike.kernels.bits import ONE, ZERO, lowest

SMALL_BLOCK = 4  # queries or candidates up to which comparing beats splitting further


@njit(cache=True, nogil=True)
def _split(items: Any, begin: Any, end: Any, words: Any, shift: Any, spare: Any) -> Any:
    """Move the items with the attribute to the front, both parts in order; where the others begin."""
    mid = begin
    others = 0
    for i in range(begin, end):
        item = items[i]
        if (words[item] >> shift) & ONE != ZERO:
            items[mid] = item
            mid += 1
        else:
            spare[others] = item
            others += 1
    items[mid:end] = spare[:others]
    return mid


@njit(cache=True, nogil=True)
def gaps(rows: Any, weights: Any, order: Any, collect: Any) -> Any:
    """(gap, extent size, witness, starts, members) per row; `order` lists the attributes to split by.

    members[starts[e, 0]:starts[e, 1]] are the rows of e's extent, kept only where `collect` is set. The witness is
    the attribute that e lacks and most of its extent has; -1 when nobody in the extent has more attributes than e
    (then the gap is the whole extent).
    """
    n, width = rows.shape
    gap = np.empty(n, np.int64)
    extent = np.empty(n, np.int64)
    witness = np.empty(n, np.int64)
    queries = np.arange(n)
    candidates = np.arange(n)
    spare = np.empty(n, np.int64)
    across = rows.T.copy()  # splitting reads one word of every row: keep these words together
    count = np.zeros(64 * width, np.int64)
    starts = np.zeros((n, 2), np.int64)
    members = np.empty(n if collect else 0, np.int64)
    filled = 0
    stack = np.empty((order.shape[0] + 2, 4), np.int64)
    stack[0] = (0, n, n, 0)
    depth = 1
    while depth > 0:
        depth -= 1
        q0, q1, c1, a = stack[depth]
        while a < order.shape[0] and q1 - q0 > SMALL_BLOCK and c1 > SMALL_BLOCK:
            words, shift = across[order[a] >> 6], np.uint64(order[a] & 63)
            mid = _split(queries, q0, q1, words, shift, spare)
            if mid > q0:
                inside = _split(candidates, 0, c1, words, shift, spare)
                if mid < q1:
                    # The queries without the attribute wait: they need the candidates with and without it.
                    stack[depth] = (mid, q1, c1, a + 1)
                    depth += 1
                q1 = mid
                c1 = inside
            a += 1
        for q in range(q0, q1):
            e = queries[q]
            size = 0
            starts[e, 0] = filled
            for c in range(c1):
                g = candidates[c]
                inside_all = True
                for w in range(width):
                    inside_all = inside_all and rows[e, w] & ~rows[g, w] == ZERO
                if inside_all:
                    size += weights[g]
                    if collect:
                        if filled == members.shape[0]:
                            longer = np.empty(2 * filled, np.int64)
                            longer[:filled] = members
                            members = longer
                        members[filled] = g
                        filled += 1
                    for w in range(width):
                        x = rows[g, w] & ~rows[e, w]
                        while x != ZERO:
                            count[64 * w + lowest(x)] += weights[g]
                            x &= x - ONE
            best = 0
            who = -1
            if size > weights[e]:
                for m in range(64 * width):
                    if count[m] > best:
                        best = count[m]
                        who = m
                    count[m] = 0
            starts[e, 1] = filled
            extent[e] = size
            gap[e] = size - best
            witness[e] = who
    return gap, extent, witness, starts, members
