"""KL-closeness: as t-closeness, with the Kullback-Leibler divergence from class to table in place of a distance.

Used under the name of t-closeness in parts of the literature (Simoes et al. 2025 among them); it is another promise
than that of Li et al., so it has a name of its own. In nats. The reverse divergence would be infinite whenever a
class lacks a value.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from lookalike.models.model import ROUNDING, Flags, Limit, PerClass
from lookalike.models.parameters import parameter
from lookalike.models.registry import register
from lookalike.models.sensitive import SensitiveModel, shares, spread, sum_by_class
from lookalike.tables.cells import Histogram


@register
@dataclass(frozen=True)
class KLCloseness(SensitiveModel):
    """The Kullback-Leibler divergence of each class from the table is at most t.

    Examples:
        >>> import polars as pl
        >>> import lookalike as la
        >>> ages, illnesses = [31, 32, 33, 71, 72, 73], ["flu", "flu", "cold", "flu", "cold", "cold"]
        >>> frame = pl.DataFrame({"age": ages, "disease": illnesses})
        >>> people = la.table(frame, quasi=["age"], sensitive=["disease"])
        >>> release = la.anonymize(people, la.KLCloseness("disease", 0.1), method="optimal", suppression=0)
        >>> release.classes, release.achieved
        (2, {'KL-closeness disease': 0.056633012265132426})
    """

    t: float = field(metadata=parameter("the largest divergence, in nats", first=0.2, least=0))
    name: ClassVar[str] = "KL-closeness"
    spelling: ClassVar[str] = "kl"
    source: ClassVar[str] = "Kullback and Leibler 1951, https://doi.org/10.1214/aoms/1177729694"
    # The divergence is convex in its first argument, and merging leaves the whole table as it is.
    monotone: ClassVar[bool] = True
    relative: ClassVar[bool] = True

    @property
    def in_words(self) -> str:
        """The promise in plain words."""
        return (
            f"What a group tells about {self.column!r} beyond the whole release is at most {self.t:g} "
            "(Kullback-Leibler)."
        )

    def limits(self, table: Histogram) -> Iterator[Limit]:
        """The divergence is at least -log(the table's share of the values present): Jensen's inequality."""
        yield Limit(shares(table.overall), math.exp(-self.t), sized=False)

    def measure(
        self, histogram: Histogram, people: NDArray[np.int64], overall: NDArray[np.int64]
    ) -> PerClass:
        """Divergence of each class from the table, in nats."""
        p, q = spread(histogram, overall)
        with np.errstate(divide="ignore"):
            return sum_by_class(histogram, p * np.log(p / q))

    def keeps(self, levels: PerClass) -> Flags:
        """At most t."""
        return levels <= self.t + ROUNDING
