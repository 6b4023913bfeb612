"""Numbers learnt by a linear model and two kinds of trees, beside the mean, scored over folds by R2 and RMSE.

Intervals as for classifiers. The linear model stands in for both linear classifiers; see `CHOSEN`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lookalike.base.errors import RequestError
from lookalike.base.progress import Report
from lookalike.measures.utility.classifiers import Split, fit_folds, interval, scaled
from lookalike.measures.utility.encoding import Features
from lookalike.measures.utility.scores import Estimate

#: which regressor is meant when a classifier is asked for
CHOSEN = {
    "linear SVC": "ridge regression",
    "logistic regression": "ridge regression",
    "gradient boosting": "gradient boosting",
    "random forest": "random forest",
}


def cross_validate_numbers(
    x: Features,
    y: NDArray[np.float64],
    groups: NDArray[np.int32] | None,
    classifiers: Sequence[str],
    folds: int,
    seed: int,
    report: Report,
) -> dict[str, dict[str, Estimate]]:
    """R2 and RMSE of each model, and of the baseline, over folds; `groups` are never torn apart."""
    from sklearn.model_selection import GroupKFold, KFold

    people = len(y) if groups is None else len(np.unique(groups))
    if people < folds:
        raise RequestError(
            f"{people} values of the target are too few for {folds} folds. Ask for fewer `folds`."
        )
    names = list(dict.fromkeys(CHOSEN[name] for name in classifiers))
    if groups is None:
        splits = list(KFold(folds, shuffle=True, random_state=seed).split(x))
    else:
        mixed = np.random.default_rng(seed).permutation(int(groups.max()) + 1)[groups]
        splits = list(GroupKFold(folds).split(x, y, mixed))
    scores = fit_folds(
        ["baseline", *names], splits, lambda name, split: _fit_and_score(name, x, y, split, seed), report
    )
    share = float(np.mean([len(test) / len(train) for train, test in splits]))
    return {
        name: {
            "r2": interval([one["r2"] for one in per_fold], share, least=-np.inf),
            "rmse": interval([one["rmse"] for one in per_fold], share, most=np.inf),
        }
        for name, per_fold in scores.items()
    }


def _fit_and_score(
    name: str,
    x: Features,
    y: NDArray[np.float64],
    split: Split,
    seed: int,
) -> dict[str, float]:
    train, test = split
    guessed = _MODELS[name](seed).fit(x[train], y[train]).predict(x[test])
    wrong = float(((y[test] - guessed) ** 2).sum())
    spread = float(((y[test] - y[test].mean()) ** 2).sum())
    return {"r2": 1 - wrong / spread if spread > 0 else 0.0, "rmse": float(np.sqrt(wrong / len(test)))}


def _baseline(seed: int) -> Any:
    from sklearn.dummy import DummyRegressor

    return DummyRegressor()


def _ridge(seed: int) -> Any:
    from sklearn.linear_model import Ridge

    return scaled(Ridge())


def _boosting(seed: int) -> Any:
    from sklearn.ensemble import HistGradientBoostingRegressor

    return HistGradientBoostingRegressor(
        max_iter=50, learning_rate=0.2, max_bins=63, early_stopping=False, random_state=seed
    )


def _forest(seed: int) -> Any:
    from sklearn.ensemble import RandomForestRegressor
    from sklearn.impute import SimpleImputer
    from sklearn.pipeline import make_pipeline

    # a third of the features per split, as is usual for numbers
    forest = RandomForestRegressor(30, min_samples_leaf=5, max_features=1 / 3, random_state=seed)
    return make_pipeline(SimpleImputer(keep_empty_features=True), forest)


_MODELS: dict[str, Callable[[int], Any]] = {
    "baseline": _baseline,
    "ridge regression": _ridge,
    "gradient boosting": _boosting,
    "random forest": _forest,
}
