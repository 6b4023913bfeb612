"""beta-likeness: no sensitive value is much more frequent in a class than in the table.

Cao and Karras 2012, https://doi.org/10.14778/2350229.2350255. With q the share in the table and p that in a class,
basic: (p - q) / q <= beta for every value with p > q; enhanced: (p - q) / q <= min(beta, -ln q), which also
limits frequent values.
"""

from __future__ import annotations

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
class BetaLikeness(SensitiveModel):
    """What anyone gains about a value by seeing the class is at most beta times what the table says.

    Examples:
        >>> import polars as pl
        >>> import lookalike as la
        >>> ages, illnesses = [31, 32, 33, 71, 72, 73], ["flu", "flu", "cold", "flu", "cold", "cold"]
        >>> frame = pl.DataFrame({"age": ages, "disease": illnesses})
        >>> people = la.table(frame, quasi=["age"], sensitive=["disease"])
        >>> release = la.anonymize(people, la.BetaLikeness("disease", 0.5), method="optimal", suppression=0)
        >>> release.classes, release.achieved
        (2, {'beta-likeness disease': 0.33333333333333326})
    """

    beta: float = field(
        metadata=parameter("the largest relative gain about a value", first=1, least=0, above=True, step=0.1)
    )
    enhanced: bool = field(
        default=True,
        metadata=parameter(
            "also limits the gain about frequent values, by minus the logarithm of their share",
            choices=(True, False),
        ),
    )
    name: ClassVar[str] = "beta-likeness"
    spelling: ClassVar[str] = "beta"
    source: ClassVar[str] = "https://doi.org/10.14778/2350229.2350255"
    # The share of a value in a union lies between those in the parts; its limit depends on the whole table only.
    monotone: ClassVar[bool] = True
    relative: ClassVar[bool] = True

    @property
    def in_words(self) -> str:
        """The promise in plain words."""
        return (
            f"Seeing somebody's group makes no value of {self.column!r} more than {1 + self.beta:g} times as likely as "
            "it is in the whole release."
        )

    def limits(self, table: Histogram) -> Iterator[Limit]:
        """No value has more than (1 + allowed gain) times its share, and the shares in a class add up to 1."""
        share = shares(table.overall)
        gain = np.full(len(share), float(self.beta))
        if self.enhanced:
            gain = np.minimum(gain, -np.log(np.where(share > 0, share, 1)))
        yield Limit((1 + gain + ROUNDING) * share, 1.0, sized=True)

    def told_by_limits(self, *, one_row_each: bool) -> bool:
        """Shares are all there is."""
        return one_row_each and not self.strict

    def measure(
        self, histogram: Histogram, people: NDArray[np.int64], overall: NDArray[np.int64]
    ) -> PerClass:
        """Largest relative gain; infinite where it is above -ln q and the enhanced form is asked for."""
        p, q = spread(histogram, overall)
        with np.errstate(divide="ignore"):
            gain = p / q - 1
            if self.enhanced:
                gain = np.where(gain > ROUNDING - np.log(q), np.inf, gain)
        return max_by_class(histogram, gain)

    def keeps(self, levels: PerClass) -> Flags:
        """At most beta."""
        return levels <= self.beta + ROUNDING
