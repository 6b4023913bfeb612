"""Boxes of CF-K: how many people are inside, and what they lose.

A box is a bit per value of each column (`mask`, all columns end to end) and, for columns with a hierarchy, the level.
Counting a box costs O(cells x columns), its loss one look at each value.
"""

from __future__ import annotations

from typing import Any

from lookalike.kernels.compiling import kernel, part

SET, RANGE, NODE = 0, 1, 2


@part
def holds(c: Any, codes: Any, offset: Any, mask: Any) -> Any:
    """Is a cell inside the box?"""
    for a in range(codes.shape[1]):  # noqa: SIM110 - numba knows no generators
        if mask[offset[a] + codes[c, a]] == 0:
            return False
    return True


@kernel
def count(codes: Any, weight: Any, offset: Any, mask: Any) -> Any:
    """Weight of the cells inside a box."""
    total = 0
    for c in range(codes.shape[0]):
        if holds(c, codes, offset, mask):
            total += weight[c]
    return total


@part
def enter_node(a: Any, level: Any, code: Any, offset: Any, up: Any, mask: Any) -> None:
    """Make column `a` of the box the node above `code` on a level."""
    node = up[level, offset[a] + code]
    for v in range(offset[a], offset[a + 1]):
        mask[v] = 1 if up[level, v] == node else 0


@part
def extent(a: Any, missing: Any, offset: Any, mask: Any) -> Any:
    """How many values of a column the box holds, and the first and last that are not missing (-1: none)."""
    held = 0
    lo, hi = -1, -1
    end = offset[a + 1] - missing[a]
    for v in range(offset[a], offset[a + 1]):
        if mask[v]:
            held += 1
            if v < end:
                lo = v if lo < 0 else lo
                hi = v
    return held, lo, hi


@kernel
def penalty(
    a: Any, shape: Any, missing: Any, offset: Any, share: Any, place: Any, steps: Any, mask: Any, level: Any
) -> Any:
    """NCP of one column of the box. `steps`: (m - 1)/(M - 1) instead of m/M for sets and nodes."""
    held, lo, hi = extent(a, missing, offset, mask)
    if held < 2:
        return 0.0
    end = offset[a + 1] - missing[a]
    size = offset[a + 1] - offset[a]
    if shape[a] == RANGE:
        width = place[hi] - place[lo]
        if missing[a] and mask[end]:
            return (1.0 - 1.0 / size) * width + 1.0 / size
        return width
    if shape[a] == NODE:
        return share[level[a], lo if lo >= 0 else end]
    return (held - 1) / (size - 1) if steps else held / size
