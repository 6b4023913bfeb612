"""Growing spheres: perturb a person's own values, a little at first and then more, until the outcome changes.

The result is made up and no training record, the kind of counterfactual that native ones are compared with; offered for
comparison. As in Laugel et al. 2018, https://doi.org/10.1007/978-3-319-91473-2_9, columns that need not change are put
back afterwards. Here a number moves to a training value within the radius, and a name is drawn anew with that chance.
A few calls of the model, of O(rows x tries) each.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from lookalike.base.checks import whole_number
from lookalike.explanations.explainer import KAnonymousExplainer
from lookalike.explanations.features import Features
from lookalike.explanations.nice import MixedRows
from lookalike.tables.columns.naming import nameless

_RADII = np.linspace(0.1, 1, 10)


def perturb(explainer: KAnonymousExplainer, rows: Any, *, tries: int = 100, seed: int = 0) -> MixedRows:
    """Made-up counterfactuals near each row; one that keeps its outcome is left as it is. Not for handing out.

    tries: perturbed rows for each radius.
    """
    whole_number(tries, "tries", least=1)
    rng = np.random.default_rng(whole_number(seed, "seed"))
    features, outcomes = explainer.features, explainer.outcomes
    mine = features.take(rows)
    own = features.place(mine)
    fixed = np.array([name in explainer.fixed for name in features.names])
    goal = np.zeros(own.shape, dtype=np.int64)  # a training row for each value that changes
    changed = np.zeros(own.shape, dtype=bool)
    live = np.flatnonzero(~outcomes.desired_of(mine))
    for radius in _RADII:
        if not len(live):
            break
        drawn = np.repeat(own[live], tries, axis=0)
        where, moved = _move(features, drawn, radius, rng)
        moved &= ~fixed
        found = outcomes.desired_of(_mix(features, mine[np.repeat(live, tries)], where, moved))
        far = np.where(found, _far(features, drawn, where, moved), np.inf).reshape(len(live), tries)
        best = far.argmin(axis=1) + np.arange(len(live)) * tries
        done = np.isfinite(far.min(axis=1))
        goal[live[done]], changed[live[done]] = where[best[done]], moved[best[done]]
        live = live[~done]
    for column in range(own.shape[1]):
        at = np.flatnonzero(changed[:, column] & (changed.sum(axis=1) > 1))
        if len(at):
            fewer = changed[at].copy()
            fewer[:, column] = False
            still = outcomes.desired_of(_mix(features, mine[at], goal[at], fewer))
            changed[at[still], column] = False
    return MixedRows(_mix(features, mine, goal, changed), changed, _far(features, own, goal, changed))


def _move(
    features: Features, own: NDArray[np.float64], radius: float, rng: np.random.Generator
) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """Training rows with the values that each row moves to, and which columns move."""
    where = rng.integers(0, len(features.people), own.shape)
    for j in np.flatnonzero(~features.nominal):
        rows = features.first[np.argsort(features.values[:, j], kind="stable")]
        places = features.values[features.of_row[rows], j]
        known = int((~np.isnan(places)).sum())
        target = own[:, j] + rng.uniform(-radius, radius, len(own))
        at = np.searchsorted(places[:known], np.nan_to_num(target))
        where[:, j] = rows[np.minimum(at, max(known - 1, 0))]
    moves = rng.random(own.shape) < np.where(features.nominal, radius, 1.0)
    return where, moves


def _mix(
    features: Features, mine: pl.DataFrame, where: NDArray[np.int64], taken: NDArray[np.bool_]
) -> pl.DataFrame:
    """Rows with some columns from training rows."""
    columns = []
    for j, name in enumerate(features.names):
        theirs = nameless(features.people.rows[name]).gather(pl.Series(where[:, j])).cast(mine[name].dtype)
        columns.append(theirs.zip_with(pl.Series(taken[:, j]), mine[name]).alias(name))
    return pl.DataFrame(columns)


def _far(
    features: Features, own: NDArray[np.float64], where: NDArray[np.int64], taken: NDArray[np.bool_]
) -> NDArray[np.float64]:
    """HEOM from each row to itself with some columns from training rows."""
    then = np.stack([features.values[features.of_row[where[:, j]], j] for j in range(own.shape[1])], axis=1)
    apart = np.where(features.nominal, then != own, np.abs(then - own))
    apart = np.where(
        np.isnan(then) & np.isnan(own), 0.0, np.where(np.isnan(then) | np.isnan(own), 1.0, apart)
    )
    return np.asarray((apart * taken).sum(axis=1))
