"""What a release has lost, for any recoding: from the sizes of its classes and what each column lost in each class.

loss, ncp, precision   mean over records and columns of a number between 0 and 1; a suppressed record counts 1
                       (what a column loses in a class: `Tree.loss`, `recodings.boxes.Side.loss` and `.ncp`)
entropy                the same with log(records covered by the published value / records with the value) per record,
                       over the entropy of the column; a suppressed record loses its whole surprise.
                       De Waal and Willenborg 1999; Gionis and Tassa 2009, https://doi.org/10.1109/TKDE.2008.129
discernibility         sum of squared class sizes, plus n per suppressed record.
                       Bayardo and Agrawal 2005, https://doi.org/10.1109/ICDE.2005.42
average class size     records per class, the suppressed ones being one class more.
                       LeFevre, DeWitt and Ramakrishnan 2006, https://doi.org/10.1109/ICDE.2006.101 (there over k)
All cost O(classes x columns), entropy O(records).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from lookalike.base.errors import RequestError
from lookalike.tables.hierarchies.losses import suppressed_losses


def mean_loss(
    sizes: ArrayLike, losses: ArrayLike, *, suppressed: int = 0, weights: Sequence[float] | None = None
) -> float:
    """Mean over records and columns: `losses[column, class]` for everyone kept, 1 for each suppressed record.

    weights: how much each column counts, equally by default.
    """
    kept, lost = np.asarray(sizes, dtype=np.int64), np.asarray(losses, dtype=np.float64)
    if lost.ndim != 2 or lost.shape[1] != len(kept):
        raise RequestError(
            f"losses must have one row per column and one entry per class ({len(kept)}), found shape {lost.shape}."
        )
    share = _shares(weights, len(lost))
    records = int(kept.sum()) + suppressed
    return (float(share @ lost @ kept) + suppressed) / records if records else 0.0


def detail_lost(kept: Mapping[str, float], *, records: int, suppressed: int) -> float:
    """Plain mean over records and columns, from the share of detail that released records keep of each column."""
    lost = 1 - float(np.mean(list(kept.values()))) if kept else 0.0
    return (lost * (records - suppressed) + suppressed) / records if records else 0.0


def entropy_loss(
    codes: ArrayLike,
    of_row: ArrayLike,
    covered: ArrayLike,
    *,
    weights: Sequence[float] | None = None,
) -> float:
    """Non-uniform entropy: `codes[column, row]`, the class of each row (-1: suppressed), and `covered[column, class]`:
    how many records of the original table the value published for the class covers.
    """
    values, owner, reach = np.asarray(codes), np.asarray(of_row), np.asarray(covered, dtype=np.float64)
    share = _shares(weights, len(values))
    kept = owner >= 0
    total = 0.0
    for column, weight in zip(range(len(values)), share, strict=True):
        counts = np.bincount(values[column]).astype(np.int64)
        worst = suppressed_losses("entropy", len(counts), counts)
        spread = _entropy(counts)
        lost = worst[values[column]]
        if spread > 0:
            published = reach[column][owner[kept]]
            lost[kept] = np.log(published / counts[values[column][kept]]) / spread
        total += weight * float(lost.sum())
    return total / len(owner) if len(owner) else 0.0


def discernibility(sizes: ArrayLike, *, suppressed: int = 0) -> int:
    """From how many records each record cannot be told apart, summed."""
    kept = np.asarray(sizes, dtype=np.int64)
    records = int(kept.sum()) + suppressed
    return int(kept @ kept) + records * suppressed


def average_class_size(sizes: ArrayLike, *, suppressed: int = 0) -> float:
    """Records per class; those suppressed count as one class."""
    kept = np.asarray(sizes, dtype=np.int64)
    classes = int((kept > 0).sum()) + (suppressed > 0)
    return (int(kept.sum()) + suppressed) / classes if classes else 0.0


def _shares(weights: Sequence[float] | None, columns: int) -> NDArray[np.float64]:
    given = np.ones(columns) if weights is None else np.asarray(weights, dtype=np.float64)
    if len(given) != columns or (given < 0).any() or not given.sum() > 0:
        raise RequestError(
            f"weights: give one number from 0 on for each of the {columns} columns, not all zero."
        )
    return np.asarray(given / given.sum())


def _entropy(counts: NDArray[np.int64]) -> float:
    share = counts[counts > 0] / max(int(counts.sum()), 1)
    return float(-(share @ np.log(share)))
