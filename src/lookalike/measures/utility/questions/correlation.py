"""Correlation of two ordered columns, by value (Pearson) or by rank (Spearman). O(n log n)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np

from lookalike.measures.utility.questions.question import (
    Measured,
    QuestionKind,
    Verdict,
    chances_of,
    need_choice,
    need_conditions,
    need_list,
    need_number,
    need_reading,
    ordered,
    reading_of,
)
from lookalike.measures.utility.questions.weighted import pearson, ranks
from lookalike.measures.utility.views import Floats, Pair, View


@dataclass(frozen=True)
class Correlation(QuestionKind):
    """Correlation of the two columns `of`; impact where it moves by more than `tolerance`, or cannot be told."""

    kind: ClassVar[str] = "correlation"
    of: list[str]
    method: str = "pearson"
    among: Mapping[str, Any] = field(default_factory=dict)
    tolerance: float = 0.1
    read: str = "middle"

    def __post_init__(self) -> None:
        need_list(self.of, "of", least=2, most=2)
        need_choice(self.method, "method", ("pearson", "spearman"))
        need_conditions(self.among, "among")
        need_number(self.tolerance, "tolerance")
        need_reading(self.read)

    def columns(self) -> list[str]:
        """The columns the question is about."""
        return list(dict.fromkeys([*self.of, *self.among]))

    def check(self, pair: Pair) -> None:
        """Refuse what does not fit the tables."""
        for name in self.of:
            ordered(pair, name, "of")

    def measure(self, view: View, weights: Floats | None = None) -> Measured:
        """The correlation, over records that have both values."""
        x, y = (view.numbers(name, self.read) for name in self.of)
        counted = view.chance(self.among) if weights is None else view.chance(self.among) * weights
        known = ~np.isnan(x) & ~np.isnan(y) & (counted > 0)
        x, y, counted = x[known], y[known], counted[known]
        if self.method == "spearman":
            x, y = ranks(x, counted), ranks(y, counted)
        return Measured({self.method: pearson(x, y, counted)})

    def judge(self, before: Measured, after: Measured) -> Verdict:
        """Impact where the correlation moves too far."""
        old, new = before.values[self.method], after.values[self.method]
        moved = abs(new - old) > self.tolerance or (np.isnan(new) and not np.isnan(old))
        return Verdict(
            bool(moved), f"the correlation moves by more than {self.tolerance:g}, or cannot be told"
        )

    def reads(self, pair: Pair) -> list[str]:
        """In words, how blurred values are read."""
        return [*reading_of(pair, self.of, self.read), *chances_of(pair, self.among)]
