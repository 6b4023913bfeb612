"""Two greedy ways to build classes from nothing: record by record, and value by value.

`gather` is k-member clustering (Byun et al. 2007, https://doi.org/10.1007/978-3-540-71703-4_18): the record that costs
least joins. Costs only grow while a class grows, so a cost from an earlier step is a lower bound and most records are
never looked at again. O(n²/k) comparisons, one full scan per class. `widen_boxes` grows the box of a class by the value
that brings most records per loss, O(n) per step; better when classes are large.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from lookalike.kernels.bits import popcount
from lookalike.kernels.columns import NODE, RANGE, SET, Shape, join_level
from lookalike.kernels.compiling import part
from lookalike.kernels.local.boxes import added, clear, join, present, widen

GATHER, WIDEN = 1, 0  #: the two ways
WIDE = (
    256  #: columns from which on boxes are not widened: it takes a step per column, each through all columns
)
_NEVER = 1e300


class Room(NamedTuple):
    """Arrays to build classes in; what is in them before and after means nothing but in `numbers`."""

    numbers: Any  #: 0, 1, 2, ...
    free: Any  #: records without a class
    bound: Any  #: per free record: what it costs at least
    outside: Any  #: per free record: in how many columns it is outside the box
    extra: Any  #: per value: loss of its column with it
    fresh: Any  #: per value: version of its column when that was found
    version: Any  #: per column
    inside: Any  #: per value: whether the box covers it
    count: Any  #: per value: records it would bring
    brought: Any  #: per value: records that widening to it would bring
    by_level: Any
    kind_count: Any  #: per bit: records of a class with that kind


def room_for(shape: Shape, n: int) -> Room:
    """Room to build classes of up to n records."""
    values = len(shape.rank)
    return Room(
        np.arange(n),
        np.empty(n, np.int64),
        np.empty(n),
        np.empty(n, np.int64),
        np.empty(values),
        np.empty(values, np.int64),
        np.empty(len(shape.style), np.int64),
        np.empty(values, np.bool_),
        np.zeros(values, np.int64),
        np.empty(values, np.int64),
        np.empty(len(shape.up), np.int64),
        np.empty(64, np.int64),
    )


@part
def build_part(
    problem: Any, boxes: Any, room: Any, seeds: Any, pool: Any, n: Any, labels: Any, way: Any
) -> Any:
    """Classes of the first n records of a pool; returns how many. The box of the first class is used to grow in."""
    for j in range(n):
        room.free[j] = pool[j]
        labels[pool[j]] = -1
    if way == GATHER:
        return gather(problem, boxes, room, seeds, n, labels)
    return widen_boxes(problem, boxes, room, seeds, n, labels)


@part
def gather(problem: Any, boxes: Any, room: Any, seeds: Any, n: Any, labels: Any) -> Any:
    """Classes of k records, or more where that many do not have enough kinds."""
    value: Any
    shape, rows, kinds, k, variety = problem
    columns = rows.shape[1]
    part, low, high, bits = boxes.part, boxes.low, boxes.high, boxes.bits
    free, bound, extra, fresh, version = room.free, room.bound, room.extra, room.fresh, room.version
    for value in range(len(fresh)):
        fresh[value] = 0
    turn = 0
    left = n
    unplaced = n
    classes = 0
    for s in range(n):
        seed = seeds[s]
        if labels[seed] >= 0:
            continue
        if unplaced < k:
            break
        clear(shape, boxes, 0)
        join(shape, boxes, 0, rows, seed)
        turn += 1
        for a in range(columns):
            version[a] = turn
        labels[seed] = classes
        seen = kinds[seed]
        varied = popcount(seen)
        kept = 0
        for j in range(left):
            if labels[free[j]] < 0:
                free[kept] = free[j]
                bound[kept] = -1.0
                kept += 1
        left = kept
        size = 1
        while size < k or varied < variety:
            choosy = varied < variety and k - size <= variety - varied
            best, where = _NEVER, -1
            for j in range(left):
                if bound[j] >= best:
                    continue
                # unsigned: a place that may be negative is looked at for whether it counts from the end
                near = np.uint64(free[j])
                if choosy and seen & kinds[near] != 0:
                    continue
                cost = 0.0
                for a in range(columns):
                    at = np.uint64(rows[near, a])
                    if fresh[at] != version[a]:
                        value = np.int64(at)
                        fresh[at] = version[a]
                        extra[at] = part[0, a]
                        if not present(bits, 0, value):
                            extra[at] += added(shape, low[0, a], high[0, a], a, value)
                    cost += extra[at]
                bound[j] = cost
                if cost < best:
                    best, where = cost, j
            if where < 0:
                break
            i = free[where]
            bound[where] = _NEVER
            labels[i] = classes
            seen |= kinds[i]
            varied = popcount(seen)
            turn += 1
            for a in range(columns):
                if not present(bits, 0, np.int64(rows[i, a])):
                    version[a] = turn
            join(shape, boxes, 0, rows, i)
            size += 1
        if size < k or varied < variety:
            for j in range(n):
                if labels[seeds[j]] == classes:
                    labels[seeds[j]] = -1
            break
        classes += 1
        unplaced -= size
    return classes


@part
def widen_boxes(problem: Any, boxes: Any, room: Any, seeds: Any, n: Any, labels: Any) -> Any:
    """Classes of all free records within a box that holds k of them and enough kinds."""
    shape, rows, kinds, k, variety = problem
    columns = rows.shape[1]
    inside, outside, free = room.inside, room.outside, room.free
    left = n
    classes = 0
    for s in range(n):
        seed = seeds[s]
        if labels[seed] >= 0:
            continue
        if left < k:
            break
        clear(shape, boxes, 0)
        join(shape, boxes, 0, rows, seed)
        for value in range(len(inside)):
            inside[value] = False
        for b in range(columns):
            inside[rows[seed, b]] = True
        for j in range(left):
            outside[j] = 1
        a = -1  # nothing is counted yet
        size = 0
        seen = np.uint64(0)
        varied = 0
        while True:
            for j in range(left):
                i = free[j]
                if outside[j] > 0 and (a < 0 or inside[rows[i, a]]):
                    apart = 0
                    for b in range(columns):
                        apart += not inside[rows[i, b]]
                    outside[j] = apart
                    if apart == 0:
                        size += 1
                        seen |= kinds[i]
            varied = popcount(seen)
            if size >= left or (size >= k and varied >= variety):
                break
            need = k - size if k - size > variety - varied else variety - varied
            a, value = _best_step(shape, rows, boxes, room, left, need)
            widen(shape, boxes, 0, a, value)
            _cover(shape, boxes, inside, a)
        if size < k or varied < variety:
            break
        kept = 0
        for j in range(left):
            if outside[j] == 0:
                labels[free[j]] = classes
            else:
                free[kept] = free[j]
                kept += 1
        left = kept
        classes += 1
    return classes


@part
def _best_step(shape: Any, rows: Any, boxes: Any, room: Any, left: Any, need: Any) -> Any:
    """The column and value to widen by: most records (up to the need) per loss among those one column away."""
    value: Any
    columns = rows.shape[1]
    count, brought, inside = room.count, room.brought, room.inside
    for value in range(len(count)):
        count[value] = 0
    one_away = False
    for j in range(left):
        if room.outside[j] == 1:
            for a in range(columns):
                value = np.int64(rows[room.free[j], a])
                if not inside[value]:
                    count[value] += 1
                    one_away = True
                    break
    if not one_away:
        return _nearest(shape, rows, boxes, room, left)
    best, at, by = -1.0, -1, -1
    for a in range(columns):
        low, high = boxes.low[0, a], boxes.high[0, a]
        first, last = shape.off[a], shape.off[a + 1]
        _sum_steps(shape, low, high, shape.style[a], first, last, room)
        for value in range(first, last):
            if count[value] > 0:
                cost = added(shape, low, high, a, value)
                bring = brought[value] if brought[value] < need else need
                rate = bring / (cost if cost > 1e-300 else 1e-300)
                if rate > best:
                    best, at, by = rate, a, value
    return at, by


@part
def _sum_steps(shape: Any, low: Any, high: Any, style: Any, first: Any, last: Any, room: Any) -> None:
    """How many records widening a column by each of its values would bring, those on the way to it included."""
    count, brought, by_level = room.count, room.brought, room.by_level
    if style == SET:
        for value in range(first, last):
            brought[value] = count[value]
    elif style == RANGE:  # values stand in the order of their ranks, missing last
        total = 0
        for value in range(first, last):
            if shape.rank[value] > high:
                total += count[value]
                brought[value] = total
        total = 0
        for value in range(last - 1, first - 1, -1):
            if shape.rank[value] < 0:
                brought[value] = count[value]
            elif shape.rank[value] < low:
                total += count[value]
                brought[value] = total
    else:
        for level in range(len(by_level)):
            by_level[level] = 0
        for value in range(first, last):
            if count[value] > 0:
                brought[value] = join_level(shape.up, low, high, value)
                by_level[brought[value]] += count[value]
        for level in range(1, len(by_level)):
            by_level[level] += by_level[level - 1]
        for value in range(first, last):
            if count[value] > 0:
                brought[value] = by_level[brought[value]]


@part
def _nearest(shape: Any, rows: Any, boxes: Any, room: Any, left: Any) -> Any:
    """A column and value in which the nearest record outside the box differs from it."""
    best = _NEVER
    at, by = -1, np.int64(-1)
    for j in range(left):
        if room.outside[j] > 0:
            cost = 0.0
            first, its = -1, np.int64(-1)
            for a in range(rows.shape[1]):
                value = np.int64(rows[room.free[j], a])
                if not room.inside[value]:
                    cost += added(shape, boxes.low[0, a], boxes.high[0, a], a, value)
                    if first < 0:
                        first, its = a, value
            if cost < best:
                best, at, by = cost, first, its
    return at, by


@part
def _cover(shape: Any, boxes: Any, inside: Any, a: Any) -> None:
    """Mark the values of column a that the box now covers."""
    low, high = boxes.low[0, a], boxes.high[0, a]
    style = shape.style[a]
    for value in range(shape.off[a], shape.off[a + 1]):
        if present(boxes.bits, 0, value):
            inside[value] = True
        elif style == RANGE:
            inside[value] = low <= shape.rank[value] <= high
        elif style == NODE:
            inside[value] = shape.up[low, value] == shape.up[low, high]
