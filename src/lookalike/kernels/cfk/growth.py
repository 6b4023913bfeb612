"""Phase 1 of CF-K: a box takes in random near records until it holds k. O(cells x columns) per record taken in."""

from __future__ import annotations

from typing import Any

from lookalike.kernels.cfk.boxes import NODE, SET, count, enter_node, holds
from lookalike.kernels.compiling import kernel, part


@part
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


@part
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
