"""Four classifiers and a naive guess, scored over stratified folds.

Intervals are corrected for the overlap of training sets (Nadeau and Bengio 2003, https://doi.org/10.1023/A:1024068626366).
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lookalike.base.errors import MissingExtra, RequestError
from lookalike.base.progress import Report
from lookalike.measures.utility.encoding import Features
from lookalike.measures.utility.scores import Estimate

CLASSIFIERS = ("linear SVC", "logistic regression", "gradient boosting", "random forest")
SCORES = ("f1_weighted", "f1_macro", "auc")


def require_sklearn() -> None:
    """Refuse where scikit-learn is not installed."""
    try:
        import sklearn  # noqa: F401
    except ImportError:
        raise MissingExtra("scikit-learn", "ml", "evaluating what classifiers learn") from None


def cross_validate(
    x: Features,
    y: NDArray[np.int32],
    groups: NDArray[np.int32] | None,
    classifiers: Sequence[str],
    folds: int,
    seed: int,
    report: Report,
    *,
    thorough: bool = False,
) -> dict[str, dict[str, Estimate]]:
    """Scores of each classifier, and of the baseline, over stratified folds; `groups` are never torn apart.

    thorough: with many classes too, take as many steps as with two; the time then grows with the classes.
    """
    from sklearn.model_selection import StratifiedGroupKFold, StratifiedKFold

    kind = StratifiedKFold if groups is None else StratifiedGroupKFold
    splits = list(kind(folds, shuffle=True, random_state=seed).split(x, y, groups))
    classes = len(np.unique(y))
    if any(len(test) == 0 or len(np.unique(y[train])) < classes for train, test in splits):
        raise RequestError(
            "with all records of a person in one fold, some fold would be tested on a class that nobody in training "
            "has. Ask for fewer `folds`, or another `seed`."
        )
    steps_for = 2 if thorough else classes
    scores = fit_folds(
        ["baseline", *classifiers],
        splits,
        lambda name, split: _fit_and_score(_MODELS[name](seed, steps_for), x, y, split),
        report,
    )
    share = float(np.mean([len(test) / len(train) for train, test in splits]))
    return {
        name: {score: interval([one[score] for one in per_fold], share) for score in SCORES}
        for name, per_fold in scores.items()
    }


Split = tuple[NDArray[np.int64], NDArray[np.int64]]


def fit_folds(
    names: Sequence[str],
    splits: Sequence[Split],
    fit_and_score: Callable[[str, Split], dict[str, float]],
    report: Report,
) -> dict[str, list[dict[str, float]]]:
    """The scores of each model on each fold."""
    from sklearn.exceptions import ConvergenceWarning
    from threadpoolctl import threadpool_limits

    jobs = [(name, split) for name in names for split in splits]
    scores: dict[str, list[dict[str, float]]] = {name: [] for name in names}
    # two jobs side by side beat one job on two threads, and give the same bytes whatever the number of cores
    # OpenMP keeps its limit per thread, BLAS per process
    with (
        warnings.catch_warnings(),
        threadpool_limits(1, "blas"),
        ThreadPoolExecutor(2, initializer=threadpool_limits, initargs=(1, "openmp")) as pool,
    ):
        warnings.simplefilter("ignore", ConvergenceWarning)
        warnings.showwarning = _but_for(ConvergenceWarning, warnings.showwarning)
        for done, ((name, _), score) in enumerate(
            zip(jobs, pool.map(lambda job: fit_and_score(*job), jobs), strict=True), start=1
        ):
            scores[name].append(score)
            report(done / len(jobs))
    return scores


def _but_for(ignored: type[Warning], show: Callable[..., None]) -> Callable[..., None]:
    """How warnings are shown where filters do not hold: forests in two threads empty each other's, and warn of that."""

    def shown(message: Warning | str, category: type[Warning], *where: Any, **more: Any) -> None:
        if not issubclass(category, ignored) and "sklearn.utils.parallel" not in str(message):
            show(message, category, *where, **more)

    return shown


def _fit_and_score(model: Any, x: Features, y: NDArray[np.int32], split: Split) -> dict[str, float]:
    from sklearn.metrics import f1_score

    train, test = split
    model.fit(x[train], y[train])
    guessed = model.predict(x[test])
    f1 = {
        f"f1_{average}": float(f1_score(y[test], guessed, average=average, zero_division=0.0))
        for average in ("weighted", "macro")
    }
    # of several classes only probabilities rank one against the rest: raw scores of softmax have no common zero
    several = len(model.classes_) > 2 and hasattr(model, "predict_proba")
    decide = (
        model.predict_proba if several or not hasattr(model, "decision_function") else model.decision_function
    )
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


def interval(folds: list[float], share: float, *, least: float = 0.0, most: float = 1.0) -> Estimate:
    """Mean and corrected 95 % interval within bounds; `share` is test records per training record."""
    from scipy.stats import t

    mean, n = float(np.mean(folds)), len(folds)
    half = float(t.ppf(0.975, n - 1) * np.sqrt((1 / n + share) * np.var(folds, ddof=1)))
    return Estimate(mean, max(mean - half, least), min(mean + half, most), tuple(folds))


def scaled(model: Any) -> Any:
    """A model that sees scaled features, missing ones filled with the mean of the training folds."""
    from sklearn.impute import SimpleImputer
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    return make_pipeline(SimpleImputer(keep_empty_features=True), StandardScaler(), model)


def _baseline(seed: int, classes: int) -> Any:
    from sklearn.dummy import DummyClassifier

    return DummyClassifier(strategy="most_frequent")


def _svc(seed: int, classes: int) -> Any:
    if classes > 2:
        from sklearn.linear_model import SGDClassifier

        # the same machine, trained record by record, which scales better with the number of classes
        return scaled(SGDClassifier(alpha=1e-3, max_iter=8, tol=None, average=True, random_state=seed))
    from sklearn.svm import LinearSVC

    return scaled(LinearSVC(dual=False, tol=1e-2, max_iter=100, random_state=seed))


def _logistic(seed: int, classes: int) -> Any:
    from sklearn.linear_model import LogisticRegression

    return scaled(LogisticRegression(tol=1e-3, max_iter=200))


def _boosting(seed: int, classes: int) -> Any:
    from sklearn.ensemble import HistGradientBoostingClassifier

    # every round grows a tree for each class
    rounds = 50 if classes == 2 else max(4, 60 // classes)
    return HistGradientBoostingClassifier(
        max_iter=rounds, learning_rate=0.2, max_bins=63, early_stopping=False, random_state=seed
    )


def _forest(seed: int, classes: int) -> Any:
    from sklearn.ensemble import RandomForestClassifier
    from sklearn.impute import SimpleImputer
    from sklearn.pipeline import make_pipeline

    trees = 50 if classes == 2 else 30
    forest = RandomForestClassifier(trees, min_samples_leaf=3, random_state=seed)
    return make_pipeline(SimpleImputer(keep_empty_features=True), forest)


_MODELS: dict[str, Callable[[int, int], Any]] = {
    "baseline": _baseline,
    "linear SVC": _svc,
    "logistic regression": _logistic,
    "gradient boosting": _boosting,
    "random forest": _forest,
}
