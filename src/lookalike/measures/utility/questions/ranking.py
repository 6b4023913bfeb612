"""Ranking of groups by a share or a mean: are the first ones still the first?

Kendall 1938, https://doi.org/10.1093/biomet/30.1-2.81 (tau-b, ties counted). O(n + groups^2).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np

from lookalike.base.errors import RequestError
from lookalike.measures.utility.questions.grouped import by_group
from lookalike.measures.utility.questions.question import (
    Measured,
    QuestionKind,
    Verdict,
    chances_of,
    need_conditions,
    need_reading,
    need_text,
    need_whole,
    ordered,
    reading_of,
)
from lookalike.measures.utility.views import Floats, Pair, View


@dataclass(frozen=True)
class Ranking(QuestionKind):
    """Groups of `by` ranked by a `share` (conditions) or the `mean` of a column, largest first.

    among: only records that meet these conditions. level: compare groups on this level of the column's hierarchy.
    top, keep: impact where fewer than `keep` of the first `top` groups stay among the first.
    """

    kind: ClassVar[str] = "ranking"
    by: str
    share: Mapping[str, Any] | None = None
    mean: str | None = None
    among: Mapping[str, Any] = field(default_factory=dict)
    level: int | None = None
    top: int = 3
    keep: int | None = None
    read: str = "middle"

    def __post_init__(self) -> None:
        need_text(self.by, "by")
        if (self.share is None) == (self.mean is None):
            raise RequestError("share: give either a `share` or a `mean` to rank by.")
        if self.share is not None:
            need_conditions(self.share, "share")
        need_conditions(self.among, "among")
        need_whole(self.top, "top", least=1)
        if self.keep is not None and need_whole(self.keep, "keep") > self.top:
            raise RequestError(f"keep: at most `top` ({self.top}) groups can stay, found {self.keep}.")
        if self.level is not None:
            need_whole(self.level, "level")
        need_reading(self.read)

    def columns(self) -> list[str]:
        """The columns the question is about."""
        wanted = [self.mean] if self.mean is not None else [*(self.share or {})]
        return list(dict.fromkeys([*wanted, *self.among, self.by]))

    def check(self, pair: Pair) -> None:
        """Refuse what does not fit the tables."""
        if self.mean is not None:
            ordered(pair, self.mean, "mean")

    def measure(self, view: View, weights: Floats | None = None) -> Measured:
        """The share or mean of each group."""
        found = by_group(
            view,
            share=self.share,
            mean=self.mean,
            among=self.among,
            by=self.by,
            level=self.level,
            read=self.read,
            weights=weights,
        )
        return Measured(found)

    def judge(self, before: Measured, after: Measured) -> Verdict:
        """Impact where too few of the first groups stay among the first."""
        keep = max(self.top - 1, 1) if self.keep is None else self.keep
        return judge_ranking(before.values, after.values, top=self.top, keep=keep)

    def reads(self, pair: Pair) -> list[str]:
        """In words, how blurred values are read."""
        numbers = reading_of(pair, [self.mean] if self.mean else [], self.read)
        groups = [pair.how_grouped(self.by, self.level)] if pair.blurred(self.by) else []
        return [*groups, *numbers, *chances_of(pair, {**(self.share or {}), **self.among})]

    def in_words(self) -> str:
        """A name for the question."""
        return f"ranking of {self.by} by {self.mean or 'share of ' + ', '.join(self.share or {})}"


def judge_ranking(before: Mapping[str, float], after: Mapping[str, float], *, top: int, keep: int) -> Verdict:
    """Overlap of the first groups, Kendall's tau, largest and mean shift; groups that are gone are named."""
    firsts = [_first(side, top) for side in (before, after)]
    both = [name for name in before if not (np.isnan(before[name]) or np.isnan(after.get(name, np.nan)))]
    shifts = np.array([after[name] - before[name] for name in both])
    gone = [name for name in before if not np.isnan(before[name]) and name not in both]
    overlap = len(set(firsts[0]) & set(firsts[1]))
    summary = {
        "top before": firsts[0],
        "top after": firsts[1],
        "overlap": overlap,
        "tau": kendall([before[name] for name in both], [after[name] for name in both]),
        "largest shift": float(np.abs(shifts).max(initial=0.0)),
        "mean shift": float(np.abs(shifts).mean()) if len(shifts) else 0.0,
        "groups gone": gone,
    }
    possible = min(top, len([v for v in before.values() if not np.isnan(v)]))
    least = max(keep - (top - possible), 1)
    return Verdict(
        overlap < least, f"fewer than {least} of the first {possible} groups stay among the first", summary
    )


def _first(values: Mapping[str, float], top: int) -> list[str]:
    """The groups of the largest values; of equal ones the first by name."""
    known = [(-value, name) for name, value in values.items() if not np.isnan(value)]
    return [name for _, name in sorted(known)[:top]]


def kendall(a: list[float], b: list[float]) -> float:
    """Kendall's tau-b; NaN where all values of a side are equal."""
    x, y = np.array(a), np.array(b)
    sx, sy = np.sign(x[:, None] - x), np.sign(y[:, None] - y)
    norm = float(np.sqrt((sx**2).sum() * (sy**2).sum()))
    return float((sx * sy).sum() / norm) if norm > 0 else float("nan")
