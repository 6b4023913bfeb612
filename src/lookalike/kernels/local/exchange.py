"""Records change places along chains: one goes to another class, which sends one of its own on, and so forth.

Multi-exchange (Ahuja, Orlin and Sharma 2003, https://doi.org/10.1016/S0167-6377(02)00236-5): a chain ends in a class
that keeps who came, if the first class can spare a record, or where it began. Of any chain that pays, some turn pays
all along the way, so only chains that pay so far are followed, the best few of each length. A step costs O(length x
best few x homes x class size squared x columns) for a record.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from lookalike.kernels.bits import popcount
from lookalike.kernels.columns import NODE, SET, join_level
from lookalike.kernels.compiling import kernel, part
from lookalike.kernels.local.boxes import LocalProblem, added, clear, join, present
from lookalike.kernels.local.search import TINY, Chains, hand_over
from lookalike.kernels.local.steps import place

_SMALL = 16  #: records of a class that takes part, at most
_SWEEPS = 2  #: over all records, at most
_LONGEST = 4  #: records that change places together
_BEST = 4  #: chains of each length that are followed
_HOMES = 6  #: classes a record may go to


class Trails(NamedTuple):
    """Chains by length: the record that has no class now, the class it left, and the chain before."""

    record: Any
    left: Any
    before: Any
    cost: Any  #: what all classes on the way lose more
    many: Any  #: chains of each length
    homes: Any  #: records x classes that might take them, -1 behind the last
    price: Any  #: of the homes of a record
    end: Any  #: of the best chain: its length, its number, the class it ends in
    change: Any  #: of each class: the sweep in which it last changed


def exchange(problem: LocalProblem, labels: Any, classes: int) -> None:
    """Carry out chains that pay, a few sweeps over all records or until none does. Changes the labels in place."""
    _, boxes = place(problem, labels, classes)
    n = len(labels)
    chains = Chains(labels, np.full(classes, -1), np.empty(n, np.int64))
    record, left, before = (np.empty((_LONGEST, _BEST), np.int64) for _ in range(3))
    trails = Trails(
        record,
        left,
        before,
        np.empty((_LONGEST, _BEST)),
        np.zeros(_LONGEST, np.int64),
        np.full((n, _HOMES), -1, np.int32),
        np.empty(_HOMES),
        np.empty(3, np.int64),
        np.zeros(classes, np.int64),
    )
    _exchange(problem, boxes, chains, trails)


@kernel
def _exchange(problem: Any, boxes: Any, chains: Any, trails: Any) -> None:
    for i in range(len(problem.rows)):
        hand_over(chains, i, np.int64(chains.labels[i]))
    for i in range(len(problem.rows)):
        _find_homes(problem, boxes, trails, i)
    for sweep in range(1, _SWEEPS + 1):
        paid = 0
        for i in range(len(problem.rows)):
            c = np.int64(chains.labels[i])
            if boxes.loss[c] <= TINY or boxes.size[c] > _SMALL or trails.change[c] < sweep - 1:
                continue
            _follow(problem, boxes, chains, trails, i)
            if trails.end[2] >= 0:
                _carry_out(problem, boxes, chains, trails, sweep)
                paid += 1
        if paid == 0:
            return


@part
def _find_homes(problem: Any, boxes: Any, trails: Any, i: Any) -> None:
    """List the classes that record i increases least."""
    shape, rows = problem.shape, problem.rows
    size, loss, _, low, high, bits = boxes
    homes, price = trails.homes, trails.price
    known = 0
    for c in range(len(size)):
        limit = price[_HOMES - 1] if known == _HOMES else np.inf
        cost = loss[c]
        for a in range(rows.shape[1]):
            if cost >= limit:
                break
            value = np.int64(rows[i, a])
            if not present(bits, c, value):
                cost += (size[c] + 1) * added(shape, low[c, a], high[c, a], a, value)
        if cost >= limit:
            continue
        if known < _HOMES:
            known += 1
        z = known - 1
        while z > 0 and price[z - 1] > cost:
            price[z] = price[z - 1]
            homes[i, z] = homes[i, z - 1]
            z -= 1
        price[z] = cost
        homes[i, z] = c


@part
def _follow(problem: Any, boxes: Any, chains: Any, trails: Any, i: Any) -> None:
    """Find the best chain that begins with record i; `trails.end` tells where it ends."""
    record, left, _, costs, many, homes, _, end, _ = trails
    first = np.int64(chains.labels[i])
    spare = boxes.size[first] > problem.k and _varied(problem, chains, first, -1, i)
    start = _change(problem, boxes, chains, first, -1, i, np.inf)
    record[0, 0] = i
    left[0, 0] = first
    costs[0, 0] = start
    many[0] = 1
    end[2] = -1
    best = -TINY
    for length in range(_LONGEST):
        if length + 1 < _LONGEST:
            many[length + 1] = 0
        for z in range(many[length]):
            r, so_far = record[length, z], costs[length, z]
            if length > 0:
                cost = so_far - start
                cost += _change(problem, boxes, chains, first, r, i, best - cost)
                if cost < best and _varied(problem, chains, first, r, i):
                    best = cost
                    end[0], end[1], end[2] = length, z, first
            for h in range(_HOMES):
                c = np.int64(homes[r, h])
                if c < 0:
                    break
                if _was_there(trails, length, z, c):
                    continue
                if spare:
                    cost = so_far + _change(problem, boxes, chains, c, r, -1, best - so_far)
                    if cost < best:
                        best = cost
                        end[0], end[1], end[2] = length, z, c
                if length + 1 < _LONGEST and boxes.size[c] <= _SMALL:
                    _send_on(problem, boxes, chains, trails, length, z, c)


@part
def _was_there(trails: Any, length: Any, z: Any, c: Any) -> Any:
    """Whether a chain came through class c: no class changes twice."""
    step = length
    while step >= 0:
        if trails.left[step, z] == c:
            return True
        z = trails.before[step, z]
        step -= 1
    return False


@part
def _send_on(problem: Any, boxes: Any, chains: Any, trails: Any, length: Any, z: Any, c: Any) -> None:
    """Let class c take the record at the end of a chain and send on each of its own; keep what pays best so far."""
    record, left, before, costs, many, _, _, _, _ = trails
    then, r, so_far = length + 1, record[length, z], costs[length, z]
    j = chains.head[c]
    while j >= 0:
        limit = costs[then, _BEST - 1] if many[then] == _BEST else -TINY
        cost = so_far + _change(problem, boxes, chains, c, r, j, limit - so_far)
        if cost < limit and _varied(problem, chains, c, r, j):
            if many[then] < _BEST:
                many[then] += 1
            y = many[then] - 1
            while y > 0 and costs[then, y - 1] > cost:
                costs[then, y] = costs[then, y - 1]
                record[then, y] = record[then, y - 1]
                left[then, y] = left[then, y - 1]
                before[then, y] = before[then, y - 1]
                y -= 1
            costs[then, y] = cost
            record[then, y] = j
            left[then, y] = c
            before[then, y] = z
        j = chains.after[j]


@part
def _carry_out(problem: Any, boxes: Any, chains: Any, trails: Any, sweep: Any) -> None:
    """Move the records of the best chain, the last one first."""
    z, home = trails.end[1], trails.end[2]
    step = trails.end[0]
    while step >= 0:
        r, c = trails.record[step, z], trails.left[step, z]
        _take_out(chains, c, r)
        hand_over(chains, r, home)
        home = c
        z = trails.before[step, z]
        step -= 1
    _measure(problem, boxes, chains, trails.end[2], trails.change, sweep)
    z, step = trails.end[1], trails.end[0]
    while step >= 0:
        _measure(problem, boxes, chains, trails.left[step, z], trails.change, sweep)
        z = trails.before[step, z]
        step -= 1


@part
def _take_out(chains: Any, c: Any, r: Any) -> None:
    """Take a record out of the chain of its class."""
    if chains.head[c] == r:
        chains.head[c] = chains.after[r]
        return
    j = chains.head[c]
    while chains.after[j] != r:
        j = chains.after[j]
    chains.after[j] = chains.after[r]


@part
def _measure(problem: Any, boxes: Any, chains: Any, c: Any, change: Any, sweep: Any) -> None:
    """The box of a class that has changed."""
    clear(problem.shape, boxes, c)
    change[c] = sweep
    j = chains.head[c]
    while j >= 0:
        join(problem.shape, boxes, c, problem.rows, j)
        j = chains.after[j]


@part
def _varied(problem: Any, chains: Any, c: Any, comes: Any, goes: Any) -> Any:
    """Whether class c has enough kinds when one record comes (or -1) and one goes."""
    if problem.variety == 1:
        return True
    seen = problem.kinds[comes] if comes >= 0 else np.uint64(0)
    j = chains.head[c]
    while j >= 0:
        if j != goes:
            seen |= problem.kinds[j]
        j = chains.after[j]
    return popcount(seen) >= problem.variety


@part
def _change(problem: Any, boxes: Any, chains: Any, c: Any, comes: Any, goes: Any, limit: Any) -> Any:
    """What class c loses more when one record comes (or -1) and one goes (or -1), or something above the limit."""
    shape, rows = problem.shape, problem.rows
    size = boxes.size[c] + (comes >= 0) - (goes >= 0)
    more = -boxes.size[c] * boxes.loss[c]
    for a in range(rows.shape[1]):
        if more > limit:
            break
        if shape.style[a] == NODE:
            more += size * _node_loss(problem, boxes, chains, c, comes, goes, a)
        elif shape.style[a] == SET:
            values = _more_values(problem, boxes, chains, c, comes, goes, a)
            more += size * (boxes.part[c, a] + shape.scale[a] * values)
        else:
            more += size * _range_loss(problem, chains, c, comes, goes, a)
    return more


@part
def _node_loss(problem: Any, boxes: Any, chains: Any, c: Any, comes: Any, goes: Any, a: Any) -> Any:
    """Loss of a column published as a node. All who stay lie under the node that there is."""
    up, rows = problem.shape.up, problem.rows
    j = chains.head[c]
    if j == goes:
        j = chains.after[j]
    one = np.int64(rows[j, a])
    level, upto = 0, boxes.low[c, a]
    if comes >= 0:
        level = join_level(up, 0, one, np.int64(rows[comes, a]))
    if goes < 0 and level < upto:
        level = upto
    while j >= 0 and level < upto:
        if j != goes:
            level = join_level(up, level, one, np.int64(rows[j, a]))
        j = chains.after[j]
    return problem.shape.cost[level, one]


@part
def _more_values(problem: Any, boxes: Any, chains: Any, c: Any, comes: Any, goes: Any, a: Any) -> Any:
    """How many values more a set has."""
    rows = problem.rows
    new = comes >= 0 and not present(boxes.bits, c, np.int64(rows[comes, a]))
    if goes < 0 or (comes >= 0 and rows[comes, a] == rows[goes, a]):
        return new
    j = chains.head[c]
    while j >= 0:
        if j != goes and rows[j, a] == rows[goes, a]:
            return new
        j = chains.after[j]
    return new - 1


@part
def _range_loss(problem: Any, chains: Any, c: Any, comes: Any, goes: Any, a: Any) -> Any:
    """Loss of a column published as a range, missing beside it."""
    rank, rows = problem.shape.rank, problem.rows
    low: Any
    high: Any
    low, high, missing = 1 << 30, -1, 0
    j = chains.head[c] if comes < 0 else comes
    while j >= 0:
        if j != goes:
            place = np.int64(rank[rows[j, a]])
            if place < 0:
                missing = 1
            else:
                low = place if place < low else low
                high = place if place > high else high
        j = chains.head[c] if j == comes else chains.after[j]
    if high < 0:
        return 0.0
    return (missing + high - low) * problem.shape.scale[a]
