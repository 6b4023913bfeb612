"""t-closeness: in every class the sensitive values are spread nearly as in the whole table.

Li, Li and Venkatasubramanian 2007, https://doi.org/10.1109/ICDE.2007.367856: the earth mover's distance between the
class and the table is at most t. Cost: O(histogram entries), times log(values) for ordered, times levels for trees.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from lookalike.base.errors import RequestError
from lookalike.models.model import ROUNDING, Flags, Limit, PerClass
from lookalike.models.parameters import parameter
from lookalike.models.registry import register
from lookalike.models.sensitive import SensitiveModel, shares
from lookalike.tables.cells import Histogram
from lookalike.tables.columns.roles import Kind

Distance = Literal["equal", "ordered", "hierarchical"]
#: how far values are taken to be apart, in words
DISTANCES = {
    "ordered": "values are as far apart as their ranks",
    "equal": "all values are equally far apart",
    "hierarchical": "values are the farther apart the higher in the hierarchy they meet",
}

STEPS = 16  #: between ranks; more would cost more time, at every look at a class, than they save


@register
@dataclass(frozen=True)
class TCloseness(SensitiveModel):
    """The distribution of each class is at most t away from the table's.

    distance="equal": all values are equally far apart. "ordered": values are as far apart as their ranks; missing
    comes after the largest. "hierarchical": as far as their common ancestor is high in the column's hierarchy, over
    its height. By default ordered for numbers, dates and ordinal columns, equal for nominal ones.

    Examples:
        >>> import polars as pl
        >>> import lookalike as la
        >>> ages, illnesses = [31, 32, 33, 71, 72, 73], ["flu", "flu", "cold", "flu", "cold", "cold"]
        >>> frame = pl.DataFrame({"age": ages, "disease": illnesses})
        >>> people = la.table(frame, quasi=["age"], sensitive=["disease"])
        >>> release = la.anonymize(people, la.TCloseness("disease", 0.2), method="optimal", suppression=0)
        >>> release.classes, release.achieved
        (2, {'t-closeness disease': 0.16666666666666663})
    """

    t: float = field(
        metadata=parameter("the largest distance from the table's distribution", first=0.2, least=0, most=1)
    )
    distance: Distance | None = field(
        default=None,
        metadata=parameter(
            "how far values are apart; by default by the kind of the column", choices=tuple(DISTANCES)
        ),
    )
    name: ClassVar[str] = "t-closeness"
    spelling: ClassVar[str] = "t"
    common: ClassVar[bool] = True
    source: ClassVar[str] = "https://doi.org/10.1109/ICDE.2007.367856"
    # The earth mover's distance to a fixed distribution is convex, and merging leaves the whole table as it is.
    monotone: ClassVar[bool] = True
    relative: ClassVar[bool] = True

    @property
    def in_words(self) -> str:
        """The promise in plain words."""
        return f"In every group {self.column!r} is spread as in the whole release, but for a distance of {self.t:g}."

    @property
    def needs_order(self) -> bool:
        """For the ordered distance."""
        return self.distance == "ordered"

    @property
    def needs_hierarchy(self) -> bool:
        """For the hierarchical distance."""
        return self.distance == "hierarchical"

    def limits(self, table: Histogram) -> Iterator[Limit]:
        """What a class has above the table must be moved; on a tree, on each of its levels, over the height."""
        share, distance, t = shares(table.overall), self.distance_for(table.domain.kind), self.t + ROUNDING
        if distance == "equal":
            yield Limit(share, 1 - t, sized=True)
        elif distance == "hierarchical" and table.tree is not None:
            tree = table.tree()
            above = tuple(
                (up, np.asarray(np.bincount(up, weights=share), dtype=np.float64))
                for up in tree.up[1 : tree.height]
            )
            # Distances add up over the levels; a level that is not watched may be perfect.
            yield Limit(share, 1 - tree.height * t, sized=True, above=above)
        elif distance == "ordered" and 1 < np.count_nonzero(share) <= STEPS + 1:
            yield self._limit_of_steps(share)

    def _limit_of_steps(self, share: PerClass) -> Limit:
        """What lies on either side of each step between two ranks; what one side has above the table must cross it."""
        steps, reached = np.flatnonzero(share)[:-1], np.cumsum(share)
        side = (np.arange(len(share)) > steps[:, None]).astype(np.int64)
        of_side = np.stack([reached[steps], 1 - reached[steps]], axis=1)
        above = tuple(zip(side, of_side, strict=True))
        return Limit(np.zeros(len(share)), -len(steps) * (self.t + ROUNDING), sized=True, above=above)

    def told_by_limits(self, *, one_row_each: bool) -> bool:
        """Where all levels or steps are watched, nothing else is asked."""
        return one_row_each and not self.strict

    def meant_shares(self, table: Histogram) -> PerClass:
        """What the table says, and t more."""
        return shares(table.overall) + self.t

    def spelled_out(self, kind: Kind) -> TCloseness:
        """With the distance that was chosen."""
        return replace(self, distance=self.distance_for(kind))

    def remark(self, kind: Kind) -> str:
        """How far values are apart."""
        distance = self.distance_for(kind)
        return f"{DISTANCES[distance]} ({distance})"

    def distance_for(self, kind: Kind) -> Distance:
        """The distance asked for, or the one that suits the kind of column."""
        return self.distance or ("ordered" if kind.ordered else "equal")

    def measure(
        self, histogram: Histogram, people: NDArray[np.int64], overall: NDArray[np.int64]
    ) -> PerClass:
        """Earth mover's distance of each class from the table."""
        from lookalike.kernels import models as kernels

        distance = self.distance_for(histogram.domain.kind)
        entries = histogram.starts, histogram.value, histogram.count
        if distance == "equal":
            return np.asarray(kernels.equal_distances(*entries, shares(overall)))
        if distance == "ordered":
            # Ranks are those among the values that are there: what suppression took away is no step any more.
            used = (overall > 0) | (histogram.overall > 0)
            entries = histogram.starts, (np.cumsum(used) - 1)[histogram.value], histogram.count
            reached = np.cumsum(shares(overall)[used])
            area = np.concatenate([[0.0], np.cumsum(reached)])
            return np.asarray(kernels.ordered_distances(*entries, reached, area))
        return np.asarray(kernels.tree_distances(*entries, *tree_shares(histogram, overall)))

    def keeps(self, levels: PerClass) -> Flags:
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
