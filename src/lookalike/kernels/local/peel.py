"""Classes by peeling a lattice: every full-domain node, finest first, makes offers, and the cheapest are taken first.

Iterated full-domain generalisation (Prasser et al. 2016, https://doi.org/10.1145/2983622) settles at each node all
classes that are large enough. Here a node only offers: its box costs a record what it loses there, and where too few
records without a class are in the box, what classes lose that lend records they can spare, or that are joined, is
shared among the few. A tuple takes its cheapest offer once no node to come is cheaper. Tuples are counted, not rows:
O(nodes x tuples not yet settled).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from lookalike.kernels.bits import popcount
from lookalike.kernels.compiling import kernel, part
from lookalike.kernels.local.boxes import LocalProblem
from lookalike.kernels.local.offers import (
    CLASSES,
    LENDERS,
    SINCE,
    TINY,
    FreeTuples,
    SettledClasses,
    lost_at,
    take,
)

_ODD = np.uint64(0x9E3779B97F4A7C15)
_KEPT = 4  #: offers kept per tuple
_NEAR = 0.25  #: a class is joined that loses at least this share of what the node does


class Slots(NamedTuple):
    """A hash table of the boxes at a node."""

    turn: Any  #: the node this slot is used for
    key: Any
    found: Any  #: records without a class
    seen: Any  #: their kinds
    spare: Any  #: records that classes within the box can lend
    lost: Any  #: per record of the box
    lent: Any  #: what the spare records lose more in the box
    joined: Any  #: what the class that loses least by joining loses more
    offer: Any  #: or -1, if none was made yet


def peel(problem: LocalProblem, places: Any, nodes: Any, least: Any) -> tuple[Any, int]:
    """Settle boxes at nodes (levels per column): (label per record, how many); -1 for the never settled.

    places: of every value, so that values of a node stand side by side. least: about what a box at each node loses at
    least; it never falls. Boxes are told apart by a 64-bit hash when offers are made, exactly when they are taken.
    """
    n = len(problem.rows)
    order = np.lexsort(places[problem.rows].T[::-1])
    rows = problem.rows[order]
    start = np.flatnonzero(np.append([True], (rows[1:] != rows[:-1]).any(axis=1)))
    many, most = len(start), n // problem.k + 1
    ring = np.arange(many + 1)
    bits = max(4, (2 * many - 1).bit_length())
    slots = Slots(
        np.full(1 << bits, -1, np.int32),
        *(np.empty(1 << bits, kind) for kind in (np.uint64, np.int64, np.uint64, np.int64)),
        *(np.empty(1 << bits) for _ in range(4)),
    )
    tuples = FreeTuples(
        np.append(start, n),
        np.roll(ring, 1),
        np.roll(ring, -1),
        np.full(many, np.inf),
        np.full((many, _KEPT), np.inf),
        np.zeros((many, _KEPT), np.int64),
        *(np.empty(many, np.int64) for _ in range(3)),
    )
    settled = SettledClasses(
        np.zeros(most, np.int64),
        np.zeros(most),
        np.empty(most, np.int64),
        np.empty((most, rows.shape[1]), np.int8),
        np.full(most, -1),
        np.empty(n, np.int64),
        np.full(n, -1, np.int32),
        np.empty(most, np.int64),
        np.empty(most, np.int64),
        np.zeros(3, np.int64),
    )
    distinct = problem._replace(
        rows=np.ascontiguousarray(rows[start]), kinds=np.bitwise_or.reduceat(problem.kinds[order], start)
    )
    _peel(distinct, nodes, least, slots, tuples, settled)
    labels = np.empty(n, np.int32)
    labels[order] = settled.labels
    return labels, int(settled.counts[CLASSES])


@kernel
def _peel(problem: Any, nodes: Any, least: Any, slots: Any, tuples: Any, settled: Any) -> None:
    end = len(problem.rows)
    for z in range(len(nodes) + 1):
        _take_due(problem, nodes, tuples, settled, least[z] if z < len(nodes) else np.inf)
        if z == len(nodes) or tuples.behind[end] == end:
            break
        counts = settled.counts
        while counts[SINCE] < counts[CLASSES] and settled.loss[counts[SINCE]] < _NEAR * least[z]:
            counts[SINCE] += 1
        _count(problem, nodes[z], z, slots, tuples)
        _count_classes(problem, nodes[z], z, slots, settled)
        _offer(problem, z, slots, tuples)


@part
def _take_due(problem: Any, nodes: Any, tuples: Any, settled: Any, limit: Any) -> None:
    """Take all offers below a limit, the best first; what they cost may have changed since they were made."""
    price, due, end = tuples.price, tuples.due, len(problem.rows)
    size = 0
    i = tuples.behind[end]
    while i != end:
        if price[i] < limit:
            size = _push(due, price, size, i)
        i = tuples.behind[i]
    while size > 0:
        i = due[0]
        size = _pop(due, price, size)
        if settled.labels[tuples.start[i]] >= 0:
            continue
        best = _best(tuples.offers, i)
        cost = take(problem, nodes[tuples.node[i, best]], i, tuples, settled)
        if cost > price[i] + TINY:
            tuples.offers[i, best] = cost
            price[i] = tuples.offers[i, _best(tuples.offers, i)]
            if price[i] < limit:
                size = _push(due, price, size, i)


@part
def _best(offers: Any, i: Any) -> Any:
    best = 0
    for j in range(1, offers.shape[1]):
        if offers[i, j] < offers[i, best]:
            best = j
    return best


@part
def _push(due: Any, price: Any, size: Any, i: Any) -> Any:
    """Put a tuple into a heap; returns its size."""
    at = size
    while at > 0 and price[due[(at - 1) >> 1]] > price[i]:
        due[at] = due[(at - 1) >> 1]
        at = (at - 1) >> 1
    due[at] = i
    return size + 1


@part
def _pop(due: Any, price: Any, size: Any) -> Any:
    """Take the first tuple out of a heap; returns its size."""
    size -= 1
    last = due[size]
    at = 0
    while 2 * at + 1 < size:
        low = 2 * at + 1
        if low + 1 < size and price[due[low + 1]] < price[due[low]]:
            low += 1
        if price[due[low]] >= price[last]:
            break
        due[at] = due[low]
        at = low
    due[at] = last
    return size


@part
def _find(problem: Any, node: Any, z: Any, slots: Any, r: Any) -> Any:
    """The slot of the box of tuple r, or the empty one where it belongs."""
    up, rows = problem.shape.up, problem.rows
    turn, key_in = slots.turn, slots.key
    key = np.uint64(0)
    for a in range(rows.shape[1]):
        key = (key ^ np.uint64(up[node[a], rows[r, a]] + 1)) * _ODD
        key ^= key >> np.uint64(29)
    at = np.int64((key * _ODD) >> np.uint64(20)) & (len(turn) - 1)
    while turn[at] == z and key_in[at] != key:
        at = (at + 1) & (len(turn) - 1)
    key_in[at] = key
    return at


@part
def _count(problem: Any, node: Any, z: Any, slots: Any, tuples: Any) -> None:
    """Count the records without a class in each box of a node."""
    end = len(problem.rows)
    i = tuples.behind[end]
    while i != end:
        at = _find(problem, node, z, slots, i)
        if slots.turn[at] != z:
            slots.turn[at] = z
            slots.found[at] = 0
            slots.seen[at] = np.uint64(0)
            slots.spare[at] = 0
            slots.lost[at] = lost_at(problem.shape, problem.rows, node, i)
            slots.lent[at] = 0.0
            slots.joined[at] = np.inf
            slots.offer[at] = -1.0
        slots.found[at] += tuples.start[i + 1] - tuples.start[i]
        slots.seen[at] |= problem.kinds[i]
        tuples.slot[i] = at
        i = tuples.behind[i]


@part
def _count_classes(problem: Any, node: Any, z: Any, slots: Any, settled: Any) -> None:
    """What the classes within these boxes could lend, and what it would cost the best of them to be joined."""
    counts, first = settled.counts, 0 if problem.variety == 1 else settled.counts[LENDERS]
    for j in range(first, counts[LENDERS] + counts[CLASSES] - counts[SINCE]):
        lends = j < counts[LENDERS]
        d = settled.lenders[j] if lends else counts[SINCE] + j - counts[LENDERS]
        a = 0
        while a < len(node) and settled.levels[d, a] <= node[a]:
            a += 1
        if a < len(node):
            continue
        at = _find(problem, node, z, slots, settled.face[d])
        if slots.turn[at] != z:
            continue
        more = slots.lost[at] - settled.loss[d]
        if lends:
            slots.spare[at] += settled.size[d] - problem.k
            slots.lent[at] += (settled.size[d] - problem.k) * more
        elif settled.size[d] * more < slots.joined[at]:
            slots.joined[at] = settled.size[d] * more


@part
def _offer(problem: Any, z: Any, slots: Any, tuples: Any) -> None:
    """Make each tuple without a class an offer; the best are kept."""
    end, offers = len(problem.rows), tuples.offers
    i = tuples.behind[end]
    while i != end:
        at = tuples.slot[i]
        if slots.offer[at] < 0:
            found, spare = slots.found[at], slots.spare[at]
            more = slots.joined[at]
            if found >= problem.k and popcount(slots.seen[at]) >= problem.variety:
                more = 0.0
            elif 0 < problem.k - found <= spare:
                lent = (problem.k - found) * slots.lent[at] / spare
                more = lent if lent < more else more
            slots.offer[at] = slots.lost[at] + more / found
        worst = 0
        for j in range(1, offers.shape[1]):
            if offers[i, j] > offers[i, worst]:
                worst = j
        if slots.offer[at] < offers[i, worst]:
            offers[i, worst] = slots.offer[at]
            tuples.node[i, worst] = z
            if slots.offer[at] < tuples.price[i]:
                tuples.price[i] = slots.offer[at]
        i = tuples.behind[i]
