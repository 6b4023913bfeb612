"""How much one column tells about another: the share of what there is to know, beyond what luck would tell. O(n)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from lookalike.recognition.metrics.graphs import coarsen
from lookalike.tables.columns.coding import Column
from lookalike.tables.columns.domains import Codes

_BINS_MINE, _BINS_THEIRS = 100, 10
_LOOKED_AT = 50_000  # rows, all of some people
_MULTIPLIER = np.uint64(0x9E3779B97F4A7C15)  # spreads neighbouring numbers


def told_share(column: Column, other: Column, whose: Codes | None = None) -> float:
    """Share of the uncertainty about `other` that `column` removes, beyond what luck would (0 to 1).

    whose: the person of each row, negative where unknown. One row of each is looked at, or what stays the same in all
    rows of a person would go together by that alone.
    Luck is measured: the same two columns with their pairing shuffled, starting from sorted codes so that the
    answer does not depend on the order of rows. A column with many values is first cut into bins, or luck would be
    all there is.
    """
    mine, theirs = coarsen(column, _BINS_MINE), coarsen(other, _BINS_THEIRS)
    if whose is not None:
        once = _one_of_each(mine, theirs, whose)
        mine, theirs = mine[once], theirs[once]
    if not len(mine):
        return 0.0
    before = _entropy(np.bincount(theirs))
    shuffled = _sorted(theirs)[np.random.default_rng(0).permutation(len(theirs))]
    luck = _shared(_sorted(mine), shuffled)
    if before <= luck:
        return 0.0
    return float(np.clip((_shared(mine, theirs) - luck) / (before - luck), 0.0, 1.0))


def _one_of_each(mine: NDArray[np.int64], theirs: NDArray[np.int64], whose: Codes) -> NDArray[np.int64]:
    """A row of each person, drawn by its two values and not by its place; of many rows, those of some people."""
    rows = np.flatnonzero((whose >= 0) & (whose % -(-len(whose) // _LOOKED_AT) == 0))
    lot = (mine[rows] * (int(theirs.max()) + 1) + theirs[rows] + 1).astype(np.uint64) * _MULTIPLIER
    order = rows[np.lexsort((lot, whose[rows]))]
    return order[np.flatnonzero(np.diff(whose[order], prepend=-1))]


def _sorted(codes: NDArray[np.int64]) -> NDArray[np.int64]:
    counts = np.bincount(codes)
    return np.repeat(np.arange(len(counts)), counts)


def _shared(one: NDArray[np.int64], two: NDArray[np.int64]) -> float:
    """Mutual information of two coded columns, in nats."""
    pairs = np.bincount(one * (int(two.max()) + 1) + two)
    return _entropy(np.bincount(one)) + _entropy(np.bincount(two)) - _entropy(pairs)


def _entropy(counts: NDArray[np.int64]) -> float:
    shares = counts[counts > 0] / counts.sum()
    return float(-(shares * np.log(shares)).sum())
