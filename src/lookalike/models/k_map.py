"""k-map: everybody in the release shares their quasi-identifiers with at least k - 1 others of the population.

Sweeney 2002, https://doi.org/10.1142/S0218488502001648. The population is attached with `la.with_population`. Where
only the sampling fraction is known, the classes must be so large that a population class below k is rejected by a
test on the zero-truncated Poisson distribution: El Emam and Dankar 2008, https://doi.org/10.1197/jamia.M2716.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from functools import cached_property
from typing import ClassVar

import numpy as np

from lookalike.base.errors import GuaranteeError, RequestError
from lookalike.models.model import Flags, Model, PerClass, PopulationLimit, Reference, what_counts
from lookalike.models.parameters import parameter
from lookalike.models.registry import register
from lookalike.tables.cells import Classes

MOST_PEOPLE = 10**10  #: no population is larger
_LARGE = 10_000  # from this mean on, sizes are not tried one by one


@register
@dataclass(frozen=True)
class KMap(Model):
    """Every class stands for at least k people of the population.

    With `sampling_fraction` no population table is needed: the class must then have `smallest` people in the sample,
    the least number at which "fewer than k in the population" is rejected at the given significance.

    Examples:
        >>> import polars as pl
        >>> import lookalike as la
        >>> sample = la.table(pl.DataFrame({"age": [31, 32, 71, 72]}), quasi=["age"])
        >>> everybody = pl.DataFrame({"age": [31, 31, 32, 32, 71, 71, 72, 72]})
        >>> release = la.anonymize(sample, la.KMap(4), population=everybody, method="optimal", suppression=0)
        >>> release.classes, release.achieved
        (2, {'k-map': 4.0})
    """

    k: int = field(
        metadata=parameter(
            "the least number of people of the population",
            first=5,
            least=1,
            most=MOST_PEOPLE,
            whole=True,
            step=1,
        )
    )
    sampling_fraction: float | None = field(
        default=None,
        metadata=parameter(
            "people in the table over people in the population",
            first=0.1,
            least=0,
            most=1,
            above=True,
            step=0.01,
        ),
    )
    significance: float = field(
        default=0.05,
        metadata=parameter(
            "of the test that the sampling fraction is used in", least=0, most=1, above=True, step=0.01
        ),
    )
    name: ClassVar[str] = "k-map"
    source: ClassVar[str] = "https://doi.org/10.1142/S0218488502001648"
    # Population counts add up, sample counts of people never shrink.
    monotone: ClassVar[bool] = True
    absorbing: ClassVar[bool] = True
    holds_for_units: ClassVar[bool] = True
    larger_is_safer: ClassVar[bool] = True

    @property
    def in_words(self) -> str:
        """The promise in plain words."""
        return (
            f"Everybody looks like at least {self.k - 1:,} others of the population in the blurred columns."
        )

    def counting(self, people: str | None) -> str:
        """The promise in plain words, and what counts as a person."""
        return what_counts(self.in_words, people)

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.significance == 1:
            raise RequestError(f"{self.name}: `significance` must be below 1, found 1.")

    @cached_property
    def smallest(self) -> int:
        """The smallest class of the sample that lets a population class below k be rejected."""
        if self.sampling_fraction is None:
            raise RequestError("k-map: give sampling_fraction to judge by sample counts.")
        # Under the null hypothesis at most k - 1 people have these values, and at least one was sampled.
        mean = (self.k - 1) * self.sampling_fraction
        sampled = -math.expm1(-mean)
        if mean > _LARGE:
            return min(int(self.k), _first_rare(mean, self.significance * sampled))
        size, tail = 1, sampled
        while size < self.k and tail >= self.significance * sampled:
            tail -= math.exp(size * math.log(mean) - mean - math.lgamma(size + 1))
            size += 1
        return size

    @property
    def needs_population(self) -> bool:
        """Unless the sampling fraction stands for it."""
        return self.sampling_fraction is None

    @property
    def smallest_class(self) -> int:
        """Known by the sampling fraction only: one person of the sample may stand for many."""
        return 1 if self.needs_population else self.smallest

    @property
    def smallest_population_class(self) -> int:
        """k."""
        return int(self.k)

    @property
    def population_limit(self) -> PopulationLimit | None:
        """k people."""
        return PopulationLimit(least=int(self.k)) if self.needs_population else None

    def told_by_limits(self, *, one_row_each: bool) -> bool:
        """A promise about the population, or by the sampling fraction about sizes."""
        return one_row_each

    def levels(self, classes: Classes, *, reference: Reference | None = None) -> PerClass:
        """People of the population in each class; people of the sample where it is judged by the fraction."""
        if self.sampling_fraction is not None:
            return np.where(classes.counts > 0, classes.counts, np.nan)
        if classes.population is None:
            raise RequestError(
                "k-map needs a population: attach one with la.with_population(people, population), or give "
                "KMap(k, sampling_fraction=...)."
            )
        return np.where(classes.counts > 0, classes.population, np.nan)

    def keeps(self, levels: PerClass) -> Flags:
        """At least k people of the population."""
        return levels >= (self.k if self.sampling_fraction is None else self.smallest)

    def achieved(self, classes: Classes, *, reference: Reference | None = None) -> float:
        """The fewest people of the population that a class stands for; estimated where only the fraction is known."""
        least = super().achieved(classes)
        return least if self.sampling_fraction is None else least / self.sampling_fraction

    def check(self, classes: Classes) -> None:
        """No class stands for more people than there are."""
        if self.sampling_fraction is not None:
            found, needed = classes.cells.people, self.smallest
        elif classes.population is not None:
            found, needed = int(classes.population.sum()), self.k
        else:
            return
        if found < needed:
            raise GuaranteeError(
                f"k-map with k={self.k} cannot be met: it takes {needed} people in one class, there are {found}."
            )


def _first_rare(mean: float, limit: float) -> int:
    """The least size that a Poisson count reaches with a probability below the limit; for a large mean.

    All but 1e-30 of it lies within twelve standard deviations: these probabilities, from the largest size down, summed.
    """
    around = 12 * math.sqrt(mean)
    sizes = np.arange(math.floor(mean - around), math.ceil(mean + around) + 1, dtype=np.float64)
    steps = np.log(mean) - np.log(sizes[1:])
    chance = np.exp(np.concatenate([[0.0], np.cumsum(steps)]) - np.cumsum(steps).max())
    reached = np.cumsum((chance / chance.sum())[::-1])[::-1]  # P(X >= size)
    return int(sizes[np.searchsorted(-reached, -limit, side="right")])
