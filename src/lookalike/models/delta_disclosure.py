"""delta-disclosure privacy: in every class each sensitive value of the table is about as frequent as in the table.

Brickell and Shmatikov 2008, https://doi.org/10.1145/1401890.1401904: |ln(p / q)| < delta for every value, p its share
in the class and q that in the table. A class that lacks a value breaks it for every delta.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from lookalike.errors import RequestError
from lookalike.models.model import ROUNDING, Flags, Levels
from lookalike.models.sensitive import SensitiveModel, max_by_class, spread
from lookalike.tables.cells import Histogram


@dataclass(frozen=True)
class DeltaDisclosure(SensitiveModel):
    """No value's share changes by a factor of exp(delta) or more from table to class."""

    delta: float
    name: ClassVar[str] = "delta-disclosure privacy"
    source: ClassVar[str] = "https://doi.org/10.1145/1401890.1401904"
    # The share of a value in a union lies between those in the parts, and merging leaves the whole table as it is.
    monotone: ClassVar[bool] = True
    relative: ClassVar[bool] = True

    def __post_init__(self) -> None:
        if not self.delta > 0:
            raise RequestError(f"delta-disclosure privacy: delta must be above 0, found {self.delta}.")

    def measure(self, histogram: Histogram, people: NDArray[np.int64], overall: NDArray[np.int64]) -> Levels:
        """Largest |ln(p / q)| over the table's values."""
        p, q = spread(histogram, overall)
        with np.errstate(divide="ignore"):
            largest = max_by_class(histogram, np.abs(np.log(p / q)))
        lacking = np.diff(histogram.starts) < np.count_nonzero(overall)
        return np.where(lacking & (histogram.totals > 0), np.inf, largest)

    def keeps(self, levels: Levels) -> Flags:
        """Below delta: the inequality of the definition is strict."""
        return levels < self.delta - ROUNDING
