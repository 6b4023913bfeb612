"""Phase 1 of CF-K: a box takes in random near records until it holds k. O(cells x columns) per record taken in."""

from __future__ import annotations

from typing import Any, NamedTuple

from lookalike.kernels.cfk.boxes import count, enter_node, holds
from lookalike.kernels.columns import NODE, SET, join_level
from lookalike.kernels.compiling import kernel, part


class NearRecords(NamedTuple):
    """The records that a box may take in."""

    order: Any  #: cells, nearest first
    pool: Any  #: records of each
    alpha: Any  #: so many of the nearest are drawn from


@part
def absorb(shape: Any, missing: Any, record: Any, own: Any, box: Any) -> None:
    """Widen the box so that it covers a record: ranges stretch, sets grow, nodes climb."""
    mask, level = box
    offset = shape.off
    for a in range(len(shape.style)):
        v = offset[a] + record[a]
        if mask[v]:
            continue
        if shape.style[a] == SET:
            mask[v] = 1
        elif shape.style[a] == NODE:
            up_to = join_level(shape.up, level[a], offset[a] + own[a], v)
            level[a] = up_to
            enter_node(shape, a, up_to, own[a], mask)
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


@part
def draw(near: Any, codes: Any, offset: Any, mask: Any, chance: Any) -> Any:
    """A uniform draw from the `alpha` nearest pool records outside the box: its cell, or -1 if all are inside."""
    order, pool, alpha = near
    seen = 0
    for turn in range(2):
        if turn == 1:
            if seen == 0:
                return -1
            target = int(chance * seen)
            seen = 0
        for e in range(len(order)):
            c = order[e]
            if holds(c, codes, offset, mask):
                continue
            seen = min(seen + pool[e], alpha)
            if turn == 1 and seen > target:
                return c
            if seen == alpha:
                break
    return -1


@kernel
def construct(
    shape: Any, missing: Any, own: Any, near: Any, codes: Any, weight: Any, k: Any, chances: Any, box: Any
) -> Any:
    """Phase 1 of CF-K, in place: merge random near records until the box holds k. Returns how many were drawn, and
    whether the pool ran dry first."""
    used = 0
    while count(codes, weight, shape.off, box.mask) < k:
        c = draw(near, codes, shape.off, box.mask, chances[used])
        if c < 0:
            return used, True
        used += 1
        absorb(shape, missing, codes[c], own, box)
    return used, False
