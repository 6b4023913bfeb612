"""Linear SVC is odd on income at high k: an experiment on made-up people about a possible reason.

Income is the one target with two values of which one is rare. The idea: where little tells the rare value apart, a
margin is widest when nobody is said to have it, and F1 drops to that of the naive guess. Counted is the share of
people said to have the income, by margins and by logistic regression, for strong to weak ties of income to what is
known, and where half of the people have it. It bears out the weak tie, not k: see docs/papers/iml.md.
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lookalike.papers.comparison import OURS, Line

ROWS, TABLES = 3_000, 6
NOISE = {"strong": 0.5, "middling": 1.2, "weak": 2.0}  #: how much else decides about income
LOW_K, HIGH_K = 20, 200
Floats = NDArray[np.float64]


def made_up(rows: int, share: float, noise: float, seed: int) -> tuple[Floats, NDArray[np.int64]]:
    """Two numbers like age and hours, and an income that a share of the people have, given by them and by noise."""
    rng = np.random.default_rng(seed)
    age, hours = rng.uniform(17, 90, rows), rng.normal(40, 12, rows).clip(1, 99)
    score = (age - 53) / 21 + (hours - 40) / 12 + rng.logistic(0, noise, rows)
    return np.stack([age, hours], axis=1), (score > np.quantile(score, 1 - share)).astype(np.int64)


def blurred(x: Floats, k: int) -> Floats:
    """Middle and width of each number in classes of k people or a few more, first by age, then by hours."""
    rows = len(x)
    bands = max(1, int((rows / k) ** 0.5))
    out = np.empty((rows, 4))
    for band in np.array_split(np.argsort(x[:, 0], kind="stable"), bands):
        inside = band[np.argsort(x[band, 1], kind="stable")]
        for group in np.array_split(inside, max(1, len(inside) // k)):
            low, high = x[group].min(axis=0), x[group].max(axis=0)
            out[group] = np.concatenate([(low + high) / 2, high - low])
    return out


def said_to_have(
    share: float, noise: float, *, rows: int = ROWS, tables: int = TABLES, seed: int = 0
) -> dict[str, list[float]]:
    """For each way to learn, the share of people said to have the income, at a low and at a high k."""
    from sklearn.linear_model import LogisticRegression
    from sklearn.model_selection import StratifiedKFold, cross_val_predict
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler
    from sklearn.svm import LinearSVC

    ways: dict[str, Any] = {
        "linear SVC": LinearSVC(random_state=0),
        "linear SVC, plain hinge": LinearSVC(loss="hinge", random_state=0),
        "logistic regression": LogisticRegression(),
    }
    folds = StratifiedKFold(5, shuffle=True, random_state=0)
    out: dict[str, list[float]] = {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for way, model in ways.items():
            out[way] = []
            for k in (LOW_K, HIGH_K):
                said = []
                for table in range(tables):
                    x, y = made_up(rows, share, noise, seed + table)
                    learner = make_pipeline(StandardScaler(), model)
                    said.append(cross_val_predict(learner, blurred(x, k), y, cv=folds).mean())
                out[way].append(float(np.mean(said)))
    return out


def explanation(*, seed: int) -> list[Line]:
    """The experiment for a rare income at every strength, and for a common one."""
    lines = []
    for share, tie in ((0.25, "strong"), (0.25, "middling"), (0.25, "weak"), (0.5, "weak")):
        found = said_to_have(share, NOISE[tie], seed=seed)
        told = "; ".join(f"{way} {low:.1%}, {high:.1%}" for way, (low, high) in found.items())
        what = f"made-up people, {share:.0%} with the income, {tie} tie: said to have it at k={LOW_K} and {HIGH_K}"
        lines.append(Line("Figure 4", what, "", told, OURS))
    return lines
