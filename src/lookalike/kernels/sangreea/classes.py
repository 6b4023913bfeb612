"""SaNGreeA's classes while they grow: their box, what it loses, and what it would lose with one more record.

Ranges of numbers, lowest common ancestors of the others; O(1) per column for a range, O(height) for a node.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from lookalike.kernels.columns import RANGE, join_level
from lookalike.kernels.compiling import making_kernel, making_part, part

#: Losses equal on paper may differ by rounding: so much, of the 1 that a record can lose, is no difference, and the
#: tie goes to the smallest index.
TIE = 1e-12


class Measure(NamedTuple):
    """How values turn into loss. Ranks are the numbers, scales how far those of a column reach."""

    shape: Any
    weight: Any  #: per column


class Open(NamedTuple):
    """The class being grown, per column."""

    low: Any
    high: Any
    missing: Any
    level: Any
    one: Any  #: a value under the node


@making_part
def open_class(columns: Any) -> Any:
    """A class nobody is in."""
    return Open(
        np.full(columns, np.inf),
        np.full(columns, -np.inf),
        np.zeros(columns, np.bool_),
        np.full(columns, -1, np.int64),
        np.full(columns, -1, np.int64),
    )


@part
def clear(group: Any) -> None:
    """Empty the class."""
    group.low[:] = np.inf
    group.high[:] = -np.inf
    group.missing[:] = False
    group.level[:] = -1


@part
def loss_with(measure: Any, group: Any, a: Any, value: Any) -> Any:
    """Loss of column a when a value joins: range over full range, or height of the lowest common ancestor.

    Numbers and missing values have nothing in common: a class with both loses the column.
    """
    if measure.shape.style[a] == RANGE:
        number = measure.shape.rank[value]
        empty = group.high[a] < group.low[a]
        if np.isnan(number):
            return 0.0 if empty else 1.0
        if group.missing[a]:
            return 1.0
        if empty or measure.shape.scale[a] <= 0.0:
            return 0.0
        return (max(group.high[a], number) - min(group.low[a], number)) / measure.shape.scale[a]
    level = group.level[a]
    if level < 0:
        return 0.0
    return measure.shape.cost[join_level(measure.shape.up, level, group.one[a], value), value]


@part
def join(measure: Any, group: Any, values: Any) -> None:
    """Add a record to the class."""
    for a in range(len(values)):
        value = values[a]
        if measure.shape.style[a] == RANGE:
            number = measure.shape.rank[value]
            if np.isnan(number):
                group.missing[a] = True
            else:
                group.low[a] = min(group.low[a], number)
                group.high[a] = max(group.high[a], number)
        elif group.level[a] < 0:
            group.level[a] = 0
            group.one[a] = value
        else:
            group.level[a] = join_level(measure.shape.up, group.level[a], group.one[a], value)


@making_kernel
def losses(measure: Any, values: Any, of_row: Any, labels: Any, classes: Any) -> Any:
    """Loss of each column of each class."""
    columns = values.shape[1]
    head = np.full(classes, -1, np.int64)
    after = np.full(len(labels), -1, np.int64)
    for i in range(len(labels)):
        after[i] = head[labels[i]]
        head[labels[i]] = i
    group = open_class(columns)
    out = np.zeros((classes, columns))
    for c in range(classes):
        clear(group)
        i = head[c]
        while i >= 0:
            join(measure, group, values[of_row[i]])
            i = after[i]
        if head[c] >= 0:
            for a in range(columns):
                out[c, a] = loss_with(measure, group, a, values[of_row[head[c]], a])
    return out
