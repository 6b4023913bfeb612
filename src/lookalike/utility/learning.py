"""What classifiers still learn from a release: four of them, on the original and on the release, beside a naive guess.

The protocol of Malle, Kieseberg and Holzinger 2017 with its gaps filled in. Stratified folds are drawn on each table by
itself: models are trained on the other folds and tested on the held-out fold of the same table, in the same encoding.
Intervals are corrected for the overlap of training sets (Nadeau and Bengio 2003, https://doi.org/10.1023/A:1024068626366).
"""

from __future__ import annotations

import json
import warnings
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import numpy as np
import polars as pl
from numpy.typing import NDArray

from lookalike.errors import FileError, LookalikeWarning, MissingExtra, RequestError, unknown_column
from lookalike.progress import Progress, Report, track
from lookalike.recodings import Recoding
from lookalike.recodings.treatments import Drop, Pseudonymise
from lookalike.tables import Table
from lookalike.utility.encoding import Features, Published, original_features

CLASSIFIERS = ("linear SVC", "logistic regression", "gradient boosting", "random forest")
SCORES = ("f1_weighted", "f1_macro", "auc")
LARGEST_TARGET = 50  #: classes; beyond that the column is hardly a class label
TEST_FOLD = (
    "Each table by itself is cut into stratified folds; models learn from all folds but one and are tested on that "
    "one. Test records of the release are released records in the same encoding. Scaling, and filling in of missing "
    "numbers, are learnt on the training folds only."
)


class Made(Protocol):
    """What is needed of a release in memory."""

    @property
    def rows(self) -> pl.DataFrame:
        """The released table."""

    @property
    def recoding(self) -> Recoding:
        """How it was made."""


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


def evaluate(
    people: Table,
    release: Made | str | Path,
    *,
    targets: Sequence[str] | None = None,
    classifiers: Sequence[str] = CLASSIFIERS,
    folds: int = 5,
    seed: int = 0,
    encoding: str = "leaves",
    progress: Progress = False,
) -> Evaluation:
    """Train classifiers on the original and on the release, and compare how well they do.

    release: what `la.anonymize` returned, or the folder it was saved in.
    targets: the columns to predict (default: those with the role target). A target is never generalised: where it is a
        quasi-identifier, its original values are used and a warning says so.
    encoding: "leaves" spreads a hierarchy node evenly over its values; "labels" gives each label a feature of its own.
    """
    wanted = list(people.targets if targets is None else targets)
    _check(people, wanted, classifiers, folds, encoding)
    require_sklearn()
    published = _published(people, release)
    found = []
    with track(progress, "Training classifiers") as report:
        for i, target in enumerate(wanted):

            def part(share: float, i: int = i) -> None:
                report((i + share) / len(wanted))

            found.append(_evaluate(people, published, target, classifiers, folds, seed, encoding, part))
    return Evaluation(tuple(found), folds, seed, encoding)


def _check(people: Table, targets: list[str], classifiers: Sequence[str], folds: int, encoding: str) -> None:
    if not targets:
        raise RequestError("no target to predict. Name one: targets=['income'].")
    for target in targets:
        if target not in people.names:
            raise unknown_column(target, people.names, "targets")
    for name in classifiers:
        if name not in CLASSIFIERS:
            raise RequestError(f"there is no classifier {name!r}; choose from {', '.join(CLASSIFIERS)}.")
    if folds < 2:
        raise RequestError(f"at least 2 folds are needed to train and test; found {folds}.")
    if encoding not in ("leaves", "labels"):
        raise RequestError(f"labels can be encoded by their 'leaves' or as 'labels', not {encoding!r}.")


def require_sklearn() -> None:
    """Refuse where scikit-learn is not installed."""
    try:
        import sklearn  # noqa: F401
    except ImportError:
        raise MissingExtra("scikit-learn", "ml", "evaluating what classifiers learn") from None


def read_recoding(folder: str | Path) -> Recoding:
    """The recoding in the folder of a release."""
    path = Path(folder) / "recoding.json"
    try:
        return Recoding.from_dict(json.loads(path.read_text(encoding="utf-8")))
    except OSError:
        raise FileError(f"{folder}: is not the folder of a release; it has no recoding.json.") from None
    except (ValueError, KeyError, TypeError):
        raise FileError(f"{path}: is not a recoding.") from None


def _published(people: Table, release: Made | str | Path) -> Published:
    if not isinstance(release, str | Path):
        return Published(release.rows, release.recoding, people)
    folder = Path(release)
    recoding = read_recoding(folder)
    path = next((p for name in ("csv", "parquet") if (p := folder / f"release.{name}").is_file()), None)
    if path is None:
        raise FileError(f"{folder}: has no release.csv and no release.parquet.")
    rows = pl.read_csv(path, infer_schema=False) if path.suffix == ".csv" else pl.read_parquet(path)
    missing = [name for name in rows.columns if name not in people.names]
    if missing:
        raise RequestError(f"the release has columns that the table has not: {', '.join(missing)}.")
    return Published(rows, recoding, people)


