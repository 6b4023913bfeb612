"""Wilson's interval of a share, 1927, https://doi.org/10.1080/01621459.1927.10502953."""

from __future__ import annotations

from math import sqrt
from statistics import NormalDist


def wilson(successes: float, trials: int, *, confidence: float = 0.95) -> tuple[float, float]:
    """Wilson's interval of a share; everything is possible where nothing was tried."""
    if trials == 0:
        return 0.0, 1.0
    z = NormalDist().inv_cdf(0.5 + confidence / 2)
    share = successes / trials
    centre = (share + z * z / (2 * trials)) / (1 + z * z / trials)
    half = z * sqrt(max(share * (1 - share), 0.0) / trials + z * z / (4 * trials**2)) / (1 + z * z / trials)
    low = 0.0 if successes == 0 else max(0.0, centre - half)
    return low, 1.0 if successes == trials else min(1.0, centre + half)
