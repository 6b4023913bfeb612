"""Large-neighbourhood steps: some neighbouring classes are pooled and built anew; kept where the loss falls.

Cost of a step: O(classes) to find the neighbours, and what building some ten classes costs.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from lookalike.kernels.compiling import paragraph, part
from lookalike.kernels.draws import draw
from lookalike.kernels.local.boxes import LocalProblem, added, clear, empty_boxes, join, present
from lookalike.kernels.local.build import GATHER, WIDE, build_part
from lookalike.kernels.local.search import TINY, hand_over, place_part

_NEAR = 5  #: neighbours that are pooled with a class, at most


class Pool(NamedTuple):
    """Classes that are pooled, and their records."""

    near: Any  #: the classes
    distance: Any  #: to the first of them
    face: Any  #: per class a member, another one each time it is asked
    seen: Any  #: per value: the step in which its distance was found
    extra: Any  #: per value: its distance
    records: Any
    labels: Any  #: per record: its class among the new ones
    boxes: Any  #: of the new ones
    unused: Any  #: names of classes nobody is in
    state: Any  #: of the draws


def pool_for(problem: LocalProblem, n: int, classes: int, seed: int = 0) -> Pool:
    """Room to pool some of so many classes of n records."""
    values = len(problem.shape.rank)
    return Pool(
        np.empty(_NEAR + 1, np.int64),
        np.empty(_NEAR + 1),
        np.empty(classes, np.int64),
        np.full(values, -1),
        np.empty(values),
        np.empty(n, np.int64),
        np.empty(n, np.int32),
        empty_boxes(problem.shape, n // problem.k + 1),
        np.empty(classes, np.int64),
        np.array([seed * 2 + 1], np.uint64),
    )


@paragraph
def rebuild_part(problem: Any, boxes: Any, room: Any, chains: Any, pool: Any, used: Any, steps: Any) -> Any:
    """So many steps, each from a class drawn at random; returns the number of labels in use, emptied ones included.

    A pool may come back as more classes than it was.
    """
    shape, rows = problem.shape, problem.rows
    near, records, labels, unused, state = pool.near, pool.records, pool.labels, pool.unused, pool.state
    spare = 0
    for c in range(len(unused) - 1, -1, -1):
        if boxes.size[c] == 0:
            unused[spare] = c
            spare += 1
    for i in range(len(rows)):
        hand_over(chains, i, np.int64(chains.labels[i]))
    for c in range(used):
        pool.face[c] = chains.head[c]
    for step in range(steps):
        c = draw(state, used)
        if boxes.loss[c] <= TINY:
            continue
        chosen = _neighbours(problem, boxes, pool, used, c, 1 + draw(state, _NEAR), step)
        size, before = _pool(boxes, chains, pool, chosen)
        for j in range(size - 1, 0, -1):
            other = draw(state, j + 1)
            records[j], records[other] = records[other], records[j]
        way = step & 1 if rows.shape[1] <= WIDE else GATHER
        made = build_part(problem, pool.boxes, room, records, records, size, labels, way)
        if made == 0 or made > chosen + spare:
            continue
        then = place_part(problem, pool.boxes, room, labels, records, size, made)
        if then >= before - TINY:
            continue
        for z in range(chosen):
            clear(shape, boxes, near[z])
            chains.head[near[z]] = -1
            unused[spare] = near[z]
            spare += 1
        spare -= made
        for z in range(made):  # the last one out is the name of the first
            if unused[spare + z] >= used:
                used = unused[spare + z] + 1
        for j in range(size):
            i = records[j]
            d = unused[spare + made - 1 - labels[i]]
            join(shape, boxes, d, rows, i)
            hand_over(chains, i, d)
            pool.face[d] = i
    return used


@part
def _neighbours(problem: Any, boxes: Any, pool: Any, used: Any, c: Any, wanted: Any, step: Any) -> Any:
    """Find the classes a member of which is nearest to class c, and c as the last; returns how many."""
    shape, rows = problem.shape, problem.rows
    near, distance, face, seen, extra = pool.near, pool.distance, pool.face, pool.seen, pool.extra
    chosen = 0
    for d in range(used):
        if d == c or boxes.size[d] == 0:
            continue
        limit = distance[chosen - 1] if chosen == wanted else np.inf
        apart = 0.0
        for a in range(rows.shape[1]):
            value = np.int64(rows[face[d], a])
            if seen[value] != step:
                seen[value] = step
                extra[value] = 0.0
                if not present(boxes.bits, c, value):
                    extra[value] = added(shape, boxes.low[c, a], boxes.high[c, a], a, value)
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
    return chosen + 1


@part
def _pool(boxes: Any, chains: Any, pool: Any, chosen: Any) -> Any:
    """Collect the records of the pooled classes: how many, and what they lose now."""
    size = 0
    before = 0.0
    for z in range(chosen):
        c = pool.near[z]
        before += boxes.size[c] * boxes.loss[c]
        i = chains.head[c]
        while i >= 0:
            pool.records[size] = i
            size += 1
            i = chains.after[i]
        i = chains.after[pool.face[c]]
        pool.face[c] = i if i >= 0 else chains.head[c]
    return size, before
