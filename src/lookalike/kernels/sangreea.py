"""SaNGreeA's inner loop: who joins a growing class. Exact, on cells instead of rows.

A class's loss with one more record never falls as the class grows, so a loss computed for an earlier pick, or the sum
over the first few columns, is a lower bound: whoever is above the best found so far is passed over. One pass over the
cells still free per class, O(n²/k) in all, nearly all of it one comparison per cell.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba import njit

from lookalike.kernels.draws import draw

RANGE, NODE = 0, 1
#: Losses equal on paper may differ by rounding: so much, of the 1 that a record can lose, is no difference, and the
#: tie goes to the smallest index.
TIE = 1e-12


class Measure(NamedTuple):
    """How values turn into loss; the values of all columns share one numbering."""

    style: Any  #: per column: RANGE or NODE
    weight: Any  #: per column
    full: Any  #: per column: range of the data
    number: Any  #: per value: the number behind it, NaN for missing
    up: Any  #: levels x values: node on that level
    height: Any  #: levels x values: height of the node's subtree over that of the tree


class Open(NamedTuple):
    """The class being grown, per column."""

    low: Any
    high: Any
    missing: Any
    level: Any
    one: Any  #: a value under the node


@njit(cache=True, nogil=True)
def open_class(columns: Any) -> Any:
    """A class nobody is in."""
    return Open(
        np.full(columns, np.inf),
        np.full(columns, -np.inf),
        np.zeros(columns, np.bool_),
        np.full(columns, -1, np.int64),
        np.full(columns, -1, np.int64),
    )


@njit(cache=True, nogil=True)
def clear(group: Any) -> None:
    """Empty the class."""
    group.low[:] = np.inf
    group.high[:] = -np.inf
    group.missing[:] = False
    group.level[:] = -1


@njit(cache=True, nogil=True, inline="always")
def loss_with(measure: Any, group: Any, a: Any, value: Any) -> Any:
    """Loss of column a when a value joins: range over full range, or height of the lowest common ancestor.

    Numbers and missing values have nothing in common: a class with both loses the column.
    """
    if measure.style[a] == RANGE:
        number = measure.number[value]
        empty = group.high[a] < group.low[a]
        if np.isnan(number):
            return 0.0 if empty else 1.0
        if group.missing[a]:
            return 1.0
        if empty or measure.full[a] <= 0.0:
            return 0.0
        return (max(group.high[a], number) - min(group.low[a], number)) / measure.full[a]
    level = group.level[a]
    if level < 0:
        return 0.0
    while measure.up[level, value] != measure.up[level, group.one[a]]:
        level += 1
    return measure.height[level, value]


@njit(cache=True, nogil=True)
def join(measure: Any, group: Any, values: Any) -> None:
    """Add a record to the class."""
    for a in range(len(values)):
        value = values[a]
        if measure.style[a] == RANGE:
            number = measure.number[value]
            if np.isnan(number):
                group.missing[a] = True
            else:
                group.low[a] = min(group.low[a], number)
                group.high[a] = max(group.high[a], number)
        elif group.level[a] < 0:
            group.level[a] = 0
            group.one[a] = value
        else:
            while measure.up[group.level[a], value] != measure.up[group.level[a], group.one[a]]:
                group.level[a] += 1


@njit(cache=True, nogil=True)
def losses(measure: Any, values: Any, of_row: Any, labels: Any, classes: Any) -> Any:
    """Loss of each column of each class."""
    columns = values.shape[1]
    head = np.full(classes, -1, np.int64)
    after = np.full(len(labels), -1, np.int64)
    for i in range(len(labels)):
        after[i] = head[labels[i]]
        head[labels[i]] = i
    group = open_class(columns)
    out = np.zeros((classes, columns))
    for c in range(classes):
        clear(group)
        i = head[c]
        while i >= 0:
            join(measure, group, values[of_row[i]])
            i = after[i]
        if head[c] >= 0:
            for a in range(columns):
                out[c, a] = loss_with(measure, group, a, values[of_row[head[c]], a])
    return out


@njit(cache=True, nogil=True)
def grow(
    measure: Any,
    values: Any,
    of_row: Any,
    rows: Any,
    front: Any,
    ends: Any,
    labels: Any,
    order: Any,
    at: Any,
    classes: Any,
    free: Any,
    k: Any,
    most: Any,
) -> Any:
    """Grow up to `most` classes of k rows, seeded by the rows in `order` from place `at`.

    rows: rows sorted by cell, those of a cell from its `front` (the first not yet taken) to its end. free: rows left.
    Returns the new place, number of classes and rows left.
    """
    cells, columns = values.shape
    group = open_class(columns)
    cost = np.empty(len(measure.number))
    fresh = np.zeros(len(measure.number), np.int64)
    version = np.zeros(columns, np.int64)
    turn = 0
    live = np.empty(cells, np.int64)
    bound = np.empty(cells)
    left = 0
    for c in range(cells):
        if front[c] < ends[c]:
            live[left] = c
            left += 1
    stop = classes + most
    while free >= k and classes < stop:
        while labels[order[at]] >= 0:
            at += 1
        clear(group)
        row = order[at]
        cell = of_row[row]
        kept = 0
        for j in range(left):
            if front[live[j]] < ends[live[j]]:
                live[kept] = live[j]
                bound[kept] = 0.0
                kept += 1
        left = kept
        for size in range(1, k + 1):
            labels[row] = classes
            free -= 1
            while front[cell] < ends[cell] and labels[rows[front[cell]]] >= 0:
                front[cell] += 1
            turn += 1
            for a in range(columns):
                version[a] = turn
            join(measure, group, values[cell])
            if size == k:
                break
            best, limit, row = np.inf, np.inf, -1
            for j in range(left):
                if bound[j] > limit:
                    continue
                c = live[j]
                if front[c] >= ends[c]:
                    bound[j] = np.inf
                    continue
                total = 0.0
                for a in range(columns):
                    value = values[c, a]
                    if fresh[value] != version[a]:
                        fresh[value] = version[a]
                        cost[value] = measure.weight[a] * loss_with(measure, group, a, value)
                    total += cost[value]
                    if total > limit:
                        break
                bound[j] = total
                if total > limit:
                    continue
                first = rows[front[c]]
                if total < best - TIE or first < row or row < 0:
                    row, cell = first, c
                if total < best:
                    best, limit = total, total + TIE
        classes += 1
    return at, classes, free


@njit(cache=True, nogil=True)
def grow_sampled(
    measure: Any, values: Any, of_row: Any, labels: Any, order: Any, k: Any, candidates: Any, seed: Any
) -> Any:
    """As `grow`, but each pick looks at a fresh random sample of the rows left."""
    n, columns = len(of_row), values.shape[1]
    state = np.array([2 * seed + 1], np.uint64)
    group = open_class(columns)
    pool = np.arange(n)
    place = np.arange(n)
    free, classes, at = n, 0, 0
    while free >= k:
        while labels[order[at]] >= 0:
            at += 1
        clear(group)
        row = order[at]
        for size in range(1, k + 1):
            labels[row] = classes
            free -= 1
            last = pool[free]
            pool[place[row]] = last
            place[last] = place[row]
            join(measure, group, values[of_row[row]])
            if size == k:
                break
            best, row = np.inf, -1
            for j in range(min(candidates, free)):
                other = j + draw(state, free - j)
                one, two = pool[j], pool[other]
                pool[j], pool[other] = two, one
                place[two], place[one] = j, other
                total = 0.0
                for a in range(columns):
                    total += measure.weight[a] * loss_with(measure, group, a, values[of_row[two], a])
                if total < best - TIE or (total <= best + TIE and two < row):
                    row = two
                best = min(best, total)
        classes += 1
    return classes


@njit(cache=True, nogil=True)
def place_leftovers(measure: Any, values: Any, of_row: Any, labels: Any, classes: Any) -> None:
    """Each row without a class, by index, joins the class whose total loss it raises least; ties: the first class."""
    columns = values.shape[1]
    waiting = np.flatnonzero(labels < 0)
    if len(waiting) == 0:
        return
    groups = [open_class(columns) for _ in range(classes)]
    size = np.zeros(classes, np.int64)
    for i in range(len(labels)):
        if labels[i] >= 0:
            join(measure, groups[labels[i]], values[of_row[i]])
            size[labels[i]] += 1
    now = np.zeros(classes)
    for i in range(len(labels)):
        c = labels[i]
        if c >= 0 and now[c] == 0.0:
            for a in range(columns):
                now[c] += measure.weight[a] * loss_with(measure, groups[c], a, values[of_row[i], a])
    for row in waiting:
        best, home, then = np.inf, -1, 0.0
        for c in range(classes):
            total = 0.0
            for a in range(columns):
                total += measure.weight[a] * loss_with(measure, groups[c], a, values[of_row[row], a])
            rise = total * (size[c] + 1) - now[c] * size[c]
            if rise < best - TIE * (size[c] + 1):
                best, home, then = rise, c, total
        labels[row] = home
        join(measure, groups[home], values[of_row[row]])
        size[home] += 1
        now[home] = then


@njit(cache=True, nogil=True)
def merge_breaking(measure: Any, values: Any, of_row: Any, labels: Any, classes: Any, breaks: Any) -> Any:
    """Labels in which each breaking class is merged with the class whose union adds least; one merger per class."""
    columns = values.shape[1]
    groups = [open_class(columns) for _ in range(classes)]
    size = np.zeros(classes, np.int64)
    for i in range(len(labels)):
        join(measure, groups[labels[i]], values[of_row[i]])
        size[labels[i]] += 1
    now = np.zeros(classes)
    for c in range(classes):
        for a in range(columns):
            now[c] += measure.weight[a] * _together(measure, groups[c], groups[c], a)
    parent = np.arange(classes)
    taken = np.zeros(classes, np.bool_)
    for c in range(classes):
        if not breaks[c] or taken[c]:
            continue
        best, partner = np.inf, -1
        for d in range(classes):
            if d == c or taken[d]:
                continue
            total = 0.0
            for a in range(columns):
                total += measure.weight[a] * _together(measure, groups[c], groups[d], a)
            rise = total * (size[c] + size[d]) - now[c] * size[c] - now[d] * size[d]
            if rise < best - TIE * (size[c] + size[d]):
                best, partner = rise, d
        if partner >= 0:
            taken[c] = True
            taken[partner] = True
            parent[max(c, partner)] = min(c, partner)
    out = np.empty(len(labels), np.int32)
    for i in range(len(labels)):
        out[i] = parent[labels[i]]
    return out


@njit(cache=True, nogil=True)
def _together(measure: Any, one: Any, two: Any, a: Any) -> Any:
    """Loss of column a over two classes."""
    if measure.style[a] == RANGE:
        low, high = min(one.low[a], two.low[a]), max(one.high[a], two.high[a])
        if high < low:
            return 0.0
        if one.missing[a] or two.missing[a]:
            return 1.0
        return (high - low) / measure.full[a] if measure.full[a] > 0.0 else 0.0
    level = max(one.level[a], two.level[a])
    while measure.up[level, one.one[a]] != measure.up[level, two.one[a]]:
        level += 1
    return measure.height[level, one.one[a]]
