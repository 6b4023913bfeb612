"""Losses of a release by their definitions, class by class and record by record."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike


def mean_loss(
    sizes: ArrayLike, losses: ArrayLike, *, suppressed: int = 0, weights: Sequence[float] | None = None
) -> float:
    """Mean over records and columns: `losses[column, class]` for everyone kept, 1 for each suppressed record."""
    kept, lost = np.asarray(sizes, dtype=np.int64), np.asarray(losses, dtype=np.float64)
    records = int(kept.sum()) + suppressed
    share = np.ones(len(lost)) if weights is None else np.asarray(weights)
    return (float(share / share.sum() @ lost @ kept) + suppressed) / records


def entropy_loss(codes: ArrayLike, of_row: ArrayLike, covered: ArrayLike) -> float:
    """Non-uniform entropy: `codes[column, row]`, the class of each row (-1: suppressed), and `covered[column, class]`:
    how many records of the original table the value published for the class covers.
    """
    owner, kept = np.asarray(of_row), np.asarray(of_row) >= 0
    losses = []
    for values, reach in zip(np.asarray(codes), np.asarray(covered, dtype=np.float64), strict=True):
        counts = np.bincount(values)
        share = counts[counts > 0] / counts.sum()
        spread = float(-(share @ np.log(share)))
        lost = -np.log(counts[values] / counts.sum()) / spread if spread > 0 else np.zeros(len(values))
        if spread > 0:
            lost[kept] = np.log(reach[owner[kept]] / counts[values[kept]]) / spread
        losses.append(lost)
    return float(np.mean(losses))
