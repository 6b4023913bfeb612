"""What is left after SaNGreeA's classes have grown: rows without a class find one, classes that break a model merge.

Each time the class is taken whose total loss rises least. O(rows or classes to mend, times classes).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from lookalike.kernels.columns import RANGE, join_level
from lookalike.kernels.compiling import kernel, part
from lookalike.kernels.sangreea.classes import TIE, GroupBoxes, Measure, empty_groups, join, loss_of


class Members(NamedTuple):
    """Who is in each class."""

    boxes: GroupBoxes
    size: Any  #: rows
    loss: Any


def _nobody(classes: int, columns: int) -> Members:
    return Members(empty_groups(classes, columns), np.zeros(classes, np.int64), np.zeros(classes))


def place_leftovers(measure: Measure, values: Any, of_row: Any, labels: Any, classes: int) -> None:
    """Each row without a class, by index, joins the class whose total loss it raises least; ties: the first class."""
    waiting = np.flatnonzero(labels < 0)
    if len(waiting):
        _place(measure, values, of_row, labels, waiting, _nobody(classes, values.shape[1]))


@kernel
def _place(measure: Any, values: Any, of_row: Any, labels: Any, waiting: Any, members: Any) -> None:
    c: Any
    groups, size, now = members
    _gather(measure, values, of_row, labels, members)
    for i in range(len(labels)):
        c = np.int64(labels[i])
        if c >= 0 and now[c] == 0.0:
            now[c] = loss_of(measure, groups, c, values, of_row[i])
    for j in range(len(waiting)):
        cell = of_row[waiting[j]]
        best, home, then = np.inf, -1, 0.0
        for c in range(len(size)):
            total = loss_of(measure, groups, c, values, cell)
            rise = total * (size[c] + 1) - now[c] * size[c]
            if rise < best - TIE * (size[c] + 1):
                best, home, then = rise, c, total
        labels[waiting[j]] = home
        join(measure, groups, home, values, cell)
        size[home] += 1
        now[home] = then


def merge_breaking(measure: Measure, values: Any, of_row: Any, labels: Any, classes: int, breaks: Any) -> Any:
    """Labels in which each breaking class is merged with the class whose union adds least; one merger per class."""
    parent, taken = np.arange(classes, dtype=np.int32), np.zeros(classes, np.bool_)
    _merge(measure, values, of_row, labels, breaks, _nobody(classes, values.shape[1]), parent, taken)
    return parent[labels]


@kernel
def _merge(
    measure: Any, values: Any, of_row: Any, labels: Any, breaks: Any, members: Any, parent: Any, taken: Any
) -> None:
    groups, size, now = members
    _gather(measure, values, of_row, labels, members)
    classes = len(size)
    for c in range(classes):
        now[c] = _together(measure, groups, c, c)
    for c in range(classes):
        if not breaks[c] or taken[c]:
            continue
        best, partner = np.inf, -1
        for d in range(classes):
            if d == c or taken[d]:
                continue
            total = _together(measure, groups, c, d)
            rise = total * (size[c] + size[d]) - now[c] * size[c] - now[d] * size[d]
            if rise < best - TIE * (size[c] + size[d]):
                best, partner = rise, d
        if partner >= 0:
            taken[c] = True
            taken[partner] = True
            if c > partner:
                parent[c] = partner
            else:
                parent[partner] = c


@part
def _gather(measure: Any, values: Any, of_row: Any, labels: Any, members: Any) -> None:
    """Put the rows that have a class into it."""
    for i in range(len(labels)):
        c = np.int64(labels[i])
        if c >= 0:
            join(measure, members.boxes, c, values, of_row[i])
            members.size[c] += 1


@part
def _together(measure: Any, groups: Any, c: Any, d: Any) -> Any:
    """Weighted loss of two classes together."""
    total = 0.0
    for a in range(len(measure.weight)):
        total += measure.weight[a] * _column(measure.shape, groups, c, d, a)
    return total


@part
def _column(shape: Any, groups: Any, c: Any, d: Any, a: Any) -> Any:
    """Loss of column a over two classes."""
    if shape.style[a] == RANGE:
        low = groups.low[c, a] if groups.low[c, a] < groups.low[d, a] else groups.low[d, a]
        high = groups.high[c, a] if groups.high[c, a] > groups.high[d, a] else groups.high[d, a]
        if high < low:
            return 0.0
        if groups.missing[c, a] or groups.missing[d, a]:
            return 1.0
        return (high - low) / shape.scale[a] if shape.scale[a] > 0.0 else 0.0
    level = groups.level[c, a] if groups.level[c, a] > groups.level[d, a] else groups.level[d, a]
    one = groups.one[c, a]
    return shape.cost[join_level(shape.up, level, groups.one[d, a], one), one]
