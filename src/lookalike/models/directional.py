"""Directional diversity: no class in which everybody has the value that harms.

Plain 2-diversity also forbids classes in which nobody has it, which costs far more rows; here only the harmful
direction counts (the de-identification case study this project follows, step 5 of its pipeline).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from lookalike.base.errors import GuaranteeError
from lookalike.models.model import Flags, Limit, PerClass
from lookalike.models.parameters import parameter
from lookalike.models.registry import register
from lookalike.models.sensitive import SensitiveModel, find_value, require_value, which
from lookalike.tables.cells import Classes, Histogram


@register
@dataclass(frozen=True)
class DirectionalDiversity(SensitiveModel):
    """In every class somebody lacks the negative value.

    Examples:
        >>> import polars as pl
        >>> import lookalike as la
        >>> ages, illnesses = [31, 32, 33, 71, 72, 73], ["flu", "flu", "cold", "flu", "cold", "cold"]
        >>> frame = pl.DataFrame({"age": ages, "disease": illnesses})
        >>> people = la.table(frame, quasi=["age"], sensitive=["disease"])
        >>> release = la.anonymize(people, la.DirectionalDiversity("disease", "flu"), method="optimal", suppression=0)
        >>> release.classes, release.achieved
        (2, {'directional diversity disease': 0.6666666666666666})
    """

    negative: Any = field(metadata=parameter("the value that harms", of_column=True))
    name: ClassVar[str] = "directional diversity"
    spelling: ClassVar[str] = "without"
    source: ClassVar[str] = "Hemmati, de Jong, Ang and Ng, privacy-engineering case study"
    # Whoever lacks the value in one part lacks it in the union. (Not so for people with rows in several classes: the
    # other rows may have the value.)
    monotone: ClassVar[bool] = True

    @property
    def in_words(self) -> str:
        """The promise in plain words."""
        return (
            f"In every group somebody does not have {self.column!r} = {self.negative!r}, so nobody is known "
            "to have it."
        )

    @property
    def absorbing(self) -> bool:  # type: ignore[override]
        """A part of a strict class may stay alone."""
        return not self.strict

    def limits(self, table: Histogram) -> Iterator[Limit]:
        """A value other than the negative one is there."""
        yield Limit(np.where(which(table, self.negative), 0.0, 1.0), 1.0, sized=False)

    def told_by_limits(self, *, one_row_each: bool) -> bool:
        """Where somebody has another value, that is all; with several rows they may have both."""
        return one_row_each and not self.strict

    def measure(
        self, histogram: Histogram, people: NDArray[np.int64], overall: NDArray[np.int64]
    ) -> PerClass:
        """The share of people with the negative value."""
        code = find_value(histogram, self.negative)
        harmed = np.zeros(histogram.classes, dtype=np.int64)
        chosen = histogram.value == code
        harmed[histogram.owner[chosen]] = histogram.count[chosen]
        return np.where(people > 0, harmed / np.maximum(people, 1), np.nan)

    def keeps(self, levels: PerClass) -> Flags:
        """Not everybody."""
        return levels < 1

    def check(self, classes: Classes) -> None:
        """Somebody in the table must lack the value."""
        histogram = classes.histogram(self.column)
        require_value(histogram, self.negative, self.name, self.column)
        code = find_value(histogram, self.negative)
        if histogram.overall[code] == histogram.overall.sum():
            raise GuaranteeError(
                f"directional diversity cannot be met: everybody has the negative value of column {self.column!r}."
            )
