"""Nearest unlike neighbours: the training rows most like a row among those with the outcome it did not get.

This is NICE without optimisation (Brughmans, Leyman and Martens 2023, https://doi.org/10.1007/s10618-023-00930-y).
Exact; a query costs at most O(distinct training rows x columns), most rows being left after a few columns.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from lookalike.explanations.features import Features
from lookalike.kernels.heom import distances, nearest_many


@dataclass(frozen=True, eq=False)
class Neighbours:
    """Training rows (positions in the training table) with their distance, nearest first."""

    rows: NDArray[np.int64]
    distances: NDArray[np.float64]

    def __repr__(self) -> str:
        return f"Neighbours({len(self.rows)} rows, distance {self.distances.min():.4f} to {self.distances.max():.4f})"


class Index:
    """Candidates of a training table, ready to be searched. `p=1` adds the differences, `p=2` is Euclid's."""

    def __init__(self, features: Features, candidates: NDArray[np.bool_], *, p: int = 1) -> None:
        self.features = features
        self.squared = p == 2
        chosen = np.flatnonzero(candidates)
        # names first: a difference there is a whole 1, so most rows are left early
        self.order = np.argsort(~features.nominal, kind="stable")
        self.nominal = features.nominal[self.order]
        self.chosen = chosen
        self.values = np.ascontiguousarray(features.values[chosen][:, self.order])

    def search(
        self,
        queries: NDArray[np.float64],
        *,
        want: int = 1,
        fixed: Sequence[str] = (),
    ) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """Distinct rows and distances of the `want` nearest of each query; `fixed` columns must agree. -1: no more."""
        queries = np.ascontiguousarray(queries[:, self.order])
        allowed = np.ones((1, len(self.chosen)), dtype=bool)
        if fixed:
            allowed = np.stack([self._agree(query, fixed) for query in queries])
        found, far = np.empty((len(queries), want), dtype=np.int64), np.empty((len(queries), want))
        nearest_many(queries, self.values, allowed, self.nominal, self.squared, found, far)
        rows = np.where(found >= 0, self.chosen[found], -1)
        return rows, np.sqrt(far) if self.squared else far

    def diverse(
        self, query: NDArray[np.float64], *, want: int, spread: float, fixed: Sequence[str] = ()
    ) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """`want` near rows that differ from each other: each next one minimises distance - spread x distance to those
        already chosen, among the 20 x want nearest (maximal marginal relevance)."""
        rows, far = (part[0] for part in self.search(query[None], want=20 * want, fixed=fixed))
        rows, far = rows[rows >= 0], far[rows >= 0]
        taken = [0]
        apart = np.full(len(rows), np.inf)
        pool = np.ascontiguousarray(self.features.values[rows][:, self.order])
        while len(taken) < min(want, len(rows)):
            step = distances(pool[taken[-1]], pool, self.nominal, self.squared)
            apart = np.minimum(apart, np.sqrt(step) if self.squared else step)
            gain = far - spread * apart
            gain[taken] = np.inf
            taken.append(int(np.argmin(gain)))
        return rows[taken], far[taken]

    def _agree(self, query: NDArray[np.float64], fixed: Sequence[str]) -> NDArray[np.bool_]:
        where = [int(np.flatnonzero(self.order == self.features.names.index(name))[0]) for name in fixed]
        mine, theirs = query[where], self.values[:, where]
        same = (theirs == mine) | (np.isnan(theirs) & np.isnan(mine))
        out: NDArray[np.bool_] = same.all(axis=1)
        return out
