"""What `la.evaluate` returns: scores of models on the original and on the release, and answers to questions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from lookalike.base.notebooks import panel
from lookalike.measures.utility.questions.answers import Answer

TEST_FOLD = (
    "Each table by itself is cut into stratified folds; models learn from all folds but one and are tested on that "
    "one. Test records of the release are released records in the same encoding. Scaling, and filling in of missing "
    "numbers, are learnt on the training folds only."
)

_NAMES = {"f1_weighted": "F1 (weighted)", "auc": "AUC", "r2": "R2", "rmse": "RMSE"}


@dataclass(frozen=True)
class Estimate:
    """A score over folds: mean, 95 % interval, and the score of each fold."""

    mean: float
    low: float
    high: float
    folds: tuple[float, ...]

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON values."""
        return {"mean": self.mean, "low": self.low, "high": self.high, "folds": list(self.folds)}

    def __str__(self) -> str:
        return f"{self.mean:.3f} [{self.low:.3f}, {self.high:.3f}]"


@dataclass(frozen=True)
class Comparison:
    """One classifier on both tables: per score, an estimate on the original and one on the release."""

    classifier: str
    original: Mapping[str, Estimate]
    release: Mapping[str, Estimate]

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON values."""
        sides = {
            side: {name: estimate.to_dict() for name, estimate in getattr(self, side).items()}
            for side in ("original", "release")
        }
        return {"name": self.classifier, **sides}


@dataclass(frozen=True)
class TargetEvaluation:
    """Everything about one target. `baseline` guesses the most frequent class, or the mean, of the training folds."""

    target: str
    classes: int  #: 0 where the target is learnt as a number
    records: Mapping[str, int]  #: per table, records used
    left_out: Mapping[
        str, int
    ]  #: per table, records without a value of the target or of a class too rare to test
    baseline: Comparison
    classifiers: tuple[Comparison, ...]
    warnings: tuple[str, ...] = ()

    @property
    def scores(self) -> tuple[str, str]:
        """The score that is shown first, and the one beside it."""
        return ("f1_weighted", "auc") if self.classes else ("r2", "rmse")

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON values."""
        return {
            "target": self.target,
            "classes": self.classes,
            "records": dict(self.records),
            "left_out": dict(self.left_out),
            "baseline": self.baseline.to_dict(),
            "classifiers": [one.to_dict() for one in self.classifiers],
            "warnings": list(self.warnings),
        }


@dataclass(frozen=True)
class Evaluation:
    """The outcome of `la.evaluate`; `str(evaluation)` is a table.

    Examples:
        >>> import lookalike as la
        >>> frame = la.datasets.population(300, seed=1).select("age", "gender", "on_benefits")
        >>> people = la.table(frame, quasi=["age", "gender"], targets=["on_benefits"])
        >>> release = la.anonymize(people, la.KAnonymity(5))
        >>> mean = la.Question("mean", of="age", tolerance=5)
        >>> evaluation = la.evaluate(people, release, targets=[], questions=[mean])
        >>> evaluation.impact
        False
    """

    targets: tuple[TargetEvaluation, ...]  #: the scores of each target
    folds: int  #: number of folds
    seed: int  #: the seed of the folds
    encoding: str  #: how generalised values became features
    test_fold: str = TEST_FOLD  #: what models were tested on
    questions: tuple[Answer, ...] = ()  #: the answers before and after

    @property
    def impact(self) -> bool:
        """Whether the release has a significant impact on any question."""
        return any(answer.impact for answer in self.questions)

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON values."""
        return {
            **vars(self),
            "targets": [one.to_dict() for one in self.targets],
            "questions": [one.to_dict() for one in self.questions],
        }

    def __str__(self) -> str:
        lines = []
        for one in self.targets:
            first, second = one.scores
            kind = f"{one.classes} classes" if one.classes else "numbers"
            lines.append(f"{one.target}: {_NAMES[first]} on {kind}, {self.folds} folds")
            lines.append(
                f"  {'':<20}  {'original':<22}  {'release':<22}  {_NAMES[second]} original → release"
            )
            for row in (*one.classifiers, one.baseline):
                before, after = row.original, row.release
                beside = f"{before[second].mean:.3f} → {after[second].mean:.3f}"
                lines.append(f"  {row.classifier:<20}  {before[first]!s:<22}  {after[first]!s:<22}  {beside}")
            lines += [f"  note: {text}" for text in one.warnings]
        lines += [str(answer) for answer in self.questions]
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        return panel("What the release still teaches and answers", text=str(self))

    def __repr__(self) -> str:
        parts = []
        for one in self.targets:
            score = one.scores[0]
            sides = [
                max(getattr(model, side)[score].mean for model in one.classifiers)
                for side in ("original", "release")
            ]
            parts.append(f"{one.target} best {_NAMES[score]} {sides[0]:.3f} → {sides[1]:.3f}")
        if self.questions:
            parts.append(
                f"impact on {sum(a.impact for a in self.questions)} of {len(self.questions)} questions"
            )
        return f"Evaluation({', '.join(parts)})"
