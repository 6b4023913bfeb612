"""Improve classes: records move to better classes, and whole classes dissolve into others.

Every accepted step lowers the total loss and keeps every class at k records and `variety` kinds. A sweep of moves looks
at each record once, O(records x classes) at worst, much less with the bound that a class of loss f adds at least f.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from lookalike.kernels.compiling import paragraph, part
from lookalike.kernels.local.boxes import added, clear, fill_boxes, join, leave, loss_without, present

TINY = 1e-12


class Chains(NamedTuple):
    """The class of each record, and the records of each class one after the other."""

    labels: Any
    head: Any  #: per class: a record in it, or -1
    after: Any  #: per record: another of its class, or -1


@part
def best_home(
    problem: Any, boxes: Any, i: Any, me: Any, order: Any, classes: Any, limit: Any, coming: Any
) -> Any:
    """The class that record i increases least, if by less than `limit`, when `coming` records might join it."""
    shape, rows = problem.shape, problem.rows
    size, loss, _, low, high, bits = boxes
    best, home = limit, np.int64(-1)
    for z in range(classes):
        c = order[z]
        base = loss[c]
        if base >= best or c == me or size[c] == 0:
            continue
        room = (best - base) / (size[c] + coming)
        more = 0.0
        for a in range(rows.shape[1]):
            value = np.int64(rows[i, a])
            if not present(bits, c, value):
                more += added(shape, low[c, a], high[c, a], a, value)
                if more >= room:
                    break
        if more < room:
            best = base + (size[c] + coming) * more
            home = c
    return home, best


@part
def place_part(problem: Any, boxes: Any, room: Any, labels: Any, pool: Any, n: Any, classes: Any) -> Any:
    """Place the first n records of a pool; returns their loss."""
    shape, rows = problem.shape, problem.rows
    total = fill_boxes(shape, boxes, rows, labels, pool, n, classes)
    settled = 0
    for j in range(n):
        i = pool[j]
        if labels[i] < 0:
            home, _ = best_home(problem, boxes, i, -1, room.numbers, classes, np.inf, 1)
            labels[i] = home
            join(shape, boxes, home, rows, i)
            settled += 1
    # once more in the order of the records, so that sums do not depend on who came last
    return fill_boxes(shape, boxes, rows, labels, pool, n, classes) if settled else total


@paragraph
def move_part(problem: Any, boxes: Any, room: Any, chains: Any, order: Any) -> None:
    """One sweep, classes of highest loss first: dissolve the class, or else move its members one by one.

    Records per value are counted in `room.count`, which is zero between classes.
    """
    members, k = room.free, problem.k
    for i in range(len(problem.rows)):
        hand_over(chains, i, np.int64(chains.labels[i]))
    for z in range(len(order) - 1, -1, -1):
        c = order[z]
        if boxes.size[c] == 0 or boxes.loss[c] <= TINY:
            continue
        size = 0
        i = chains.head[c]
        while i >= 0:
            members[size] = i
            size += 1
            i = chains.after[i]
        if size < 2 * k and _dissolved(problem, boxes, room, chains, order, c, size):
            continue
        if size > k:
            _thin_out(problem, boxes, room, chains, order, c, size)


@part
def hand_over(chains: Any, i: Any, c: Any) -> None:
    """Put a record into the chain of a class."""
    chains.labels[i] = c
    chains.after[i] = chains.head[c]
    chains.head[c] = i


@part
def _dissolved(problem: Any, boxes: Any, room: Any, chains: Any, order: Any, c: Any, size: Any) -> Any:
    """Spread a class over others if that lowers the loss for certain, whoever else comes along."""
    members, homes = room.free, room.outside
    budget = boxes.loss[c] * size - TINY
    for j in range(size):
        home, cost = best_home(problem, boxes, members[j], c, order, len(order), budget, size)
        if home < 0:
            return False
        homes[j] = home
        budget -= cost
    for j in range(size):
        join(problem.shape, boxes, homes[j], problem.rows, members[j])
        hand_over(chains, members[j], homes[j])
    clear(problem.shape, boxes, c)
    return True


@part
def _thin_out(problem: Any, boxes: Any, room: Any, chains: Any, order: Any, c: Any, size: Any) -> None:
    """Move the members of a class that lower the loss elsewhere, as long as k of them and enough kinds stay."""
    shape, rows, kinds, k, variety = problem
    members, count, kind_count = room.free, room.count, room.kind_count
    for kind in range(len(kind_count)):
        kind_count[kind] = 0
    distinct = 0
    for j in range(size):
        for a in range(rows.shape[1]):
            count[rows[members[j], a]] += 1
        kind = _bit(kinds[members[j]])
        kind_count[kind] += 1
        distinct += kind_count[kind] == 1
    j = 0
    while j < size and size > k:
        i = members[j]
        kind = _bit(kinds[i])
        home = np.int64(-1)
        if kind_count[kind] > 1 or distinct > variety:
            now = boxes.loss[c] * size
            then = loss_without(shape, boxes, c, rows, members, size, j, count) * (size - 1)
            limit = now - then - TINY
            home, _ = best_home(problem, boxes, i, c, order, len(order), limit, 1)
        if home < 0:
            j += 1
            continue
        leave(shape, boxes, c, rows, members, size, j, count)
        size -= 1
        members[j] = members[size]
        kind_count[kind] -= 1
        distinct -= kind_count[kind] == 0
        join(shape, boxes, home, rows, i)
        hand_over(chains, i, home)
    for j in range(size):
        for a in range(rows.shape[1]):
            count[rows[members[j], a]] = 0


@part
def _bit(word: Any) -> Any:
    place = 0
    while word > np.uint64(1):
        word >>= np.uint64(1)
        place += 1
    return place
