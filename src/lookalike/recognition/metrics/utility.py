"""Utility metrics: how much the classes of a set of columns tell about a target column.

A set that tells much is costly to blur. Numeric metrics leave missing targets out; the others count missing as a
value. O(distinct pairs of class and target value).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from lookalike.base.errors import RequestError
from lookalike.recognition.metrics.metric import Definition, Metric, of_set, per_class
from lookalike.recognition.metrics.view import ClassView
from lookalike.tables.cells import Histogram


def mse(view: ClassView) -> Metric:
    """Mean squared distance of the target from its class mean."""
    histogram, numbers, count = _numeric(view)
    filled = np.nan_to_num(numbers)
    total = _by_class(histogram, count)
    with np.errstate(invalid="ignore", divide="ignore"):
        mean = _by_class(histogram, count * filled) / total
        spread = _by_class(histogram, count * (filled - mean[histogram.owner]) ** 2) / total
    return per_class(MSE, view, spread, total.astype(np.int64))


def accuracy(view: ClassView) -> Metric:
    """Share of the class that has its commonest target value; `record_mean` is the pooled accuracy."""
    histogram = view.histogram(str(view.target))
    modal = np.maximum.reduceat(histogram.count, histogram.starts[:-1])
    return per_class(ACCURACY, view, modal / histogram.totals)


def range_utility(view: ClassView) -> Metric:
    """Largest minus smallest target value of the class."""
    histogram, numbers, count = _numeric(view)
    low = np.minimum.reduceat(np.where(count > 0, numbers, np.inf), histogram.starts[:-1])
    high = np.maximum.reduceat(np.where(count > 0, numbers, -np.inf), histogram.starts[:-1])
    known = _by_class(histogram, count).astype(np.int64)
    width = np.full(len(low), np.nan)
    np.subtract(high, low, out=width, where=known > 0)
    return per_class(RANGE_UTILITY, view, width, known)


def distinct_values(view: ClassView) -> Metric:
    """Number of distinct target values in the class."""
    histogram = view.histogram(str(view.target))
    return per_class(DISTINCT_VALUES, view, np.diff(histogram.starts))


def completeness(view: ClassView) -> Metric:
    """Share of the class whose target is not missing."""
    histogram = view.histogram(str(view.target))
    present = np.where(_is_missing(histogram), 0, histogram.count)
    return per_class(COMPLETENESS, view, _by_class(histogram, present) / histogram.totals)


def group_entropy(view: ClassView, *, base: float = 2) -> Metric:
    """Entropy of the target inside the class, in bits; `record_mean` is H(target | columns)."""
    return per_class(GROUP_ENTROPY, view, _entropies(view.histogram(str(view.target)), _log_of(base)))


def information_gain(view: ClassView, *, base: float = 2) -> Metric:
    """H(target) - H(target | columns): what the columns tell about the target, in bits."""
    scale = _log_of(base)
    histogram = view.histogram(str(view.target))
    shares = histogram.overall[histogram.overall > 0] / histogram.overall.sum()
    before = float(-(shares * np.log(shares)).sum()) / scale
    after = float(np.average(_entropies(histogram, scale), weights=view.sizes))
    return of_set(INFORMATION_GAIN, view, max(before - after, 0.0), target_entropy=before)


def gini(view: ClassView) -> Metric:
    """1 - sum of squared shares of the target values in the class; `record_mean` is the pooled impurity."""
    histogram = view.histogram(str(view.target))
    shares = histogram.count / histogram.totals[histogram.owner]
    return per_class(GINI, view, np.maximum(1 - _by_class(histogram, shares**2), 0.0))


def _numeric(view: ClassView) -> tuple[Histogram, NDArray[np.float64], NDArray[np.int64]]:
    """The target's histogram, the number of each entry, and its count with missing entries emptied."""
    numbers = view.numbers(str(view.target))
    histogram = view.histogram(str(view.target))
    count = np.where(_is_missing(histogram), 0, histogram.count)
    return histogram, numbers[histogram.value], count


def _is_missing(histogram: Histogram) -> NDArray[np.bool_]:
    return (
        (histogram.value == histogram.size - 1)
        if histogram.domain.missing
        else np.zeros(len(histogram.value), bool)
    )


def _by_class(histogram: Histogram, terms: NDArray[np.generic]) -> NDArray[np.float64]:
    sums = np.bincount(histogram.owner, weights=terms.astype(np.float64), minlength=histogram.classes)
    return sums.astype(np.float64)


def _entropies(histogram: Histogram, scale: float) -> NDArray[np.float64]:
    shares = histogram.count / histogram.totals[histogram.owner]
    return np.maximum(_by_class(histogram, -shares * np.log(shares)), 0.0) / scale


def _log_of(base: float) -> float:
    if base <= 1:
        raise RequestError(f"entropy: the base of the logarithm must be above 1, found {base}.")
    return float(np.log(base))


_T = ("target",)
MSE = Definition("mse", "utility", "mean_g (y - mean_g y)^2", 0, -1, "record_mean", _T, mse)
ACCURACY = Definition("accuracy", "utility", "modal count / |g|", 0, +1, "record_mean", _T, accuracy)
RANGE_UTILITY = Definition(
    "range_utility", "utility", "max_g y - min_g y", 0, None, "mean", _T, range_utility
)
DISTINCT_VALUES = Definition(
    "distinct_values", "utility", "distinct Y in g", 0, None, "mean", _T, distinct_values
)
COMPLETENESS = Definition(
    "completeness", "utility", "non-null Y in g / |g|", 0, None, "mean", _T, completeness
)
GROUP_ENTROPY = Definition(
    "group_entropy", "utility", "-sum p log p of Y in g", 0, -1, "record_mean", _T, group_entropy
)
INFORMATION_GAIN = Definition(
    "information_gain", "utility", "H(Y) - H(Y | Q)", 0, +1, "mean", _T, information_gain
)
GINI = Definition("gini", "utility", "1 - sum p^2 of Y in g", 0, -1, "record_mean", _T, gini)
