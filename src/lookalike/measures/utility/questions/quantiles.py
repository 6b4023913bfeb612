"""Quantiles of a column, of everybody or by group. O(n log n)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np

from lookalike.base.checks import is_number
from lookalike.base.errors import RequestError
from lookalike.measures.utility.questions.grouped import EVERYBODY
from lookalike.measures.utility.questions.question import (
    Measured,
    QuestionKind,
    Verdict,
    chances_of,
    need_conditions,
    need_number,
    need_reading,
    need_text,
    ordered,
    reading_of,
)
from lookalike.measures.utility.questions.tolerance import judge_moves
from lookalike.measures.utility.questions.weighted import quantiles
from lookalike.measures.utility.views import Floats, Pair, View


@dataclass(frozen=True)
class Quantiles(QuestionKind):
    """Quantiles `at` of the column `of`.

    tolerance: how far one may move, as a share of the original's span from its 5 % to its 95 % quantile.
    """

    kind: ClassVar[str] = "quantiles"
    of: str
    at: list[float] = field(default_factory=lambda: [0.25, 0.5, 0.75])
    by: str | None = None
    among: Mapping[str, Any] = field(default_factory=dict)
    level: int | None = None
    tolerance: float = 0.05
    read: str = "middle"

    def __post_init__(self) -> None:
        need_text(self.of, "of")
        good = (
            isinstance(self.at, list | tuple)
            and self.at
            and all(is_number(p) and 0 <= p <= 1 for p in self.at)
        )
        if not good:
            raise RequestError("at: give a list of numbers from 0 to 1, such as [0.25, 0.5, 0.75].")
        need_conditions(self.among, "among")
        need_number(self.tolerance, "tolerance")
        need_reading(self.read)

    def columns(self) -> list[str]:
        """The columns the question is about."""
        return list(dict.fromkeys([self.of, *self.among, *([self.by] if self.by else [])]))

    def check(self, pair: Pair) -> None:
        """Refuse what does not fit the tables."""
        ordered(pair, self.of, "of")

    def measure(self, view: View, weights: Floats | None = None) -> Measured:
        """The quantiles of each group, and the span of the column."""
        values = view.numbers(self.of, self.read)
        counted = view.chance(self.among) if weights is None else view.chance(self.among) * weights
        known = ~np.isnan(values)
        values, counted = values[known], counted[known]
        low, high = quantiles(values, counted, [0.05, 0.95])
        out = {}
        groups = None if self.by is None else view.groups(self.by, self.level)
        for i, name in enumerate([EVERYBODY] if groups is None else groups.names):
            inside = counted if groups is None else counted * groups.share(i)[known]
            prefix = "" if groups is None else f"{name}, "
            for at, found in zip(self.at, quantiles(values, inside, list(self.at)), strict=True):
                out[f"{prefix}{at:g} quantile"] = found
        return Measured(out, {"span": high - low})

    def judge(self, before: Measured, after: Measured) -> Verdict:
        """Impact where a quantile moves too far."""
        span = float(before.details["span"])
        return judge_moves(
            before.values,
            after.values,
            self.tolerance,
            relative=True,
            scale=0.0 if np.isnan(span) else span,
            of_what="the span between the 5 % and 95 % quantiles",
        )

    def reads(self, pair: Pair) -> list[str]:
        """In words, how blurred values are read."""
        groups = [pair.how_grouped(self.by, self.level)] if self.by and pair.blurred(self.by) else []
        return [*groups, *reading_of(pair, [self.of], self.read), *chances_of(pair, self.among)]
