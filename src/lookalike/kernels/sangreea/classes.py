"""SaNGreeA's classes while they grow: their box, what it loses, and what it would lose with one more record.

Ranges of numbers, lowest common ancestors of the others; O(1) per column for a range, O(height) for a node.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from lookalike.kernels.columns import RANGE, join_level
from lookalike.kernels.compiling import kernel, part

#: Losses equal on paper may differ by rounding: so much, of the 1 that a record can lose, is no difference, and the
#: tie goes to the smallest index.
TIE = 1e-12


class Measure(NamedTuple):
    """How values turn into loss. Ranks are the numbers, scales how far those of a column reach."""

    shape: Any
    weight: Any  #: per column


class GroupBoxes(NamedTuple):
    """The boxes of classes: per class and column."""

    low: Any
    high: Any
    missing: Any
    level: Any
    one: Any  #: a value under the node


def empty_groups(classes: int, columns: int) -> GroupBoxes:
    """Classes nobody is in."""
    shape = (classes, columns)
    return GroupBoxes(
        np.full(shape, np.inf),
        np.full(shape, -np.inf),
        np.zeros(shape, np.bool_),
        np.full(shape, -1),
        np.full(shape, -1),
    )


@part
def clear(groups: Any, c: Any) -> None:
    """Empty a class."""
    for a in range(groups.low.shape[1]):
        groups.low[c, a] = np.inf
        groups.high[c, a] = -np.inf
        groups.missing[c, a] = False
        groups.level[c, a] = -1


@part
def loss_with(measure: Any, groups: Any, c: Any, a: Any, value: Any) -> Any:
    """Loss of column a of a class when a value joins: range over full range, or height of the common ancestor.

    Numbers and missing values have nothing in common: a class with both loses the column.
    """
    if measure.shape.style[a] == RANGE:
        number = measure.shape.rank[value]
        low, high = groups.low[c, a], groups.high[c, a]
        if number != number:
            return 0.0 if high < low else 1.0
        if groups.missing[c, a]:
            return 1.0
        if high < low or measure.shape.scale[a] <= 0.0:
            return 0.0
        return (
            (number if number > high else high) - (number if number < low else low)
        ) / measure.shape.scale[a]
    level = groups.level[c, a]
    if level < 0:
        return 0.0
    return measure.shape.cost[join_level(measure.shape.up, level, groups.one[c, a], value), value]


@part
def join(measure: Any, groups: Any, c: Any, values: Any, i: Any) -> None:
    """Add the record with tuple i to a class."""
    for a in range(values.shape[1]):
        value = np.int64(values[i, a])
        if measure.shape.style[a] == RANGE:
            number = measure.shape.rank[value]
            if number != number:
                groups.missing[c, a] = True
            else:
                if number < groups.low[c, a]:
                    groups.low[c, a] = number
                if number > groups.high[c, a]:
                    groups.high[c, a] = number
        elif groups.level[c, a] < 0:
            groups.level[c, a] = 0
            groups.one[c, a] = value
        else:
            groups.level[c, a] = join_level(measure.shape.up, groups.level[c, a], groups.one[c, a], value)


@part
def loss_of(measure: Any, groups: Any, c: Any, values: Any, i: Any) -> Any:
    """Weighted loss of a class when the record with tuple i joins."""
    total = 0.0
    for a in range(values.shape[1]):
        total += measure.weight[a] * loss_with(measure, groups, c, a, np.int64(values[i, a]))
    return total


def losses(measure: Measure, values: Any, of_row: Any, labels: Any, classes: int) -> Any:
    """Loss of each column of each class."""
    out = np.zeros((classes, values.shape[1]))
    _losses(measure, values, of_row, labels, empty_groups(*out.shape), out)
    return out


@kernel
def _losses(measure: Any, values: Any, of_row: Any, labels: Any, groups: Any, out: Any) -> None:
    for i in range(len(labels)):
        join(measure, groups, np.int64(labels[i]), values, of_row[i])
    for i in range(len(labels)):  # a member adds nothing
        for a in range(out.shape[1]):
            c = np.int64(labels[i])
            out[c, a] = loss_with(measure, groups, c, a, np.int64(values[of_row[i], a]))
