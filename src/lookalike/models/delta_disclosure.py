"""delta-disclosure privacy: in every class each sensitive value of the table is about as frequent as in the table.

Brickell and Shmatikov 2008, https://doi.org/10.1145/1401890.1401904: |ln(p / q)| < delta for every value, p its share
in the class and q that in the table. A class that lacks a value breaks it for every delta.
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
from lookalike.models.sensitive import SensitiveModel, max_by_class, shares, spread
from lookalike.tables.cells import Histogram


@register
@dataclass(frozen=True)
class DeltaDisclosure(SensitiveModel):
    """No value's share changes by a factor of exp(delta) or more from table to class.

    Examples:
        >>> import polars as pl
        >>> import lookalike as la
        >>> ages, illnesses = [31, 32, 33, 71, 72, 73], ["flu", "flu", "cold", "flu", "cold", "cold"]
        >>> frame = pl.DataFrame({"age": ages, "disease": illnesses})
        >>> people = la.table(frame, quasi=["age"], sensitive=["disease"])
        >>> release = la.anonymize(people, la.DeltaDisclosure("disease", 0.5), method="optimal", suppression=0)
        >>> release.classes, release.achieved
        (2, {'delta-disclosure privacy disease': 0.40546510810816444})
    """

    delta: float = field(
        metadata=parameter(
            "the largest logarithm of the ratio between both shares", first=1, least=0, above=True, step=0.1
        )
    )
    name: ClassVar[str] = "delta-disclosure privacy"
    spelling: ClassVar[str] = "delta"
    source: ClassVar[str] = "https://doi.org/10.1145/1401890.1401904"
    # The share of a value in a union lies between those in the parts, and merging leaves the whole table as it is.
    monotone: ClassVar[bool] = True
    relative: ClassVar[bool] = True

    @property
    def in_words(self) -> str:
        """The promise in plain words."""
        return (
            f"Seeing somebody's group changes the share of no value of {self.column!r} by a factor of "
            f"{math.exp(min(self.delta, 700)):.3g} or more."
        )

    def limits(self, table: Histogram) -> Iterator[Limit]:
        """Every value of the table is there, none with more than exp(delta) times its share."""
        share = shares(table.overall)
        yield Limit((share > 0).astype(np.float64), float(np.count_nonzero(share)), sized=False)
        yield Limit(math.exp(min(self.delta, 700)) * share, 1.0, sized=True)

    def measure(
        self, histogram: Histogram, people: NDArray[np.int64], overall: NDArray[np.int64]
    ) -> PerClass:
        """Largest |ln(p / q)| over the table's values."""
        p, q = spread(histogram, overall)
        with np.errstate(divide="ignore"):
            largest = max_by_class(histogram, np.abs(np.log(p / q)))
        lacking = np.diff(histogram.starts) < np.count_nonzero(overall)
        return np.where(lacking & (histogram.totals > 0), np.inf, largest)

    def keeps(self, levels: PerClass) -> Flags:
        """Below delta: the inequality of the definition is strict."""
        return levels < self.delta - ROUNDING
