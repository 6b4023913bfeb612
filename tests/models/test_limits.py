"""What a model says about every class that keeps it: checked on classes that do, and on unions of them."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

import lookalike as la
from lookalike.models import Limit, Model

MODELS: list[Model] = [
    la.LDiversity("s", 3),
    la.LDiversity("s", 2.5, "entropy"),
    la.LDiversity("s", 3, "recursive", 1.5),
    la.LDiversity("s", 2, "recursive", 0.8),
    la.TCloseness("s", 0.35, "equal"),
    la.TCloseness("s", 0.2, "ordered"),
    la.TCloseness("s", 0.1, "ordered"),
    la.TCloseness("s", 0.3, "hierarchical"),
    la.AlphaK("s", 0.4, 2),
    la.BetaLikeness("s", 2.0),
    la.DeltaDisclosure("s", 1.2),
    la.KLCloseness("s", 0.4),
    la.DirectionalDiversity("s", "3"),
]


def reached(limit: Limit, counts: np.ndarray) -> float:
    """By how much a class, as counts by value, is above a limit."""
    size, need, have = counts.sum(), limit.need, 0.0
    for group, weight in [(np.arange(len(counts)), limit.weight), *limit.above]:
        inside = np.bincount(group, weights=counts, minlength=len(weight))
        if limit.sized:
            have += np.minimum(inside, weight * size).sum() / size
        else:
            have += weight[inside > 0].sum()
    need += sum(float(weight.sum()) for _, weight in limit.above)
    return have - need


@pytest.mark.parametrize("model", MODELS, ids=str)
def test_classes_that_keep_a_promise_and_their_unions_are_within_its_limits(model: Model) -> None:
    rng = np.random.default_rng(0)
    kept, tight = 0, np.inf
    for values in (4, 9, 14):
        chance = rng.dirichlet(np.ones(values))
        frame = pl.DataFrame(
            {"q": rng.integers(0, 40, 700) % rng.integers(1, 41, 700), "s": rng.choice(values, 700, p=chance)}
        ).with_columns(pl.col("s").cast(pl.String))
        trees = {"s": la.Hierarchy.rows([[str(v), f"n{v // 3}", "*"] for v in range(values)])}
        people = la.table(frame, quasi=["q"], sensitive=["s"], hierarchies=trees, types={"s": "ordinal"})
        classes = people.cells().classes()
        histogram = classes.histogram("s")
        fine = np.flatnonzero(~model.breaks(classes))
        for limit in model.limits(histogram.whole):
            for _ in range(100 * bool(len(fine))):
                some = np.unique(rng.choice(fine, size=int(rng.integers(1, 4))))
                kept += 1
                tight = min(tight, reached(limit, histogram.dense()[some].sum(axis=0)))
    assert kept > 30
    assert tight >= -1e-9
