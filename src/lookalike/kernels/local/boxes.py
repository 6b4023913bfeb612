"""Boxes of classes while classes change: what a class covers per column, what that loses, what one more record adds.

The rank of a value is its place among the leaves of an ordered column, the scale of a column the loss of one more
leaf. `added` is O(1) for ranges and sets, O(height) for nodes.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from lookalike.kernels.columns import NODE, RANGE, SET, Shape, join_level
from lookalike.kernels.compiling import part

_FAR = 1 << 30


class LocalProblem(NamedTuple):
    """The records, and what every class of them has to have."""

    shape: Any
    rows: Any  #: records x columns: their values
    kinds: Any  #: a bit per record: its sensitive value
    k: Any  #: records of a class, at least
    variety: Any  #: kinds of a class, at least


class Boxes(NamedTuple):
    """State of all classes, indexed by class (and column, or word of the bit set)."""

    size: Any
    loss: Any  #: per class: loss per record
    part: Any  #: per class and column: its share of the loss
    low: Any  #: lowest rank of a range; level of a node
    high: Any  #: highest rank of a range; any value under a node
    bits: Any  #: values present


def empty_boxes(shape: Shape, classes: int) -> Boxes:
    """Boxes of classes nobody is in yet."""
    columns = len(shape.style)
    return Boxes(
        np.zeros(classes, np.int64),
        np.zeros(classes),
        np.zeros((classes, columns)),
        np.tile(np.where(shape.style == RANGE, _FAR, -1), (classes, 1)),
        np.full((classes, columns), -1),
        np.zeros((classes, (len(shape.rank) + 63) // 64), np.uint64),
    )


@part
def clear(shape: Any, boxes: Any, c: Any) -> None:
    """Empty one class."""
    size, loss, part, low, high, bits = boxes
    size[c] = 0
    loss[c] = 0.0
    for w in range(bits.shape[1]):
        bits[c, w] = np.uint64(0)
    for a in range(len(shape.style)):
        part[c, a] = 0.0
        low[c, a] = _FAR if shape.style[a] == RANGE else -1
        high[c, a] = -1


@part
def present(bits: Any, c: Any, value: Any) -> Any:
    """Whether a member of the class has this value."""
    return (bits[c, value >> 6] >> np.uint64(value & 63)) & np.uint64(1) != 0


@part
def added(shape: Any, low: Any, high: Any, a: Any, value: Any) -> Any:
    """What column a loses more per record when a value not yet present joins a class with this low and high."""
    style = shape.style[a]
    if style == NODE:
        level = join_level(shape.up, low, high, value)
        return shape.cost[level, value] - shape.cost[low, high]
    leaves = 1
    if style == RANGE:
        place = shape.rank[value]
        if place >= 0 and high >= low:
            leaves = low - place if place < low else place - high if place > high else 0
    return shape.scale[a] * leaves


@part
def widen(shape: Any, boxes: Any, c: Any, a: Any, value: Any) -> None:
    """Take a value into a column's box; loss is the caller's business."""
    low, high, bits = boxes.low, boxes.high, boxes.bits
    bits[c, value >> 6] |= np.uint64(1) << np.uint64(value & 63)
    style = shape.style[a]
    if style == RANGE:
        place = shape.rank[value]
        if place >= 0:
            if place < low[c, a]:
                low[c, a] = place
            if place > high[c, a]:
                high[c, a] = place
    elif style == NODE:
        if low[c, a] < 0:
            low[c, a] = 0
            high[c, a] = value
        else:
            low[c, a] = join_level(shape.up, low[c, a], high[c, a], value)


@part
def join(shape: Any, boxes: Any, c: Any, rows: Any, i: Any) -> None:
    """Add record i to a class."""
    size, loss, part, low, high, bits = boxes
    for a in range(rows.shape[1]):
        value = np.int64(rows[i, a])
        if present(bits, c, value):
            continue
        if size[c] > 0:
            more = added(shape, low[c, a], high[c, a], a, value)
            part[c, a] += more
            loss[c] += more
        widen(shape, boxes, c, a, value)
    size[c] += 1


@part
def fill_boxes(shape: Any, boxes: Any, rows: Any, labels: Any, pool: Any, n: Any, classes: Any) -> Any:
    """The boxes of a labelling of the first n records of a pool, where -1 is no class; returns the loss of all."""
    c: Any
    for c in range(classes):
        clear(shape, boxes, c)
    for j in range(n):
        c = np.int64(labels[pool[j]])
        if c >= 0:
            join(shape, boxes, c, rows, pool[j])
    total = 0.0
    for c in range(classes):
        total += boxes.size[c] * boxes.loss[c]
    return total


@part
def remeasured(shape: Any, a: Any, rows: Any, members: Any, size: Any, skip: Any) -> Any:
    """Loss, low and high of a range or node over the members of a class but the one at `skip`."""
    low: Any
    high: Any
    low, high, missing = -1, -1, 0
    for j in range(size):
        if j == skip:
            continue
        value = np.int64(rows[members[j], a])
        if shape.style[a] == NODE:
            if low < 0:
                low, high = 0, value
            else:
                low = join_level(shape.up, low, high, value)
            continue
        place = np.int64(shape.rank[value])
        if place < 0:
            missing = 1
        else:
            low = place if place < low or high < 0 else low
            high = place if place > high else high
    if shape.style[a] == NODE:
        return shape.cost[low, high], low, high
    if high < 0:
        return (missing - 1) * shape.scale[a], _FAR, -1
    return (missing + high - low) * shape.scale[a], low, high


@part
def loss_without(
    shape: Any, boxes: Any, c: Any, rows: Any, members: Any, size: Any, skip: Any, count: Any
) -> Any:
    """Loss per record of a class when the member at `skip` has left; `count` holds its records per value."""
    loss = 0.0
    for a in range(len(shape.style)):
        value = np.int64(rows[members[skip], a])
        style = shape.style[a]
        part = boxes.part[c, a]
        if count[value] == 1:
            if style == SET:
                part -= shape.scale[a]
            elif style == NODE or not boxes.low[c, a] < shape.rank[value] < boxes.high[c, a]:
                part = remeasured(shape, a, rows, members, size, skip)[0]
        loss += part
    return loss


@part
def leave(shape: Any, boxes: Any, c: Any, rows: Any, members: Any, size: Any, skip: Any, count: Any) -> None:
    """Take the member at `skip` out of a class."""
    bits, parts = boxes.bits, boxes.part
    loss = 0.0
    for a in range(len(shape.style)):
        value = np.int64(rows[members[skip], a])
        count[value] -= 1
        if count[value] == 0:
            bits[c, value >> 6] &= ~(np.uint64(1) << np.uint64(value & 63))
            if shape.style[a] == SET:
                parts[c, a] -= shape.scale[a]
            else:
                part, low, high = remeasured(shape, a, rows, members, size, skip)
                parts[c, a] = part
                boxes.low[c, a] = low
                boxes.high[c, a] = high
        loss += parts[c, a]
    boxes.loss[c] = loss
    boxes.size[c] -= 1
