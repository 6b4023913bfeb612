"""t-closeness: in every class the sensitive values are spread nearly as in the whole table.

Li, Li and Venkatasubramanian 2007, https://doi.org/10.1109/ICDE.2007.367856: the earth mover's distance between the
class and the table is at most t. Cost: O(histogram entries), times log(values) for ordered, times levels for trees.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from lookalike.columns.roles import Kind
from lookalike.errors import RequestError
from lookalike.models.model import ROUNDING, Flags, Levels
from lookalike.models.sensitive import SensitiveModel, check_fraction, shares
from lookalike.tables.cells import Histogram

Distance = Literal["equal", "ordered", "hierarchical"]


@dataclass(frozen=True)
class TCloseness(SensitiveModel):
    """The distribution of each class is at most t away from the table's.

    distance="equal": all values are equally far apart. "ordered": values are as far apart as their ranks; missing
    comes after the largest. "hierarchical": as far as their common ancestor is high in the column's hierarchy, over
    its height. By default ordered for numbers, dates and ordinal columns, equal for nominal ones.
    """

    t: float
    distance: Distance | None = None
    name: ClassVar[str] = "t-closeness"
    source: ClassVar[str] = "https://doi.org/10.1109/ICDE.2007.367856"
    # The earth mover's distance to a fixed distribution is convex, and merging leaves the whole table as it is.
    monotone: ClassVar[bool] = True
    relative: ClassVar[bool] = True

    def __post_init__(self) -> None:
        check_fraction(self.name, "t", self.t)
        if self.distance not in (None, "equal", "ordered", "hierarchical"):
            raise RequestError(
                f"t-closeness: distance must be equal, ordered or hierarchical, found {self.distance!r}."
            )

    def distance_for(self, kind: Kind) -> Distance:
        """The distance asked for, or the one that suits the kind of column."""
        return self.distance or ("ordered" if kind.ordered else "equal")

    def measure(self, histogram: Histogram, people: NDArray[np.int64], overall: NDArray[np.int64]) -> Levels:
        """Earth mover's distance of each class from the table."""
        from lookalike.kernels import models as kernels

        distance = self.distance_for(histogram.domain.kind)
        entries = histogram.starts, histogram.value, histogram.count
        if distance == "equal":
            return np.asarray(kernels.equal_distances(*entries, shares(overall)))
        if distance == "ordered":
            reached = np.cumsum(shares(overall))
            area = np.concatenate([[0.0], np.cumsum(reached)])
            return np.asarray(kernels.ordered_distances(*entries, reached, area))
        return np.asarray(kernels.tree_distances(*entries, *tree_shares(histogram, overall)))

    def keeps(self, levels: Levels) -> Flags:
        """At most t."""
        return levels <= self.t + ROUNDING


def tree_shares(
    histogram: Histogram, overall: NDArray[np.int64]
) -> tuple[NDArray[np.int32], NDArray[np.float64]]:
    """For `tree_distances`, per level below the root: the node of each value, and the table's share of each node."""
    if histogram.tree is None:
        raise RequestError(
            "t-closeness: the hierarchical distance needs a hierarchy of the sensitive column."
        )
    tree = histogram.tree()
    up = np.stack(tree.up[:-1]) if tree.height else np.zeros((0, histogram.size), dtype=np.int32)
    share = np.zeros((len(up), max(len(labels) for labels in tree.labels)))
    for level, nodes in enumerate(up):
        np.add.at(share[level], nodes, shares(overall))
    return up, share
