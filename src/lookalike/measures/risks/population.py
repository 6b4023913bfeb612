"""How many people are unique in the population, and how likely a match is right, from a sample and its fraction.

Zayatz 1991 (equivalence classes of the sample stand for those of the population); Pitman's sampling formula, Hoshino
2001, Journal of Official Statistics 17(4); slide negative binomial, Chen and Keller-McNulty 1998, Journal of Official
Statistics 14(1), both fitted by maximum likelihood; the rule that chooses between them of Dankar, El Emam, Neisa and
Roffey 2012, https://doi.org/10.1186/1472-6947-12-66. Cost: O(different class sizes) per step of the fit.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lookalike.base.errors import RequestError

LARGEST_FOR_PITMAN = 0.1  # Dankar's rule takes Pitman's model up to this sampling fraction
COUNTED = "counted in the population given"


@dataclass(frozen=True)
class PopulationUniqueness:
    """Estimated share of the population that is unique, by model; NaN where a model does not fit."""

    sampling_fraction: float
    zayatz: float
    pitman: float
    snb: float
    dankar: float  #: what Dankar's rule takes; the counted share where the population itself was given
    chosen: str  #: the model that Dankar's rule takes
    #: The chance that a unique match between the sample and the population is right (Skinner and Elliot 2002,
    #: https://doi.org/10.1111/1467-9868.00365).
    correct_match: float

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON values."""
        return {name: _finite(value) for name, value in asdict(self).items()}


def estimate_uniqueness(sizes: NDArray[np.int64], sampling_fraction: float) -> PopulationUniqueness:
    """Population uniqueness from the class sizes of a sample that holds this share of the population."""
    if not 0 < sampling_fraction <= 1:
        raise RequestError(
            f"the sampling fraction must lie above 0 and not above 1, found {sampling_fraction}. "
            "It is the number of people in the table over that in the population."
        )
    size, times = np.unique(sizes[sizes > 0], return_counts=True)
    n = int((size * times).sum())
    alone = int(times[size == 1].sum())
    pairs = int(times[size == 2].sum())
    if not alone:
        return PopulationUniqueness(
            sampling_fraction, 0.0, 0.0, 0.0, 0.0, "no one is unique in the sample", 0.0
        )
    whole = max(round(n / sampling_fraction), n)
    zayatz = _zayatz(size, times, n, whole) / whole
    pitman = _pitman(size, times, n, whole) / whole
    snb = _slide_negative_binomial(size, times, sampling_fraction) / whole
    if sampling_fraction <= LARGEST_FOR_PITMAN and math.isfinite(pitman):
        chosen = "pitman"
    elif sampling_fraction > LARGEST_FOR_PITMAN and math.isfinite(snb) and snb <= zayatz:
        chosen = "snb"
    else:
        chosen = "zayatz"
    dankar = {"pitman": pitman, "snb": snb, "zayatz": zayatz}[chosen]
    match = alone * sampling_fraction / (alone * sampling_fraction + 2 * pairs * (1 - sampling_fraction))
    return PopulationUniqueness(sampling_fraction, zayatz, pitman, snb, dankar, chosen, match)


def expected_risk(sizes: NDArray[np.int64], fraction: NDArray[np.float64] | float) -> NDArray[np.float64]:
    """Expected 1 / (size of the class in the population), given its size f in the sample and the share sampled.

    The population size of a class follows a negative binomial distribution given f (Benedetti and Franconi 1998;
    Franconi and Polettini 2004, https://doi.org/10.1007/978-3-540-25955-8_20). Its mean of 1/F is the integral of
    x^(f-1) / (1 + a x) over 0 <= x <= 1 with a = (1 - p) / p; with x = exp(-t / f) a Gauss-Laguerre sum.
    """
    if np.ndim(fraction) == 0:  # classes of one size share one answer
        distinct, place = np.unique(sizes, return_inverse=True)
        return expected_risk(distinct, np.full(len(distinct), fraction))[place]
    f, p = sizes.astype(np.float64), np.asarray(fraction)
    odds = (1 - p) / p
    integral = np.zeros(len(f))
    for node, weight in zip(*np.polynomial.laguerre.laggauss(60), strict=True):
        integral += weight / (1 + odds * np.exp(-node / f))
    with np.errstate(divide="ignore", invalid="ignore"):
        alone = np.where(odds > 0, np.log1p(odds) / odds, 1.0)  # the integral for f = 1
    return np.where(f == 1, alone, integral / f)


def _zayatz(size: NDArray[np.int64], times: NDArray[np.int64], n: int, whole: int) -> float:
    """Unique people of the population: sample uniques, times the chance that one is a population unique, over n/N."""
    # Chance that a class of j people of the population has exactly one in the sample: hypergeometric.
    log_chance = [
        math.log(j) + _log_choose(whole - j, n - 1) - _log_choose(whole, n)
        if whole - j >= n - 1
        else -math.inf
        for j in size.tolist()
    ]
    one = times * np.exp(np.array(log_chance))
    return float(times[0] * (one[0] / one.sum()) * whole / n)


