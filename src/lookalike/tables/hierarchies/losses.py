"""What a record loses in one column when its value is published on a level of a hierarchy.

loss       (leaves under the node - 1) / (leaves - 1): 0 for a value, 1 for the root
ncp        leaves under the node / leaves, 0 for a single leaf; Xu et al. 2006, https://doi.org/10.1145/1150402.1150504
precision  level / height; Sweeney 2002, https://doi.org/10.1142/S021848850200165X
entropy    log(frequency of the node / frequency of the value), over the entropy of the column, so that suppressing the
           column in all records loses 1; De Waal and Willenborg 1999, Gionis and Tassa 2009,
           https://doi.org/10.1109/TKDE.2008.129
No coarser level loses less, and suppression loses no less than any level.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from lookalike.tables.hierarchies.tree import Tree

#: Measures that add up over records and columns.
ADDITIVE = ("loss", "ncp", "precision", "entropy")


def level_losses(
    measure: str, tree: Tree, level: int, counts: NDArray[np.int64] | None = None
) -> NDArray[np.float64]:
    """Per code: what a record with this value loses on a level. Entropy needs the records per code."""
    nodes = tree.up[level]
    if measure == "loss":
        return tree.loss(level)[nodes]
    if measure == "ncp":
        return np.where(tree.leaves[level] > 1, tree.share(level), 0.0)[nodes]
    if measure == "precision" or counts is None:
        return np.full(len(nodes), level / max(tree.height, 1))
    of_node = np.bincount(nodes, weights=counts)[nodes]
    return np.asarray(_surprise(of_node, counts) / entropy_of(counts))


def suppressed_losses(
    measure: str, size: int, counts: NDArray[np.int64] | None = None
) -> NDArray[np.float64]:
    """Per code of a domain of some size: what a record with this value loses when it is suppressed."""
    if measure != "entropy" or counts is None:
        return np.ones(size)
    return np.asarray(_surprise(np.full(size, counts.sum()), counts) / entropy_of(counts))


def _surprise(coarse: NDArray[Any], fine: NDArray[np.int64]) -> NDArray[np.float64]:
    """Log of how many times more frequent the published value is; 0 for values that do not occur."""
    return np.asarray(np.log(np.where(fine > 0, coarse, 1) / np.where(fine > 0, fine, 1)))


def entropy_of(counts: NDArray[np.int64]) -> float:
    """Entropy of the column; 1 for a constant one, which has nothing to lose."""
    total = max(int(counts.sum()), 1)
    entropy = float(counts @ _surprise(np.full(len(counts), total), counts)) / total
    return entropy if entropy > 0 else 1.0
