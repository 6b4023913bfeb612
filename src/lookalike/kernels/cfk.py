"""Boxes around one record: how many people are inside, which neighbouring boxes there are, and which tuples they hold.

A box is a bit per value of each column (`mask`, all columns end to end) and, for columns with a hierarchy, the level.
One pass over the cells counts the box and all its neighbours at once: a cell outside in exactly one column is what
adding that column's value would bring in, O(cells x columns).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

SET, RANGE, NODE = 0, 1, 2


@njit(cache=True, nogil=True)
def survey(codes: Any, weight: Any, offset: Any, mask: Any, inside: Any, near: Any) -> Any:
    """Weight inside the box; by value, the weight inside (`inside`) and outside in that column alone (`near`)."""
    for v in range(len(inside)):
        inside[v] = near[v] = 0
    total = 0
    columns = codes.shape[1]
    for c in range(codes.shape[0]):
        out = -1
        for a in range(columns):
            if mask[offset[a] + codes[c, a]] == 0:
                if out >= 0:
                    out = -2
                    break
                out = a
        if out == -1:
            total += weight[c]
            for a in range(columns):
                inside[offset[a] + codes[c, a]] += weight[c]
        elif out >= 0:
            near[offset[out] + codes[c, out]] += weight[c]
    return total


@njit(cache=True, nogil=True)
def count(codes: Any, weight: Any, offset: Any, mask: Any) -> Any:
    """Weight of the cells inside a box."""
    total = 0
    for c in range(codes.shape[0]):
        hit = True
        for a in range(codes.shape[1]):
            if mask[offset[a] + codes[c, a]] == 0:
                hit = False
                break
        if hit:
            total += weight[c]
    return total


@njit(cache=True, nogil=True)
def enter_node(a: Any, level: Any, code: Any, offset: Any, up: Any, mask: Any) -> None:
    """Make column `a` of the box the node above `code` on a level."""
    node = up[level, offset[a] + code]
    for v in range(offset[a], offset[a + 1]):
        mask[v] = 1 if up[level, v] == node else 0


@njit(cache=True, nogil=True)
def absorb(
    record: Any, own: Any, shape: Any, missing: Any, offset: Any, up: Any, mask: Any, level: Any
) -> None:
    """Widen the box so that it covers a record: ranges stretch, sets grow, nodes climb."""
    for a in range(len(shape)):
        v = offset[a] + record[a]
        if mask[v]:
            continue
        if shape[a] == SET:
            mask[v] = 1
        elif shape[a] == NODE:
            up_to = level[a]
            while up[up_to, v] != up[up_to, offset[a] + own[a]]:
                up_to += 1
            level[a] = up_to
            enter_node(a, up_to, own[a], offset, up, mask)
        else:
            mask[v] = 1
            if missing[a] and record[a] == offset[a + 1] - offset[a] - 1:
                continue
            end = offset[a + 1] - missing[a]
            lo, hi = end, offset[a]
            for w in range(offset[a], end):
                if mask[w]:
                    lo = min(lo, w)
                    hi = max(hi, w)
            for w in range(lo, hi + 1):
                mask[w] = 1


@njit(cache=True, nogil=True)
def draw(order: Any, pool: Any, codes: Any, offset: Any, mask: Any, alpha: Any, chance: Any) -> Any:
    """A uniform draw from the `alpha` nearest pool records outside the box: its cell, or -1 if all are inside."""
    seen = 0
    for turn in range(2):
        if turn == 1:
            if seen == 0:
                return -1
            target = int(chance * seen)
            seen = 0
        for e in range(len(order)):
            c = order[e]
            hit = True
            for a in range(codes.shape[1]):
                if mask[offset[a] + codes[c, a]] == 0:
                    hit = False
                    break
            if hit:
                continue
            seen = min(seen + pool[e], alpha)
            if turn == 1 and seen > target:
                return c
            if seen == alpha:
                break
    return -1


@njit(cache=True, nogil=True)
def construct(
    own: Any,
    order: Any,
    pool: Any,
    codes: Any,
    weight: Any,
    shape: Any,
    missing: Any,
    offset: Any,
    up: Any,
    alpha: Any,
    k: Any,
    chances: Any,
    used: Any,
    mask: Any,
    level: Any,
) -> Any:
    """Phase 1 of CF-K, in place: merge random near records until the box holds k. Returns the draws used so far, and
    whether the pool ran dry first."""
    while count(codes, weight, offset, mask) < k:
        c = draw(order, pool, codes, offset, mask, alpha, chances[used])
        if c < 0:
            return used, True
        used += 1
        absorb(codes[c], own, shape, missing, offset, up, mask, level)
    return used, False


@njit(cache=True, nogil=True)
def penalty(
    a: Any, shape: Any, missing: Any, offset: Any, share: Any, place: Any, steps: Any, mask: Any, level: Any
) -> Any:
    """NCP of one column of the box. `steps`: (m - 1)/(M - 1) instead of m/M for sets and nodes."""
    held = 0
    lo, hi = -1, -1
    end = offset[a + 1] - missing[a]
    for v in range(offset[a], offset[a + 1]):
        if mask[v]:
            held += 1
            if v < end:
                lo = v if lo < 0 else lo
                hi = v
    if held < 2:
        return 0.0
    size = offset[a + 1] - offset[a]
    if shape[a] == RANGE:
        width = place[hi] - place[lo]
        if missing[a] and mask[end]:
            return (1.0 - 1.0 / size) * width + 1.0 / size
        return width
    if shape[a] == NODE:
        return share[level[a], lo if lo >= 0 else end]
    return (held - 1) / (size - 1) if steps else held / size


@njit(cache=True, nogil=True)
def list_moves(
    own: Any,
    free: Any,
    shape: Any,
    missing: Any,
    offset: Any,
    up: Any,
    height: Any,
    mask: Any,
    level: Any,
    inside: Any,
    near: Any,
    total: Any,
    move: Any,
    held_by: Any,
) -> Any:
    """Neighbours of a box: (column, value, new level) rows in `move` and the weight inside each in `held_by`.

    A column with one value grows by one, a column with several shrinks by one and keeps the record's own value;
    with `free` both are tried everywhere. Returns how many there are.
    """
    n = 0
    for a in range(len(shape)):
        first, last = offset[a], offset[a + 1]
        mine = first + own[a]
        end = last - missing[a]
        held = 0
        lo, hi = -1, -1
        for v in range(first, last):
            if mask[v]:
                held += 1
                if v < end:
                    lo = v if lo < 0 else lo
                    hi = v
        grow = free or held == 1
        shrink = free or held > 1
        if shape[a] == NODE:
            here = level[a]
            for step in range(2):
                to = here
                weight = total
                if step == 0 and grow:
                    while to < height[a] and _same(a, here, to, own[a], offset, up):
                        to += 1
                    if _same(a, here, to, own[a], offset, up):
                        continue
                    for v in range(first, last):
                        if mask[v] == 0 and up[to, v] == up[to, mine]:
                            weight += near[v]
                elif step == 1 and shrink and held > 1:
                    while to > 0 and _same(a, here, to, own[a], offset, up):
                        to -= 1
                    for v in range(first, last):
                        if mask[v] == 1 and up[to, v] != up[to, mine]:
                            weight -= inside[v]
                else:
                    continue
                move[n, 0], move[n, 1], move[n, 2] = a, own[a], to
                held_by[n] = weight
                n += 1
            continue
        for v in range(first, last):
            if mask[v]:
                allowed = shrink and v != mine
                if shape[a] == RANGE and v < end:
                    allowed = allowed and (v in (lo, hi))
                weight = total - inside[v]
            else:
                allowed = grow
                if shape[a] == RANGE and v < end and lo >= 0:
                    allowed = allowed and (v == lo - 1 or v == hi + 1)
                weight = total + near[v]
            if allowed:
                move[n, 0], move[n, 1], move[n, 2] = a, v - first, -1
                held_by[n] = weight
                n += 1
    return n


@njit(cache=True, nogil=True)
def _same(a: Any, here: Any, there: Any, code: Any, offset: Any, up: Any) -> Any:
    """Do the nodes above a value on two levels hold the same values?"""
    mine = offset[a] + code
    for v in range(offset[a], offset[a + 1]):
        if (up[here, v] == up[here, mine]) != (up[there, v] == up[there, mine]):
            return False
    return True


@njit(cache=True, nogil=True)
def change(a: Any, code: Any, to: Any, offset: Any, up: Any, mask: Any, level: Any) -> None:
    """Make one move: put the value in or out, or go to the node above it on level `to`."""
    if to >= 0:
        level[a] = to
        enter_node(a, to, code, offset, up, mask)
    else:
        mask[offset[a] + code] ^= 1


@njit(cache=True, nogil=True)
def make_moves(moves: Any, offset: Any, up: Any, masks: Any, levels: Any) -> None:
    """Make the i-th move in the i-th box."""
    for i in range(len(moves)):
        change(moves[i, 0], moves[i, 1], moves[i, 2], offset, up, masks[i], levels[i])


@njit(cache=True, nogil=True)
def tuples(mask: Any, offset: Any, priority: Any, limit: Any, out: Any) -> Any:
    """The tuples of values in a box: all of them if at most `limit`, else a sample of `limit`.

    Sample j takes in each column the held value that comes first in its own shuffled order (`priority[j]`), so two
    boxes that differ in one value share all sampled tuples but those with that value. Returns how many were written.
    """
    columns = len(offset) - 1
    product = 1.0
    for a in range(columns):
        held = 0
        for v in range(offset[a], offset[a + 1]):
            held += mask[v]
        product *= held
    if product <= limit:
        n = 1
        for a in range(columns):
            times = 0
            for v in range(offset[a], offset[a + 1]):
                if mask[v]:
                    for i in range(n):
                        for b in range(a):
                            out[times * n + i, b] = out[i, b]
                        out[times * n + i, a] = v - offset[a]
                    times += 1
            n *= times
        return n
    for j in range(limit):
        for a in range(columns):
            best = -1
            for v in range(offset[a], offset[a + 1]):
                if mask[v] and (best < 0 or priority[j, v] < priority[j, best]):
                    best = v
            out[j, a] = best - offset[a]
    return limit


@njit(cache=True, nogil=True)
def find(known: Any, key: Any) -> Any:
    """Place of a key among sorted keys, or -1."""
    lo, hi = 0, len(known)
    while lo < hi:
        middle = (lo + hi) >> 1
        if known[middle] < key:
            lo = middle + 1
        else:
            hi = middle
    return lo if lo < len(known) and known[lo] == key else -1


@njit(cache=True, nogil=True)
def judge(
    masks: Any,
    offset: Any,
    priority: Any,
    limit: Any,
    radix: Any,
    known: Any,
    answer: Any,
    held: Any,
    pureness: Any,
    tried: Any,
    keys: Any,
    ask: Any,
) -> Any:
    """Pureness of several boxes from the answers known so far (`known` sorted keys); -1 where some are not known.

    What is not known goes into `keys` and `ask`; returns how many. `held` is room for the tuples of one box.
    """
    columns = len(offset) - 1
    n = 0
    for b in range(masks.shape[0]):
        m = tuples(masks[b], offset, priority, limit, held)
        yes, unknown = 0, 0
        for i in range(m):
            key = 0
            for a in range(columns):
                key += held[i, a] * radix[a]
            at = find(known, key)
            if at >= 0:
                yes += answer[at]
                continue
            unknown += 1
            keys[n] = key
            for a in range(columns):
                ask[n, a] = held[i, a]
            n += 1
        tried[b] = m
        pureness[b] = -1.0 if unknown else yes / m
    return n


@njit(cache=True, nogil=True)
def price_moves(
    moves: Any,
    shape: Any,
    missing: Any,
    offset: Any,
    up: Any,
    share: Any,
    place: Any,
    steps: Any,
    weights: Any,
    mask: Any,
    level: Any,
) -> Any:
    """NCP of the boxes that moves lead to; the box is changed and changed back."""
    columns = len(shape)
    now = np.empty(columns)
    for a in range(columns):
        now[a] = penalty(a, shape, missing, offset, share, place, steps, mask, level)
    out = np.zeros(len(moves))
    for i in range(len(moves)):
        a, was = moves[i, 0], level[moves[i, 0]]
        change(a, moves[i, 1], moves[i, 2], offset, up, mask, level)
        after = penalty(a, shape, missing, offset, share, place, steps, mask, level)
        change(a, moves[i, 1], was if moves[i, 2] >= 0 else -1, offset, up, mask, level)
        for b in range(columns):
            out[i] += weights[b] * (after if a == b else now[b])
    return out
