"""Sample uniqueness: at most a given share of the people are alone with their quasi-identifiers.

The oldest measure of disclosure risk; Skinner and Elliot 2002, https://doi.org/10.1111/1467-9868.00365, relate it to
risk in the population.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np

from lookalike.models.k_anonymity import KAnonymity
from lookalike.models.model import ROUNDING, ClassBudget, Flags, Model, PerClass, Reference
from lookalike.models.parameters import parameter
from lookalike.models.registry import register
from lookalike.tables.cells import Classes


@register
@dataclass(frozen=True)
class SampleUniqueness(Model):
    """At most a share `limit` of the people are unique.

    A promise about the whole table: `breaks` names the fewest unique people to leave out so that the rest keeps it
    (in the order of the classes; all of them when limit is 0).

    Examples:
        >>> import polars as pl
        >>> import lookalike as la
        >>> ages, illnesses = [31, 32, 33, 71, 72, 73], ["flu", "flu", "cold", "flu", "cold", "cold"]
        >>> frame = pl.DataFrame({"age": ages, "disease": illnesses})
        >>> people = la.table(frame, quasi=["age"], sensitive=["disease"])
        >>> release = la.anonymize(people, la.SampleUniqueness(0), method="optimal", suppression=0)
        >>> release.classes, release.achieved
        (2, {'sample uniqueness': 0.0})
    """

    limit: float = field(
        metadata=parameter(
            "the largest share of people who are alone in their class", first=0, least=0, most=1, step=0.01
        )
    )
    name: ClassVar[str] = "sample uniqueness"
    spelling: ClassVar[str] = "uniqueness"
    source: ClassVar[str] = "https://doi.org/10.1111/1467-9868.00365"
    # A merger makes no new unique people and leaves the number of people.
    monotone: ClassVar[bool] = True
    absorbing: ClassVar[bool] = True
    relative: ClassVar[bool] = True
    whole_table: ClassVar[bool] = True

    @property
    def in_words(self) -> str:
        """The promise in plain words."""
        return f"At most {self.limit:.1%} of the people stand alone in the blurred columns."

    @property
    def class_budget(self) -> ClassBudget:
        """Classes of one person count."""
        return ClassBudget(self.limit + ROUNDING, 2)

    def for_each_class(self) -> Model:
        """Nobody is alone."""
        return KAnonymity(2 if self.limit < 1 else 1)

    def levels(self, classes: Classes, *, reference: Reference | None = None) -> PerClass:
        """1 for a class of one person, 0 for larger ones."""
        return np.where(classes.counts > 0, (classes.counts == 1).astype(np.float64), np.nan)

    def keeps(self, levels: PerClass) -> Flags:
        """Everybody who is not unique."""
        return levels < 1

    def breaks(self, classes: Classes, *, reference: Reference | None = None) -> Flags:
        """The unique people who must go so that the share among the rest is at most the limit."""
        alone = np.flatnonzero(classes.counts == 1)
        people = int(classes.counts.sum())
        out = np.zeros(len(classes), dtype=bool)
        if len(alone) > (self.limit + ROUNDING) * people:
            # (alone - m) / (people - m) <= limit, solved for m
            out[alone[: math.ceil((len(alone) - self.limit * people) / (1 - self.limit) - ROUNDING)]] = True
        return out

    def achieved(self, classes: Classes, *, reference: Reference | None = None) -> float:
        """Share of the people who are unique."""
        return int((classes.counts == 1).sum()) / max(int(classes.counts.sum()), 1)
