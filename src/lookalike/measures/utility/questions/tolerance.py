"""A share or a mean, of everybody or by group, that must stay within a tolerance. O(n)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np

from lookalike.base.errors import RequestError, percent
from lookalike.measures.utility.questions.grouped import by_group
from lookalike.measures.utility.questions.question import (
    Measured,
    QuestionKind,
    Verdict,
    chances_of,
    need_conditions,
    need_number,
    need_reading,
    need_text,
    need_whole,
    ordered,
    reading_of,
)
from lookalike.measures.utility.views import Floats, Pair, View


@dataclass(frozen=True)
class Share(QuestionKind):
    """The share of records that meet conditions (`of`), among those that meet others, by group where `by` is given.

    tolerance: how far the share may move; impact where it moves further, or a group is gone.
    """

    kind: ClassVar[str] = "share"
    of: Mapping[str, Any]
    by: str | None = None
    among: Mapping[str, Any] = field(default_factory=dict)
    level: int | None = None
    tolerance: float = 0.05

    def __post_init__(self) -> None:
        need_conditions(self.of, "of")
        if not self.of:
            raise RequestError("of: say which records, such as {employed = 'yes'}.")
        need_conditions(self.among, "among")
        _check_groups(self.by, self.level)
        need_number(self.tolerance, "tolerance")

    def columns(self) -> list[str]:
        """The columns the question is about."""
        return list(dict.fromkeys([*self.of, *self.among, *([self.by] if self.by else [])]))

    def measure(self, view: View, weights: Floats | None = None) -> Measured:
        """The share in each group."""
        found = by_group(
            view,
            share=self.of,
            mean=None,
            among=self.among,
            by=self.by,
            level=self.level,
            read="middle",
            weights=weights,
        )
        return Measured(found)

    def judge(self, before: Measured, after: Measured) -> Verdict:
        """Impact where a share moves further than the tolerance."""
        return judge_moves(before.values, after.values, self.tolerance, relative=False)

    def reads(self, pair: Pair) -> list[str]:
        """In words, how blurred values are read."""
        groups = [pair.how_grouped(self.by, self.level)] if self.by and pair.blurred(self.by) else []
        return [*groups, *chances_of(pair, {**self.of, **self.among})]


@dataclass(frozen=True)
class Mean(QuestionKind):
    """The mean of a column, among records that meet conditions, by group where `by` is given.

    tolerance: how far the mean may move, as a share of what it was (`relative`, the default) or in its own units.
    """

    kind: ClassVar[str] = "mean"
    of: str
    by: str | None = None
    among: Mapping[str, Any] = field(default_factory=dict)
    level: int | None = None
    tolerance: float = 0.05
    relative: bool = True
    read: str = "middle"

    def __post_init__(self) -> None:
        need_text(self.of, "of")
        need_conditions(self.among, "among")
        _check_groups(self.by, self.level)
        need_number(self.tolerance, "tolerance")
        need_reading(self.read)

    def columns(self) -> list[str]:
        """The columns the question is about."""
        return list(dict.fromkeys([self.of, *self.among, *([self.by] if self.by else [])]))

    def check(self, pair: Pair) -> None:
        """Refuse what does not fit the tables."""
        ordered(pair, self.of, "of")

    def measure(self, view: View, weights: Floats | None = None) -> Measured:
        """The mean of each group."""
        found = by_group(
            view,
            share=None,
            mean=self.of,
            among=self.among,
            by=self.by,
            level=self.level,
            read=self.read,
            weights=weights,
        )
        return Measured(found)

    def judge(self, before: Measured, after: Measured) -> Verdict:
        """Impact where a mean moves further than the tolerance."""
        return judge_moves(before.values, after.values, self.tolerance, relative=self.relative)

    def reads(self, pair: Pair) -> list[str]:
        """In words, how blurred values are read."""
        groups = [pair.how_grouped(self.by, self.level)] if self.by and pair.blurred(self.by) else []
        return [*groups, *reading_of(pair, [self.of], self.read), *chances_of(pair, self.among)]


def judge_moves(
    before: Mapping[str, float],
    after: Mapping[str, float],
    tolerance: float,
    *,
    relative: bool,
    scale: float | None = None,
    of_what: str = "what it was",
) -> Verdict:
    """Impact where a number moves further than a tolerance, or cannot be told any more.

    relative: the tolerance is a share of each number before, or of `scale` where one is given.
    """
    far, gone, most = [], [], 0.0
    for name, old in before.items():
        new = after.get(name, np.nan)
        if np.isnan(old):
            continue
        if np.isnan(new):
            gone.append(name)
            continue
        allowed = tolerance * (abs(old) if scale is None else scale) if relative else tolerance
        most = max(most, abs(new - old))
        # a hair is no move: sums of floats in another order
        if abs(new - old) > allowed + 1e-12 * max(1.0, abs(old)):
            far.append(name)
    bound = f"{percent(tolerance)} of {of_what}" if relative else f"{tolerance:g}"
    summary = {"largest move": most, "moved too far": far, "gone": gone}
    return Verdict(
        bool(far or gone), f"a number moves by more than {bound}, or cannot be told any more", summary
    )


def _check_groups(by: Any, level: Any) -> None:
    if by is not None:
        need_text(by, "by")
    if level is not None:
        need_whole(level, "level")
