"""What `la.evaluate` returns: per target and classifier, scores on the original and on the release."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

TEST_FOLD = (
    "Each table by itself is cut into stratified folds; models learn from all folds but one and are tested on that "
    "one. Test records of the release are released records in the same encoding. Scaling, and filling in of missing "
    "numbers, are learnt on the training folds only."
)


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
    """Everything about one target. `baseline` always guesses the most frequent class of the training folds."""

    target: str
    classes: int
    records: Mapping[str, int]  #: per table, records used
    left_out: Mapping[
        str, int
    ]  #: per table, records without a value of the target or of a class too rare to test
    baseline: Comparison
    classifiers: tuple[Comparison, ...]
    warnings: tuple[str, ...] = ()

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
    """The outcome of `la.evaluate`; `str(evaluation)` is a table."""

    targets: tuple[TargetEvaluation, ...]
    folds: int
    seed: int
    encoding: str
    test_fold: str = TEST_FOLD

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON values."""
        return {**vars(self), "targets": [one.to_dict() for one in self.targets]}

    def __str__(self) -> str:
        lines = []
        for one in self.targets:
            lines.append(f"{one.target}: F1 (weighted) on {one.classes} classes, {self.folds} folds")
            lines.append(f"  {'':<20}  {'original':<22}  {'release':<22}  AUC original → release")
            for row in (*one.classifiers, one.baseline):
                before, after = row.original, row.release
                auc = f"{before['auc'].mean:.3f} → {after['auc'].mean:.3f}"
                f1 = f"{before['f1_weighted']!s:<22}  {after['f1_weighted']!s:<22}"
                lines.append(f"  {row.classifier:<20}  {f1}  {auc}")
            lines += [f"  note: {text}" for text in one.warnings]
        return "\n".join(lines)

    def __repr__(self) -> str:
        best = [
            f"{one.target} {max(c.original['f1_weighted'].mean for c in one.classifiers):.3f} → "
            f"{max(c.release['f1_weighted'].mean for c in one.classifiers):.3f}"
            for one in self.targets
        ]
        return f"Evaluation(best F1 {', '.join(best)})"
