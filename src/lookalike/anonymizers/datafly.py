"""Datafly: generalise the attribute with the most distinct values, one level at a time, then suppress what is left.

Sweeney 1998 (Datafly) and 2002, https://doi.org/10.1142/S021848850200165X. Greedy: it generalises more than needed, and
says nothing about the optimum. O(cells) per step, at most as many steps as there are levels.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence

import numpy as np

from lookalike.anonymizers.optimal.lattice import GeneralisationLattice, Node, refusal
from lookalike.anonymizers.optimal.searching import Alternative, OptimalSearch
from lookalike.models import Model
from lookalike.tables.cells import Cells


def search(
    cells: Cells,
    models: Sequence[Model],
    *,
    suppression: float | None = None,
    loss: str = "loss",
    weights: Mapping[str, float] | None = None,
    min_levels: Mapping[str, int] | None = None,
    max_levels: Mapping[str, int] | None = None,
    compared: str = "original",
) -> OptimalSearch:
    """Generalise until at most a share `suppression` of the people is in classes that break a model.

    Without a share, as published: until at most k records are (k the largest one asked for, 1 where none is).
    """
    started = time.perf_counter()
    if suppression is None:
        k = max((model.smallest_class for model in models), default=1)
        suppression = min(k / max(cells.people, 1), 1.0)
    lattice = GeneralisationLattice(
        cells,
        models,
        suppression=suppression,
        loss=loss,
        weights=weights,
        min_levels=min_levels,
        max_levels=max_levels,
        compared=compared,
    )
    here: Node = lattice.low
    visited = 1
    while not np.isfinite((judgement := lattice.evaluate(here)).loss):
        widest = _most_distinct(lattice, here)
        if widest is None:
            raise refusal(lattice)
        here = tuple(level + (a == widest) for a, level in enumerate(here))
        visited += 1
    return OptimalSearch(
        here,
        judgement.suppressed,
        judgement.loss,
        0.0,
        False,
        lattice.nodes,
        visited,
        (Alternative(here, judgement.loss, judgement.records),),
        time.perf_counter() - started,
    )


def _most_distinct(lattice: GeneralisationLattice, levels: Node) -> int | None:
    """The attribute with the most distinct values among those that can still be generalised; the first of several."""
    best, most = None, 0
    for a, attribute in enumerate(lattice.cells.attributes):
        used = lattice.marginals[a] > 0
        distinct = len(np.unique(attribute.tree.up[levels[a]][used]))
        if levels[a] < lattice.high[a] and distinct > most:
            best, most = a, distinct
    return best
