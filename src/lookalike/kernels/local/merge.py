"""Which class to merge a class with: the one whose union adds least loss. O(classes) per class."""

from __future__ import annotations

from typing import Any

import numpy as np

from lookalike.kernels.bits import popcount
from lookalike.kernels.columns import NODE, RANGE, join_level
from lookalike.kernels.compiling import kernel, part
from lookalike.kernels.local.boxes import LocalProblem
from lookalike.kernels.local.steps import place


def merge_breaking(problem: LocalProblem, labels: Any, classes: int, breaks: Any) -> int:
    """Give each breaking class a partner; each class is in one merger only. Changes the labels in place."""
    _, boxes = place(problem, labels, classes)
    parent = np.arange(classes)
    merged = int(_partners(problem.shape, boxes, breaks, np.zeros(classes, np.bool_), parent))
    labels[:] = parent[labels]
    return merged


@kernel
def _partners(shape: Any, boxes: Any, breaks: Any, taken: Any, parent: Any) -> Any:
    """Write the partner of each breaking class; returns how many found one."""
    size, loss = boxes.size, boxes.loss
    merged = 0
    for c in range(len(parent)):
        if not breaks[c] or taken[c] or size[c] == 0:
            continue
        best, partner = np.inf, -1
        mine = size[c] * loss[c]
        for d in range(len(parent)):
            if d == c or taken[d] or size[d] == 0:
                continue
            both = size[c] + size[d]
            before = mine + size[d] * loss[d]
            more = -before
            together = 0.0
            for a in range(len(shape.style)):
                together += _union(shape, boxes, c, d, a)
                more = together * both - before
                if more >= best:
                    break
            if more < best:
                best, partner = more, d
        if partner >= 0:
            taken[c] = True
            taken[partner] = True
            parent[c] = partner
            merged += 1
    return merged


@part
def _union(shape: Any, boxes: Any, c: Any, d: Any, a: Any) -> Any:
    """Loss of column a over two classes together."""
    if shape.style[a] == NODE:
        level = boxes.low[c, a] if boxes.low[c, a] > boxes.low[d, a] else boxes.low[d, a]
        one = boxes.high[c, a]
        return shape.cost[join_level(shape.up, level, boxes.high[d, a], one), one]
    covered = 0
    first, last = shape.off[a], shape.off[a + 1]
    if shape.style[a] == RANGE:
        low = boxes.low[c, a] if boxes.low[c, a] < boxes.low[d, a] else boxes.low[d, a]
        high = boxes.high[c, a] if boxes.high[c, a] > boxes.high[d, a] else boxes.high[d, a]
        missing = last > first and shape.rank[last - 1] < 0
        if missing:
            word, bit = (last - 1) >> 6, np.uint64((last - 1) & 63)
            covered += ((boxes.bits[c, word] | boxes.bits[d, word]) >> bit) & np.uint64(1) != 0
        covered += high - low + 1 if high >= low else 0
        return (covered - 1) * shape.scale[a]
    for word in range(first >> 6, ((last - 1) >> 6) + 1):
        values = boxes.bits[c, word] | boxes.bits[d, word]
        if word == first >> 6:
            values &= ~np.uint64(0) << np.uint64(first & 63)
        if word == (last - 1) >> 6 and last & 63:
            values &= (np.uint64(1) << np.uint64(last & 63)) - np.uint64(1)
        covered += popcount(values)
    return (covered - 1) * shape.scale[a]
