"""Does privacy cost one group more? The gap in NCP and pureness between the largest group and all others.

Rare people lie where records are thin, so their explanations are blurred more (Goethals, Sörensen and Martens 2022,
figure 7). Intervals are bootstrapped, groups resampled separately.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lookalike.base.errors import RequestError
from lookalike.explanations.explanation import Explanation


@dataclass(frozen=True)
class Gap:
    """Mean of the minority minus mean of the majority, with its confidence interval."""

    measure: str
    majority: float
    minority: float
    gap: float
    low: float
    high: float

    @property
    def significant(self) -> bool:
        """Does the interval leave 0 out?"""
        return self.low > 0 or self.high < 0

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON values."""
        return {**vars(self), "significant": self.significant}

    def __repr__(self) -> str:
        groups = f"{self.majority:.2%} majority, {self.minority:.2%} minority"
        return f"{self.measure}: {groups}, gap {self.gap:+.2%} ({self.low:+.2%} to {self.high:+.2%})"


@dataclass(frozen=True)
class Fairness:
    """What privacy costs the most frequent group and all the others."""

    majority: Any
    sizes: dict[Any, int]
    ncp: Gap
    pureness: Gap
    ncp_by_group: dict[Any, float]
    pureness_by_group: dict[Any, float]

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON values."""
        return {
            "majority": str(self.majority),
            "sizes": {str(group): n for group, n in self.sizes.items()},
            "ncp": self.ncp.to_dict(),
            "pureness": self.pureness.to_dict(),
            "ncp_by_group": {str(group): value for group, value in self.ncp_by_group.items()},
            "pureness_by_group": {str(group): value for group, value in self.pureness_by_group.items()},
        }

    def __repr__(self) -> str:
        return f"Fairness({self.ncp}; {self.pureness})"


def compare_groups(
    explanations: Sequence[Explanation],
    groups: Sequence[Any],
    *,
    majority: Any = None,
    confidence: float = 0.95,
    draws: int = 2000,
    seed: int = 0,
) -> Fairness:
    """Compare explanations of the majority with those of all others; `groups` names each person's group.

    majority: the most frequent group of the population; by default that of the people explained.
    """
    if len(groups) != len(explanations):
        raise RequestError(f"{len(groups)} groups for {len(explanations)} explanations; give one for each.")
    names = np.array([str(group) for group in groups])
    found, sizes = np.unique(names, return_counts=True)
    if len(found) < 2:
        raise RequestError("everybody is in the same group: there is nothing to compare.")
    majority = str(found[np.argmax(sizes)]) if majority is None else str(majority)
    if majority not in found:
        raise RequestError("nobody explained is in the group named as the majority.")
    first = names == majority
    rng = np.random.Generator(np.random.PCG64(seed))
    ncp = np.array([explanation.ncp for explanation in explanations])
    pureness = np.array([explanation.pureness for explanation in explanations])
    return Fairness(
        majority,
        dict(zip(found.tolist(), sizes.tolist(), strict=True)),
        _gap("NCP", ncp[first], ncp[~first], confidence, draws, rng),
        _gap("pureness", pureness[first], pureness[~first], confidence, draws, rng),
        {name: float(ncp[names == name].mean()) for name in found.tolist()},
        {name: float(pureness[names == name].mean()) for name in found.tolist()},
    )


def _gap(
    measure: str,
    majority: NDArray[np.float64],
    minority: NDArray[np.float64],
    confidence: float,
    draws: int,
    rng: np.random.Generator,
) -> Gap:
    a, b = (
        part[rng.integers(0, len(part), (draws, len(part)))].mean(axis=1) for part in (majority, minority)
    )
    low, high = np.quantile(b - a, [(1 - confidence) / 2, (1 + confidence) / 2])
    means = float(majority.mean()), float(minority.mean())
    return Gap(measure, *means, means[1] - means[0], float(low), float(high))
