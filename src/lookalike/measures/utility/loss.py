"""What a release has lost, for any recoding, from the sizes of its classes or the detail kept of its columns.

discernibility         sum of squared class sizes, plus n per suppressed record.
                       Bayardo and Agrawal 2005, https://doi.org/10.1109/ICDE.2005.42
average class size     records per class, the suppressed ones being one class more.
                       LeFevre, DeWitt and Ramakrishnan 2006, https://doi.org/10.1109/ICDE.2006.101 (there over k)
Both cost O(classes).
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import ArrayLike


def detail_lost(kept: Mapping[str, float], *, records: int, suppressed: int) -> float:
    """Plain mean over records and columns, from the share of detail that released records keep of each column."""
    lost = 1 - float(np.mean(list(kept.values()))) if kept else 0.0
    return (lost * (records - suppressed) + suppressed) / records if records else 0.0


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
