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

from lookalike.kernels.bits import ONE, ZERO, has, lowest
from lookalike.kernels.compiling import making_kernel, making_part, part

SMALL_BLOCK = 4  # queries or candidates up to which comparing beats splitting further


@part
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
    for i in range(others):
        items[mid + i] = spare[i]
    return mid


@making_part
def _ahead(rows: Any) -> Any:
    """For each attribute the attributes that more rows have, among them all of its own (of equals, the first)."""
    n, width = rows.shape
    closed = np.full((64 * width, width), ~ZERO, np.uint64)
    for r in range(n):
        for w in range(width):
            x = rows[r, w]
            while x != ZERO:
                m = 64 * w + lowest(x)
                x &= x - ONE
                for v in range(width):
                    closed[m, v] &= rows[r, v]
    ahead = np.zeros((64 * width, width), np.uint64)
    for m in range(64 * width):
        for w in range(width):
            x = closed[m, w]
            while x != ZERO:
                other = 64 * w + lowest(x)
                x &= x - ONE
                both = (closed[other, m >> 6] >> np.uint64(m & 63)) & ONE != ZERO
                if other != m and (not both or other < m):
                    ahead[m, w] |= ONE << np.uint64(other & 63)
    used = np.zeros(width, np.uint64)
    for r in range(n):
        for w in range(width):
            used[w] |= rows[r, w]
    return ahead, used


@part
def _next_steps(row: Any, used: Any, ahead: Any, out: Any) -> None:
    """The attributes a row lacks, without those that another lacking one covers: they can never share more.

    Under an ordinal scale this is the next step of each column.
    """
    for w in range(row.shape[0]):
        out[w] = used[w] & ~row[w]
        x = out[w]
        while x != ZERO:
            m = lowest(x)
            x &= x - ONE
            for v in range(row.shape[0]):
                if ahead[64 * w + m, v] & ~row[v] != ZERO:
                    out[w] &= ~(ONE << np.uint64(m))


@making_kernel
def gaps(rows: Any, weights: Any, order: Any, collect: Any) -> Any:
    """Gap, extent size and witness of each row; its extent; who else has what; and the pairs of rows compared.

    order: the attributes to split by. The witness is the attribute that e lacks and most of its extent has; -1 when
    nobody in the extent has more attributes than e (then the gap is the whole extent).
    members[starts[e, 0]:starts[e, 1]] are the rows of e's extent, kept only where `collect` is set;
    bits[held[e, 0]:held[e, 1]] are attributes that e lacks and others of its extent have, and `sums` how many of them.
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
    ahead, used = _ahead(rows)
    first = np.empty(width, np.uint64)
    starts = np.zeros((n, 2), np.int64)
    members = np.empty(n if collect else 0, np.int64)
    filled = 0
    held = np.zeros((n, 2), np.int64)
    bits = np.empty(1024, np.int64)
    sums = np.empty(1024, np.int64)
    noted = 0
    compared = 0
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
                within = _split(candidates, 0, c1, words, shift, spare)
                if mid < q1:
                    # The queries without the attribute wait: they need the candidates with and without it.
                    stack[depth] = (mid, q1, c1, a + 1)
                    depth += 1
                q1 = mid
                c1 = within
            a += 1
        for q in range(q0, q1):
            e = queries[q]
            inside = 0
            size = 0
            compared += c1
            for c in range(c1):
                g = candidates[c]
                w = 0
                while w < width and rows[e, w] & ~rows[g, w] == ZERO:
                    w += 1
                if w == width:
                    spare[inside] = g
                    inside += 1
                    size += weights[g]
            if collect:
                if filled + inside > members.shape[0]:
                    longer = np.empty(max(2 * members.shape[0], filled + inside), np.int64)
                    longer[:filled] = members[:filled]
                    members = longer
                members[filled : filled + inside] = spare[:inside]
            starts[e] = (filled, filled + inside)
            filled += inside
            best = 0
            who = -1
            if inside > 1:
                _next_steps(rows[e], used, ahead, first)
                for i in range(inside):
                    for w in range(width):
                        x = rows[spare[i], w] & first[w]
                        while x != ZERO:
                            count[64 * w + lowest(x)] += weights[spare[i]]
                            x &= x - ONE
                held[e, 0] = noted
                if noted + 64 * width > bits.shape[0]:
                    bits = np.concatenate((bits, np.empty(noted + 64 * width, np.int64)))
                    sums = np.concatenate((sums, np.empty(noted + 64 * width, np.int64)))
                for m in range(64 * width):
                    if count[m] > 0:
                        bits[noted] = m
                        sums[noted] = count[m]
                        noted += 1
                    if count[m] > best:
                        best = count[m]
                        who = m
                    count[m] = 0
                held[e, 1] = noted
            extent[e] = size
            gap[e] = size - best
            witness[e] = who
    return gap, extent, witness, starts, members, held, bits[:noted], sums[:noted], compared


@making_kernel
def take_away(
    rows: Any, weights: Any, alive: Any, gone: Any, gap: Any, extent: Any, held: Any, bits: Any, sums: Any
) -> None:
    """Bring gap and extent of the rows that are alive up to date after the rows `gone` were deleted, in place.

    What others of an extent have can only fall, so the attributes noted by `gaps` are all that will ever matter.
    """
    n, width = rows.shape
    touched = np.zeros(n, np.bool_)
    for i in range(gone.shape[0]):
        r = gone[i]
        for e in range(n):
            if not alive[e]:
                continue
            w = 0
            while w < width and rows[e, w] & ~rows[r, w] == ZERO:
                w += 1
            if w < width:
                continue
            touched[e] = True
            extent[e] -= weights[r]
            for j in range(held[e, 0], held[e, 1]):
                if has(rows[r], bits[j]):
                    sums[j] -= weights[r]
    for e in range(n):
        if touched[e]:
            best = 0
            for j in range(held[e, 0], held[e, 1]):
                best = max(best, sums[j])
            gap[e] = extent[e] - best
