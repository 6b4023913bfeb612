"""l-diversity: every class holds at least l well-represented sensitive values.

Distinct, entropy and recursive (c,l)-diversity of Machanavajjhala, Kifer, Gehrke and Venkitasubramaniam 2007,
https://doi.org/10.1145/1217299.1217302. Cost: O(histogram entries), times a sort within each class for recursive.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from lookalike.base.errors import GuaranteeError, RequestError
from lookalike.models.model import ROUNDING, Flags, Limit, Model, PerClass
from lookalike.models.parameters import parameter
from lookalike.models.registry import register
from lookalike.models.sensitive import SensitiveModel, one_for_each, spread, sum_by_class
from lookalike.tables.cells import Classes, Histogram


@register
@dataclass(frozen=True)
class LDiversity(SensitiveModel):
    """Every class has at least l sensitive values.

    kind="distinct": l different values. kind="entropy": as diverse as l equally frequent values, exp(entropy) >= l.
    kind="recursive" with c: the most frequent value is rarer than c times all but the l - 1 most frequent together,
    r1 < c (r_l + ... + r_m).

    Examples:
        >>> import polars as pl
        >>> import lookalike as la
        >>> ages, illnesses = [31, 32, 33, 71, 72, 73], ["flu", "flu", "cold", "flu", "cold", "cold"]
        >>> frame = pl.DataFrame({"age": ages, "disease": illnesses})
        >>> people = la.table(frame, quasi=["age"], sensitive=["disease"])
        >>> release = la.anonymize(people, la.LDiversity("disease", 2), method="optimal", suppression=0)
        >>> release.classes, release.achieved
        (2, {'l-diversity disease': 2.0})
    """

    l: float = field(  # noqa: E741 - the letter the literature uses
        metadata=parameter("the least number of values, by the rule of `kind`", first=2, least=1, step=1)
    )
    kind: Literal["distinct", "entropy", "recursive"] = field(
        default="distinct",
        metadata=parameter("how values are counted", choices=("distinct", "entropy", "recursive")),
    )
    c: float | None = field(
        default=None,
        metadata=parameter("factor of recursive l-diversity", least=0, above=True, step=0.5),
    )
    name: ClassVar[str] = "l-diversity"
    spelling: ClassVar[str] = "l"
    common: ClassVar[bool] = True
    source: ClassVar[str] = "https://doi.org/10.1145/1217299.1217302"
    # Distinct: a union has every value of its parts. Entropy is concave, so that of a mixture is at least the
    # smallest of its parts. Recursive: the largest counts of a union are at most the sums of the parts' largest, its
    # tail at least the sum of the parts' tails.
    monotone: ClassVar[bool] = True
    larger_is_safer: ClassVar[bool] = True

    @property
    def in_words(self) -> str:
        """The promise in plain words."""
        return (
            f"In every group {self.column!r} has at least {self.l:g} different values"
            + {
                "distinct": ".",
                "entropy": " about equally often.",
                "recursive": ", none of them too frequent.",
            }[self.kind]
        )

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.l != int(self.l) and self.kind != "entropy":
            raise RequestError(
                f"l-diversity: `l` must be a whole number (any number from 1 on for entropy), found {self.l}."
            )
        if (self.kind == "recursive") != (self.c is not None):
            raise RequestError(
                "l-diversity: recursive diversity needs c above 0, and the other kinds have none, found "
                f"kind={self.kind!r}, c={self.c}."
            )

    @classmethod
    def gauges(cls, column: str | None = None) -> Iterator[tuple[str, Model]]:
        """By different values and by entropy."""
        yield from super().gauges(column)
        if column is not None:
            yield f"entropy {cls.name}", cls(column, 2, kind="entropy")

    @property
    def broken_by_records(self) -> bool:  # type: ignore[override]
        """Fewer different values among the records than promised are fewer among the people."""
        return self.kind == "distinct"

    @property
    def absorbing(self) -> bool:  # type: ignore[override]
        """Distinct values never vanish by merging; balance may, and a part of a strict class may stay alone."""
        return self.kind == "distinct" and not self.strict

    @property
    def holds_for_units(self) -> bool:  # type: ignore[override]
        """Distinct values do not depend on how people are counted."""
        return self.kind == "distinct"

    @property
    def fewest_values(self) -> int:
        """exp(entropy) is at most the number of values, and a tail must not be empty."""
        return int(np.ceil(self.l))

    def limits(self, table: Histogram) -> Iterator[Limit]:
        """At least l different values, whatever the kind; and none with too large a share."""
        values = int(np.count_nonzero(table.overall))
        most = self._largest_share(values)
        if (np.ceil(self.l) - 1) * most > 1 - 1e-6:  # otherwise fewer values have no share of 1 between them
            yield Limit(one_for_each(table), float(self.l), sized=False)
        if self.kind == "recursive" and 2 < self.l <= values:
            yield self._limit_of_several(table.size, values)
        if most < 1:
            yield Limit(np.full(table.size, most), 1.0, sized=True)

    def _largest_share(self, values: int) -> float:
        """The largest share of a class that one of so many values can have."""
        if values < max(self.l, 2) or self.kind == "distinct":
            return 1.0
        if self.kind == "recursive":
            # Values 2 to l - 1 have at least the mean of the tail each, and the tail more than r1 / c.
            between = max(self.l - 2, 0) / (values - self.l + 1)
            return min(self.c or 0.0, 1.0) if self.l == 1 else 1 / (1 + (1 + between) / (self.c or 1.0))
        # Entropy is largest when all others are equally frequent, and falls as one value grows from there on.
        low, high = 1 / values, 1.0
        while high - low > ROUNDING:
            p = (low + high) / 2
            entropy = -p * np.log(p) - (1 - p) * np.log((1 - p) / (values - 1))
            low, high = (p, high) if entropy >= np.log(self.l) - ROUNDING else (low, p)
        return high

    def _limit_of_several(self, size: int, values: int) -> Limit:
        """What the most frequent values have above the share that l - 1 of them can have each.

        i of them have the same share x at most, all others the same y: x + c (i x + (l - 1 - i) y) is at most c.
        """
        c, others = self.c or 0.0, int(self.l) - 1
        shares = []
        for i in range(1, others + 1):
            of_rest = c * (others - i) / max(values - i, 1)
            shares.append(min((c - of_rest) / (1 + (c - of_rest) * i), 1 / i))
        above = max(i * (x - shares[-1]) for i, x in enumerate(shares, 1))
        return Limit(np.full(size, shares[-1]), 1 - max(above, 0.0), sized=True)

    def meant_shares(self, table: Histogram) -> PerClass:
        """One of l."""
        return np.full(table.size, 1 / self.l)

    def told_by_limits(self, *, one_row_each: bool) -> bool:
        """Distinct diversity is nothing else."""
        return self.kind == "distinct" and not self.strict

    def measure(
        self, histogram: Histogram, people: NDArray[np.int64], overall: NDArray[np.int64]
    ) -> PerClass:
        """The largest l that each class has."""
        if self.kind == "entropy":
            p, _ = spread(histogram, overall)
            return np.exp(-sum_by_class(histogram, p * np.log(p)))
        values = np.diff(histogram.starts) if self.kind == "distinct" else self._recursive(histogram)
        return np.where(histogram.totals > 0, values, np.nan)

    def _recursive(self, histogram: Histogram) -> NDArray[np.int64]:
        """Per class the largest l with r1 < c (r_l + ... + r_m), r1 >= r2 >= ... its counts; 0 if there is none."""
        above = int(histogram.count.max(initial=0)) + 1
        ranked = np.sort(histogram.owner * above + histogram.count) % above  # rising within a class
        summed = np.concatenate([[0], np.cumsum(ranked)])
        tail = summed[1:] - summed[histogram.starts[histogram.owner]]
        most = ranked[histogram.starts[histogram.owner + 1] - 1]
        # Tails grow along a class, so the entries that pass are its last ones, and their number is l.
        passing = most < (self.c or 0) * tail
        return np.bincount(histogram.owner[passing], minlength=histogram.classes)

    def keeps(self, levels: PerClass) -> Flags:
        """At least l."""
        return levels >= self.l - ROUNDING

    def check(self, classes: Classes) -> None:
        """No class is more diverse than the column has values."""
        distinct = int(np.count_nonzero(classes.histogram(self.column).overall))
        if distinct < self.l - ROUNDING:
            raise GuaranteeError(
                f"l-diversity with l={self.l} cannot be met: column {self.column!r} has {distinct} distinct values. "
                f"The largest reachable l is {distinct}."
            )