def _evaluate(
    people: Table,
    published: Published,
    target: str,
    classifiers: Sequence[str],
    folds: int,
    seed: int,
    encoding: str,
    report: Report,
) -> TargetEvaluation:
    notes = []
    column = people.column(target)
    if column.domain.size > LARGEST_TARGET:
        raise RequestError(
            f"target {target!r} has {column.domain.size} different values; classifiers need at most {LARGEST_TARGET}. "
            "Group it first."
        )
    if target in published.recoding.quasi:
        notes.append(
            f"target {target!r} is a quasi-identifier, so the release generalises it. Its original values are used "
            "here; "
            "whoever has the release alone cannot do that. Take it out of quasi to publish it as it is."
        )
        warnings.warn(notes[-1], LookalikeWarning, stacklevel=4)
        published, codes = _linked(people, published, target)
    else:
        if target not in published.rows.columns:
            raise RequestError(f"the release has no column {target!r}.")
        theirs = published.column(target)
        codes = column.domain.find(theirs.domain)[theirs.codes]
    names = _features_used(people, published, target)
    original = np.hstack([original_features(people, name) for name in names])
    released = np.hstack([published.features(name, labels=encoding == "labels") for name in names])
    sides = {"original": (original, np.asarray(column.codes)), "release": (released, codes)}
    classes = _classes(column.domain.size - column.domain.missing, [y for _, y in sides.values()], folds)
    if len(classes) < 2:
        raise RequestError(
            f"target {target!r}: fewer than two classes have {folds} records or more in both tables."
        )
    results, records, left_out = {}, {}, {}
    for i, (side, (x, y)) in enumerate(sides.items()):
        kept = np.isin(y, classes)
        records[side], left_out[side] = int(kept.sum()), int((~kept).sum())

        def part(share: float, i: int = i) -> None:
            report((i + share) / 2)

        results[side] = cross_validate(
            x[kept], y[kept], _people(people, side, kept), classifiers, folds, seed, part
        )
    compared = [
        Comparison(name, results["original"][name], results["release"][name])
        for name in ("baseline", *classifiers)
    ]
    return TargetEvaluation(
        target, len(classes), records, left_out, compared[0], tuple(compared[1:]), tuple(notes)
    )


def _linked(people: Table, published: Published, target: str) -> tuple[Published, NDArray[np.int32]]:
    """The release row by row beside the original's target, made again from the recoding."""
    applied = published.recoding.apply(people)
    kept = applied.of_row >= 0
    same = applied.rows.select(published.rows.columns)
    ours, theirs = (
        rows.select(pl.all().cast(pl.String)).sort(pl.all(), nulls_last=True)
        for rows in (same, published.rows)
    )
    if not ours.equals(theirs):
        raise RequestError(
            f"target {target!r} is published generalised, and the release cannot be made again from its recoding. "
            "Evaluate it in memory, or release it with the target not among the quasi-identifiers."
        )
    codes = people.column(target).codes
    if applied.rows.height == int(kept.sum()):
        codes = codes[kept]
    return Published(same, published.recoding, people), codes


def _features_used(people: Table, published: Published, target: str) -> list[str]:
    """Released columns that say something about a person: no target, no identifier, no pseudonym."""
    unused = {target, people.unit, people.weight, *people.identifiers}
    names = [
        name
        for name, treatment in published.recoding.columns.items()
        if name in published.rows.columns
        and name not in unused
        and not isinstance(treatment, Drop | Pseudonymise)
    ]
    if not names:
        raise RequestError(f"the release has no column to predict {target!r} from.")
    return names


def _people(people: Table, side: str, kept: NDArray[np.bool_]) -> NDArray[np.int32] | None:
    """The person of each original record, so that nobody is in training and test at once."""
    if people.unit is None or side != "original":
        return None
    return np.asarray(people.column(people.unit).codes)[kept]


def _classes(size: int, sides: list[NDArray[np.int32]], folds: int) -> NDArray[np.int64]:
    """Classes frequent enough in both tables to be in every fold; missing is none."""
    enough = np.ones(size, dtype=bool)
    for y in sides:
        enough &= np.bincount(y[(y >= 0) & (y < size)], minlength=size) >= folds
    return np.flatnonzero(enough)


