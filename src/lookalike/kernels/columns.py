"""Columns as kernels see them: the values of all columns in one numbering, how each is published, and what that loses.

A column is published as a range (all between lowest and highest), a node (all under the lowest common ancestor) or a
set (the values present). `tables/layout.py` lays them out.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from lookalike.kernels.compiling import part

RANGE, NODE, SET = 0, 1, 2


class Shape(NamedTuple):
    """Values of column a are `off[a] <= value < off[a + 1]`, missing last."""

    style: Any  #: per column: RANGE, NODE or SET
    scale: Any  #: per column: loss of one step along the ranks, or how far they reach, or its weight
    rank: Any  #: per value: where it stands in an ordered column; -1 or NaN for missing
    up: Any  #: levels x values: node of the value on that level, the root from the top of its tree on
    cost: Any  #: levels x values: loss of that node
    off: Any  #: columns + 1: where the values of each column begin


@part
def join_level(up: Any, level: Any, one: Any, value: Any) -> Any:
    """The lowest level, from this one on, on which two values lie under the same node."""
    while up[level, value] != up[level, one]:
        level += 1
    return level
