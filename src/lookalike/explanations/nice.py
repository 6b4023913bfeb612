"""NICE with a reward: walk from a person towards their nearest unlike neighbour, one column at a time, until it flips.

The result mixes two people and is no training record, so it is not native: offered for comparison. Brughmans, Leyman
and Martens 2023, https://doi.org/10.1007/s10618-023-00930-y. All walks step together: a few calls of the model a step.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import polars as pl
from numpy.typing import NDArray

from lookalike.base.errors import RequestError
from lookalike.explanations.explainer import KAnonymousExplainer
from lookalike.kernels.heom import distances
from lookalike.tables.columns.naming import named

Reward = Literal["sparsity", "proximity"]


@dataclass(frozen=True, eq=False)
class MixedRows:
    """Where the walks ended: the mixed rows, which columns of each changed, and how far that is."""

    rows: pl.DataFrame
    changed: NDArray[np.bool_]  #: rows x columns
    distances: NDArray[np.float64]

    def __repr__(self) -> str:
        return f"MixedRows({self.rows.height} rows, {self.changed.sum(axis=1).mean():.1f} columns changed on average)"


def walk(explainer: KAnonymousExplainer, rows: Any, *, reward: Reward = "sparsity") -> MixedRows:
    """Counterfactuals with few changed columns ("sparsity") or small changes ("proximity"). Not for handing out.

    Each step changes the column that raises the probability of the desired outcome most, or most per distance.
    """
    if reward not in ("sparsity", "proximity"):
        raise RequestError(f"reward is {reward!r}; it must be 'sparsity' or 'proximity'.")
    features, outcomes = explainer.features, explainer.outcomes
    people = explainer.people.rows.select(named(features.names))
    mine = features.take(rows)
    own = features.place(mine)
    found = explainer.nearest_of(own)
    goal, target = people[explainer.trained.record[found]], features.values[found]
    differs = (own != target) & ~(np.isnan(own) & np.isnan(target))
    changed = np.zeros_like(differs)
    score = outcomes.scores(mine)
    live = np.flatnonzero(~outcomes.desired_of(mine))
    while len(live):
        at, column = np.nonzero(differs[live] & ~changed[live])
        at = live[at]
        tried = changed[at].copy()
        tried[np.arange(len(at)), column] = True
        new = outcomes.scores(_mix(mine[at], goal[at], tried))
        gain = new - score[at]
        if reward == "proximity":
            step = _far(explainer, own[at], target[at], tried) - _far(
                explainer, own[at], target[at], changed[at]
            )
            gain = gain / (step + 1e-11)
        chosen = [int(np.flatnonzero(at == row)[np.argmax(gain[at == row])]) for row in live]
        changed[live], score[live] = tried[chosen], new[chosen]
        live = live[~outcomes.desired_of(_mix(mine[live], goal[live], changed[live]))]
    return MixedRows(_mix(mine, goal, changed), changed, _far(explainer, own, target, changed))


def _mix(mine: pl.DataFrame, goal: pl.DataFrame, taken: NDArray[np.bool_]) -> pl.DataFrame:
    """Rows with some columns from the goal."""
    columns = []
    for i, name in enumerate(mine.columns):
        columns.append(goal[name].zip_with(pl.Series(taken[:, i]), mine[name].cast(goal[name].dtype)))
    return pl.DataFrame(columns)


def _far(
    explainer: KAnonymousExplainer,
    own: NDArray[np.float64],
    target: NDArray[np.float64],
    taken: NDArray[np.bool_],
) -> NDArray[np.float64]:
    """Distance from each row to itself with some columns from the target."""
    mixed = np.where(taken, target, own)
    squared = explainer.p == 2
    out = np.array(
        [
            distances(a, b[None], explainer.features.nominal, squared)[0]
            for a, b in zip(own, mixed, strict=True)
        ]
    )
    return np.sqrt(out) if squared else out