def cross_validate(
    x: Features,
    y: NDArray[np.int32],
    groups: NDArray[np.int32] | None,
    classifiers: Sequence[str],
    folds: int,
    seed: int,
    report: Report,
) -> dict[str, dict[str, Estimate]]:
    """Scores of each classifier, and of the baseline, over stratified folds; `groups` are never torn apart."""
    from sklearn.exceptions import ConvergenceWarning
    from sklearn.model_selection import StratifiedGroupKFold, StratifiedKFold
    from threadpoolctl import threadpool_limits

    kind = StratifiedKFold if groups is None else StratifiedGroupKFold
    splits = list(kind(folds, shuffle=True, random_state=seed).split(x, y, groups))
    jobs = [(name, split) for name in ("baseline", *classifiers) for split in splits]
    scores: dict[str, list[dict[str, float]]] = {name: [] for name, _ in jobs}
    # two jobs side by side beat one job on two threads, and give the same bytes whatever the number of cores
    # OpenMP keeps its limit per thread, BLAS per process
    with (
        warnings.catch_warnings(),
        threadpool_limits(1, "blas"),
        ThreadPoolExecutor(2, initializer=threadpool_limits, initargs=(1, "openmp")) as pool,
    ):
        warnings.simplefilter("ignore", ConvergenceWarning)
        work = pool.map(lambda job: _fit_and_score(job[0], x, y, job[1], seed), jobs)
        for done, ((name, _), score) in enumerate(zip(jobs, work), start=1):
            scores[name].append(score)
            report(done / len(jobs))
    share = float(np.mean([len(test) / len(train) for train, test in splits]))
    return {
        name: {score: _interval([one[score] for one in per_fold], share) for score in SCORES}
        for name, per_fold in scores.items()
    }


def _fit_and_score(
    name: str,
    x: Features,
    y: NDArray[np.int32],
    split: tuple[NDArray[np.int64], NDArray[np.int64]],
    seed: int,
) -> dict[str, float]:
    from sklearn.metrics import f1_score

    train, test = split
    model = _MODELS[name](seed)
    model.fit(x[train], y[train])
    guessed = model.predict(x[test])
    f1 = {
        f"f1_{average}": float(f1_score(y[test], guessed, average=average, zero_division=0.0))
        for average in ("weighted", "macro")
    }
    decide = model.decision_function if hasattr(model, "decision_function") else model.predict_proba
    return {**f1, "auc": _auc(np.asarray(decide(x[test])), y[test], model.classes_)}


def _auc(scores: NDArray[np.float64], y: NDArray[np.int32], classes: NDArray[np.int32]) -> float:
    """Area under the ROC curve; with more than two classes the mean of each against the rest."""
    from sklearn.metrics import roc_auc_score

    if scores.ndim == 1:
        scores = np.stack([-scores, scores], axis=1)
    each = [
        float(roc_auc_score(y == label, scores[:, i]))
        for i, label in enumerate(classes.tolist())
        if 0 < int((y == label).sum()) < len(y)
    ]
    return float(np.mean(each)) if each else 0.5


def _interval(folds: list[float], share: float) -> Estimate:
    """Mean and corrected 95 % interval; `share` is test records per training record."""
    from scipy.stats import t

    mean, n = float(np.mean(folds)), len(folds)
    half = float(t.ppf(0.975, n - 1) * np.sqrt((1 / n + share) * np.var(folds, ddof=1)))
    return Estimate(mean, max(mean - half, 0.0), min(mean + half, 1.0), tuple(folds))


def _scaled(model: Any) -> Any:
    from sklearn.impute import SimpleImputer
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    return make_pipeline(SimpleImputer(keep_empty_features=True), StandardScaler(), model)


def _baseline(seed: int) -> Any:
    from sklearn.dummy import DummyClassifier

    return DummyClassifier(strategy="most_frequent")


def _svc(seed: int) -> Any:
    from sklearn.svm import LinearSVC

    return _scaled(LinearSVC(dual=False, tol=1e-2, max_iter=100, random_state=seed))


def _logistic(seed: int) -> Any:
    from sklearn.linear_model import LogisticRegression

    return _scaled(LogisticRegression(tol=1e-3, max_iter=200))


def _boosting(seed: int) -> Any:
    from sklearn.ensemble import HistGradientBoostingClassifier

    return HistGradientBoostingClassifier(
        max_iter=50, learning_rate=0.2, max_bins=63, early_stopping=False, random_state=seed
    )


def _forest(seed: int) -> Any:
    from sklearn.ensemble import RandomForestClassifier
    from sklearn.impute import SimpleImputer
    from sklearn.pipeline import make_pipeline

    forest = RandomForestClassifier(50, min_samples_leaf=3, random_state=seed)
    return make_pipeline(SimpleImputer(keep_empty_features=True), forest)


_MODELS: dict[str, Callable[[int], Any]] = {
    "baseline": _baseline,
    "linear SVC": _svc,
    "logistic regression": _logistic,
    "gradient boosting": _boosting,
    "random forest": _forest,
}
