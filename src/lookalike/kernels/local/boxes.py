"""Boxes of classes while classes change: what a class covers per column, what that loses, what one more record adds.

A column is published as a range (all leaves between lowest and highest), a node (all leaves under the lowest common
ancestor) or a set (the values present). `added` is O(1) for ranges and sets, O(height) for nodes.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from lookalike.kernels.compiling import making_part, part

RANGE, NODE, SET = 0, 1, 2
_FAR = 1 << 30


class Shape(NamedTuple):
    """How values turn into loss. Values of all columns share one numbering: `off[a] <= value < off[a + 1]`."""

    style: Any  #: per column: RANGE, NODE or SET
    scale: Any  #: per column: loss of one more leaf
    rank: Any  #: per value: its place among the leaves of an ordered column, -1 for missing
    up: Any  #: levels x values: node of the value on that level
    cost: Any  #: levels x values: loss of that node
    off: Any  #: columns + 1: where the values of each column begin


class Boxes(NamedTuple):
    """State of all classes, indexed by class (and column, or word of the bit set)."""

    size: Any
    loss: Any  #: per class: loss per record
    part: Any  #: per class and column: its share of the loss
    low: Any  #: lowest rank of a range; level of a node
    high: Any  #: highest rank of a range; any value under a node
    bits: Any  #: values present


@making_part
def empty_boxes(shape: Any, classes: Any) -> Any:
    """Boxes of classes nobody is in yet."""
    columns = len(shape.style)
    words = (len(shape.rank) + 63) // 64
    boxes = Boxes(
        np.zeros(classes, np.int64),
        np.zeros(classes),
        np.zeros((classes, columns)),
        np.empty((classes, columns), np.int64),
        np.empty((classes, columns), np.int64),
        np.zeros((classes, words), np.uint64),
    )
    for c in range(classes):
        clear(shape, boxes, c)
    return boxes


@part
def clear(shape: Any, boxes: Any, c: Any) -> None:
    """Empty one class."""
    boxes.size[c] = 0
    boxes.loss[c] = 0.0
    for w in range(boxes.bits.shape[1]):
        boxes.bits[c, w] = np.uint64(0)
    for a in range(len(shape.style)):
        boxes.part[c, a] = 0.0
        boxes.low[c, a] = _FAR if shape.style[a] == RANGE else -1
        boxes.high[c, a] = -1


@part
def present(bits: Any, c: Any, value: Any) -> Any:
    """Whether a member of the class has this value."""
    return (bits[c, value >> 6] >> np.uint64(value & 63)) & np.uint64(1) != 0


@part
def added(shape: Any, low: Any, high: Any, a: Any, value: Any) -> Any:
    """What column a loses more per record when a value not yet present joins a class with this low and high."""
    style = shape.style[a]
    if style == SET:
        return shape.scale[a]
    if style == RANGE:
        place = shape.rank[value]
        if place < 0 or high < low:
            return shape.scale[a]
        if place < low:
            return shape.scale[a] * (low - place)
        if place > high:
            return shape.scale[a] * (place - high)
        return 0.0
    level = low
    while shape.up[level, value] != shape.up[level, high]:
        level += 1
    return shape.cost[level, value] - shape.cost[low, high]


@part
def widen(shape: Any, boxes: Any, c: Any, a: Any, value: Any) -> None:
    """Take a value into a column's box; loss is the caller's business."""
    boxes.bits[c, value >> 6] |= np.uint64(1) << np.uint64(value & 63)
    style = shape.style[a]
    if style == RANGE:
        place = shape.rank[value]
        if place >= 0:
            if place < boxes.low[c, a]:
                boxes.low[c, a] = place
            if place > boxes.high[c, a]:
                boxes.high[c, a] = place
    elif style == NODE:
        if boxes.low[c, a] < 0:
            boxes.low[c, a] = 0
            boxes.high[c, a] = value
        else:
            while shape.up[boxes.low[c, a], value] != shape.up[boxes.low[c, a], boxes.high[c, a]]:
                boxes.low[c, a] += 1


@part
def join(shape: Any, boxes: Any, c: Any, values: Any) -> None:
    """Add a record to a class."""
    for a in range(len(values)):
        value = values[a]
        if present(boxes.bits, c, value):
            continue
        if boxes.size[c] > 0:
            more = added(shape, boxes.low[c, a], boxes.high[c, a], a, value)
            boxes.part[c, a] += more
            boxes.loss[c] += more
        widen(shape, boxes, c, a, value)
    boxes.size[c] += 1


@making_part
def fill_boxes(shape: Any, rows: Any, labels: Any, classes: Any) -> Any:
    """The boxes of a labelling; label -1 belongs to no class."""
    boxes = empty_boxes(shape, classes)
    for i in range(len(rows)):
        if labels[i] >= 0:
            join(shape, boxes, labels[i], rows[i])
    return boxes


@part
def remeasured(shape: Any, boxes: Any, c: Any, a: Any, rows: Any, members: Any, size: Any, skip: Any) -> Any:
    """Loss, low and high of a range or node over the members of a class but the one at `skip`."""
    low: Any
    high: Any
    if shape.style[a] == RANGE:
        low, high, missing = _FAR, -1, 0
        for j in range(size):
            if j != skip:
                place = np.int64(shape.rank[rows[members[j], a]])
                if place < 0:
                    missing = 1
                else:
                    low = place if place < low else low
                    high = place if place > high else high
        covered = missing + (high - low + 1 if high >= low else 0)
        return (covered - 1) * shape.scale[a], low, high
    low, high = -1, -1
    for j in range(size):
        if j != skip:
            value = np.int64(rows[members[j], a])
            if low < 0:
                low, high = 0, value
            else:
                while shape.up[low, value] != shape.up[low, high]:
                    low += 1
    return shape.cost[low, high], low, high


@part
def loss_without(
    shape: Any, boxes: Any, c: Any, rows: Any, members: Any, size: Any, skip: Any, count: Any
) -> Any:
    """Loss per record of a class when the member at `skip` has left; `count` holds its records per value."""
    loss = 0.0
    for a in range(len(shape.style)):
        value = rows[members[skip], a]
        part = boxes.part[c, a]
        if count[value] > 1:
            loss += part
        elif shape.style[a] == SET:
            loss += part - shape.scale[a]
        elif shape.style[a] == RANGE and boxes.low[c, a] < shape.rank[value] < boxes.high[c, a]:
            loss += part
        else:
            loss += remeasured(shape, boxes, c, a, rows, members, size, skip)[0]
    return loss


@part
def leave(shape: Any, boxes: Any, c: Any, rows: Any, members: Any, size: Any, skip: Any, count: Any) -> None:
    """Take the member at `skip` out of a class."""
    loss = 0.0
    for a in range(len(shape.style)):
        value = rows[members[skip], a]
        count[value] -= 1
        if count[value] == 0:
            boxes.bits[c, value >> 6] &= ~(np.uint64(1) << np.uint64(value & 63))
            if shape.style[a] == SET:
                boxes.part[c, a] -= shape.scale[a]
            else:
                part, low, high = remeasured(shape, boxes, c, a, rows, members, size, skip)
                boxes.part[c, a] = part
                boxes.low[c, a] = low
                boxes.high[c, a] = high
        loss += boxes.part[c, a]
    boxes.loss[c] = loss
    boxes.size[c] -= 1
