"""(alpha, k)-anonymity: classes of at least k people in which no sensitive value is held by more than a share alpha.

Wong, Li, Fu and Wang 2006, https://doi.org/10.1145/1150402.1150499. Given a value, only that value is limited (the
paper's first form); otherwise every value is (its general form).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from lookalike.base.errors import GuaranteeError
from lookalike.models.k_anonymity import KAnonymity
from lookalike.models.model import ROUNDING, Flags, Limit, PerClass, Reference
from lookalike.models.parameters import parameter
from lookalike.models.registry import register
from lookalike.models.sensitive import SensitiveModel, find_value, require_value, which
from lookalike.tables.cells import Classes, Histogram


@register
@dataclass(frozen=True)
class AlphaK(SensitiveModel):
    """Every class has at least k people, and at most a share alpha of them has the same sensitive value.

    Examples:
        >>> import polars as pl
        >>> import lookalike as la
        >>> ages, illnesses = [31, 32, 33, 71, 72, 73], ["flu", "flu", "cold", "flu", "cold", "cold"]
        >>> frame = pl.DataFrame({"age": ages, "disease": illnesses})
        >>> people = la.table(frame, quasi=["age"], sensitive=["disease"])
        >>> release = la.anonymize(people, la.AlphaK("disease", 0.7, 3), method="optimal", suppression=0)
        >>> release.classes, release.achieved
        (2, {'(alpha,k)-anonymity disease': 0.6666666666666666})
    """

    alpha: float = field(
        metadata=parameter(
            "the largest share of a class with the same value", first=0.5, least=0, most=1, above=True
        )
    )
    k: int = field(
        metadata=parameter("the least number of people in a class", first=5, least=1, whole=True, step=1)
    )
    value: Any = field(
        default=None,
        metadata=parameter("the value that is limited; every value unless given", of_column=True),
    )
    name: ClassVar[str] = "(alpha,k)-anonymity"
    spelling: ClassVar[str] = "alpha-k"
    source: ClassVar[str] = "https://doi.org/10.1145/1150402.1150499"
    # The share of a value in a union lies between the shares in the parts; sizes add up.
    monotone: ClassVar[bool] = True

    @property
    def in_words(self) -> str:
        """The promise in plain words."""
        return (
            f"Everybody shares a group with at least {self.k - 1:,} others, of whom at most {self.alpha:.0%} have the "
            f"same value of {self.column!r}."
        )

    @property
    def smallest_class(self) -> int:
        """k."""
        return int(self.k)

    def limits(self, table: Histogram) -> Iterator[Limit]:
        """No value has more than a share alpha, and all shares add up to 1."""
        limited = np.full(table.size, True) if self.value is None else which(table, self.value)
        yield Limit(np.where(limited, self.alpha + ROUNDING, 1.0), 1.0, sized=True)

    def told_by_limits(self, *, one_row_each: bool) -> bool:
        """Sizes and shares are all there is."""
        return one_row_each and not self.strict

    def meant_shares(self, table: Histogram) -> PerClass:
        """Alpha."""
        return self.largest_shares(table)

    def measure(
        self, histogram: Histogram, people: NDArray[np.int64], overall: NDArray[np.int64]
    ) -> PerClass:
        """The largest share of people with one value, or with the given value."""
        counts = histogram.count
        if self.value is not None:
            counts = np.where(histogram.value == find_value(histogram, self.value), counts, 0)
        most = np.zeros(histogram.classes, dtype=np.int64)
        np.maximum.at(most, histogram.owner, counts)
        return np.where(people > 0, most / np.maximum(people, 1), np.nan)

    def keeps(self, levels: PerClass) -> Flags:
        """At most alpha."""
        return levels <= self.alpha + ROUNDING

    def breaks(self, classes: Classes, *, reference: Reference | None = None) -> Flags:
        """Classes with fewer than k people or with a value held by more than a share alpha."""
        return super().breaks(classes) | KAnonymity(self.k).breaks(classes)

    def check(self, classes: Classes) -> None:
        """The most even split of m values gives each a share 1/m."""
        KAnonymity(self.k).check(classes)
        if self.value is not None:
            require_value(classes.histogram(self.column), self.value, self.name, self.column)
        distinct = int(np.count_nonzero(classes.histogram(self.column).overall))
        if self.value is None and self.alpha + ROUNDING < 1 / max(distinct, 1):
            raise GuaranteeError(
                f"{self.name} with alpha={self.alpha} cannot be met: column {self.column!r} has {distinct} distinct "
                f"values, so one of them has a share of at least {1 / distinct:.3g} in every class."
            )
