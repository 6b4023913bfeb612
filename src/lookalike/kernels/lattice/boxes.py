"""Branch and bound over boxes of a lattice: a range of levels for every attribute at once. Only class sizes count.

In a box every attribute counts as on its coarsest level for the size of classes, and as on its finest for the loss.
What is too small at the coarsest levels is too small everywhere in the box, so its records go, and rows that agree at
the finest levels are merged. Then each attribute is tried on each of its levels, all others as they are: levels that
suppress too much or lose too much leave the box (shaving, Martin and Shmoys 1996). Each attribute loses at least what
its best level does, and that adds up. What is left is cut in two where both halves lose most. Looking at a box costs
O(rows left x attributes). `kernels.lattice.box_tables` says what the names of plan and walk mean.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from lookalike.kernels.compiling import kernel, part
from lookalike.kernels.lattice.box_tables import derive


@part
def sum_codes(plan: Any, walk: Any, t: int, a: int) -> Any:
    """Sum the rows of each class by the code of an attribute, so that each level costs less; what it loses at least."""
    low, codes = plan.place[a, walk.low[t, a]], plan.codes[a]
    base, at_class = walk.start[t], walk.class_start[t]
    parts, least = 0, walk.gone[t] * plan.worst[a]
    for b in range(walk.class_start[t + 1] - at_class - 1):
        first = parts
        walk.part_begin[b] = first
        for r in range(base + walk.class_row[at_class + b], base + walk.class_row[at_class + b + 1]):
            c = codes[walk.row[r]]
            x = plan.up[low + c]
            i = walk.head[x]
            if i < 0:
                i = parts
                walk.head[x] = i
                walk.part_code[i], walk.part_node[i] = c, x
                walk.part_count[i], walk.part_worth[i] = 0, 0.0
                parts += 1
            walk.part_count[i] += walk.count[r]
            walk.part_worth[i] += walk.count[r] * walk.value[r]
        for i in range(first, parts):
            walk.head[walk.part_node[i]] = -1
            own = walk.part_count[i] * plan.extra[low + walk.part_code[i]]
            walk.part_worth[i] -= own
            least += own
    walk.part_begin[walk.class_start[t + 1] - at_class - 1] = parts
    return least


@part
def try_level(plan: Any, walk: Any, t: int, a: int, level: int) -> Any:
    """Note what all lose at least, and the attribute itself, on a level; False if it suppresses too much."""
    at, at_class = plan.place[a, level], walk.class_start[t]
    gone, lost, own = walk.gone[t], 0.0, 0.0
    for b in range(walk.class_start[t + 1] - at_class - 1):
        touched = 0
        for i in range(walk.part_begin[b], walk.part_begin[b + 1]):
            x = plan.up[at + walk.part_code[i]]
            if walk.seen[x] == 0:
                walk.touched[touched] = x
                walk.some[x] = i
                walk.worth[x] = 0.0
                touched += 1
            walk.seen[x] += walk.part_count[i]
            walk.worth[x] += walk.part_worth[i]
        for i in range(touched):
            x = walk.touched[i]
            if walk.seen[x] < plan.smallest:
                gone += walk.seen[x]
            else:
                own += walk.seen[x] * plan.extra[at + walk.part_code[walk.some[x]]]
                lost += walk.worth[x]
            walk.seen[x] = 0
    worst = 0.0
    for b in range(len(plan.worst)):
        worst += plan.worst[b]
    walk.lost[a, level] = lost + own + gone * worst
    walk.own[a, level] = own + gone * plan.worst[a]
    return gone <= plan.limit and gone < plan.total


@part
def shave(plan: Any, walk: Any, t: int, i: int, cutoff: float) -> Any:
    """Try each level of the box at place `i`, and narrow it; what it loses at least, infinite if nothing is left."""
    low, high, base, stop = walk.box_low[i], walk.box_high[i], walk.start[t], walk.start[t + 1]
    if walk.gone[t] > plan.limit or walk.gone[t] >= plan.total:
        return np.inf
    bound = 0.0
    for a in range(len(low)):
        bound += walk.gone[t] * plan.worst[a]
    for r in range(base, stop):
        bound += walk.count[r] * walk.value[r]
    together = bound
    walk.finest[0] = bound
    if bound >= cutoff:
        return np.inf
    for a in range(len(low)):
        if low[a] == high[a]:
            continue
        finest = sum_codes(plan, walk, t, a)
        least, own = np.inf, np.inf
        for level in range(np.int64(high[a]), np.int64(low[a]) - 1, -1):
            if not try_level(plan, walk, t, a, level):  # finer levels have no larger classes
                low[a] = level + 1
                break
            if walk.lost[a, level] < cutoff:
                if walk.lost[a, level] < least:
                    least = walk.lost[a, level]
                if walk.own[a, level] < own:
                    own = walk.own[a, level]
        while low[a] <= high[a] and walk.lost[a, low[a]] >= cutoff:
            low[a] += 1
        while low[a] <= high[a] and walk.lost[a, high[a]] >= cutoff:
            high[a] -= 1
        if low[a] > high[a]:
            return np.inf
        together += own - finest
        walk.least[a] = own
        if least > bound:
            bound = least
        if together >= cutoff:
            return np.inf
    if together > bound:
        bound = together
    for a in range(len(low)):  # what the others lose by themselves adds to each level
        if low[a] < high[a]:
            for level in range(low[a], high[a] + 1):
                lost = together - walk.least[a] + walk.own[a, level]
                if lost > walk.lost[a, level]:
                    walk.lost[a, level] = lost
            while low[a] < high[a] and walk.lost[a, low[a]] >= cutoff:
                low[a] += 1
            while low[a] < high[a] and walk.lost[a, high[a]] >= cutoff:
                high[a] -= 1
    return bound


@part
def _emit(walk: Any, out: Any, i: int) -> None:
    n = walk.state[2]
    for a in range(len(walk.box_low[i])):
        out.low[n, a], out.high[n, a] = walk.box_low[i, a], walk.box_high[i, a]
    walk.state[2] += 1


@part
def _least_of(walk: Any, a: int, first: int, last: int, most: float) -> Any:
    """What some levels of an attribute lose at least, up to a limit."""
    out = most
    for level in range(first, last + 1):
        if walk.lost[a, level] < out:
            out = walk.lost[a, level]
    return out


@part
def _halve(walk: Any, i: int, bound: float, cutoff: float) -> None:
    """Cut the box at place `i` in two, the second one after it, where both lose most besides what it does anyway."""
    low, high, base = walk.box_low[i], walk.box_high[i], walk.finest[0]
    column, cut, score = 0, 0, -1.0
    for a in range(len(low)):
        for m in range(np.int64(low[a]), np.int64(high[a])):
            left = _least_of(walk, a, low[a], m, cutoff) - base
            right = _least_of(walk, a, m + 1, high[a], cutoff) - base
            if (left + 1e-5) * (right + 1e-5) > score:
                column, cut, score = a, m, (left + 1e-5) * (right + 1e-5)
    for a in range(len(low)):
        walk.box_low[i + 1, a], walk.box_high[i + 1, a] = low[a], high[a]
    walk.box_table[i + 1] = walk.box_table[i]
    walk.box_bound[i] = max(bound, _least_of(walk, column, low[column], cut, cutoff))
    walk.box_bound[i + 1] = max(bound, _least_of(walk, column, cut + 1, high[column], cutoff))
    high[column], walk.box_low[i + 1, column] = cut, cut + 1


@kernel
def dive(plan: Any, walk: Any, out: Any, margin: float, work: int) -> int:
    """Look into the boxes on the stack, the last one first, and into their parts, until the work is done.

    Those that find no room come out. Returns the rows touched.
    """
    waiting, done = walk.state[1], 0
    columns = len(plan.worst)
    while waiting > 0 and done <= work and walk.state[2] < len(out.low):
        i = waiting - 1
        cutoff = out.best[0] - margin
        bound = walk.box_bound[i]
        low, high, t = walk.box_low[i], walk.box_high[i], walk.box_table[i]
        narrowed = True
        while narrowed and bound < cutoff:
            done += walk.start[t + 1] - walk.start[t]
            if not derive(plan, walk, t, low, high):
                break
            t += 1
            opened = 2
            for a in range(columns):
                opened += low[a] < high[a]
            done += (walk.start[t + 1] - walk.start[t]) * opened
            here = shave(plan, walk, t, i, cutoff)
            if here > bound:
                bound = here
            narrowed = False
            for a in range(columns):
                narrowed = narrowed or low[a] != walk.low[t, a] or high[a] != walk.high[t, a]
        walk.box_table[i] = t
        single = True
        for a in range(columns):
            single = single and low[a] == high[a]
        waiting = i
        if bound >= cutoff:
            continue
        if narrowed or (not single and i + 2 > len(walk.box_bound)):
            _emit(walk, out, i)
        elif single:
            out.best[0] = bound
            for a in range(columns):
                out.node[a] = low[a]
        else:
            _halve(walk, i, bound, cutoff)
            waiting = i + 2
    walk.state[1] = waiting
    return done
