"""The CF-K paper's grid of forests, by 5-fold cross-validation of the area under the ROC curve on the training part.

A forest of 5,000 trees holds every smaller one. A tree that grows its best leaf first holds every smaller tree as well:
the first 2m - 1 nodes of scikit-learn's are the tree of m leaves by the same seed. So each fold grows 5,000 trees
without limit once, a batch at a time, and reads all 24 forests of the grid off them. Cost: O(trees x n log n) a fold.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from lookalike.papers.cfk.studies import TARGET, Study, forest, split

TREES, LEAVES = (10, 50, 100, 500, 1_000, 5_000), (10, 100, 500, None)  #: the paper's grid
BATCH = 100  #: trees held at a time
Leaves = int | None
Step = Callable[[str, Callable[[], dict[str, Any]]], dict[str, Any]]


def tune(
    study: Study,
    folder: Path,
    *,
    seed: int,
    trees: tuple[int, ...] = TREES,
    leaves: tuple[Leaves, ...] = LEAVES,
    step: Step = lambda _, compute: compute(),
) -> dict[str, Any]:
    """The best number of trees and leaves, and the area of every forest; each fold is a step that may be remembered."""
    from sklearn.model_selection import StratifiedKFold

    train, _ = split(study, folder, seed=seed)
    y = train[TARGET].to_numpy()
    folds = [
        step(f"-fold-{i}", partial(areas, train[fit], train[test], trees, leaves, seed=seed))
        for i, (fit, test) in enumerate(StratifiedKFold(5).split(y, y))
    ]
    mean = np.mean([fold["areas"] for fold in folds], axis=0)  # leaves x trees
    best = np.unravel_index(mean.T.argmax(), mean.T.shape)  # of equal ones the fewest trees, then leaves
    return {
        "trees": trees[best[0]],
        "leaves": leaves[best[1]],
        "auc": float(mean.T[best]),
        "areas": mean.tolist(),
    }


def areas(
    fit: pl.DataFrame, test: pl.DataFrame, trees: tuple[int, ...], leaves: tuple[Leaves, ...], *, seed: int
) -> dict[str, list[list[float]]]:
    """The area under the ROC curve on the test rows, leaves x trees."""
    from sklearn.metrics import roc_auc_score

    features = [name for name in fit.columns if name != TARGET]
    y, truth = fit[TARGET].to_numpy(), test[TARGET].to_numpy()
    encode = forest(fit, features, trees=1, leaves=None, seed=seed)[:-1].fit(fit.select(features))
    seen, unseen = (encode.transform(rows.select(features)).astype(np.float32) for rows in (fit, test))
    votes = np.zeros((len(leaves), test.height))
    found: list[list[float]] = []
    for before, after in pairwise((0, *sorted(trees))):
        for start in range(before, after, BATCH):
            grown = grow(seen, y, trees=min(BATCH, after - start), seed=seed + start)
            for tree in grown:
                votes += share_at(tree, unseen, leaves)
        found.append([float(roc_auc_score(truth, vote)) for vote in votes])
    return {"areas": np.transpose(found).tolist()}


def grow(x: NDArray[np.float32], y: NDArray[Any], *, trees: int, seed: int) -> list[Any]:
    """Trees without limit, the best leaf grown first."""
    from sklearn.ensemble import RandomForestClassifier

    model = RandomForestClassifier(trees, max_leaf_nodes=max(2, len(x)), random_state=seed, n_jobs=-1)
    return [one.tree_ for one in model.fit(x, y).estimators_]


def share_at(tree: Any, x: NDArray[np.float32], leaves: tuple[Leaves, ...]) -> NDArray[np.float64]:
    """The share of the favourable outcome in each row's leaf, were the tree cut back to so many leaves."""
    at = tree.apply(x)
    share = tree.value[:, 0, -1]
    parent = np.arange(tree.node_count)
    inner = np.flatnonzero(tree.children_left >= 0)
    parent[tree.children_left[inner]] = parent[tree.children_right[inner]] = inner
    out = np.empty((len(leaves), len(x)))
    for i, most in enumerate(leaves):
        last = tree.node_count if most is None else 2 * most - 1
        kept = np.arange(tree.node_count)
        while kept.max() >= last:
            kept = np.where(kept >= last, parent[kept], kept)
        out[i] = share[kept[at]]
    return out
