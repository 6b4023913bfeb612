"""Improve classes: records move to better classes, whole classes dissolve into others, neighbours are built anew.

Every accepted step lowers the total loss and keeps every class at k records and `variety` kinds. A sweep of moves looks
at each record once, O(records x classes) at worst, much less with the bound that a class of loss f adds at least f.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from lookalike.kernels.compiling import making_kernel, part
from lookalike.kernels.draws import draw
from lookalike.kernels.local.boxes import (
    added,
    clear,
    empty_boxes,
    fill_boxes,
    join,
    leave,
    loss_without,
    present,
)
from lookalike.kernels.local.build import gather, widen_boxes

_TINY = 1e-12


@part
def best_home(shape: Any, boxes: Any, values: Any, me: Any, order: Any, limit: Any, coming: Any) -> Any:
    """The class that a record increases least, if by less than `limit`, when `coming` records might join it."""
    size, loss, _, low, high, bits = boxes
    best, home = limit, -1
    for z in range(len(order)):
        c = order[z]
        base = loss[c]
        if base >= best or c == me or size[c] == 0:
            continue
        room = (best - base) / (size[c] + coming)
        more = 0.0
        for a in range(len(values)):
            value = values[a]
            if not present(bits, c, value):
                more += added(shape, low[c, a], high[c, a], a, value)
                if more >= room:
                    break
        if more < room:
            best = base + (size[c] + coming) * more
            home = c
    return home, best


@making_kernel
def settle(shape: Any, rows: Any, labels: Any, classes: Any) -> None:
    """Give every record without a class the one that it increases least."""
    boxes = fill_boxes(shape, rows, labels, classes)
    order = np.arange(classes)
    for i in range(len(rows)):
        if labels[i] < 0:
            home, _ = best_home(shape, boxes, rows[i], -1, order, np.inf, 1)
            labels[i] = home
            join(shape, boxes, home, rows[i])


@making_kernel
def total_loss(shape: Any, rows: Any, labels: Any, classes: Any) -> Any:
    """Loss summed over records."""
    boxes = fill_boxes(shape, rows, labels, classes)
    total = 0.0
    for c in range(classes):
        total += boxes.size[c] * boxes.loss[c]
    return total


@part
def _dissolved(
    shape: Any, boxes: Any, rows: Any, labels: Any, c: Any, members: Any, size: Any, order: Any, homes: Any
) -> Any:
    """Spread a class over others if that lowers the loss for certain, whoever else comes along."""
    budget = boxes.loss[c] * size - _TINY
    for j in range(size):
        homes[j], cost = best_home(shape, boxes, rows[members[j]], c, order, budget, size)
        if homes[j] < 0:
            return False
        budget -= cost
    for j in range(size):
        labels[members[j]] = homes[j]
        join(shape, boxes, homes[j], rows[members[j]])
    clear(shape, boxes, c)
    return True


@making_kernel
def move(shape: Any, rows: Any, kinds: Any, labels: Any, classes: Any, k: Any, variety: Any) -> None:
    """One sweep, classes of highest loss first: dissolve the class, or else move its members one by one."""
    n, columns = rows.shape
    boxes = fill_boxes(shape, rows, labels, classes)
    head = np.full(classes, -1, np.int64)
    after = np.full(n, -1, np.int64)
    for i in range(n):
        after[i] = head[labels[i]]
        head[labels[i]] = i
    count = np.zeros(len(shape.rank), np.int64)
    kind_count = np.zeros(64, np.int64)
    members = np.empty(n, np.int64)
    homes = np.empty(n, np.int64)
    order = np.argsort(boxes.loss)
    for c in order[::-1]:
        if boxes.size[c] == 0 or boxes.loss[c] <= _TINY:
            continue
        size = 0
        i = head[c]
        while i >= 0:
            members[size] = i
            size += 1
            i = after[i]
        if size < 2 * k and _dissolved(shape, boxes, rows, labels, c, members, size, order, homes):
            for j in range(size):
                after[members[j]] = head[homes[j]]
                head[homes[j]] = members[j]
            head[c] = -1
            continue
        if size <= k:
            continue
        kind_count[:] = 0
        distinct = 0
        for j in range(size):
            for a in range(columns):
                count[rows[members[j], a]] += 1
            kind = _bit(kinds[members[j]])
            kind_count[kind] += 1
            distinct += kind_count[kind] == 1
        j = 0
        while j < size and size > k:
            i = members[j]
            kind = _bit(kinds[i])
            home = -1
            if kind_count[kind] > 1 or distinct > variety:
                now = boxes.loss[c] * size
                then = loss_without(shape, boxes, c, rows, members, size, j, count) * (size - 1)
                home, _ = best_home(shape, boxes, rows[i], c, order, now - then - _TINY, 1)
            if home < 0:
                j += 1
                continue
            leave(shape, boxes, c, rows, members, size, j, count)
            size -= 1
            members[j] = members[size]
            kind_count[kind] -= 1
            distinct -= kind_count[kind] == 0
            join(shape, boxes, home, rows[i])
            labels[i] = home
            after[i] = head[home]
            head[home] = i
        head[c] = -1
        for j in range(size):
            after[members[j]] = head[c]
            head[c] = members[j]
            for a in range(columns):
                count[rows[members[j], a]] = 0


@part
def _bit(word: Any) -> Any:
    place = 0
    while word > np.uint64(1):
        word >>= np.uint64(1)
        place += 1
    return place


@making_kernel
def rebuild(
    shape: Any, rows: Any, kinds: Any, labels: Any, classes: Any, k: Any, variety: Any, steps: Any, seed: Any
) -> Any:
    """Large-neighbourhood steps: some neighbouring classes are pooled and built anew; kept where the loss falls.

    A pool may come back as more classes than it was; returns the number of labels in use, emptied ones included.
    """
    n, columns = rows.shape
    state = np.array([seed * 2 + 1], np.uint64)
    most = classes + n // k
    boxes = empty_boxes(shape, most)
    low, high, bits = boxes.low, boxes.high, boxes.bits
    head = np.full(most, -1, np.int64)
    after = np.full(n, -1, np.int64)
    for i in range(n):
        join(shape, boxes, labels[i], rows[i])
        after[i] = head[labels[i]]
        head[labels[i]] = i
    face = head.copy()  # a member of each class, another one each time it is asked
    unused = np.empty(most, np.int64)
    spare = 0
    for c in range(most - 1, -1, -1):
        if boxes.size[c] == 0:
            unused[spare] = c
            spare += 1
    extra = np.zeros(len(shape.rank))
    fresh = np.full(len(shape.rank), -1, np.int64)
    near = np.empty(8, np.int64)
    distance = np.empty(8)
    used = classes
    accepted = 0
    for step in range(steps):
        c = draw(state, used)
        if boxes.loss[c] <= _TINY:
            continue
        wanted = 1 + draw(state, 5)
        chosen = 0
        for d in range(used):
            if d == c or boxes.size[d] == 0:
                continue
            limit = distance[chosen - 1] if chosen == wanted else np.inf
            apart = 0.0
            for a in range(columns):
                value = rows[face[d], a]
                if fresh[value] != step:
                    fresh[value] = step
                    extra[value] = 0.0
                    if not present(bits, c, value):
                        extra[value] = added(shape, low[c, a], high[c, a], a, value)
                apart += extra[value]
                if apart >= limit:
                    break
            if apart < limit:
                if chosen < wanted:
                    chosen += 1
                z = chosen - 1
                while z > 0 and distance[z - 1] > apart:
                    distance[z] = distance[z - 1]
                    near[z] = near[z - 1]
                    z -= 1
                distance[z] = apart
                near[z] = d
        near[chosen] = c
        chosen += 1
        size = 0
        before = 0.0
        for z in range(chosen):
            size += boxes.size[near[z]]
            before += boxes.size[near[z]] * boxes.loss[near[z]]
        pool = np.empty(size, np.int64)
        size = 0
        for z in range(chosen):
            i = head[near[z]]
            while i >= 0:
                pool[size] = i
                size += 1
                i = after[i]
            face[near[z]] = after[face[near[z]]] if after[face[near[z]]] >= 0 else head[near[z]]
        for j in range(size - 1, 0, -1):
            other = draw(state, j + 1)
            pool[j], pool[other] = pool[other], pool[j]
        mine = rows[pool]
        if step & 1:
            fresh_labels, made = gather(shape, mine, kinds[pool], k, variety, np.arange(size))
        else:
            fresh_labels, made = widen_boxes(shape, mine, kinds[pool], k, variety, np.arange(size))
        if made == 0 or made > chosen + spare:
            continue
        settle(shape, mine, fresh_labels, made)
        if total_loss(shape, mine, fresh_labels, made) >= before - _TINY:
            continue
        accepted += 1
        for z in range(chosen):
            clear(shape, boxes, near[z])
            head[near[z]] = -1
            unused[spare] = near[z]
            spare += 1
        name = np.empty(made, np.int64)
        for z in range(made):
            spare -= 1
            name[z] = unused[spare]
            if name[z] >= used:
                used = name[z] + 1
        for j in range(size):
            i = pool[j]
            d = name[fresh_labels[j]]
            labels[i] = d
            join(shape, boxes, d, rows[i])
            after[i] = head[d]
            head[d] = i
            face[d] = i
    return used, accepted
