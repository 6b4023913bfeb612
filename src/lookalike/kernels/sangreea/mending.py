"""What is left after SaNGreeA's classes have grown: rows without a class find one, classes that break a model merge.

Each time the class is taken whose total loss rises least. O(rows or classes to mend, times classes).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from lookalike.kernels.columns import RANGE, join_level
from lookalike.kernels.compiling import making_kernel, making_part, part
from lookalike.kernels.sangreea.classes import TIE, join, loss_with, open_class


@making_kernel
def place_leftovers(measure: Any, values: Any, of_row: Any, labels: Any, classes: Any) -> None:
    """Each row without a class, by index, joins the class whose total loss it raises least; ties: the first class."""
    columns = values.shape[1]
    waiting = np.flatnonzero(labels < 0)
    if len(waiting) == 0:
        return
    groups, size = _gather(measure, values, of_row, labels, classes)
    now = np.zeros(classes)
    for i in range(len(labels)):
        c = labels[i]
        if c >= 0 and now[c] == 0.0:
            for a in range(columns):
                now[c] += measure.weight[a] * loss_with(measure, groups[c], a, values[of_row[i], a])
    for row in waiting:
        best, home, then = np.inf, -1, 0.0
        for c in range(classes):
            total = 0.0
            for a in range(columns):
                total += measure.weight[a] * loss_with(measure, groups[c], a, values[of_row[row], a])
            rise = total * (size[c] + 1) - now[c] * size[c]
            if rise < best - TIE * (size[c] + 1):
                best, home, then = rise, c, total
        labels[row] = home
        join(measure, groups[home], values[of_row[row]])
        size[home] += 1
        now[home] = then


@making_kernel
def merge_breaking(measure: Any, values: Any, of_row: Any, labels: Any, classes: Any, breaks: Any) -> Any:
    """Labels in which each breaking class is merged with the class whose union adds least; one merger per class."""
    columns = values.shape[1]
    groups, size = _gather(measure, values, of_row, labels, classes)
    now = np.zeros(classes)
    for c in range(classes):
        for a in range(columns):
            now[c] += measure.weight[a] * _together(measure, groups[c], groups[c], a)
    parent = np.arange(classes)
    taken = np.zeros(classes, np.bool_)
    for c in range(classes):
        if not breaks[c] or taken[c]:
            continue
        best, partner = np.inf, -1
        for d in range(classes):
            if d == c or taken[d]:
                continue
            total = 0.0
            for a in range(columns):
                total += measure.weight[a] * _together(measure, groups[c], groups[d], a)
            rise = total * (size[c] + size[d]) - now[c] * size[c] - now[d] * size[d]
            if rise < best - TIE * (size[c] + size[d]):
                best, partner = rise, d
        if partner >= 0:
            taken[c] = True
            taken[partner] = True
            parent[max(c, partner)] = min(c, partner)
    out = np.empty(len(labels), np.int32)
    for i in range(len(labels)):
        out[i] = parent[labels[i]]
    return out


@making_part
def _gather(measure: Any, values: Any, of_row: Any, labels: Any, classes: Any) -> Any:
    """All classes with the rows that have one, and their sizes."""
    groups = [open_class(values.shape[1]) for _ in range(classes)]
    size = np.zeros(classes, np.int64)
    for i in range(len(labels)):
        if labels[i] >= 0:
            join(measure, groups[labels[i]], values[of_row[i]])
            size[labels[i]] += 1
    return groups, size


@part
def _together(measure: Any, one: Any, two: Any, a: Any) -> Any:
    """Loss of column a over two classes."""
    if measure.shape.style[a] == RANGE:
        low, high = min(one.low[a], two.low[a]), max(one.high[a], two.high[a])
        if high < low:
            return 0.0
        if one.missing[a] or two.missing[a]:
            return 1.0
        return (high - low) / measure.shape.scale[a] if measure.shape.scale[a] > 0.0 else 0.0
    level = max(one.level[a], two.level[a])
    return measure.shape.cost[join_level(measure.shape.up, level, two.one[a], one.one[a]), one.one[a]]
