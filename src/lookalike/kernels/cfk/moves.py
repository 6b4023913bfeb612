"""Phase 2 of CF-K: the neighbours of a box, the people inside each, and what they lose.

One pass over the cells counts the box and all its neighbours at once: a cell outside in exactly one column is what
adding that column's value would bring in, O(cells x columns).
"""

from __future__ import annotations

from typing import Any, NamedTuple

from lookalike.kernels.cfk.boxes import enter_node, extent, penalty
from lookalike.kernels.columns import NODE, RANGE
from lookalike.kernels.compiling import kernel, part


class Surroundings(NamedTuple):
    """Weight in and around a box, by value."""

    inside: Any
    near: Any  #: outside in that column alone


@kernel
def survey(codes: Any, weight: Any, offset: Any, mask: Any, around: Any) -> Any:
    """Find the weight in and around a box; returns all that is inside."""
    inside, near = around
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


@kernel
def list_moves(
    shape: Any, missing: Any, height: Any, own: Any, free: Any, box: Any, around: Any, total: Any, moves: Any
) -> Any:
    """Neighbours of a box: column, value, new level, and the weight inside.

    A column with one value grows by one, a column with several shrinks by one and keeps the record's own value;
    with `free` both are tried everywhere. Returns how many there are.
    """
    (mask, level), (inside, near) = box, around
    n = 0
    offset, up = shape.off, shape.up
    for a in range(len(shape.style)):
        first, last = offset[a], offset[a + 1]
        mine = first + own[a]
        end = last - missing[a]
        held, lo, hi = extent(shape, missing, a, mask)
        grow = free or held == 1
        shrink = free or held > 1
        if shape.style[a] == NODE:
            here = level[a]
            for step in range(2):
                to = here
                weight = total
                if step == 0 and grow:
                    while to < height[a] and _same(shape, a, here, to, own[a]):
                        to += 1
                    if _same(shape, a, here, to, own[a]):
                        continue
                    for v in range(first, last):
                        if mask[v] == 0 and up[to, v] == up[to, mine]:
                            weight += near[v]
                elif step == 1 and shrink and held > 1:
                    while to > 0 and _same(shape, a, here, to, own[a]):
                        to -= 1
                    for v in range(first, last):
                        if mask[v] == 1 and up[to, v] != up[to, mine]:
                            weight -= inside[v]
                else:
                    continue
                n = _note(moves, n, a, own[a], to, weight)
            continue
        for v in range(first, last):
            if mask[v]:
                allowed = shrink and v != mine
                if shape.style[a] == RANGE and v < end:
                    allowed = allowed and (v in (lo, hi))
                weight = total - inside[v]
            else:
                allowed = grow
                if shape.style[a] == RANGE and v < end and lo >= 0:
                    allowed = allowed and (v == lo - 1 or v == hi + 1)
                weight = total + near[v]
            if allowed:
                n = _note(moves, n, a, v - first, -1, weight)
    return n


@part
def _note(moves: Any, n: Any, a: Any, code: Any, to: Any, weight: Any) -> Any:
    moves[n, 0], moves[n, 1], moves[n, 2], moves[n, 3] = a, code, to, weight
    return n + 1


@part
def _same(shape: Any, a: Any, here: Any, there: Any, code: Any) -> Any:
    """Do the nodes above a value on two levels hold the same values?"""
    up, off = shape.up, shape.off
    mine = off[a] + code
    for v in range(off[a], off[a + 1]):  # noqa: SIM110 - numba knows no generators
        if (up[here, v] == up[here, mine]) != (up[there, v] == up[there, mine]):
            return False
    return True


@part
def change(shape: Any, a: Any, code: Any, to: Any, mask: Any, level: Any) -> None:
    """Make one move: put the value in or out, or go to the node above it on level `to`."""
    if to >= 0:
        level[a] = to
        enter_node(shape, a, to, code, mask)
    else:
        mask[shape.off[a] + code] ^= 1


@kernel
def make_moves(shape: Any, moves: Any, masks: Any, levels: Any) -> None:
    """Make the i-th move in the i-th box."""
    for i in range(len(moves)):
        change(shape, moves[i, 0], moves[i, 1], moves[i, 2], masks[i], levels[i])


@kernel
def price_moves(
    shape: Any, missing: Any, steps: Any, moves: Any, mask: Any, level: Any, now: Any, out: Any
) -> None:
    """NCP of the boxes that moves lead to; the box is changed and changed back. `now` is room, a number per column."""
    columns = len(shape.style)
    for a in range(columns):
        now[a] = penalty(shape, missing, steps, a, mask, level)
    for i in range(len(moves)):
        a, was = moves[i, 0], level[moves[i, 0]]
        change(shape, a, moves[i, 1], moves[i, 2], mask, level)
        after = penalty(shape, missing, steps, a, mask, level)
        change(shape, a, moves[i, 1], was if moves[i, 2] >= 0 else -1, mask, level)
        out[i] = 0.0
        for b in range(columns):
            out[i] += shape.scale[b] * (after if a == b else now[b])
