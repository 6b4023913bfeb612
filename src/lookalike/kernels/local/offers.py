"""What joining the records of a box costs those of them that have no class, and the class that comes of it.

A box of enough records costs each what it loses. Where too few have no class, classes within the box help: some lend
records they can spare, or one is joined as a whole; what helpers lose more is shared by those who needed the help.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from lookalike.kernels.bits import popcount
from lookalike.kernels.compiling import part

TINY = 1e-12
CLASSES, LENDERS, SINCE = 0, 1, 2  #: counts of classes, of lenders, and the first class that may be joined


class FreeTuples(NamedTuple):
    """Distinct tuples in the order of the trees; those without a class are a ring, with an end that is no tuple."""

    start: Any  #: where the records of each begin
    before: Any  #: the one before it in the ring
    behind: Any  #: the one behind it in the ring
    price: Any  #: the best of its offers
    offers: Any  #: tuples x offers kept: what they cost a record
    node: Any  #: tuples x offers kept: the node that makes it
    slot: Any  #: where its box at a node is counted
    due: Any  #: a heap of tuples by price
    box: Any  #: tuples of a box


class SettledClasses(NamedTuple):
    """Classes, in the order in which they were made."""

    size: Any
    loss: Any  #: per record
    face: Any  #: one of its tuples
    levels: Any  #: classes x columns: the node it was made at
    head: Any  #: one of its records
    after: Any  #: per record: another one of its class, or -1
    labels: Any  #: per record: its class, or -1
    lenders: Any  #: classes of more than k records
    chosen: Any  #: lenders within a box, those that lose most first
    counts: Any


@part
def within(shape: Any, rows: Any, settled: Any, d: Any, node: Any, r: Any) -> Any:
    """Whether class d lies in the box of tuple r at a node."""
    face = settled.face[d]
    for a in range(rows.shape[1]):
        level = node[a]
        if settled.levels[d, a] > level or shape.up[level, rows[face, a]] != shape.up[level, rows[r, a]]:
            return False
    return True


@part
def lost_at(shape: Any, rows: Any, node: Any, r: Any) -> Any:
    """What the box of tuple r at a node loses per record."""
    lost = 0.0
    for a in range(rows.shape[1]):
        lost += shape.cost[node[a], rows[r, a]]
    return lost


@part
def take(problem: Any, node: Any, r: Any, tuples: Any, settled: Any) -> Any:
    """Settle the box of tuple r at a node if it costs no more than the tuple's price; returns what it costs."""
    rows, kinds, k = problem.rows, problem.kinds, problem.k
    tuple_of, start = tuples.box, tuples.start
    many = _gather(problem, node, r, tuples)
    found = 0
    seen = np.uint64(0)
    for j in range(many):
        found += start[tuple_of[j] + 1] - start[tuple_of[j]]
        seen |= kinds[tuple_of[j]]
    lost = lost_at(problem.shape, rows, node, r)
    cost, helpers, home = lost, 0, -1
    if found < k or popcount(seen) < problem.variety:
        more, helpers = _loans(problem, node, r, settled, k - found, lost)
        joined, home = _home(problem, node, r, settled, lost)
        if joined < more:
            more, helpers = joined, 0
        else:
            home = -1
        cost = lost + more / found
    if cost > tuples.price[r] + TINY:
        return cost
    if home < 0:
        home = settled.counts[CLASSES]
        settled.counts[CLASSES] += 1
        settled.face[home] = r
    elif settled.size[home] > k:  # it is a lender already, and listed again below
        _strike(settled, home)
    settled.loss[home] = lost
    for a in range(rows.shape[1]):
        settled.levels[home, a] = node[a]
    for j in range(many):
        i = tuple_of[j]
        tuples.behind[tuples.before[i]] = tuples.behind[i]
        tuples.before[tuples.behind[i]] = tuples.before[i]
        for record in range(start[i], start[i + 1]):
            _put(settled, record, home)
    for j in range(helpers):
        d = settled.chosen[j]
        while settled.size[home] < k and settled.size[d] > k:
            record = settled.head[d]
            settled.head[d] = settled.after[record]
            settled.size[d] -= 1
            _put(settled, record, home)
        if settled.size[d] <= k:
            _strike(settled, d)
    if settled.size[home] > k:
        settled.lenders[settled.counts[LENDERS]] = home
        settled.counts[LENDERS] += 1
    return cost


@part
def _put(settled: Any, record: Any, home: Any) -> None:
    """Put a record into a class."""
    settled.labels[record] = home
    settled.after[record] = settled.head[home]
    settled.head[home] = record
    settled.size[home] += 1


@part
def _strike(settled: Any, d: Any) -> None:
    """Strike a class off the list of lenders."""
    kept = 0
    for j in range(settled.counts[LENDERS]):
        if settled.lenders[j] != d:
            settled.lenders[kept] = settled.lenders[j]
            kept += 1
    settled.counts[LENDERS] = kept


@part
def _gather(problem: Any, node: Any, r: Any, tuples: Any) -> Any:
    """List the tuples without a class in the box of tuple r at a node; returns how many.

    Up to the first column that is not published as it is, tuples of the box stand side by side.
    """
    up, rows = problem.shape.up, problem.rows
    columns = rows.shape[1]
    upto = 0
    while upto < columns - 1 and node[upto] == 0:
        upto += 1
    tuples.box[0] = r
    many = 1
    for side in range(2):
        i = r
        while True:
            i = tuples.before[i] if side else tuples.behind[i]
            if i == len(rows):
                break
            a = 0
            while a < columns and up[node[a], rows[i, a]] == up[node[a], rows[r, a]]:
                a += 1
            if a == columns:
                tuples.box[many] = i
                many += 1
            elif a <= upto:
                break
    return many


@part
def _loans(problem: Any, node: Any, r: Any, settled: Any, need: Any, lost: Any) -> Any:
    """What lenders lose more in all if they fill up the box of tuple r, and how many of the chosen are asked.

    With kinds to be kept nobody lends: the lender might run out of them.
    """
    if problem.variety > 1:
        return np.inf, 0
    loss, chosen = settled.loss, settled.chosen
    asked = 0
    for j in range(settled.counts[LENDERS]):
        d = settled.lenders[j]
        if asked == need and loss[d] <= loss[chosen[asked - 1]]:
            continue
        if within(problem.shape, problem.rows, settled, d, node, r):
            z = asked if asked < need else need - 1
            while z > 0 and loss[chosen[z - 1]] < loss[d]:
                chosen[z] = chosen[z - 1]
                z -= 1
            chosen[z] = d
            if asked < need:
                asked += 1
    more = 0.0
    for j in range(asked):
        spare = settled.size[chosen[j]] - problem.k
        lent = spare if spare < need else need
        more += lent * (lost - loss[chosen[j]])
        need -= lent
        if need == 0:
            return more, j + 1
    return np.inf, 0


@part
def _home(problem: Any, node: Any, r: Any, settled: Any, lost: Any) -> Any:
    """The class within the box that loses least by becoming the box, and what its members lose more in all."""
    best, home = np.inf, -1
    for d in range(settled.counts[SINCE], settled.counts[CLASSES]):
        more = settled.size[d] * (lost - settled.loss[d])
        if more < best and within(problem.shape, problem.rows, settled, d, node, r):
            best, home = more, d
    return best, home
