"""How much one column tells about another: the share of what there is to know, beyond what luck would tell. O(n)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from lookalike.columns.coding import Column
from lookalike.recognition.metrics.graphs import coarsen

_BINS_MINE, _BINS_THEIRS = 100, 10


def told_share(column: Column, other: Column) -> float:
    """Share of the uncertainty about `other` that `column` removes, beyond what luck would (0 to 1).

    Luck is measured: the same two columns with their pairing shuffled, starting from sorted codes so that the
    answer does not depend on the order of rows. A column with many values is first cut into bins, or luck would be
    all there is.
    """
    mine, theirs = coarsen(column, _BINS_MINE), coarsen(other, _BINS_THEIRS)
    before = _entropy(np.bincount(theirs))
    shuffled = _sorted(theirs)[np.random.default_rng(0).permutation(len(theirs))]
    luck = _shared(_sorted(mine), shuffled)
    if before <= luck:
        return 0.0
    return float(np.clip((_shared(mine, theirs) - luck) / (before - luck), 0.0, 1.0))


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
