"""Columns laid out for kernels (`kernels/columns.py`): one number per value of any column, and its nodes by level.

Methods differ in how they publish a column and in what they call a loss; the numbering is one. O(levels x values).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from lookalike.tables.cells import Attribute
from lookalike.tables.hierarchies.tree import Tree

if TYPE_CHECKING:
    from lookalike.kernels.columns import Shape

Cost = Callable[[int, Tree, int], NDArray[np.float64]]  #: loss of each node: column, its tree, level


def lay_out(
    attributes: Sequence[Attribute],
    styles: Sequence[str],
    *,
    ranks: Sequence[NDArray[Any]],
    scale: NDArray[np.float64],
    cost: Cost | None = None,
) -> Shape:
    """The columns as one argument. styles: "range", "set", "node", or "siblings", which is searched as its node.

    ranks: per column and value. Only columns published as nodes need a tree.
    """
    from lookalike.kernels.columns import NODE, RANGE, SET, Shape

    number = {"range": RANGE, "set": SET, "node": NODE, "siblings": NODE}
    style = np.array([number[style] for style in styles], dtype=np.int8)
    off = np.concatenate([[0], np.cumsum([a.domain.size for a in attributes])]).astype(np.int64)
    trees = {a: attributes[a].tree for a in np.flatnonzero(style == NODE).tolist()}
    levels = 1 + max((tree.height for tree in trees.values()), default=0)
    up, costs = np.zeros((levels, off[-1]), dtype=np.int32), np.zeros((levels, off[-1]))
    for a, tree in trees.items():
        here = slice(off[a], off[a + 1])
        for level in range(levels):
            at = min(level, tree.height)
            up[level, here] = tree.up[at]
            if cost is not None:
                costs[level, here] = cost(a, tree, at)[tree.up[at]]
    return Shape(style, scale, np.concatenate(ranks) if ranks else np.empty(0), up, costs, off)


def values_of(codes: NDArray[np.integer[Any]], shape: Shape) -> NDArray[np.int32]:
    """Codes (columns x items) as values in the numbering of all columns: items x columns."""
    return np.ascontiguousarray((codes + shape.off[:-1, None]).T.astype(np.int32))
