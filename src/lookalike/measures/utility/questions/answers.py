"""Ask questions of both sides: before, after, the difference with an interval, and whether the impact is significant.

Intervals: people are drawn with replacement, both sides measured again, and the middle 95 % of the differences taken
(percentile bootstrap; Efron 1979, https://doi.org/10.1214/aos/1176344552). A released row is drawn with the person it
came from where that is known, so the interval is that of a paired difference; else each side is drawn by itself.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from lookalike.base.errors import RequestError, plain_number
from lookalike.base.progress import Report
from lookalike.measures.utility.questions.question import Question
from lookalike.measures.utility.views import Floats, Pair

_SHOWN = 8


@dataclass(frozen=True)
class NumberChange:
    """One number of an answer: before, after, and the difference with its 95 % interval (None: not asked for)."""

    name: str
    before: float
    after: float
    low: float | None = None
    high: float | None = None

    @property
    def difference(self) -> float:
        """After minus before."""
        return self.after - self.before

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON values."""
        return {**vars(self), "difference": self.difference}

    def __str__(self) -> str:
        span = (
            ""
            if self.low is None or self.high is None
            else f" [{plain_number(self.low, '+')}, {plain_number(self.high, '+')}]"
        )
        moved = f"{plain_number(self.before)} → {plain_number(self.after)}"
        return f"{self.name}: {moved}, {plain_number(self.difference, '+')}{span}"


@dataclass(frozen=True)
class Answer:
    """What a question says about a release: every number before and after, and the verdict by its rule.

    Examples:
        >>> import lookalike as la
        >>> frame = la.datasets.population(300, seed=1).select("age", "gender", "on_benefits")
        >>> people = la.table(frame, quasi=["age", "gender"], targets=["on_benefits"])
        >>> release = la.anonymize(people, la.KAnonymity(5))
        >>> mean = la.Question("mean", of="age", tolerance=5)
        >>> answer = la.evaluate(people, release, targets=[], questions=[mean]).questions[0]
        >>> answer.question, answer.impact
        ('mean of age', False)
    """

    question: str  #: name of the question
    kind: str  #: its kind
    changes: tuple[NumberChange, ...]  #: each number before and after
    impact: bool  #: whether the change is significant by the rule
    rule: str  #: the rule, in words
    summary: Mapping[str, Any] = field(default_factory=dict)  #: the numbers that the verdict rests on
    before: Mapping[str, Any] = field(
        default_factory=dict
    )  #: what else was found in the original, such as tests
    after: Mapping[str, Any] = field(default_factory=dict)  #: the same of the release
    read: tuple[str, ...] = ()  #: how blurred values were read

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON values."""
        return {
            "question": self.question,
            "kind": self.kind,
            "significant_impact": self.impact,
            "rule": self.rule,
            "summary": dict(self.summary),
            "changes": [change.to_dict() for change in self.changes],
            "before": dict(self.before),
            "after": dict(self.after),
            "read": list(self.read),
        }

    def __str__(self) -> str:
        lines = [
            f"{self.question}: significant impact: {'yes' if self.impact else 'no'} (yes if {self.rule})"
        ]
        lines += [f"  {change}" for change in self.changes[:_SHOWN]]
        if len(self.changes) > _SHOWN:
            lines.append(f"  … {len(self.changes) - _SHOWN} more")
        lines += [
            f"  {name}: {_text(value)}"
            for name, value in self.summary.items()
            if not isinstance(value, Mapping)
        ]
        lines += [f"  read: {text}" for text in self.read]
        return "\n".join(lines)

    def __repr__(self) -> str:
        return f"Answer({self.question}: significant impact {'yes' if self.impact else 'no'})"


def ask(
    pair: Pair,
    questions: Sequence[Question],
    *,
    resamples: int = 0,
    seed: int = 0,
    report: Report = lambda share: None,
) -> tuple[Answer, ...]:
    """Answer every question; with `resamples` drawings of people for the intervals."""
    for question in questions:
        _fit(pair, question)
    found = []
    for i, question in enumerate(questions):

        def part(share: float, i: int = i) -> None:
            report((i + share) / len(questions))

        found.append(_answer(pair, question, resamples, seed, part))
    return tuple(found)


def check_questions(questions: Any) -> list[Question]:
    """The questions in a list; anything else is refused."""
    if isinstance(questions, Question) or not isinstance(questions, Sequence) or isinstance(questions, str):
        raise RequestError("`questions` must be a list, such as [la.Question('mean', of='income')].")
    for question in questions:
        if not isinstance(question, Question):
            raise RequestError(
                f"`questions` holds a {type(question).__name__}; make each with la.Question(kind, ...)."
            )
    return list(questions)


def _fit(pair: Pair, question: Question) -> None:
    try:
        for name in question.asked.columns():
            pair.check(name)
        question.asked.check(pair)
    except RequestError as problem:
        raise type(problem)(f"question {question.name!r}: {problem}") from None


def _answer(pair: Pair, question: Question, resamples: int, seed: int, report: Report) -> Answer:
    asked = question.asked
    try:
        before, after = asked.measure(pair.before), asked.measure(pair.after)
        verdict = asked.judge(before, after)
        spans: dict[str, tuple[float, float]] = {}
        if resamples and asked.intervals:
            spans = _intervals(pair, question, resamples, seed, report)
        read = tuple(dict.fromkeys(asked.reads(pair)))
    except RequestError as problem:
        raise type(problem)(f"question {question.name!r}: {problem}") from None
    names = [*before.values, *(name for name in after.values if name not in before.values)]
    changes = tuple(
        NumberChange(
            name,
            before.values.get(name, math.nan),
            after.values.get(name, math.nan),
            *spans.get(name, (None, None)),
        )
        for name in names
    )
    report(1.0)
    return Answer(
        question.name,
        question.kind,
        changes,
        verdict.impact,
        verdict.rule,
        verdict.summary,
        before.details,
        after.details,
        read,
    )


def _intervals(
    pair: Pair, question: Question, resamples: int, seed: int, report: Report
) -> dict[str, tuple[float, float]]:
    """The middle 95 % of each difference over drawings of people; numbers that a drawing cannot tell are left out."""
    drawn: dict[str, list[float]] = {}
    for done, (before, after) in enumerate(_drawings(pair, resamples, seed), start=1):
        sides = [
            question.asked.measure(view, weights).values
            for view, weights in ((pair.before, before), (pair.after, after))
        ]
        for name, old in sides[0].items():
            difference = sides[1].get(name, math.nan) - old
            if not math.isnan(difference):
                drawn.setdefault(name, []).append(difference)
        report(done / (resamples + 1))
    return {
        name: (float(low), float(high))
        for name, values in drawn.items()
        for low, high in [np.quantile(values, [0.025, 0.975])]
        if len(values) > resamples / 2
    }


def _drawings(pair: Pair, resamples: int, seed: int) -> Iterator[tuple[Floats, Floats]]:
    """How often each row of either side is drawn, person by person."""
    rng = np.random.default_rng(seed)
    persons = pair.persons
    n = int(persons.max(initial=-1)) + 1
    for _ in range(resamples):
        times = np.bincount(rng.integers(0, n, n), minlength=n).astype(float)
        before = times[persons]
        if pair.row is not None:
            yield before, before[pair.row]
        else:
            m = pair.after.rows
            yield before, np.bincount(rng.integers(0, m, m), minlength=m).astype(float)


def _text(value: Any) -> str:
    if isinstance(value, float):
        return plain_number(value)
    if isinstance(value, list):
        return ", ".join(str(one) for one in value) or "none"
    return str(value)
