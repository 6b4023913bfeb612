"""Boxes of CF-K: how many people are inside, and what they lose.

A box is a bit per value of each column (`mask`, all columns end to end) and, for columns with a hierarchy, the level.
Counting a box costs O(cells x columns), its loss one look at each value.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from lookalike.kernels.columns import NODE, RANGE
from lookalike.kernels.compiling import kernel, part


class Outline(NamedTuple):
    """A box."""

    mask: Any  #: per value of each column: whether it is inside
    level: Any  #: per column


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
def enter_node(shape: Any, a: Any, level: Any, code: Any, mask: Any) -> None:
    """Make column `a` of the box the node above `code` on a level."""
    up, off = shape.up, shape.off
    node = up[level, off[a] + code]
    for v in range(off[a], off[a + 1]):
        mask[v] = 1 if up[level, v] == node else 0


@part
def extent(shape: Any, missing: Any, a: Any, mask: Any) -> Any:
    """How many values of a column the box holds, and the first and last that are not missing (-1: none)."""
    held = 0
    lo, hi = -1, -1
    first, last = shape.off[a], shape.off[a + 1]
    end = last - missing[a]
    for v in range(first, last):
        if mask[v]:
            held += 1
            if v < end:
                lo = v if lo < 0 else lo
                hi = v
    return held, lo, hi


@kernel
def penalty(shape: Any, missing: Any, steps: Any, a: Any, mask: Any, level: Any) -> Any:
    """NCP of one column of the box. `steps`: (m - 1)/(M - 1) instead of m/M for sets and nodes."""
    held, lo, hi = extent(shape, missing, a, mask)
    if held < 2:
        return 0.0
    end = shape.off[a + 1] - missing[a]
    size = shape.off[a + 1] - shape.off[a]
    if shape.style[a] == RANGE:
        width = shape.rank[hi] - shape.rank[lo]
        if missing[a] and mask[end]:
            return (1.0 - 1.0 / size) * width + 1.0 / size
        return width
    if shape.style[a] == NODE:
        return shape.cost[level[a], lo if lo >= 0 else end]
    return (held - 1) / (size - 1) if steps else held / size
