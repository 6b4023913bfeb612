"""All concepts below given extents, each with its lower covers, in one depth-first walk over merged rows.

Covers are recognised by counting alone: the closure D of B + {j} is a lower neighbour of (A, B) exactly when every
attribute of D outside B is shared by as many rows of A as j is. Children of a concept come from one pass that
deals its rows into a bucket per attribute, so a concept costs O(rows of its extent x attributes of a row), however
many attributes there are; the walk needs memory for the buckets of one path and one hash entry per concept.
After Lindig, "Fast concept analysis" (2000), and Ganter and Wille, "Formal Concept Analysis" (1999),
doi:10.1007/978-3-642-59830-2.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from lookalike.kernels.bits import ONE, ZERO, copy, equal, find, lowest, mix, popcount
from lookalike.kernels.compiling import kernel, part
from lookalike.kernels.fca.stretches import COMPLETE, FULL, STOPPED, Crosses, grown

# Counters that outlive a stretch: concepts and edges found, the start that is next, concepts on the path, waiting
# children, entries of the arena in use and needed.
CONCEPTS, EDGES, START, DEPTH, CHILDREN, TOP, NEEDED = range(7)
FIRST, SIZE, CONCEPT = range(3)  # of a child: its rows in the arena, how many, which concept it is
ROWS, OBJECTS, END = range(3)  # of an attribute: how many of an extent have it, and where its bucket ends
BEFORE, NEXT, BELOW = range(3)  # of a concept: children that waited before, the next one, arena in use


class FoundConcepts(NamedTuple):
    """Concepts and the cover edges between them."""

    intents: Any
    supports: Any
    table: Any  #: concept numbers by the hash of their intent
    edges: Any  #: upper -> lower


class Descent(NamedTuple):
    """Where the walk is: the concepts on the way down, and the rows of their children."""

    arena: Any  #: rows, extent after extent
    children: Any  #: extents that wait
    frames: Any  #: concepts whose children wait
    tally: Any  #: per attribute, 0 between concepts
    intent: Any
    shared: Any


def walk_down(
    rows: Any, weights: Any, everything: Any, starts: Any, start_rows: Any, minimum: int, limit: int
) -> Any:
    """Every concept below the extents start_rows[starts[i, 0]:starts[i, 1]], and the cover edges between them.

    rows: distinct rows as bit sets, weights: objects per row, everything: the set of all attributes. Only concepts
    of at least `minimum` objects are kept; the walk stops once more than `limit` concepts were found. Returns intents,
    supports, edges upper -> lower (two arrays), the concept of each start, and whether the walk was complete.
    """
    width = rows.shape[1]
    attributes = 64 * width
    intents, supports = np.empty((1024, width), np.uint64), np.empty(1024, np.int64)
    edges = np.empty((4096, 2), np.int64)
    arena, children = np.empty(4096, np.int64), np.empty((256, 3), np.int64)
    frames = np.empty((attributes + 2, 3), np.int64)
    tally = np.zeros((attributes, 3), np.int64)
    intent, shared = np.empty((2, width), np.uint64)
    origin = np.full(len(starts), -1)
    at = np.zeros(7, np.int64)
    at[DEPTH] = -1
    end = FULL
    while end == FULL:
        # A concept has at most one child and one edge per attribute, and the bottom.
        intents, supports = (grown(array, at[CONCEPTS] + attributes + 1) for array in (intents, supports))
        edges = grown(edges, at[EDGES] + attributes + 1)
        children, arena = grown(children, at[CHILDREN] + attributes), grown(arena, at[NEEDED])
        table = np.full(1 << (2 * len(intents)).bit_length(), -1)
        end = _walk(
            Crosses(rows, weights, everything),
            starts,
            start_rows,
            minimum,
            limit,
            origin,
            FoundConcepts(intents, supports, table, edges),
            Descent(arena, children, frames, tally, intent, shared),
            at,
        )
    concepts = at[CONCEPTS]
    upper, lower = edges[: at[EDGES]].T
    return intents[:concepts], supports[:concepts], upper, lower, origin, end == COMPLETE


@kernel
def _walk(
    context: Any,
    starts: Any,
    start_rows: Any,
    minimum: Any,
    limit: Any,
    origin: Any,
    found: Any,
    path: Any,
    at: Any,
) -> Any:
    """Walk on until all is found, or more than wanted, or an array is full."""
    attributes = path.tally.shape[0]
    known = at[CONCEPTS]
    at[CONCEPTS] = 0
    for concept in range(known):  # the table is new
        _number(found, found.intents[concept], found.supports[concept], at)
    while at[DEPTH] >= 0 or at[START] < starts.shape[0]:
        if at[CONCEPTS] > limit:
            return STOPPED
        if (
            at[CONCEPTS] + attributes >= found.supports.shape[0]
            or at[EDGES] + attributes >= found.edges.shape[0]
            or at[CHILDREN] + attributes > path.children.shape[0]
        ):
            return FULL
        depth = at[DEPTH]
        if depth < 0:
            first, end = starts[at[START], 0], starts[at[START], 1]
            if end - first > path.arena.shape[0]:
                at[NEEDED] = end - first
                return FULL
            for i in range(first, end):
                path.arena[i - first] = start_rows[i]
            origin[at[START]] = _start(context, end - first, minimum, found, path, at)
            at[START] += 1
        elif path.frames[depth, NEXT] == at[CHILDREN]:
            at[CHILDREN] = path.frames[depth, BEFORE]
            at[TOP] = path.frames[depth, BELOW]
            at[DEPTH] -= 1
        elif not _visit(context, minimum, found, path, at):
            return FULL
    return COMPLETE


@part
def _start(context: Any, size: Any, minimum: Any, found: Any, path: Any, at: Any) -> Any:
    """The concept of the extent that lies first in the arena, -1 where it is too small; a new one begins a path."""
    rows, weights, everything = context
    support = 0
    for i in range(size):
        support += weights[path.arena[i]]
    if support < minimum:
        return -1
    _close(rows, everything, path.arena, 0, size, path.shared)
    known = at[CONCEPTS]
    concept = _number(found, path.shared, support, at)
    if concept == known:
        path.children[0, FIRST] = 0
        path.children[0, SIZE] = size
        path.children[0, CONCEPT] = concept
        at[CHILDREN] = 1
        at[TOP] = size
        at[DEPTH] = 0
        path.frames[0, BEFORE] = 0
        path.frames[0, NEXT] = 0
        path.frames[0, BELOW] = size
    return concept


@part
def _visit(context: Any, minimum: Any, found: Any, path: Any, at: Any) -> Any:
    """Find the lower covers of the child that is next; False where the arena is too short for its buckets."""
    rows, weights, everything = context
    arena, children, frames, tally, intent, shared = path
    depth = at[DEPTH]
    child = frames[depth, NEXT]
    me = children[child, CONCEPT]
    first = children[child, FIRST]
    end = first + children[child, SIZE]
    copy(found.intents[me], intent)
    further = _count(rows, weights, arena, first, end, intent, tally)
    at[NEEDED] = at[TOP] + further
    fits = at[NEEDED] <= arena.shape[0]
    if fits:
        frames[depth, NEXT] = child + 1
        at[DEPTH] = depth + 1
        frames[depth + 1, BEFORE] = at[CHILDREN]
        frames[depth + 1, NEXT] = at[CHILDREN]
        frames[depth + 1, BELOW] = at[TOP]
        if further == 0:
            # No object has a further attribute: the lower neighbour is the empty extent.
            if minimum <= 0 and not equal(intent, everything):
                _link(found, me, _number(found, everything, 0, at), at)
        else:
            _deal(rows, arena, first, end, intent, tally, at[TOP])
            at[TOP] = at[NEEDED]
        for j in range(tally.shape[0]):
            if tally[j, ROWS] > 0 and tally[j, OBJECTS] >= minimum:
                _close(rows, everything, arena, tally[j, END] - tally[j, ROWS], tally[j, END], shared)
                if _covers(shared, intent, tally, j):
                    known = at[CONCEPTS]
                    it = _number(found, shared, tally[j, OBJECTS], at)
                    if it == known:
                        new = at[CHILDREN]
                        children[new, FIRST] = tally[j, END] - tally[j, ROWS]
                        children[new, SIZE] = tally[j, ROWS]
                        children[new, CONCEPT] = it
                        at[CHILDREN] = new + 1
                    _link(found, me, it, at)
    for j in range(tally.shape[0]):
        tally[j, ROWS] = 0
        tally[j, OBJECTS] = 0
    return fits


@part
def _close(rows: Any, everything: Any, arena: Any, first: Any, end: Any, out: Any) -> None:
    """The attributes that all rows of an extent share."""
    copy(everything, out)
    for i in range(first, end):
        for w in range(out.shape[0]):
            out[w] &= rows[arena[i], w]


@part
def _count(rows: Any, weights: Any, arena: Any, first: Any, end: Any, intent: Any, tally: Any) -> Any:
    """Count rows and objects of an extent per attribute outside its intent; how many crosses there are in all."""
    total = 0
    for i in range(first, end):
        r = arena[i]
        for w in range(intent.shape[0]):
            x = rows[r, w] & ~intent[w]
            while x != ZERO:
                j = 64 * w + lowest(x)
                x &= x - ONE
                tally[j, ROWS] += 1
                tally[j, OBJECTS] += weights[r]
                total += 1
    return total


@part
def _deal(rows: Any, arena: Any, first: Any, end: Any, intent: Any, tally: Any, top: Any) -> None:
    """Deal the rows of an extent into a bucket per attribute they have outside its intent."""
    for j in range(tally.shape[0]):
        tally[j, END] = top
        top += tally[j, ROWS]
    for i in range(first, end):
        r = arena[i]
        for w in range(intent.shape[0]):
            x = rows[r, w] & ~intent[w]
            while x != ZERO:
                j = 64 * w + lowest(x)
                x &= x - ONE
                arena[tally[j, END]] = r
                tally[j, END] += 1


@part
def _covers(closed: Any, intent: Any, tally: Any, j: Any) -> Any:
    """Whether B + {j}, closed, is a lower neighbour of B, and j the first attribute that leads there."""
    first = True
    for w in range(intent.shape[0]):
        x = closed[w] & ~intent[w]
        while x != ZERO:
            m = 64 * w + lowest(x)
            x &= x - ONE
            if tally[m, ROWS] != tally[j, ROWS] or (first and m != j):
                return False
            first = False
    return True


@part
def _number(found: Any, intent: Any, support: Any, at: Any) -> Any:
    """The number of the concept with this intent; a new one is entered."""
    slot = find(found.table, found.intents, intent, mix(intent))
    if found.table[slot] < 0:
        found.table[slot] = at[CONCEPTS]
        found.supports[at[CONCEPTS]] = support
        copy(intent, found.intents[at[CONCEPTS]])
        at[CONCEPTS] += 1
    return found.table[slot]


@part
def _link(found: Any, above: Any, below: Any, at: Any) -> None:
    """A new edge."""
    found.edges[at[EDGES], 0] = above
    found.edges[at[EDGES], 1] = below
    at[EDGES] += 1


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
