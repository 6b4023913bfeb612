"""All concepts below given extents, each with its lower covers, in one depth-first walk over merged rows.

Covers are recognised by counting alone: the closure D of B + {j} is a lower neighbour of (A, B) exactly when every
attribute of D outside B is shared by as many rows of A as j is. Children of a concept come from one pass that
deals its rows into a bucket per attribute, so a concept costs O(rows of its extent x attributes of a row), however
many attributes there are; the walk needs memory for the buckets of one path and one hash entry per concept.
After Lindig, "Fast concept analysis" (2000), and Ganter and Wille, "Formal Concept Analysis" (1999),
doi:10.1007/978-3-642-59830-2.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from lookalike.kernels.bits import ONE, ZERO, copy, find, lowest, mix, popcount
from lookalike.kernels.compiling import kernel, making_kernel, making_part
from lookalike.kernels.fca.growing import grown, grown_sets


@making_part
def _rehashed(table: Any, sets: Any, count: Any) -> Any:
    if 2 * (count + 1) < table.shape[0]:
        return table
    larger = np.empty(2 * table.shape[0], np.int64)
    for slot in range(larger.shape[0]):
        larger[slot] = -1
    for i in range(count):
        larger[find(larger, sets, sets[i], mix(sets[i]))] = i
    return larger


@making_part
def _added(intents: Any, supports: Any, table: Any, slot: Any, found: Any, words: Any, support: Any) -> Any:
    """Enter concept number `found`; the three arrays, grown where they had to."""
    intents = grown_sets(intents, found + 1)
    supports = grown(supports, found + 1)
    copy(words, intents[found])
    supports[found] = support
    table[slot] = found
    return intents, supports, _rehashed(table, intents, found + 1)


def walk_down(
    rows: Any, weights: Any, everything: Any, starts: Any, start_rows: Any, minimum: int, limit: int
) -> Any:
    """Every concept below the extents start_rows[starts[i, 0]:starts[i, 1]], and the cover edges between them.

    rows: distinct rows as bit sets, weights: objects per row, everything: the set of all attributes. Only concepts
    of at least `minimum` objects are kept; the walk stops once more than `limit` concepts were found. Returns intents,
    supports, edges upper -> lower (two arrays), the concept of each start, and whether the walk was complete.
    """
    origin = np.full(len(starts), -1)
    intents, supports, found, upper, lower, edges, complete = _walk_down(
        rows, weights, everything, starts, start_rows, minimum, limit, origin
    )
    return intents[:found], supports[:found], upper[:edges], lower[:edges], origin, complete


@making_kernel
def _walk_down(
    rows: Any,
    weights: Any,
    everything: Any,
    starts: Any,
    start_rows: Any,
    minimum: Any,
    limit: Any,
    origin: Any,
) -> Any:
    width = rows.shape[1]
    attributes = 64 * width
    intents = np.empty((1024, width), np.uint64)
    supports = np.empty(1024, np.int64)
    table = np.empty(4096, np.int64)
    for slot in range(table.shape[0]):
        table[slot] = -1
    upper = np.empty(4096, np.int64)
    lower = np.empty(4096, np.int64)
    found = 0
    edges = 0

    arena = np.empty(4096, np.int64)
    child_start = np.empty(256, np.int64)
    child_size = np.empty(256, np.int64)
    child_id = np.empty(256, np.int64)
    frame_child = np.empty(attributes + 2, np.int64)
    frame_next = np.empty(attributes + 2, np.int64)
    frame_arena = np.empty(attributes + 2, np.int64)

    count = np.empty(attributes, np.int64)
    weight = np.empty(attributes, np.int64)
    for j in range(attributes):
        count[j] = 0
        weight[j] = 0
    place = np.empty(attributes, np.int64)
    shared = np.empty(width, np.uint64)
    intent = np.empty(width, np.uint64)
    bottom = -1

    for s in range(starts.shape[0]):
        size = starts[s, 1] - starts[s, 0]
        support = 0
        copy(everything, shared)
        for i in range(starts[s, 0], starts[s, 1]):
            support += weights[start_rows[i]]
            for w in range(width):
                shared[w] &= rows[start_rows[i], w]
        if support < minimum:
            continue
        h = mix(shared)
        slot = find(table, intents, shared, h)
        if table[slot] >= 0:
            origin[s] = table[slot]
            continue
        intents, supports, table = _added(intents, supports, table, slot, found, shared, support)
        origin[s] = found
        found += 1

        arena = grown(arena, size)
        for i in range(size):
            arena[i] = start_rows[starts[s, 0] + i]
        top = size
        children = 1
        child_start[0] = 0
        child_size[0] = size
        child_id[0] = origin[s]
        depth = 0
        frame_child[0] = 0
        frame_next[0] = 0
        frame_arena[0] = top
        # A frame is a concept whose new lower neighbours still wait; frame 0 holds the start itself.
        while depth >= 0:
            if found > limit:
                return intents, supports, found, upper, lower, edges, False
            if frame_next[depth] == children:
                children = frame_child[depth]
                top = frame_arena[depth]
                depth -= 1
                continue
            child = frame_next[depth]
            frame_next[depth] += 1
            me = child_id[child]
            begin = child_start[child]
            end = begin + child_size[child]
            copy(intents[me], intent)

            total = 0
            for i in range(begin, end):
                r = arena[i]
                for w in range(width):
                    x = rows[r, w] & ~intent[w]
                    while x != ZERO:
                        j = 64 * w + lowest(x)
                        x &= x - ONE
                        count[j] += 1
                        weight[j] += weights[r]
                        total += 1
            depth += 1
            frame_child[depth] = children
            frame_next[depth] = children
            frame_arena[depth] = top
            if total == 0:
                closed = True
                for w in range(width):
                    closed = closed and intent[w] == everything[w]
                if not closed and minimum <= 0:
                    # No object has a further attribute: the lower neighbour is the empty extent.
                    if bottom < 0:
                        slot = find(table, intents, everything, mix(everything))
                        intents, supports, table = _added(
                            intents, supports, table, slot, found, everything, 0
                        )
                        bottom = found
                        found += 1
                    upper = grown(upper, edges + 1)
                    lower = grown(lower, edges + 1)
                    upper[edges] = me
                    lower[edges] = bottom
                    edges += 1
                continue
            offset = top
            for j in range(attributes):
                place[j] = offset
                offset += count[j]
            arena = grown(arena, offset)
            for i in range(begin, end):
                r = arena[i]
                for w in range(width):
                    x = rows[r, w] & ~intent[w]
                    while x != ZERO:
                        j = 64 * w + lowest(x)
                        x &= x - ONE
                        arena[place[j]] = r
                        place[j] += 1
            top = offset
            for j in range(attributes):
                if count[j] == 0 or weight[j] < minimum:
                    continue
                copy(everything, shared)
                for i in range(place[j] - count[j], place[j]):
                    for w in range(width):
                        shared[w] &= rows[arena[i], w]
                cover = True
                first = True
                for w in range(width):
                    x = shared[w] & ~intent[w]
                    while x != ZERO and cover:
                        m = 64 * w + lowest(x)
                        x &= x - ONE
                        if first:
                            cover = m == j
                            first = False
                        cover = cover and count[m] == count[j]
                if not cover:
                    continue
                slot = find(table, intents, shared, mix(shared))
                it = table[slot]
                if it < 0:
                    it = found
                    intents, supports, table = _added(intents, supports, table, slot, it, shared, weight[j])
                    found += 1
                    child_start = grown(child_start, children + 1)
                    child_size = grown(child_size, children + 1)
                    child_id = grown(child_id, children + 1)
                    child_start[children] = place[j] - count[j]
                    child_size[children] = count[j]
                    child_id[children] = it
                    children += 1
                upper = grown(upper, edges + 1)
                lower = grown(lower, edges + 1)
                upper[edges] = me
                lower[edges] = it
                edges += 1
            for j in range(attributes):
                count[j] = 0
                weight[j] = 0
    return intents, supports, found, upper, lower, edges, True


def chain_risk(supports: Any, offsets: Any, lowers: Any) -> Any:
    """r_L of every concept, given concepts by falling support and their lower covers as offsets into `lowers`."""
    risk = np.zeros(len(supports))
    _chain_risk(supports, offsets, lowers, risk)
    return risk


@kernel
def _chain_risk(supports: Any, offsets: Any, lowers: Any, risk: Any) -> None:
    for c in range(supports.shape[0] - 1, -1, -1):
        if supports[c] == 0:
            continue
        worst = -1.0
        for e in range(offsets[c], offsets[c + 1]):
            d = lowers[e]
            if supports[d] > 0:
                step = risk[d] / (supports[c] - supports[d])
                worst = step if step > worst else worst
        risk[c] = worst if worst >= 0.0 else 1.0 / supports[c]


def count_bits(sets: Any) -> Any:
    """Size of every set."""
    sizes = np.zeros(len(sets), np.int64)
    _count_bits(sets, sizes)
    return sizes


@kernel
def _count_bits(sets: Any, sizes: Any) -> None:
    for i in range(sets.shape[0]):
        for w in range(sets.shape[1]):
            sizes[i] += popcount(sets[i, w])
