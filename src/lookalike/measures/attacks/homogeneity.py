"""Homogeneity and background knowledge: the value is plain because everybody who fits has it, or all but a few.

Machanavajjhala, Kifer, Gehrke and Venkitasubramaniam 2007, https://doi.org/10.1145/1217299.1217302. The attacker need
not know which record is the target's. O(cells x classes / 64), plus the values of the candidates.
"""

from __future__ import annotations

import numpy as np

from lookalike.measures.attacks.exposure import Exposure
from lookalike.measures.attacks.results import Attacked

RULED_OUT = (1, 2, 3)  #: values a knowing attacker can exclude


def attack(exposure: Exposure) -> list[Attacked]:
    """Both attacks on every published sensitive column."""
    return [found for name in exposure.sensitive for found in _column(exposure, name)]


def _column(exposure: Exposure, name: str) -> list[Attacked]:
    values = exposure.values(name)
    distinct = exposure.around(values)[0]
    held = exposure.held(values)
    in_class = np.diff(held.starts)
    trials = int(exposure.released.sum())
    outside = exposure.held_back * (distinct > 0)
    least = max([1, *(model.fewest_values for model in exposure.models if name in model.columns)])
    everywhere = len(np.unique(held.value))

    def share(r: int) -> float:
        return float(exposure.released[(distinct > 0) & (distinct <= r + 1)].sum())

    def control(r: int) -> float | None:
        return float(outside[distinct <= r + 1].sum() / outside.sum()) if outside.any() else None

    sure = Attacked(
        "homogeneity",
        "inference",
        "The attacker knows somebody's quasi-identifiers and that they are in the release, and looks whether all "
        "records that fit have the same value. The control are people whose records were held back: there the "
        "attacker would be just as sure, right or wrong.",
        trials,
        share(0),
        baseline=float(everywhere == 1),
        column=name,
        control=control(0),
        bound=0.0 if least >= 2 else None,
        details={
            "in_homogeneous_classes": int(exposure.sizes[in_class == 1].sum()),
            "fewest_values_in_a_class": int(in_class.min(initial=everywhere)),
        },
    )
    r = RULED_OUT[0]
    knowing = Attacked(
        "background knowledge",
        "inference",
        f"As homogeneity, but the attacker can rule out {r} value that the person has not. Success is one value left.",
        trials,
        share(r),
        baseline=float(everywhere <= r + 1),
        column=name,
        control=control(r),
        bound=0.0 if least >= r + 2 else None,
        details={"by_values_ruled_out": {r: share(r) / max(trials, 1) for r in RULED_OUT}},
    )
    return [sure, knowing]
