"""delta-presence: from the release nobody can tell who of the population is in the table, or who is not.

Nergiz, Atzori and Clifton 2007, https://doi.org/10.1145/1247480.1247554. The population is generalised as the table
is; the chance that a person of a class is in the table is (people of the class in the table) / (people of the class
in the population), and must lie between low and high for every class of the population.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np

from lookalike.base.errors import GuaranteeError, RequestError
from lookalike.models.model import ROUNDING, Flags, Model, PerClass, PopulationLimit, Reference
from lookalike.models.parameters import parameter
from lookalike.models.registry import register
from lookalike.tables.cells import Classes


@register
@dataclass(frozen=True)
class DeltaPresence(Model):
    """In every class of the population the share of people who are in the table lies between low and high.

    Examples:
        >>> import polars as pl
        >>> import lookalike as la
        >>> sample = la.table(pl.DataFrame({"age": [31, 32, 71, 72]}), quasi=["age"])
        >>> everybody = pl.DataFrame({"age": [31, 31, 32, 32, 71, 71, 72, 72]})
        >>> promise = la.DeltaPresence(0, 0.5)
        >>> release = la.anonymize(sample, promise, population=everybody, method="optimal", suppression=0)
        >>> release.classes, release.achieved
        (4, {'delta-presence': 0.5})
    """

    low: float = field(
        metadata=parameter(
            "the least share of a class of the population that is in the table", first=0, least=0, most=1
        )
    )
    high: float = field(metadata=parameter("the largest share", first=0.5, least=0, most=1))
    name: ClassVar[str] = "delta-presence"
    spelling: ClassVar[str] = "presence"
    source: ClassVar[str] = "https://doi.org/10.1145/1247480.1247554"
    # The share in a union lies between the shares in its parts.
    monotone: ClassVar[bool] = True
    whole_population: ClassVar[bool] = True

    @property
    def in_words(self) -> str:
        """The promise in plain words."""
        return (
            f"Knowing somebody of the population, nobody can tell whether they are in the release with more certainty "
            f"than {self.low:.0%} to {self.high:.0%}."
        )

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.low > self.high:
            raise RequestError(
                f"delta-presence: low must not be above high, found {self.low} and {self.high}."
            )

    @property
    def needs_population(self) -> bool:
        """Always."""
        return True

    @property
    def largest_presence(self) -> float:
        """high."""
        return float(self.high)

    @property
    def population_limit(self) -> PopulationLimit:
        """The share."""
        return PopulationLimit(low=max(self.low - ROUNDING, 0.0), high=self.high + ROUNDING)

    def told_by_limits(self, *, one_row_each: bool) -> bool:
        """It is a promise about the population; with several rows for a person, records are not people."""
        return one_row_each

    def levels(self, classes: Classes, *, reference: Reference | None = None) -> PerClass:
        """Share of the class's population that is in the table."""
        if classes.population is None:
            raise RequestError(
                "delta-presence needs a population: attach one with la.with_population(people, population)."
            )
        return np.where(classes.population > 0, classes.counts / np.maximum(classes.population, 1), np.nan)

    def keeps(self, levels: PerClass) -> Flags:
        """Between low and high."""
        return (levels >= self.low - ROUNDING) & (levels <= self.high + ROUNDING)

    def breaks(self, classes: Classes, *, reference: Reference | None = None) -> Flags:
        """Classes of the population outside the limits.

        A class with nobody in the table breaks it when low is above 0: its people are known to be absent. Leaving
        records out cannot mend that, only merging can.
        """
        levels = self.levels(classes)
        return ~np.isnan(levels) & ~self.keeps(levels)

    def achieved(self, classes: Classes, *, reference: Reference | None = None) -> float:
        """The largest share; `achieved_range` gives both ends."""
        return self.achieved_range(classes)[1]

    def achieved_range(self, classes: Classes) -> tuple[float, float]:
        """The smallest and the largest share over the classes of the population."""
        levels = self.levels(classes)
        levels = levels[~np.isnan(levels)]
        return (float(levels.min()), float(levels.max())) if len(levels) else (0.0, 0.0)

    def check(self, classes: Classes) -> None:
        """The overall share is reached by merging everything; leaving records out only lowers it."""
        if classes.population is None:
            return
        overall = classes.cells.people / max(int(classes.population.sum()), 1)
        if overall < self.low - ROUNDING:
            raise GuaranteeError(
                f"delta-presence with low={self.low} cannot be met: only a share {overall:.3g} of the "
                "population is in the table."
            )
