"""Two greedy ways to build classes from nothing: record by record, and value by value.

`gather` is k-member clustering (Byun et al. 2007, https://doi.org/10.1007/978-3-540-71703-4_18): the record that costs
least joins. Costs only grow while a class grows, so a cost from an earlier step is a lower bound and most records are
never looked at again. O(n²/k) comparisons, one full scan per class. `widen_boxes` grows the box of a class by the value
that brings most records per loss, O(n) per step; better when classes are large.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from lookalike.kernels.bits import popcount
from lookalike.kernels.compiling import making_kernel, making_part, part
from lookalike.kernels.local.boxes import NODE, RANGE, SET, added, clear, empty_boxes, join, present, widen

_NEVER = 1e300


@making_kernel
def gather(shape: Any, rows: Any, kinds: Any, k: Any, variety: Any, order: Any) -> Any:
    """Classes of k records with at least `variety` kinds, seeded in `order`; -1 for records left over at the end.

    kinds: a bit per record (its sensitive value); variety 1 asks for nothing.
    """
    n, columns = rows.shape
    labels = np.full(n, -1, np.int32)
    boxes = empty_boxes(shape, 1)
    part, low, high, bits = boxes.part, boxes.low, boxes.high, boxes.bits
    extra = np.zeros(len(shape.rank))
    fresh = np.zeros(len(shape.rank), np.int64)
    version = np.zeros(columns, np.int64)
    turn = 0
    free = np.arange(n)
    bound = np.empty(n)
    left = n
    classes = 0
    for seed in order:
        if labels[seed] >= 0:
            continue
        if left < k:
            break
        clear(shape, boxes, 0)
        join(shape, boxes, 0, rows[seed])
        turn += 1
        for a in range(columns):
            version[a] = turn
        labels[seed] = classes
        seen = kinds[seed]
        kept = 0
        for j in range(left):
            if labels[free[j]] < 0:
                free[kept] = free[j]
                bound[kept] = -1.0
                kept += 1
        left = kept
        size = 1
        while size < k or popcount(seen) < variety:
            choosy = popcount(seen) < variety and k - size <= variety - popcount(seen)
            best, where = _NEVER, -1
            for j in range(left):
                if bound[j] >= best:
                    continue
                i = free[j]
                if choosy and seen & kinds[i] != 0:
                    continue
                cost = 0.0
                for a in range(columns):
                    value = rows[i, a]
                    if fresh[value] != version[a]:
                        fresh[value] = version[a]
                        extra[value] = part[0, a]
                        if not present(bits, 0, value):
                            extra[value] += added(shape, low[0, a], high[0, a], a, value)
                    cost += extra[value]
                bound[j] = cost
                if cost < best:
                    best, where = cost, j
            if where < 0:
                break
            i = free[where]
            bound[where] = _NEVER
            labels[i] = classes
            seen |= kinds[i]
            turn += 1
            for a in range(columns):
                if not present(bits, 0, rows[i, a]):
                    version[a] = turn
            join(shape, boxes, 0, rows[i])
            size += 1
        if size < k or popcount(seen) < variety:
            for i in range(n):
                if labels[i] == classes:
                    labels[i] = -1
            break
        classes += 1
        kept = 0
        for j in range(left):
            if labels[free[j]] < 0:
                free[kept] = free[j]
                kept += 1
        left = kept
    return labels, classes


@making_kernel
def widen_boxes(shape: Any, rows: Any, kinds: Any, k: Any, variety: Any, order: Any) -> Any:
    """Classes of all free records within a box that holds k of them and enough kinds; -1 for records left over."""
    n, columns = rows.shape
    labels = np.full(n, -1, np.int32)
    boxes = empty_boxes(shape, 1)
    inside = np.zeros(len(shape.rank), np.bool_)
    count = np.zeros(len(shape.rank), np.int64)
    outside = np.empty(n, np.int64)
    free = np.arange(n)
    left = n
    classes = 0
    for seed in order:
        if labels[seed] >= 0:
            continue
        if left < k:
            break
        clear(shape, boxes, 0)
        join(shape, boxes, 0, rows[seed])
        inside[:] = False
        for a in range(columns):
            inside[rows[seed, a]] = True
        size = 0
        seen = np.uint64(0)
        for j in range(left):
            i = free[j]
            apart = 0
            for a in range(columns):
                apart += rows[i, a] != rows[seed, a]
            outside[j] = apart
            if apart == 0:
                size += 1
                seen |= kinds[i]
        while size < left and (size < k or popcount(seen) < variety):
            need, lacking = k - size, variety - popcount(seen)
            if lacking > need:
                need = lacking
            a, value = _best_step(shape, rows, boxes, inside, count, outside, free, left, need)
            widen(shape, boxes, 0, a, value)
            _cover(shape, boxes, inside, a)
            for j in range(left):
                i = free[j]
                if outside[j] > 0 and inside[rows[i, a]]:
                    apart = 0
                    for b in range(columns):
                        apart += not inside[rows[i, b]]
                    outside[j] = apart
                    if apart == 0:
                        size += 1
                        seen |= kinds[i]
        if size < k or popcount(seen) < variety:
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
    return labels, classes


@making_part
def _best_step(
    shape: Any,
    rows: Any,
    boxes: Any,
    inside: Any,
    count: Any,
    outside: Any,
    free: Any,
    left: Any,
    need: Any,
) -> Any:
    """The column and value to widen by: most records (up to the need) per loss among those one column away."""
    columns = rows.shape[1]
    count[:] = 0
    one_away = False
    for j in range(left):
        if outside[j] == 1:
            for a in range(columns):
                value = rows[free[j], a]
                if not inside[value]:
                    count[value] += 1
                    one_away = True
                    break
    if not one_away:
        return _nearest(shape, rows, boxes, inside, outside, free, left)
    best, at, by = -1.0, -1, -1
    brought = np.zeros(len(count), np.int64)
    for a in range(columns):
        _sum_steps(shape, boxes, a, count, brought)
        for value in range(shape.off[a], shape.off[a + 1]):
            if count[value] > 0:
                cost = added(shape, boxes.low[0, a], boxes.high[0, a], a, value)
                bring = brought[value] if brought[value] < need else need
                rate = bring / (cost if cost > 1e-300 else 1e-300)
                if rate > best:
                    best, at, by = rate, a, value
    return at, by


@making_part
def _sum_steps(shape: Any, boxes: Any, a: Any, count: Any, brought: Any) -> None:
    """How many records widening column a by each value would bring, those on the way to it included."""
    first, last = shape.off[a], shape.off[a + 1]
    low, high = boxes.low[0, a], boxes.high[0, a]
    if shape.style[a] == SET:
        for value in range(first, last):
            brought[value] = count[value]
    elif shape.style[a] == RANGE:  # values stand in the order of their ranks, missing last
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
        by_level = np.zeros(len(shape.up), np.int64)
        for value in range(first, last):
            if count[value] > 0:
                by_level[_join_level(shape, low, high, value)] += count[value]
        for level in range(1, len(by_level)):
            by_level[level] += by_level[level - 1]
        for value in range(first, last):
            if count[value] > 0:
                brought[value] = by_level[_join_level(shape, low, high, value)]


@part
def _join_level(shape: Any, level: Any, one: Any, value: Any) -> Any:
    while shape.up[level, value] != shape.up[level, one]:
        level += 1
    return level


@part
def _nearest(shape: Any, rows: Any, boxes: Any, inside: Any, outside: Any, free: Any, left: Any) -> Any:
    """A column and value in which the nearest record outside the box differs from it."""
    columns = rows.shape[1]
    low, high = boxes.low, boxes.high
    best, where = _NEVER, -1
    for j in range(left):
        if outside[j] > 0:
            cost = 0.0
            for a in range(columns):
                value = rows[free[j], a]
                if not inside[value]:
                    cost += added(shape, low[0, a], high[0, a], a, value)
            if cost < best:
                best, where = cost, j
    for a in range(columns):
        if not inside[rows[free[where], a]]:
            return a, np.int64(rows[free[where], a])
    return -1, -1


@part
def _cover(shape: Any, boxes: Any, inside: Any, a: Any) -> None:
    """Mark the values of column a that the box now covers."""
    low, high = boxes.low[0, a], boxes.high[0, a]
    for value in range(shape.off[a], shape.off[a + 1]):
        if present(boxes.bits, 0, value):
            inside[value] = True
        elif shape.style[a] == RANGE:
            inside[value] = low <= shape.rank[value] <= high
        elif shape.style[a] == NODE:
            inside[value] = shape.up[low, value] == shape.up[low, high]
