"""Basic semantic risk of every distinct row, without a lattice.

For a row e the kernel finds the rows that have all attributes of e, and among the attributes e lacks the one that
most of them share; what remains is the gap, and r_BS(e) = 1/gap. The supersets of all rows are found together:
queries and candidates are split by one attribute after the other (queries with the attribute keep only candidates
with it), rare attributes first, until a block is small enough to compare directly. Under nominal scales this is
close to O(rows x attributes); the pairs (row, superset) bound it below.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from lookalike.kernels.bits import ONE, ZERO, has, lowest
from lookalike.kernels.compiling import kernel, making_kernel, part
from lookalike.kernels.fca.growing import grown

SMALL_BLOCK = 4  # queries or candidates up to which comparing beats splitting further


class Gaps(NamedTuple):
    """What is found for each row."""

    gap: Any
    extent: Any  #: size
    witness: Any
    starts: Any  #: where its extent begins and ends
    held: Any  #: where the attributes that others have begin and end


class Room(NamedTuple):
    """Arrays to work in."""

    queries: Any
    candidates: Any
    spare: Any  #: per row
    count: Any  #: per attribute, 0 between rows
    closed: Any  #: per attribute: what all rows with it have
    ahead: Any  #: per attribute: those that more rows have
    used: Any  #: attributes that any row has
    first: Any  #: attributes that may be shared most
    stack: Any  #: blocks that wait


@part
def _split(items: Any, begin: Any, end: Any, across: Any, attribute: Any, spare: Any) -> Any:
    """Move the items with the attribute to the front, both parts in order; where the others begin."""
    word, shift = attribute >> 6, np.uint64(attribute & 63)
    mid = begin
    others = 0
    for i in range(begin, end):
        item = items[i]
        if (across[word, item] >> shift) & ONE != ZERO:
            items[mid] = item
            mid += 1
        else:
            spare[others] = item
            others += 1
    for i in range(others):
        items[mid + i] = spare[i]
    return mid


@part
def _find_ahead(rows: Any, closed: Any, ahead: Any, used: Any) -> None:
    """For each attribute the attributes that more rows have, among them all of its own (of equals, the first)."""
    n, width = rows.shape
    for r in range(n):
        for w in range(width):
            x = rows[r, w]
            used[w] |= x
            while x != ZERO:
                m = 64 * w + lowest(x)
                x &= x - ONE
                for v in range(width):
                    closed[m, v] &= rows[r, v]
    for m in range(64 * width):
        for w in range(width):
            x = closed[m, w]
            while x != ZERO:
                other = 64 * w + lowest(x)
                x &= x - ONE
                both = (closed[other, m >> 6] >> np.uint64(m & 63)) & ONE != ZERO
                if other != m and (not both or other < m):
                    ahead[m, w] |= ONE << np.uint64(other & 63)


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


def gaps(rows: Any, weights: Any, order: Any, collect: bool) -> Any:
    """Gap, extent size and witness of each row; its extent; who else has what; and the pairs of rows compared.

    order: the attributes to split by. The witness is the attribute that e lacks and most of its extent has; -1 when
    nobody in the extent has more attributes than e (then the gap is the whole extent).
    members[starts[e, 0]:starts[e, 1]] are the rows of e's extent, kept only where `collect` is set;
    bits[held[e, 0]:held[e, 1]] are attributes that e lacks and others of its extent have, and `sums` how many of them.
    """
    n, width = rows.shape
    across = np.ascontiguousarray(rows.T)  # splitting reads one word of every row: keep these words together
    gap, extent, witness = np.empty((3, n), np.int64)
    starts, held = np.zeros((2, n, 2), np.int64)
    room = Room(
        np.arange(n),
        np.arange(n),
        np.empty(n, np.int64),
        np.zeros(64 * width, np.int64),
        np.full((64 * width, width), ~ZERO),
        np.zeros((64 * width, width), np.uint64),
        np.zeros(width, np.uint64),
        np.empty(width, np.uint64),
        np.empty((len(order) + 2, 4), np.int64),
    )
    members, bits, sums, noted, compared = _gaps(
        rows, across, weights, order, collect, Gaps(gap, extent, witness, starts, held), room
    )
    return gap, extent, witness, starts, members, held, bits[:noted], sums[:noted], compared


@making_kernel
def _gaps(rows: Any, across: Any, weights: Any, order: Any, collect: Any, result: Any, room: Any) -> Any:
    n, width = rows.shape
    gap, extent, witness, starts, held = result
    queries, candidates, spare, count, closed, ahead, used, first, stack = room
    _find_ahead(rows, closed, ahead, used)
    members = np.empty(n if collect else 0, np.int64)
    filled = 0
    bits = np.empty(1024, np.int64)
    sums = np.empty(1024, np.int64)
    noted = 0
    compared = 0
    _push(stack, 0, 0, n, n, 0)
    depth = 1
    while depth > 0:
        depth -= 1
        q0, q1, c1, a = stack[depth, 0], stack[depth, 1], stack[depth, 2], stack[depth, 3]
        while a < order.shape[0] and q1 - q0 > SMALL_BLOCK and c1 > SMALL_BLOCK:
            mid = _split(queries, q0, q1, across, order[a], spare)
            if mid > q0:
                within = _split(candidates, 0, c1, across, order[a], spare)
                if mid < q1:
                    # The queries without the attribute wait: they need the candidates with and without it.
                    _push(stack, depth, mid, q1, c1, a + 1)
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
                members = grown(members, filled + inside)
                for i in range(inside):
                    members[filled + i] = spare[i]
            starts[e, 0] = filled
            filled += inside
            starts[e, 1] = filled
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
                bits = grown(bits, noted + 64 * width)
                sums = grown(sums, noted + 64 * width)
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
    return members, bits, sums, noted, compared


@part
def _push(stack: Any, depth: Any, q0: Any, q1: Any, c1: Any, a: Any) -> None:
    """Let a block of queries wait, with its candidates and the attribute to split by next."""
    stack[depth, 0] = q0
    stack[depth, 1] = q1
    stack[depth, 2] = c1
    stack[depth, 3] = a


def take_away(
    rows: Any, weights: Any, alive: Any, gone: Any, gap: Any, extent: Any, held: Any, bits: Any, sums: Any
) -> None:
    """Bring gap and extent of the rows that are alive up to date after the rows `gone` were deleted, in place.

    What others of an extent have can only fall, so the attributes noted by `gaps` are all that will ever matter.
    """
    touched = np.zeros(len(rows), np.bool_)
    _take_away(rows, weights, alive, gone, gap, extent, held, bits, sums, touched)


@kernel
def _take_away(
    rows: Any,
    weights: Any,
    alive: Any,
    gone: Any,
    gap: Any,
    extent: Any,
    held: Any,
    bits: Any,
    sums: Any,
    touched: Any,
) -> None:
    n, width = rows.shape
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
                best = sums[j] if sums[j] > best else best
            gap[e] = extent[e] - best
