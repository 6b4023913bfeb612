"""Statistics in which every record counts a given number of times: ranks, quantiles, correlation."""

from __future__ import annotations

import numpy as np

from lookalike.measures.utility.views import Floats


def ranks(values: Floats, weights: Floats) -> Floats:
    """Mid-ranks: values that are equal share the mean of their ranks."""
    distinct, inverse = np.unique(values, return_inverse=True)
    times = np.bincount(inverse, weights=weights, minlength=len(distinct))
    return np.asarray((np.cumsum(times) - (times - 1) / 2)[inverse])


def quantiles(values: Floats, weights: Floats, at: list[float]) -> list[float]:
    """Quantiles by linear interpolation between records, as numpy does; NaN where there is nobody.

    Weights need not be whole: between records the scale is stretched to the sum of weights less one.
    """
    used = weights > 0
    if not used.any():
        return [float("nan")] * len(at)
    order = np.argsort(values[used], kind="stable")
    sorted_values, times = values[used][order], weights[used][order]
    upto = np.cumsum(times)
    last = max(upto[-1] - 1, 0.0)
    out = []
    for share in at:
        place = share * last
        # the records at whole places below and above; a record of weight w fills the places [start, start + w)
        low = sorted_values[min(np.searchsorted(upto, np.floor(place) + 1e-9, side="right"), len(upto) - 1)]
        high = sorted_values[min(np.searchsorted(upto, np.ceil(place) + 1e-9, side="right"), len(upto) - 1)]
        out.append(float(low + (high - low) * (place - np.floor(place))))
    return out


def pearson(x: Floats, y: Floats, weights: Floats) -> float:
    """Correlation; NaN where a side is constant."""
    total = weights.sum()
    if total <= 0:
        return float("nan")
    x, y = _near_one(x), _near_one(y)
    dx, dy = x - weights @ x / total, y - weights @ y / total
    norm = float(np.sqrt((weights @ (dx * dx)) * (weights @ (dy * dy))))
    scale = float(total * max(np.abs(x).max(initial=0) * np.abs(y).max(initial=0), 1e-300))
    return float(weights @ (dx * dy) / norm) if norm > 1e-12 * scale else float("nan")


def _near_one(numbers: Floats) -> Floats:
    """Divided by a power of 2, so that no digit changes and squares are numbers, however large they were."""
    return np.asarray(np.ldexp(numbers, -np.frexp(np.abs(numbers).max(initial=0.0))[1]))
