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

from lookalike.kernels.bits import ONE, ZERO, has, lowest, within
from lookalike.kernels.compiling import kernel, part
from lookalike.kernels.fca.stretches import grown

SMALL_BLOCK = 4  # queries or candidates up to which comparing beats splitting further

# Counters that outlive a stretch: blocks that wait, members and steps noted, pairs of rows compared.
DEPTH, MEMBERS, STEPS, COMPARED = range(4)
GAP, EXTENT, WITNESS, MEMBERS_FROM, MEMBERS_TO, STEPS_FROM, STEPS_TO = range(7)  # of a row


class Gaps(NamedTuple):
    """What is found for each row."""

    numbers: Any  #: seven of each row
    members: Any  #: the rows of its extent, kept only where they are collected
    steps: Any  #: attributes that it lacks and others of its extent have, and how many of them: those that can be most

    @property
    def gap(self) -> Any:
        """Objects of the extent without those that have the witness."""
        return self.numbers[GAP]

    @property
    def extent(self) -> Any:
        """Objects that have all attributes of the row."""
        return self.numbers[EXTENT]

    @property
    def witness(self) -> Any:
        """The attribute that it lacks and most of its extent has; -1 where nobody has more attributes."""
        return self.numbers[WITNESS]

    @property
    def starts(self) -> Any:
        """Where the extent begins and ends in `members`."""
        return np.ascontiguousarray(self.numbers[MEMBERS_FROM : MEMBERS_TO + 1].T)


class SearchedRows(NamedTuple):
    """Distinct rows, and what is known of their attributes."""

    rows: Any  #: as bit sets
    across: Any  #: the same, word by word
    weights: Any  #: objects of each
    order: Any  #: the attributes to split by
    ahead: Any  #: per attribute: those that more rows have
    used: Any  #: attributes that any row has


class GapRoom(NamedTuple):
    """Arrays to work in."""

    queries: Any
    candidates: Any
    spare: Any  #: per row
    count: Any  #: per attribute, 0 between rows
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


@kernel
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


def gaps(rows: Any, weights: Any, order: Any, collect: bool) -> tuple[Gaps, int]:
    """What is found for each row, and the pairs of rows compared. order: the attributes to split by."""
    n, width = rows.shape
    attributes = 64 * width
    ahead, used = np.zeros((attributes, width), np.uint64), np.zeros(width, np.uint64)
    _find_ahead(rows, np.full((attributes, width), ~ZERO), ahead, used)
    # Splitting reads one word of every row: keep these words together.
    context = SearchedRows(rows, np.ascontiguousarray(rows.T), weights, order, ahead, used)
    room = GapRoom(
        np.arange(n),
        np.arange(n),
        np.empty(n, np.int64),
        np.zeros(attributes, np.int64),
        np.empty(width, np.uint64),
        np.empty((len(order) + 2, 4), np.int64),
    )
    _push(room.stack, 0, 0, n, n, 0)
    found = Gaps(np.zeros((7, n), np.int64), np.empty(0, np.int64), np.empty((1024, 2), np.int64))
    at = np.array([1, 0, 0, 0])
    complete = False
    while not complete:
        found = Gaps(
            found.numbers,
            grown(found.members, at[MEMBERS] + n if collect else 0),
            grown(found.steps, at[STEPS] + attributes),
        )
        complete = _gaps(context, collect, found, room, at)
    return found, int(at[COMPARED])