def _pitman(size: NDArray[np.int64], times: NDArray[np.int64], n: int, whole: int) -> float:
    """Expected unique people of the population under Pitman's formula with the most likely parameters."""
    classes = int(times.sum())
    if classes in (1, n):
        return math.nan  # the likelihood has no maximum inside

    def likelihood(x: NDArray[np.float64]) -> float:
        alpha = 1 / (1 + math.exp(-x[0]))
        theta = math.exp(x[1]) - alpha
        grown = (classes - 1) * math.log(alpha) + _log_rise(theta / alpha + 1, classes - 1)
        shared: float = sum(
            t * _log_rise(1 - alpha, j - 1)
            for j, t in zip(size.tolist(), times.tolist(), strict=True)
            if j > 1
        )
        return grown - _log_rise(theta + 1, n - 1) + shared

    x = _maximise(likelihood, np.array([0.0, math.log(max(classes, 2))]))
    alpha = 1 / (1 + math.exp(-x[0]))
    theta = math.exp(x[1]) - alpha
    return whole * math.exp(_log_rise(theta + alpha, whole - 1) - _log_rise(theta + 1, whole - 1))


def _slide_negative_binomial(size: NDArray[np.int64], times: NDArray[np.int64], fraction: float) -> float:
    """Expected unique people of the population when class sizes are 1 + a negative binomial number.

    A class of 1 + X people leaves one (sampled or not) and a thinned negative binomial number in the sample; classes
    without anybody in the sample are not seen, so the likelihood is that of the sizes above zero.
    """
    classes = int(times.sum())

    def log_mass(y: int, r: float, shape: float) -> float:
        return (
            math.lgamma(r + y)
            - math.lgamma(r)
            - math.lgamma(y + 1)
            + r * math.log1p(-shape)
            + y * math.log(shape)
        )

    def log_chance(y: int, r: float, shape: float) -> float:
        """Log of the chance of y people in the sample."""
        with_first = math.log(fraction) + log_mass(y - 1, r, shape) if y else -math.inf
        without = math.log1p(-fraction) + log_mass(y, r, shape) if fraction < 1 else -math.inf
        return float(np.logaddexp(with_first, without))

    def likelihood(x: NDArray[np.float64]) -> float:
        r, shape = math.exp(x[0]), 1 / (1 + math.exp(-x[1]))
        unseen = math.exp(log_chance(0, r, shape))
        seen: float = sum(
            t * log_chance(j, r, shape) for j, t in zip(size.tolist(), times.tolist(), strict=True)
        )
        return seen - classes * math.log1p(-unseen)

    try:
        x = _maximise(likelihood, np.array([0.0, 0.0]))
        r, shape = math.exp(x[0]), 1 / (1 + math.exp(-x[1]))
        everywhere = classes / -math.expm1(log_chance(0, r, shape))
    except (ValueError, OverflowError, ZeroDivisionError):
        return math.nan
    origin = shape / (fraction + (1 - fraction) * shape)  # undo the thinning
    return everywhere * math.exp(r * math.log1p(-origin)) if origin < 1 else 0.0


def _maximise(
    function: Callable[[NDArray[np.float64]], float], start: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Nelder and Mead's simplex in two dimensions; parameters beyond exp(30) count as infinitely bad."""

    def bad(x: NDArray[np.float64]) -> float:
        if np.abs(x).max() > 30:
            return math.inf
        try:
            value = -function(x)
        except (ValueError, OverflowError):
            return math.inf
        return value if not math.isnan(value) else math.inf

    points: list[NDArray[np.float64]] = [start, start + np.array([1.0, 0.0]), start + np.array([0.0, 1.0])]
    values = [bad(x) for x in points]
    for _ in range(500):
        order = np.argsort(values, kind="stable")
        points, values = [points[i] for i in order], [values[i] for i in order]
        if abs(values[2] - values[0]) <= 1e-12 * (1 + abs(values[0])) and np.ptp(points, axis=0).max() < 1e-7:
            break
        middle = (points[0] + points[1]) / 2
        there = middle + (middle - points[2])
        found = bad(there)
        if found < values[0]:
            farther = middle + 2 * (middle - points[2])
            best = bad(farther)
            points[2], values[2] = (farther, best) if best < found else (there, found)
        elif found < values[1]:
            points[2], values[2] = there, found
        else:
            nearer = middle + 0.5 * ((there if found < values[2] else points[2]) - middle)
            best = bad(nearer)
            if best < min(found, values[2]):
                points[2], values[2] = nearer, best
            else:
                points = [points[0], *((x + points[0]) / 2 for x in points[1:])]
                values = [values[0], *(bad(x) for x in points[1:])]
    return points[0]


def _log_rise(x: float, m: int) -> float:
    """log of x (x + 1) ... (x + m - 1)."""
    return math.lgamma(x + m) - math.lgamma(x)


def _log_choose(n: int, k: int) -> float:
    return math.lgamma(n + 1) - math.lgamma(k + 1) - math.lgamma(n - k + 1)


def _finite(value: Any) -> Any:
    return None if isinstance(value, float) and not math.isfinite(value) else value
