"""Depth-first branch and bound over the levels of each attribute: the inner loop of the optimal search.

Attributes are decided one after the other, the most promising level (`bounds`) first. Classes that are too
small leave the table for the whole branch, and rows that have become equal are merged. A step costs O(rows left).

`kernels.lattice.rows` says what a row is, and what the names of plan and walk mean.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from lookalike.kernels.compiling import kernel, paragraph, part
from lookalike.kernels.lattice.bounds import (
    CLASSES,
    SQUARES,
    SUM,
    among_others,
    keepable,
    sum_parts,
    weigh,
    weigh_levels,
)
from lookalike.kernels.lattice.rows import BestNodes, LatticePlan, Walk

DONE, PAUSED, ASKING, CHECKING = 0, 1, 2, 3  #: why the walk came back
_DESCEND, _WEIGH, _WALK_ON = 0, 1, 2


@part
def _descend(plan: Any, walk: Any, d: int, level: int) -> int:
    """Make the table of the next depth: classes split by node, those that break left out, equal rows merged.

    Reads what `sum_parts` noted about the rows of this depth.
    """
    at = plan.place[d, level]
    after, code = plan.after[d], plan.code[d]
    suffix, count = walk.suffix[d], walk.count[d]
    suffix1, count1 = walk.suffix[d + 1], walk.count[d + 1]
    choosy = (
        len(plan.need) > 0 and plan.limit > 0
    )  # where nobody may go, `weigh` has refused the level already
    final = d == len(plan.levels) - 1 and not plan.open
    mask = (1 << plan.bits) - 1
    out, classes, gone, worth_all = 0, 0, walk.gone[d], 0.0
    for b in range(walk.classes[d]):
        touched, first, end = 0, walk.begin[d, b], walk.begin[d, b + 1]
        for i in range(walk.part_begin[b], walk.part_begin[b + 1]):
            c = walk.part_slot[i] >> plan.bits
            x = plan.up[at + c]
            if walk.seen[x] == 0 and walk.near[x] == 0:
                walk.touched[touched] = x
                walk.some[x] = c
                touched += 1
            walk.seen[x] += walk.part_count[i]
            if plan.with_population:
                walk.near[x] += walk.part_population[i]
        if touched == 1:  # all rows of a class have one node
            for r in range(first, end):
                walk.link[r] = r + 1
            walk.link[end - 1], walk.head[walk.touched[0]], end = -1, first, first
        for r in range(end - 1, first - 1, -1):
            x = plan.up[at + (code[suffix[r]] >> plan.bits)]
            walk.link[r] = walk.head[x]
            walk.head[x] = r
        if choosy and (touched > 1 or d == 0):
            for i in range(walk.part_begin[b], walk.part_begin[b + 1]):
                slot = walk.part_slot[i]
                x = plan.up[at + (slot >> plan.bits)]
                if walk.seen[x] >= plan.smallest:
                    for m in range(plan.marks.shape[1]):
                        walk.have[x, plan.marks[slot & mask, m]] += walk.part_count[i]
        for i in range(touched):
            x = walk.touched[i]
            most = float(walk.seen[x])
            if choosy and touched == 1 and d > 0:  # the class stays as it is
                most = walk.most[d, b] if not final or walk.most[d, b] >= walk.seen[x] else 0.0
            elif choosy and most >= plan.smallest:
                enough = walk.seen[x] if final else plan.smallest
                most = keepable(walk.have[x], plan.weight, plan.need, plan.sized, walk.seen[x], enough)
            if plan.with_population:
                most = among_others(plan.least_population, plan.high, most, walk.near[x], final)
            if most < plan.smallest:
                gone += walk.seen[x]
            else:
                r = walk.head[x]
                start = out
                walk.begin[d + 1, classes] = start
                if plan.even:
                    walk.value[d + 1, classes] = walk.value[d, b] - plan.extra[at + walk.some[x]]
                    worth_all += walk.seen[x] * walk.value[d + 1, classes]
                walk.size[d + 1, classes] = walk.seen[x]
                walk.most[d + 1, classes] = most
                classes += 1
                while r >= 0:
                    t = after[suffix[r]]
                    suffix1[out] = t  # the next row is noted over it unless it is new, as in `sum_parts`
                    new = walk.tally[t] == 0
                    walk.tally[t] += count[r]
                    if plan.with_population:
                        new = new and walk.tally_population[t] == 0
                        walk.tally_population[t] += walk.population[d, r]
                    if plan.measure == SUM and not plan.even:
                        extra = plan.extra[at + (code[suffix[r]] >> plan.bits)]
                        walk.tally_saving[t] += walk.saving[d, r] - count[r] * extra
                    out += new
                    r = walk.link[r]
                for i1 in range(start, out):
                    t = suffix1[i1]
                    size = walk.tally[t]
                    count1[i1] = size
                    walk.tally[t] = 0
                    if plan.with_population:
                        walk.population[d + 1, i1] = walk.tally_population[t]
                        walk.tally_population[t] = 0
                    if plan.measure == SQUARES:
                        walk.saving[d + 1, i1] = float(size) * (plan.total - size)
                    elif plan.measure == CLASSES:
                        walk.saving[d + 1, i1] = 1.0 if size > 0 else 0.0
                    elif not plan.even:
                        walk.saving[d + 1, i1] = walk.tally_saving[t]
                        walk.tally_saving[t] = 0.0
            walk.seen[x] = 0
            walk.near[x] = 0
            walk.head[x] = -1
    walk.begin[d + 1, classes] = out
    walk.classes[d + 1] = classes
    walk.gone[d + 1] = gone
    walk.worth_all[d + 1] = worth_all
    walk.level[d] = level
    return out


@kernel
def note(nodes: Any, loss: float, found: Any, suppressed: int) -> None:
    """Insert an assignment into the list of the best ones, unless it is worse than all of them or among them."""
    best, levels, dropped = nodes
    i = len(best) - 1
    if loss >= best[i]:
        return
    for j in range(len(best)):
        same = best[j] < np.inf
        for d in range(len(found)):
            same = same and levels[j, d] == found[d]
        if same:
            return
    while i > 0 and best[i - 1] > loss:
        best[i] = best[i - 1]
        for d in range(len(found)):
            levels[i, d] = levels[i - 1, d]
        dropped[i] = dropped[i - 1]
        i -= 1
    best[i] = loss
    for d in range(len(found)):
        levels[i, d] = found[d]
    dropped[i] = suppressed


@paragraph
def _walk_on(plan: Any, walk: Any, nodes: Any, margin: float, work: int) -> int:
    """Go on with the search until done, or until about `work` rows were touched, or to ask.

    When asking, `walk.level` is a whole assignment that passes what is known here, for the other models to judge; when
    checking, it is one up to the depth in `walk.state`, which they may rule out.
    """
    best = nodes.loss
    final = len(plan.levels) - 1
    d, summed = walk.state[0], -1
    while d >= 0:
        if walk.state[1] == 1:
            if work <= 0:
                walk.state[0] = d
                return PAUSED
            work -= walk.begin[d, walk.classes[d]] + 50
            cutoff = best[len(best) - 1] if d == final and not plan.ask else best[0] - margin
            sum_parts(plan, walk, d)
            summed = d
            weighed = weigh_levels(plan, walk, d, cutoff)
            walk.state[1] = 0
            if d == final:
                walk.state[2] += weighed
        i = walk.tried[d]
        if i >= walk.tries[d] or (walk.bound[d, i] >= best[0] - margin and (d < final or plan.ask)):
            d -= 1
            continue
        level = walk.order[d, i]
        walk.tried[d] += 1
        walk.level[d] = level
        if d < final:
            work -= walk.begin[d, walk.classes[d]]
            if summed != d:
                sum_parts(plan, walk, d)
            _descend(plan, walk, d, level)
            walk.state[1] = 1
            d += 1
            if d < plan.early:
                walk.state[0] = d
                return CHECKING
        elif plan.ask:
            walk.state[0] = d
            return ASKING
        elif walk.drop[d, i] < plan.total:
            note(nodes, walk.bound[d, i], walk.level, walk.drop[d, i])
    walk.state[0] = d
    return DONE


@kernel
def _enter(what: int, plan: Any, walk: Any, d: int, level: int, cutoff: float, nodes: Any, work: int) -> Any:
    """The one door to the search: plan and walk are so many arrays that every further one takes long to compile."""
    if what == _WALK_ON:
        return 0.0, _walk_on(plan, walk, nodes, cutoff, work)
    sum_parts(plan, walk, d)
    if what == _DESCEND:
        return 0.0, _descend(plan, walk, d, level)
    return weigh(plan, walk, d, level, cutoff)


_NONE = BestNodes(np.empty(0), np.empty((0, 0), np.int64), np.empty(0, np.int64))


def walk_on(plan: LatticePlan, walk: Walk, nodes: BestNodes, margin: float, work: int) -> int:
    """Go on: DONE, PAUSED after about `work` rows, ASKING about `walk.level`, CHECKING what it is so far."""
    return int(_enter(_WALK_ON, plan, walk, 0, 0, margin, nodes, work)[1])


def descend(plan: LatticePlan, walk: Walk, d: int, level: int) -> None:
    """Make the table of the next depth from that of depth `d`."""
    _enter(_DESCEND, plan, walk, d, level, 0.0, _NONE, 0)


def finish(plan: LatticePlan, walk: Walk) -> int:
    """Make the table after the last attribute for the assignment that was asked about; returns its rows."""
    d = len(walk.level) - 1
    return int(_enter(_DESCEND, plan, walk, d, int(walk.level[d]), 0.0, _NONE, 0)[1])


def weigh_one(plan: LatticePlan, walk: Walk, d: int, level: int) -> tuple[float, int]:
    """What is saved at most, and suppressed at least, at a level of depth `d`."""
    kept, dropped = _enter(_WEIGH, plan, walk, d, level, np.inf, _NONE, 0)
    return float(kept), int(dropped)