@kernel
def _gaps(context: Any, collect: Any, found: Any, room: Any, at: Any) -> Any:
    """Go through the blocks that wait; False where a list is full."""
    queries, candidates, spare, count, _, stack = room
    order = context.order
    while at[DEPTH] > 0:
        at[DEPTH] -= 1
        top = at[DEPTH]
        q0, q1, c1, a = stack[top, 0], stack[top, 1], stack[top, 2], stack[top, 3]
        while a < order.shape[0] and q1 - q0 > SMALL_BLOCK and c1 > SMALL_BLOCK:
            mid = _split(queries, q0, q1, context.across, order[a], spare)
            if mid > q0:
                fewer = _split(candidates, 0, c1, context.across, order[a], spare)
                if mid < q1:
                    # The queries without the attribute wait: they need the candidates with and without it.
                    _push(stack, at[DEPTH], mid, q1, c1, a + 1)
                    at[DEPTH] += 1
                q1 = mid
                c1 = fewer
            a += 1
        for q in range(q0, q1):
            if at[STEPS] + count.shape[0] > found.steps.shape[0] or (
                collect and at[MEMBERS] + c1 > found.members.shape[0]
            ):
                _push(stack, at[DEPTH], q, q1, c1, a)
                at[DEPTH] += 1
                return False
            _answer(context, queries[q], c1, collect, found, room, at)
    return True


@part
def _answer(context: Any, e: Any, c1: Any, collect: Any, found: Any, room: Any, at: Any) -> None:
    """The extent of row e among the first candidates, and the attribute that it lacks and most of them share."""
    rows, _, weights, _, ahead, used = context
    _, candidates, spare, count, first, _ = room
    numbers, members, steps = found
    inside = 0
    size = 0
    for c in range(c1):
        g = candidates[c]
        if within(rows[e], rows[g]):
            spare[inside] = g
            inside += 1
            size += weights[g]
    at[COMPARED] += c1
    numbers[MEMBERS_FROM, e] = at[MEMBERS]
    if collect:
        for i in range(inside):
            members[at[MEMBERS] + i] = spare[i]
    at[MEMBERS] += inside
    numbers[MEMBERS_TO, e] = at[MEMBERS]
    best = 0
    who = -1
    noted = at[STEPS]
    numbers[STEPS_FROM, e] = noted
    if inside > 1:
        _next_steps(rows[e], used, ahead, first)
        for i in range(inside):
            for w in range(first.shape[0]):
                x = rows[spare[i], w] & first[w]
                while x != ZERO:
                    count[64 * w + lowest(x)] += weights[spare[i]]
                    x &= x - ONE
        for m in range(count.shape[0]):
            if count[m] > 0:
                steps[noted, 0] = m
                steps[noted, 1] = count[m]
                noted += 1
            if count[m] > best:
                best = count[m]
                who = m
            count[m] = 0
    numbers[STEPS_TO, e] = noted
    at[STEPS] = noted
    numbers[EXTENT, e] = size
    numbers[GAP, e] = size - best
    numbers[WITNESS, e] = who


@part
def _push(stack: Any, depth: Any, q0: Any, q1: Any, c1: Any, a: Any) -> None:
    """Let a block of queries wait, with its candidates and the attribute to split by next."""
    stack[depth, 0] = q0
    stack[depth, 1] = q1
    stack[depth, 2] = c1
    stack[depth, 3] = a


def take_away(rows: Any, weights: Any, alive: Any, gone: Any, found: Gaps) -> None:
    """Bring gap and extent of the rows that are alive up to date after the rows `gone` were deleted, in place.

    What others of an extent have can only fall, so the steps noted by `gaps` are all that will ever matter.
    """
    touched = np.zeros(len(rows), np.bool_)
    _take_away(rows, weights, alive, gone, found.numbers, found.steps, touched)


@kernel
def _take_away(
    rows: Any, weights: Any, alive: Any, gone: Any, numbers: Any, steps: Any, touched: Any
) -> None:
    for i in range(gone.shape[0]):
        r = gone[i]
        for e in range(rows.shape[0]):
            if alive[e] and within(rows[e], rows[r]):
                touched[e] = True
                numbers[EXTENT, e] -= weights[r]
                for j in range(numbers[STEPS_FROM, e], numbers[STEPS_TO, e]):
                    if has(rows[r], steps[j, 0]):
                        steps[j, 1] -= weights[r]
    for e in range(rows.shape[0]):
        if touched[e]:
            best = 0
            for j in range(numbers[STEPS_FROM, e], numbers[STEPS_TO, e]):
                best = steps[j, 1] if steps[j, 1] > best else best
            numbers[GAP, e] = numbers[EXTENT, e] - best
