"""SaNGreeA's inner loop: who joins a growing class. Exact, on cells instead of rows.

A class's loss with one more record never falls as the class grows, so a loss computed for an earlier pick, or the sum
over the first few columns, is a lower bound: whoever is above the best found so far is passed over. One pass over the
cells still free per class, O(n²/k) in all, nearly all of it one comparison per cell.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from lookalike.kernels.compiling import making_kernel
from lookalike.kernels.draws import draw
from lookalike.kernels.sangreea.classes import TIE, clear, join, loss_with, open_class


@making_kernel
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
    cost = np.empty(len(measure.shape.rank))
    fresh = np.zeros(len(measure.shape.rank), np.int64)
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


@making_kernel
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
