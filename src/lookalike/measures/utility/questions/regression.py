"""Coefficients of a linear or logistic regression: same sign, overlapping intervals?

Overlap of intervals after Karr, Kohnen, Oganian, Reiter and Sanil 2006, https://doi.org/10.1198/000313006X124640: the
mean of the shares that the common part has of either interval; 0 where they have none. Least squares in O(n p^2),
logistic by Newton's method in O(n p^2) per step. Resampled fits take one Newton step from the full one, which is as
good to first order.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from lookalike.base.errors import RequestError
from lookalike.measures.utility.questions.question import (
    Measured,
    QuestionKind,
    Verdict,
    chances_of,
    need_conditions,
    need_list,
    need_number,
    need_reading,
    need_text,
    ordered,
    reading_of,
)
from lookalike.measures.utility.views import Floats, Pair, View

Z = 1.959963984540054
MOST_VALUES = 50  #: of a nominal column, each a coefficient of its own
_STEPS = 50


@dataclass(frozen=True)
class Linear(QuestionKind):
    """The column `of` explained by the columns `on`.

    Ordered columns enter as numbers, others as one coefficient per value but the most frequent one.
    Impact where a coefficient's verdict (above 0, below 0, neither, at 95 %) differs, or its intervals overlap by less
    than `overlap`.
    """

    kind: ClassVar[str] = "linear regression"
    of: str
    on: list[str]
    among: Mapping[str, Any] = field(default_factory=dict)
    overlap: float = 0.0
    read: str = "middle"

    def __post_init__(self) -> None:
        need_text(self.of, "of")
        _check(self.on, self.of, self.among, self.overlap, self.read)

    def columns(self) -> list[str]:
        """The columns the question is about."""
        return list(dict.fromkeys([self.of, *self.on, *self.among]))

    def check(self, pair: Pair) -> None:
        """Refuse what does not fit the tables."""
        ordered(pair, self.of, "of")
        _check_values(pair, self.on)

    def measure(self, view: View, weights: Floats | None = None) -> Measured:
        """The coefficients, with standard errors among the details."""
        y = view.numbers(self.of, self.read)
        names, x = design(view, self.on, self.read)
        counted = view.chance(self.among) if weights is None else view.chance(self.among) * weights
        used = ~np.isnan(y) & ~np.isnan(x).any(axis=1) & (counted > 0)
        return _measured(names, *least_squares(x[used], y[used], counted[used]))

    def judge(self, before: Measured, after: Measured) -> Verdict:
        """Impact where a verdict differs or intervals part."""
        return judge_coefficients(before, after, self.overlap)

    def reads(self, pair: Pair) -> list[str]:
        """In words, how blurred values are read."""
        return _reads(pair, [self.of, *self.on], self.among, self.read)


@dataclass(frozen=True)
class Logistic(QuestionKind):
    """The chance of a condition (`of`, such as {income = ">50K"}) explained by the columns `on`; else as linear."""

    kind: ClassVar[str] = "logistic regression"
    of: Mapping[str, Any]
    on: list[str]
    among: Mapping[str, Any] = field(default_factory=dict)
    overlap: float = 0.0
    read: str = "middle"

    def __post_init__(self) -> None:
        need_conditions(self.of, "of")
        _check(self.on, next(iter(self.of), ""), self.among, self.overlap, self.read)

    def columns(self) -> list[str]:
        """The columns the question is about."""
        return list(dict.fromkeys([*self.of, *self.on, *self.among]))

    def check(self, pair: Pair) -> None:
        """Refuse what does not fit the tables."""
        _check_values(pair, self.on)

    def measure(self, view: View, weights: Floats | None = None) -> Measured:
        """The coefficients, with standard errors among the details."""
        y = view.chance(self.of)
        names, x = design(view, self.on, self.read)
        counted = view.chance(self.among) if weights is None else view.chance(self.among) * weights
        used = ~np.isnan(x).any(axis=1) & (counted > 0)
        start = view.keep(("fit", repr(self)), lambda: logistic(x[used], y[used], counted[used])[0])
        steps = _STEPS if weights is None else 1
        return _measured(names, *logistic(x[used], y[used], counted[used], start=start, steps=steps))

    def judge(self, before: Measured, after: Measured) -> Verdict:
        """Impact where a verdict differs or intervals part."""
        return judge_coefficients(before, after, self.overlap)

    def reads(self, pair: Pair) -> list[str]:
        """In words, how blurred values are read."""
        return [*chances_of(pair, self.of), *_reads(pair, self.on, self.among, self.read)]


def design(view: View, on: list[str], read: str) -> tuple[list[str], Floats]:
    """Names and columns of the explaining numbers, the intercept first."""

    def build() -> tuple[list[str], Floats]:
        names, columns = ["intercept"], [np.ones(view.rows)]
        for name in on:
            column = view.pair.people.column(name)
            if column.kind.ordered:
                names.append(name)
                columns.append(view.numbers(name, read))
                continue
            common = int(np.argmax(column.counts[: len(column.domain.values)]))
            for code, text in enumerate(column.domain.texts):
                if code != common:
                    names.append(f"{name}={text}")
                    columns.append(view.chance({name: text}))
        return names, np.stack(columns, axis=1)

    return view.keep(("design", tuple(on), read), build)


def least_squares(x: Floats, y: Floats, weights: Floats) -> tuple[Floats, Floats]:
    """Coefficients and standard errors; NaN for those that the records do not tell."""
    free = _told(x, weights)
    beta, error = np.full(x.shape[1], np.nan), np.full(x.shape[1], np.nan)
    part = x[:, free]
    inverse = np.linalg.inv((part * weights[:, None]).T @ part) if len(free) else np.zeros((0, 0))
    beta[free] = inverse @ (part.T @ (weights * y))
    spare = float(weights.sum()) - len(free)
    rest = y - part @ beta[free]
    if spare > 0:
        error[free] = np.sqrt(np.diag(inverse) * float(weights @ rest**2) / spare)
    return beta, error


def logistic(
    x: Floats, y: Floats, weights: Floats, *, start: Floats | None = None, steps: int = _STEPS
) -> tuple[Floats, Floats]:
    """Coefficients of greatest likelihood and standard errors; NaN for those that the records do not tell."""
    free = _told(x, weights)
    beta, error = np.full(x.shape[1], np.nan), np.full(x.shape[1], np.nan)
    part = x[:, free]
    at = np.zeros(len(free)) if start is None else np.nan_to_num(start[free])
    inverse: Floats = np.eye(len(free))
    for _ in range(steps):
        chance = 1 / (1 + np.exp(-np.clip(part @ at, -35, 35)))
        curve = (part * (weights * np.maximum(chance * (1 - chance), 1e-10))[:, None]).T @ part
        inverse = np.asarray(np.linalg.pinv(curve), dtype=np.float64)
        step = inverse @ (part.T @ (weights * (y - chance)))
        # where a value decides the outcome alone the likelihood has no maximum: small steps, few of them
        at = at + np.clip(step, -5, 5)
        if np.abs(step).max(initial=0.0) < 1e-10:
            break
    beta[free], error[free] = at, np.sqrt(np.maximum(np.diag(inverse), 0.0))
    return beta, error


def _told(x: Floats, weights: Floats) -> NDArray[np.int64]:
    """The columns that are no combination of earlier ones among the records counted."""
    scaled = x * np.sqrt(weights)[:, None]
    square = scaled.T @ scaled
    kept: list[int] = []
    for j in range(x.shape[1]):
        along = (
            square[j, kept] @ np.linalg.pinv(square[np.ix_(kept, kept)]) @ square[kept, j] if kept else 0.0
        )
        if square[j, j] > 0 and square[j, j] - along > 1e-9 * square[j, j]:
            kept.append(j)
    return np.array(kept, dtype=np.int64)


def judge_coefficients(before: Measured, after: Measured, least: float) -> Verdict:
    """Impact where a verdict differs or intervals overlap too little."""
    overlaps, differ, signs = {}, [], 0
    for name, old in before.values.items():
        new = after.values.get(name, float("nan"))
        spans = [
            (
                value - Z * side.details["errors"].get(name, np.nan),
                value + Z * side.details["errors"].get(name, np.nan),
            )
            for value, side in ((old, before), (new, after))
        ]
        overlaps[name] = interval_overlap(*spans)
        signs += bool(np.sign(old) == np.sign(new))
        if name != "intercept" and (_verdict(spans[0]) != _verdict(spans[1]) or overlaps[name] < least):
            differ.append(name)
    summary = {
        "same sign": signs,
        "of": len(before.values),
        "mean overlap": float(np.mean(list(overlaps.values()))) if overlaps else 0.0,
        "overlap": overlaps,
        "differ": differ,
    }
    rule = "a coefficient is above 0, below 0 or neither (95 %) in one table and not in the other"
    return Verdict(
        bool(differ), rule + (f", or intervals overlap by less than {least:g}" if least else ""), summary
    )


def interval_overlap(a: tuple[float, float], b: tuple[float, float]) -> float:
    """The mean of the shares that the common part has of either interval."""
    if np.isnan([*a, *b]).any():
        return 0.0
    common = min(a[1], b[1]) - max(a[0], b[0])
    if common < 0:
        return 0.0
    widths = a[1] - a[0], b[1] - b[0]
    return float(np.mean([common / width if width > 0 else 1.0 for width in widths]))


def _verdict(span: tuple[float, float]) -> int:
    return 0 if np.isnan(span).any() or span[0] <= 0 <= span[1] else int(np.sign(span[0]))


def _measured(names: list[str], beta: Floats, error: Floats) -> Measured:
    return Measured(
        dict(zip(names, beta.tolist(), strict=True)),
        {"errors": dict(zip(names, error.tolist(), strict=True))},
    )


def _check(on: Any, of: str, among: Any, overlap: Any, read: Any) -> None:
    need_list(on, "on")
    if of in on:
        raise RequestError("on: a column cannot explain itself.")
    need_conditions(among, "among")
    need_number(overlap, "overlap", most=1.0)
    need_reading(read)


def _check_values(pair: Pair, on: list[str]) -> None:
    for name in on:
        pair.check(name)
        column = pair.people.column(name)
        if not column.kind.ordered and len(column.domain.values) > MOST_VALUES:
            raise RequestError(
                f"on: column {name!r} has {len(column.domain.values)} values without an order; at most {MOST_VALUES} "
                "can have a coefficient each."
            )


def _reads(pair: Pair, on: list[str], among: Mapping[str, Any], read: str) -> list[str]:
    numbers = [name for name in on if pair.people.column(name).kind.ordered]
    others = {name: None for name in on if name not in numbers}
    return [*reading_of(pair, numbers, read), *chances_of(pair, {**others, **among})]
