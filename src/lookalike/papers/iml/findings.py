"""The seven findings of the IML paper, each as a statement about the curves that can fail."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import polars as pl

from lookalike.measures.utility.classifiers import CLASSIFIERS
from lookalike.papers.iml.curves import curves, mean_of
from lookalike.papers.iml.runs import CARELESS, KINDS, KS, MIDDLE_K, ORIGINAL, STARS, TARGETS, Scores, key

PEOPLE_ROWS = 500  #: that the paper's people saw
BASE_ROWS = (3_000, 5_000)  #: that were classified, by one sentence and by another
MARITAL, EDUCATION, INCOME = TARGETS
N = len(KS)


@dataclass(frozen=True)
class PaperFinding:
    """One claim of the paper, whether it held here, and the numbers that say so."""

    number: int
    claim: str
    held: bool
    evidence: str


def findings(scores: Scores, rows: int) -> list[PaperFinding]:
    """All seven, from the scores at one size."""
    found = _Curves(scores, rows)
    return [
        _falls_weakly(found),
        _no_clear_winner(found),
        _marital_status(found),
        _education(found),
        _income(found),
        _high_k_works(found),
        _stars_come_early(found),
    ]


@dataclass(frozen=True)
class _Curves:
    scores: Scores
    rows: int

    @cached_property
    def table(self) -> pl.DataFrame:
        return curves(self.scores, self.rows)

    def f1(self, target: str, kind: str | None = None, classifier: str | None = None) -> list[float]:
        """Mean F1 per k, over everything not named."""
        part = self.table.filter((pl.col("target") == target) & (pl.col("k") > 0))
        if kind is not None:
            part = part.filter(pl.col("kind") == kind)
        if classifier is not None:
            part = part.filter(pl.col("classifier") == classifier)
        return part.group_by("k").agg(pl.col("f1").mean()).sort("k")["f1"].to_list()

    def original(self, target: str) -> float:
        """Mean F1 on the original."""
        part = self.table.filter((pl.col("target") == target) & (pl.col("k") == 0))
        return float(np.mean(part["f1"].to_numpy()))

    def above(self, target: str, one: str, other: str) -> int:
        """At how many values of k one kind beats another."""
        return sum(a > b for a, b in zip(self.f1(target, one), self.f1(target, other), strict=True))

    def wins(self, target: str) -> dict[str, int]:
        """How often each kind is strictly best over k."""
        best: dict[str, int] = dict.fromkeys(KINDS, 0)
        for at_k in zip(*(self.f1(target, kind) for kind in KINDS), strict=True):
            first, second = sorted(at_k, reverse=True)[:2]
            if first > second:
                best[KINDS[at_k.index(first)]] += 1
        return best


def _falls_weakly(found: _Curves) -> PaperFinding:
    lower = [t for t in TARGETS if found.f1(t)[0] > found.f1(t)[-1]]
    kept = {t: found.f1(t)[-1] / found.original(t) for t in TARGETS}
    return PaperFinding(
        1,
        "F1 falls with k, but only weakly",
        len(lower) == 3 and min(kept.values()) > 0.75,
        "kept at k=200 of the original's F1: " + _list(kept),
    )


def _no_clear_winner(found: _Curves) -> PaperFinding:
    education, income = found.wins(EDUCATION), found.wins(INCOME)
    return PaperFinding(
        2,
        "education and income: no kind of weights wins clearly",
        max(*education.values(), *income.values()) < N - 1,
        f"strictly best, of {N} values of k: education {_counts(education)}; income {_counts(income)}",
    )


def _marital_status(found: _Curves) -> PaperFinding:
    bend = {
        t: float(np.mean([np.abs(np.diff(found.f1(t, kind), 2)).mean() for kind in KINDS])) for t in TARGETS
    }
    equal, iml = found.above(MARITAL, "bias", "equal"), found.above(MARITAL, "bias", "iml")
    return PaperFinding(
        3,
        "marital status: smoothest curves, bias above equal and iML throughout",
        min(bend, key=bend.__getitem__) == MARITAL and equal == iml == N,
        f"bias above equal at {equal} of {N}, above iML at {iml}; roughness " + _list(bend),
    )


def _education(found: _Curves) -> PaperFinding:
    iml = found.above(EDUCATION, "bias", "iml")
    last = {kind: found.f1(EDUCATION, kind)[-1] for kind in KINDS}
    mean = {t: float(np.mean(found.f1(t))) for t in TARGETS}
    return PaperFinding(
        4,
        "education: bias mostly above iML, equal best at k=200, all worse than other targets",
        iml > N / 2 and last["equal"] == max(last.values()) and mean[EDUCATION] == min(mean.values()),
        f"bias above iML at {iml} of {N}; at k=200 {_list(last)}; mean F1 {_list(mean)}",
    )


def _income(found: _Curves) -> PaperFinding:
    bias, iml = found.above(INCOME, "equal", "bias"), found.above(INCOME, "equal", "iml")
    jumps = {c: float(np.abs(np.diff(found.f1(INCOME, classifier=c))[-3:]).mean()) for c in CLASSIFIERS}
    return PaperFinding(
        5,
        "income: bias and iML mostly below equal; linear SVC odd at high k",
        bias > N / 2 and iml > N / 2 and max(jumps, key=jumps.__getitem__) == "linear SVC",
        f"equal above bias at {bias} of {N}, above iML at {iml}; mean step beyond k=20 " + _list(jumps),
    )


def _high_k_works(found: _Curves) -> PaperFinding:
    each = [found.f1(t, kind, c) for t in TARGETS for kind in KINDS for c in CLASSIFIERS]
    rising = sum(curve[-1] > min(curve[:-1]) for curve in each)
    last = {t: found.f1(t)[-1] for t in TARGETS}
    naive = {t: found.scores[key(found.rows, t, ORIGINAL)]["baseline"] for t in TARGETS}
    return PaperFinding(
        6,
        "k=200 still works, sometimes better than smaller k",
        rising > 0 and all(last[t] > naive[t] for t in TARGETS),
        f"better than some smaller k in {rising} of {len(each)} curves; F1 at k=200 {_list(last)}, "
        f"naive {_list(naive)}",
    )


def _stars_come_early(found: _Curves) -> PaperFinding:
    stars = {
        rows: float(np.mean([found.scores[key(rows, t, STARS, 0, MIDDLE_K)]["stars"] for t in TARGETS]))
        for rows in (PEOPLE_ROWS, *BASE_ROWS)
    }
    return PaperFinding(
        7,
        "the reason offered: few rows make values reach * too early",
        stars[PEOPLE_ROWS] > 1.5 * max(stars[rows] for rows in BASE_ROWS),
        f"share of values that are * at k={MIDDLE_K}, by rows: " + _list(stars),
    )


def closing(scores: Scores, rows: int) -> tuple[dict[str, float], dict[str, int]]:
    """What kinds of people gain over equal weights: mean F1 over targets, classifiers and k, and at how many points.

    The authors suspect their people were not serious: so beside both kinds stand people who answer without looking.
    """
    points = {
        kind: [
            float(np.mean([mean_of(scores, rows, target, kind, k, name) for name in CLASSIFIERS]))
            for target in TARGETS
            for k in KS
        ]
        for kind in (*KINDS, CARELESS)
    }
    equal = points.pop("equal")
    gain = {kind: float(np.mean(found) - np.mean(equal)) for kind, found in points.items()}
    above = {kind: sum(a > b for a, b in zip(found, equal, strict=True)) for kind, found in points.items()}
    return gain, above


def _list(values: dict[Any, float]) -> str:
    return ", ".join(f"{name} {value:.3f}" for name, value in values.items())


def _counts(counts: dict[str, int]) -> str:
    return ", ".join(f"{name} {count}" for name, count in counts.items())
