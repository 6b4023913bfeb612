"""How good a recognition is: the proposed quasi-identifiers against a known truth. Sets of names only, O(columns)."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, fields
from typing import Any

from lookalike.base.checks import checked
from lookalike.base.errors import RequestError


@dataclass(frozen=True)
class Scores:
    """The confusion of a predicted set with the truth, and every measure made of it."""

    tp: int
    fp: int
    fn: int
    tn: int
    zero_division: float = float("nan")

    def _ratio(self, above: float, below: float) -> float:
        return above / below if below else self.zero_division

    @property
    def precision(self) -> float:
        """Share of the predicted columns that are right."""
        return self._ratio(self.tp, self.tp + self.fp)

    @property
    def recall(self) -> float:
        """Share of the true columns that were found."""
        return self._ratio(self.tp, self.tp + self.fn)

    @property
    def coverage(self) -> float:
        """What the QID paper calls accuracy: the same as recall."""
        return self.recall

    @property
    def f1(self) -> float:
        """Harmonic mean of precision and recall."""
        return self.f_beta(1)

    @property
    def f2(self) -> float:
        """F with recall counting four times as much."""
        return self.f_beta(2)

    def f_beta(self, beta: float) -> float:
        """F with recall counting beta squared times as much as precision."""
        square = beta * beta
        return self._ratio((1 + square) * self.tp, (1 + square) * self.tp + square * self.fn + self.fp)

    @property
    def jaccard(self) -> float:
        """Common columns / columns in either set."""
        return self._ratio(self.tp, self.tp + self.fp + self.fn)

    @property
    def dice(self) -> float:
        """Twice the common columns / columns of both sets."""
        return self._ratio(2 * self.tp, 2 * self.tp + self.fp + self.fn)

    def tversky(self, alpha: float, beta: float) -> float:
        """Dice with weights for columns only predicted and only true; 1 on identical sets whatever the weights."""
        return self._ratio(self.tp, self.tp + alpha * self.fp + beta * self.fn)

    @property
    def specificity(self) -> float:
        """Share of the other columns that were left alone."""
        return self._ratio(self.tn, self.tn + self.fp)

    @property
    def fpr(self) -> float:
        """Share of the other columns that were flagged."""
        return self._ratio(self.fp, self.tn + self.fp)

    @property
    def accuracy(self) -> float:
        """Share of all columns judged rightly."""
        return self._ratio(self.tp + self.tn, self.tp + self.fp + self.fn + self.tn)

    def __add__(self, other: Scores) -> Scores:
        """Scores over the columns of both tables together."""
        return Scores(
            self.tp + other.tp,
            self.fp + other.fp,
            self.fn + other.fn,
            self.tn + other.tn,
            self.zero_division,
        )

    def to_dict(self) -> dict[str, Any]:
        """Counts and measures."""
        counts = {field.name: getattr(self, field.name) for field in fields(self)[:4]}
        return {**counts, **{name: getattr(self, name) for name in MEASURES}}

    def __repr__(self) -> str:
        return (
            f"Scores(precision {self.precision:.3f}, recall {self.recall:.3f}, F1 {self.f1:.3f}; "
            f"tp {self.tp}, fp {self.fp}, fn {self.fn}, tn {self.tn})"
        )


#: Every measure and its formula, in counts of columns.
MEASURES = {
    "precision": "TP / (TP + FP)",
    "recall": "TP / (TP + FN)",
    "f1": "2 TP / (2 TP + FP + FN)",
    "f2": "5 TP / (5 TP + 4 FN + FP)",
    "jaccard": "TP / (TP + FP + FN)",
    "dice": "2 |P ∩ Q| / (|P| + |Q|)",
    "specificity": "TN / (TN + FP)",
    "fpr": "FP / (TN + FP)",
    "accuracy": "(TP + TN) / |U|",
    "coverage": "|P ∩ Q| / |Q|",
}


@checked
def score_recognition(
    predicted: Collection[str],
    truth: Collection[str],
    columns: Collection[str],
    *,
    zero_division: float = float("nan"),
) -> Scores:
    """Compare predicted quasi-identifiers with the true ones, among all columns of the table.

    zero_division: what a measure is where it would be 0/0 (NaN, 0 or 1).
    predicted: the columns proposed. truth: the columns that are quasi-identifiers. columns: all columns.

    Examples:
        >>> import lookalike as la
        >>> scores = la.score_recognition(["age", "zip"], ["age", "sex"], ["age", "sex", "zip", "income"])
        >>> scores.precision, scores.recall, scores.f1
        (0.5, 0.5, 0.5)
    """
    p, q, universe = set(predicted), set(truth), set(columns)
    for what, names in (("predicted", p), ("truth", q)):
        if names - universe:
            raise RequestError(
                f"{what}: {', '.join(sorted(names - universe)[:5])} not among the columns given."
            )
    return Scores(len(p & q), len(p - q), len(q - p), len(universe - p - q), zero_division)
