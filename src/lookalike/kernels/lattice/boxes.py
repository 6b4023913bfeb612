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
def _add_level(plan: Any, walk: Any, a: int, level: int, parts: int) -> None:
    """Add what the parts of a class lose on a level."""
    at, own, lost = np.uint64(plan.place[a, level]), 0.0, 0.0
    for i in range(parts):
        count = walk.part_count[i]
        if count < plan.smallest:
            walk.drop[a, level] += count
        else:
            own += count * plan.extra[at + np.uint64(walk.part_code[i])]
            lost += walk.part_worth[i]
    walk.own[a, level] += own
    walk.lost[a, level] += lost


@part
def _weigh_class(plan: Any, walk: Any, t: int, j: int) -> None:
    """Add what a class, summed by node, loses on each level of the attribute at place `j` of the block; clear the sums.

    The parts of a level are summed to those of the next.
    """
    a, parts, base = walk.block[j], walk.touched[j], np.uint64(j * len(walk.seen))
    low, least = np.uint64(walk.block_low[j]), 0.0
    for i in range(parts):
        slot = base + np.uint64(walk.node[base + np.uint64(i)])
        walk.part_code[i], walk.part_count[i] = walk.code[slot], walk.seen_in[slot]
        own = walk.seen_in[slot] * plan.extra[low + np.uint64(walk.code[slot])]
        walk.part_worth[i] = walk.worth_in[slot] - own
        walk.seen_in[slot], walk.worth_in[slot] = 0, 0.0
        least += own
    walk.touched[j] = 0
    walk.least[a] += least
    _add_level(plan, walk, a, walk.low[t, a], parts)
    for level in range(walk.low[t, a] + 1, walk.high[t, a] + 1):
        at, many = np.uint64(plan.place[a, level]), 0
        for i in range(parts if parts > 1 else 0):
            x = np.uint64(plan.up[at + np.uint64(walk.part_code[i])])
            walk.node_at[many] = x  # the next one is noted over it unless it is new
            many += walk.seen[x] == 0
            walk.some[x] = walk.part_code[i]
            walk.seen[x] += walk.part_count[i]
            walk.worth[x] += walk.part_worth[i]
        for i in range(many):
            x = np.uint64(walk.node_at[i])
            walk.part_code[i], walk.part_count[i], walk.part_worth[i] = (
                walk.some[x],
                walk.seen[x],
                walk.worth[x],
            )
            walk.seen[x], walk.worth[x] = 0, 0.0
        parts = many if parts > 1 else parts
        _add_level(plan, walk, a, level, parts)


@part
def _weigh_levels(plan: Any, walk: Any, t: int, many: int) -> None:
    """Note what all lose at least, the attribute itself, and who goes, for each level of the attributes of the block.

    A row is looked at once for all of them.
    """
    base, at_class, nodes = walk.start[t], walk.class_start[t], np.uint64(len(walk.seen))
    for j in range(many):
        a = walk.block[j]
        walk.block_low[j] = plan.place[a, walk.low[t, a]]
        walk.least[a] = walk.gone[t] * plan.worst[a]
        for level in range(walk.low[t, a], walk.high[t, a] + 1):
            walk.lost[a, level], walk.own[a, level], walk.drop[a, level] = 0.0, 0.0, walk.gone[t]
    for b in range(walk.class_start[t + 1] - at_class - 1):
        for r in range(base + walk.class_row[at_class + b], base + walk.class_row[at_class + b + 1]):
            k, count = np.uint64(walk.row[r]), walk.count[r]
            worth = count * walk.value[r]
            for j in range(many):
                c = np.uint64(plan.codes[k, np.uint64(walk.block[j])])
                x = np.uint64(plan.up[np.uint64(walk.block_low[j]) + c])
                first = np.uint64(j) * nodes
                if walk.seen_in[first + x] == 0:
                    walk.code[first + x] = c
                    walk.node[first + np.uint64(walk.touched[j])] = x
                    walk.touched[j] += 1
                walk.seen_in[first + x] += count
                walk.worth_in[first + x] += worth
        for j in range(many):
            _weigh_class(plan, walk, t, j)


@part
def shave(plan: Any, walk: Any, t: int, i: int, cutoff: float) -> Any:
    """Try each level of the box at place `i`, and narrow it; what it loses at least, infinite if nothing is left."""
    low, high, base, stop = walk.box_low[i], walk.box_high[i], walk.start[t], walk.start[t + 1]
    if walk.gone[t] > plan.limit or walk.gone[t] >= plan.total:
        return np.inf
    worst = 0.0
    for a in range(len(low)):
        worst += plan.worst[a]
    bound = walk.gone[t] * worst
    for r in range(base, stop):
        bound += walk.count[r] * walk.value[r]
    together = bound
    walk.finest[0] = bound
    if bound >= cutoff:
        return np.inf
    after = 0
    while after < len(low):
        many = 0
        while after < len(low) and many < len(walk.block):
            if low[after] < high[after]:
                walk.block[many] = after
                many += 1
            after += 1
        _weigh_levels(plan, walk, t, many)
        for j in range(many):
            a = walk.block[j]
            least, own, finest = np.inf, np.inf, walk.least[a]
            while low[a] <= high[a] and walk.drop[a, low[a]] > plan.limit:
                low[a] += 1
            for level in range(np.int64(low[a]), np.int64(high[a]) + 1):
                gone = walk.drop[a, level]
                walk.own[a, level] += gone * plan.worst[a]
                walk.lost[a, level] += walk.own[a, level] + gone * (worst - plan.worst[a])
                if gone == plan.total:
                    walk.lost[a, level] = np.inf
                if walk.lost[a, level] < cutoff:
                    least = min(least, walk.lost[a, level])
                    own = min(own, walk.own[a, level])
            while low[a] <= high[a] and walk.lost[a, low[a]] >= cutoff:
                low[a] += 1
            while low[a] <= high[a] and walk.lost[a, high[a]] >= cutoff:
                high[a] -= 1
            if low[a] > high[a]:
                return np.inf
            together += own - finest
            walk.least[a] = own
            bound = max(bound, least)
            if together >= cutoff:
                return np.inf
    bound = max(bound, together)
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
