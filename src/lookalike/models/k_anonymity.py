"""k-anonymity: everybody shares their quasi-identifiers with at least k - 1 others.

Samarati and Sweeney 1998; Sweeney 2002, https://doi.org/10.1142/S0218488502001648.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np

from lookalike.base.errors import GuaranteeError, amount
from lookalike.models.model import Flags, Model, PerClass, Reference, what_counts
from lookalike.models.parameters import parameter
from lookalike.models.registry import register
from lookalike.tables.cells import Classes


@register
@dataclass(frozen=True)
class KAnonymity(Model):
    """Every class has at least k people.

    Examples:
        >>> import polars as pl
        >>> import lookalike as la
        >>> ages, illnesses = [31, 32, 33, 71, 72, 73], ["flu", "flu", "cold", "flu", "cold", "cold"]
        >>> frame = pl.DataFrame({"age": ages, "disease": illnesses})
        >>> people = la.table(frame, quasi=["age"], sensitive=["disease"])
        >>> release = la.anonymize(people, la.KAnonymity(3), method="optimal", suppression=0)
        >>> release.classes, release.achieved
        (2, {'k-anonymity': 3})
    """

    k: int = field(
        metadata=parameter("the least number of people in a class", first=5, least=1, whole=True, step=1)
    )
    name: ClassVar[str] = "k-anonymity"
    spelling: ClassVar[str] = "k"
    common: ClassVar[bool] = True
    broken_by_records: ClassVar[bool] = True
    source: ClassVar[str] = "https://doi.org/10.1142/S0218488502001648"
    # A union has at least as many people as each of its parts, also when the parts share people.
    monotone: ClassVar[bool] = True
    absorbing: ClassVar[bool] = True
    holds_for_units: ClassVar[bool] = True
    larger_is_safer: ClassVar[bool] = True

    @property
    def in_words(self) -> str:
        """The promise in plain words."""
        return (
            f"Everybody looks like at least {amount(self.k - 1, 'other person', 'other people')} in the blurred "
            "columns."
        )

    def counting(self, people: str | None) -> str:
        """The promise in plain words, and what counts as a person."""
        return what_counts(self.in_words, people)

    @property
    def smallest_class(self) -> int:
        """k."""
        return int(self.k)

    def told_by_limits(self, *, one_row_each: bool) -> bool:
        """Sizes are all there is; with several rows for a person, records are not people."""
        return one_row_each

    def levels(self, classes: Classes, *, reference: Reference | None = None) -> PerClass:
        """People in each class."""
        return np.where(classes.counts > 0, classes.counts, np.nan)

    def keeps(self, levels: PerClass) -> Flags:
        """At least k."""
        return levels >= self.k

    def breaks(self, classes: Classes, *, reference: Reference | None = None) -> Flags:
        """Classes with fewer than k people."""
        return (classes.counts > 0) & (classes.counts < self.k)

    def achieved(self, classes: Classes, *, reference: Reference | None = None) -> int:
        """Size of the smallest class."""
        present = classes.counts[classes.counts > 0]
        return int(present.min()) if len(present) else 0

    def reach(self, classes: Classes, *, spare: int, reference: Reference | None = None) -> str:
        """The largest k, the smallest classes being left out first."""
        sizes = np.sort(classes.counts[classes.counts > 0])
        within = np.cumsum(sizes) - sizes <= spare
        return f"{self.name} with k={int(sizes[within][-1])}"

    def check(self, classes: Classes) -> None:
        """No table has classes larger than itself."""
        people = classes.cells.people
        if people < self.k:
            raise GuaranteeError(
                f"k-anonymity with k={self.k} cannot be met: the table has {amount(people, 'person', 'people')}. "
                f"The largest reachable k is {people}."
            )
