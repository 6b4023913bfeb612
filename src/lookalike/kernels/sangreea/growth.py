"""SaNGreeA's inner loop: who joins a growing class. Exact, on cells instead of rows.

A class's loss with one more record never falls as the class grows, so a loss computed for an earlier pick, or the sum
over the first few columns, is a lower bound: whoever is above the best found so far is passed over. One pass over the
cells still free per class, O(n²/k) in all, nearly all of it one comparison per cell.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from lookalike.kernels.compiling import kernel
from lookalike.kernels.draws import draw
from lookalike.kernels.sangreea.classes import (
    TIE,
    GroupBoxes,
    Measure,
    clear,
    empty_groups,
    join,
    loss_of,
    loss_with,
)


class Stock(NamedTuple):
    """Rows that can still be taken."""

    of_row: Any  #: the cell of each row
    rows: Any  #: rows sorted by cell
    front: Any  #: per cell: where its first row not yet taken may be
    ends: Any  #: per cell: where its rows end
    labels: Any  #: the class of each row, or -1
    order: Any  #: rows as seeds


class Candidates(NamedTuple):
    """Room to look for the record that costs least."""

    group: GroupBoxes  #: the class being grown
    cost: Any  #: per value
    fresh: Any  #: per value: version of its column when that was found
    version: Any  #: per column
    live: Any  #: cells with rows left
    bound: Any  #: per live cell: what it costs at least


class Lot(NamedTuple):
    """Rows to draw from."""

    of_row: Any  #: the cell of each row
    labels: Any  #: the class of each row, or -1
    order: Any  #: rows as seeds
    pool: Any  #: rows, those left first
    place: Any  #: per row: where in the pool it is
    state: Any  #: of the draws


def grow(
    measure: Measure, values: Any, stock: Stock, at: int, classes: int, free: int, k: int, most: int
) -> tuple[int, int, int]:
    """Grow up to `most` classes of k rows, seeded by the rows in order from place `at`; free: rows left.

    Returns the new place, number of classes and rows left.
    """
    cells, columns = values.shape
    room = Candidates(
        empty_groups(1, columns),
        np.empty(len(measure.shape.rank)),
        np.zeros(len(measure.shape.rank), np.int64),
        np.zeros(columns, np.int64),
        np.empty(cells, np.int64),
        np.empty(cells),
    )
    at, classes, free = _grow(measure, values, stock, room, at, classes, free, k, most)
    return at, classes, free


@kernel
def _grow(
    measure: Any, values: Any, stock: Any, room: Any, at: Any, classes: Any, free: Any, k: Any, most: Any
) -> Any:
    of_row, rows, front, ends, labels, order = stock
    group, cost, fresh, version, live, bound = room
    cells, columns = values.shape
    turn = 0
    left = 0
    for c in range(cells):
        if front[c] < ends[c]:
            live[left] = c
            left += 1
    stop = classes + most
    while free >= k and classes < stop:
        while labels[order[at]] >= 0:
            at += 1
        clear(group, 0)
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
            join(measure, group, 0, values, cell)
            if size == k:
                break
            best, limit, row = np.inf, np.inf, -1
            for j in range(left):
                if bound[j] > limit:
                    continue
                # unsigned: a place that may be negative is looked at for whether it counts from the end
                near = np.uint64(live[j])
                if front[near] >= ends[near]:
                    bound[j] = np.inf
                    continue
                total = 0.0
                for a in range(columns):
                    value = np.uint64(values[near, a])
                    if fresh[value] != version[a]:
                        fresh[value] = version[a]
                        cost[value] = measure.weight[a] * loss_with(measure, group, 0, a, np.int64(value))
                    total += cost[value]
                    if total > limit:
                        break
                bound[j] = total
                if total > limit:
                    continue
                first = rows[front[near]]
                if total < best - TIE or first < row or row < 0:
                    row, cell = first, np.int64(near)
                if total < best:
                    best, limit = total, total + TIE
        classes += 1
    return at, classes, free


def grow_sampled(
    measure: Measure, values: Any, of_row: Any, labels: Any, order: Any, k: int, candidates: int, seed: int
) -> int:
    """As `grow`, but each pick looks at a fresh random sample of the rows left."""
    n = len(of_row)
    lot = Lot(of_row, labels, order, np.arange(n), np.arange(n), np.array([2 * seed + 1], np.uint64))
    return int(_sampled(measure, values, lot, empty_groups(1, values.shape[1]), k, candidates))


@kernel
def _sampled(measure: Any, values: Any, lot: Any, group: Any, k: Any, candidates: Any) -> Any:
    of_row, labels, order, pool, place, state = lot
    free, classes, at = len(of_row), 0, 0
    while free >= k:
        while labels[order[at]] >= 0:
            at += 1
        clear(group, 0)
        row = order[at]
        for size in range(1, k + 1):
            labels[row] = classes
            free -= 1
            last = pool[free]
            pool[place[row]] = last
            place[last] = place[row]
            join(measure, group, 0, values, of_row[row])
            if size == k:
                break
            best, row = np.inf, -1
            for j in range(candidates if candidates < free else free):
                other = j + draw(state, free - j)
                one, two = pool[j], pool[other]
                pool[j], pool[other] = two, one
                place[two], place[one] = j, other
                total = loss_of(measure, group, 0, values, of_row[two])
                if total < best - TIE or (total <= best + TIE and two < row):
                    row = two
                best = total if total < best else best
        classes += 1
    return classes
