"""How good an explanation is for the person who gets it: how many ways out it offers, and how far they are.

"A teacher or a nurse" offers two ways where one person's own value offers one. A way is a combination of training
values that does what the explanation says, all else being as the person has it. It is valid if the model gives the
outcome, and within reach if it is no farther from the person than the record that the explanation started from.
Goethals, Sörensen and Martens 2022, section 7, https://doi.org/10.48550/arXiv.2210.12051.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from lookalike.explanations.explanation import Explanation
from lookalike.explanations.features import Features
from lookalike.explanations.outcomes import Outcomes
from lookalike.explanations.staying import try_ways


@dataclass(frozen=True)
class WaysOut:
    """The ways out that an explanation offers one person."""

    ways: int  #: combinations of training values that do what it says
    valid: float  #: share of them that lead to the outcome, all else being as the person has it
    reachable: float  #: share that do, and are no farther than the record the explanation started from
    nearest: (
        float | None
    )  #: distance of the nearest valid one: 1 for a name, the share of the range for a number
    changes: int  #: columns that would have to change

    @property
    def valid_ways(self) -> int:
        """How many ways are valid; an estimate where there are more than could be tried."""
        return round(self.ways * self.valid)

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON values."""
        return {**vars(self), "valid_ways": self.valid_ways}


def measure_ways(
    outcomes: Outcomes, features: Features, rows: pl.DataFrame, explanations: Sequence[Explanation]
) -> list[WaysOut]:
    """The ways out that each row's explanation offers; up to 100 of each are tried."""
    told = [(one.changes, one.box, one.record) for one in explanations]
    own = features.measure(features.code(rows))
    out = []
    for i, (one, (where, desired)) in enumerate(
        zip(explanations, try_ways(outcomes, features, rows, told), strict=True)
    ):
        far = _distances(features, own[i], where, len(desired))
        within = desired & (far <= one.distance + 1e-9)
        nearest = float(far[desired].min()) if desired.any() else None
        ways = int(
            np.prod([_choices(features, change.column, change.then) for change in one.changes], dtype=object)
        )
        out.append(WaysOut(ways, float(desired.mean()), float(within.mean()), nearest, len(one.changes)))
    return out


def _choices(features: Features, name: str, then: Any) -> int:
    """How many training values a change leaves to choose from."""
    return int(then.matches(features.people.column(name).domain).sum()) if hasattr(then, "matches") else 1


def _distances(
    features: Features, own: NDArray[np.float64], where: Mapping[str, NDArray[np.int64]], ways: int
) -> NDArray[np.float64]:
    """How far each way is from the person: HEOM over the columns that change."""
    total = np.zeros(ways)
    for name, rows in where.items():
        j = features.names.index(name)
        then = features.values[features.of_row[rows], j]
        apart = (then != own[j]).astype(float) if features.nominal[j] else np.abs(then - own[j])
        total += np.where(np.isnan(then) | np.isnan(own[j]), 1.0, apart)
    return total
