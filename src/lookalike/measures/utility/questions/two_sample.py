"""A two-sample test in every group: is the difference between two kinds of people still decided the same way?

Student (pooled variance), Welch, or rank (Mann and Whitney, ties and continuity corrected); p-values corrected for the
number of groups by Bonferroni, Holm or Benjamini and Hochberg (https://doi.org/10.1111/j.2517-6161.1995.tb02031.x).
Effect sizes: Cohen's d with the interval of Hedges and Olkin 1985, or for ranks the rank-biserial correlation with the
interval of Hanley and McNeil 1982 (https://doi.org/10.1148/radiology.143.1.7063747). O(n) per group, ranks O(n log n).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, ClassVar

import numpy as np

from lookalike.base.errors import MissingExtra, RequestError
from lookalike.measures.utility.questions.grouped import EVERYBODY
from lookalike.measures.utility.questions.question import (
    Measured,
    QuestionKind,
    Verdict,
    chances_of,
    need_choice,
    need_conditions,
    need_number,
    need_reading,
    need_text,
    need_whole,
    ordered,
    reading_of,
)
from lookalike.measures.utility.views import Floats, Pair, View

TESTS = ("student", "welch", "rank")
CORRECTIONS = ("none", "bonferroni", "holm", "benjamini-hochberg")


@dataclass(frozen=True)
class Tested:
    """One group: how many on each side, difference of means and effect size with 95 % intervals, p-value."""

    group: str
    counts: tuple[float, float]
    difference: float
    difference_low: float
    difference_high: float
    effect: float
    effect_low: float
    effect_high: float
    statistic: float
    p: float
    adjusted_p: float
    significant: bool


@dataclass(frozen=True)
class TwoSample(QuestionKind):
    """Do the two values of `between` differ in the column `of`, in each group of `by`?

    values: the two values of `between`, first minus second; needed where the column has more than two.
    Impact where any decision at `alpha` differs between original and release, after the correction.
    """

    kind: ClassVar[str] = "two-sample test"
    of: str
    between: str
    values: list[Any] | None = None
    by: str | None = None
    among: Mapping[str, Any] = field(default_factory=dict)
    level: int | None = None
    test: str = "welch"
    correction: str = "none"
    alpha: float = 0.05
    read: str = "middle"

    def __post_init__(self) -> None:
        need_text(self.of, "of")
        need_text(self.between, "between")
        if self.values is not None and (not isinstance(self.values, list | tuple) or len(self.values) != 2):
            raise RequestError("values: give the two values of `between` to compare, as a list.")
        if self.by is not None:
            need_text(self.by, "by")
        if self.level is not None:
            need_whole(self.level, "level")
        need_conditions(self.among, "among")
        need_choice(self.test, "test", TESTS)
        need_choice(self.correction, "correction", CORRECTIONS)
        need_number(self.alpha, "alpha", most=1.0)
        need_reading(self.read)

    def columns(self) -> list[str]:
        """The columns the question is about."""
        return list(dict.fromkeys([self.of, self.between, *self.among, *([self.by] if self.by else [])]))

    def check(self, pair: Pair) -> None:
        """Refuse what does not fit the tables."""
        ordered(pair, self.of, "of")
        self._arms(pair)

    def _arms(self, pair: Pair) -> Sequence[Any]:
        if self.values is not None:
            return self.values
        pair.check(self.between)
        texts = pair.people.column(self.between).domain.texts
        if len(texts) != 2:
            raise RequestError(
                f"values: column {self.between!r} has {len(texts)} values; say which two are to be compared."
            )
        return texts

    def measure(self, view: View, weights: Floats | None = None) -> Measured:
        """The effect size in each group; the tests themselves are among the details."""
        numbers = view.numbers(self.of, self.read)
        counted = view.chance(self.among) if weights is None else view.chance(self.among) * weights
        known = ~np.isnan(numbers) & (counted > 0)
        numbers, counted = numbers[known], counted[known]
        arms = [counted * view.chance({self.between: value})[known] for value in self._arms(view.pair)]
        groups = None if self.by is None else view.groups(self.by, self.level)
        found = []
        for i, name in enumerate([EVERYBODY] if groups is None else groups.names):
            share = 1.0 if groups is None else groups.share(i)[known]
            found.append(compare(name, numbers, arms[0] * share, arms[1] * share, self.test))
        if weights is None:
            found = correct(found, self.correction, self.alpha)
        return Measured({one.group: one.effect for one in found}, {"tests": [asdict(one) for one in found]})

    def judge(self, before: Measured, after: Measured) -> Verdict:
        """Impact where a decision differs."""
        sides = [{one["group"]: one for one in side.details["tests"]} for side in (before, after)]
        decided = [{name: one["significant"] for name, one in side.items()} for side in sides]
        return judge_decisions(decided[0], decided[1], self.alpha)

    def reads(self, pair: Pair) -> list[str]:
        """In words, how blurred values are read."""
        groups = [pair.how_grouped(self.by, self.level)] if self.by and pair.blurred(self.by) else []
        blurred = chances_of(pair, {self.between: None, **self.among})
        return [*groups, *reading_of(pair, [self.of], self.read), *blurred]

    def in_words(self) -> str:
        """A name for the question."""
        return f"{self.of} between {self.between}" + (f" by {self.by}" if self.by else "")


def judge_decisions(before: Mapping[str, bool], after: Mapping[str, bool], alpha: float) -> Verdict:
    """Impact where any decision differs; a group that is gone is decided as not significant."""
    differ = [name for name in before if before[name] != after.get(name, False)]
    summary = {"agree": len(before) - len(differ), "of": len(before), "decided differently": differ}
    return Verdict(bool(differ), f"a decision at {alpha:g} differs", summary)


def compare(group: str, values: Floats, first: Floats, second: Floats, test: str) -> Tested:
    """Test the first against the second, given how often each record counts on each side."""
    stats = _stats()
    counts = float(first.sum()), float(second.sum())
    nan = float("nan")
    if min(counts) <= 1 or sum(counts) <= 2:
        return Tested(group, counts, nan, nan, nan, nan, nan, nan, nan, nan, nan, False)
    centred = values - float((values @ (first + second)) / sum(counts))
    means = [float(centred @ w / n) for w, n in zip((first, second), counts, strict=True)]
    spread = [
        float(w @ (centred - m) ** 2 / (n - 1))
        for w, n, m in zip((first, second), counts, means, strict=True)
    ]
    (n, m), difference = counts, means[0] - means[1]
    pooled = ((n - 1) * spread[0] + (m - 1) * spread[1]) / (n + m - 2)
    parts = [v / size for v, size in zip(spread, counts, strict=True)]
    if test == "student":
        error, free = float(np.sqrt(pooled * (1 / n + 1 / m))), n + m - 2
    else:
        error = float(np.sqrt(sum(parts)))
        below = parts[0] ** 2 / (n - 1) + parts[1] ** 2 / (m - 1)
        free = sum(parts) ** 2 / below if below > 0 else n + m - 2
    half = float(stats.t.ppf(0.975, free)) * error
    if test == "rank":
        statistic, p, effect, low, high = _rank(values, first, second, stats)
    else:
        statistic = difference / error if error > 0 else nan
        p = float(2 * stats.t.sf(abs(statistic), free))
        effect = difference / float(np.sqrt(pooled)) if pooled > 0 else nan
        wide = 1.959963984540054 * float(np.sqrt((n + m) / (n * m) + effect**2 / (2 * (n + m))))
        low, high = effect - wide, effect + wide
    return Tested(
        group,
        counts,
        difference,
        difference - half,
        difference + half,
        effect,
        low,
        high,
        statistic,
        p,
        p,
        False,
    )


def _rank(
    values: Floats, first: Floats, second: Floats, stats: Any
) -> tuple[float, float, float, float, float]:
    """U of the first, its two-sided p-value, and the rank-biserial correlation with its interval."""
    distinct, inverse = np.unique(values, return_inverse=True)
    a, b = (np.bincount(inverse, weights=w, minlength=len(distinct)) for w in (first, second))
    n, m, ties = float(a.sum()), float(b.sum()), a + b
    u = float(a @ (np.cumsum(b) - b / 2))
    total = n + m
    spread = n * m / 12 * ((total + 1) - float((ties**3 - ties).sum()) / (total * (total - 1)))
    auc = u / (n * m)
    q1, q2 = auc / (2 - auc), 2 * auc**2 / (1 + auc)
    inner = auc * (1 - auc) + (n - 1) * (q1 - auc**2) + (m - 1) * (q2 - auc**2)
    half = 2 * 1.959963984540054 * float(np.sqrt(max(inner, 0.0) / (n * m)))
    effect = 2 * auc - 1
    if spread <= 0:
        return u, float("nan"), effect, -1.0, 1.0
    z = (abs(u - n * m / 2) - 0.5) / float(np.sqrt(spread))
    p = min(float(2 * stats.norm.sf(z)), 1.0)
    return u, p, effect, max(effect - half, -1.0), min(effect + half, 1.0)


def correct(tests: list[Tested], correction: str, alpha: float) -> list[Tested]:
    """The tests with p-values corrected for their number, and decided."""
    known = [i for i, one in enumerate(tests) if not np.isnan(one.p)]
    raw = np.array([tests[i].p for i in known])
    m = len(raw)
    if correction == "bonferroni":
        adjusted = np.minimum(raw * m, 1.0)
    elif correction == "none" or not m:
        adjusted = raw
    else:
        order = np.argsort(raw, kind="stable")
        adjusted = np.empty(m)
        if correction == "holm":
            adjusted[order] = np.minimum(np.maximum.accumulate(raw[order] * (m - np.arange(m))), 1.0)
        else:
            steps = raw[order] * m / np.arange(1, m + 1)
            adjusted[order] = np.minimum(np.minimum.accumulate(steps[::-1])[::-1], 1.0)
    out = list(tests)
    for i, p in zip(known, adjusted.tolist(), strict=True):
        out[i] = Tested(**{**vars(tests[i]), "adjusted_p": p, "significant": p < alpha})
    return out


def _stats() -> Any:
    try:
        from scipy import stats
    except ImportError:
        raise MissingExtra("scipy", "ml", "testing differences") from None
    return stats
