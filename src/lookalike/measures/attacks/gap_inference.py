"""Gap inference: tuples that are plausible but absent were held back, and their neighbours say why.

A class that is left out because everybody in it has the same value looks, from outside, like a hole among classes that
mostly have that value too. For each absent tuple the attacker takes the values of the released classes that fit it in
all columns but one, and guesses the commonest. (After the risks left open by the de-identification pipeline DEI.)
O(tuples held back x attributes x classes / 64).
"""

from __future__ import annotations

import numpy as np

from lookalike.measures.attacks.exposure import Exposure
from lookalike.measures.attacks.results import Attacked
from lookalike.measures.attacks.targets import guessable

MOST = 5000  #: absent tuples looked at


def attack(exposure: Exposure, *, seed: int = 0) -> list[Attacked]:
    """Every published sensitive column."""
    absent = np.flatnonzero((exposure.held_back > 0) & (exposure.candidates == 0))
    if not len(absent):
        return []
    if len(absent) > MOST:
        absent = np.sort(np.random.default_rng(seed).choice(absent, MOST, replace=False))
    return [_column(exposure, name, absent) for name in exposure.sensitive]


def _column(exposure: Exposure, name: str, absent: np.ndarray) -> Attacked:
    from lookalike.kernels import attacks as kernels

    values = guessable(exposure, name)
    held = exposure.held(values)
    beside = kernels.values_beside(exposure.covers(exposure.cells.codes[:, absent]), held)
    overall = np.bincount(held.value, weights=held.times, minlength=held.size)
    common = int(overall.argmax())
    seen = beside.sum(axis=1) > 0
    guess = np.full(len(exposure.cells), -1, dtype=np.int64)
    guess[absent] = np.where(seen, beside.argmax(axis=1), common)
    rows = np.flatnonzero(~exposure.kept & (guess[exposure.cells.of_row] >= 0))
    true = values.codes[rows]
    share = beside.max(axis=1)[seen] / beside.sum(axis=1)[seen]
    return Attacked(
        "gap inference",
        "inference",
        "The attacker takes somebody who fits no released record, concludes that their record was held back, and "
        "guesses the commonest value among the released records that fit them in all columns but one. The baseline "
        "guesses the commonest value of the whole release.",
        len(rows),
        int((guess[exposure.cells.of_row[rows]] == true).sum()),
        baseline=float((true == common).mean()) if len(rows) else 0.0,
        column=name,
        details={
            "absent_tuples": len(absent),
            "with_neighbours": int(seen.sum()),
            "commonest_share_beside_mean": float(share.mean()) if len(share) else 0.0,
            "commonest_share_released": float(overall[common] / max(overall.sum(), 1)),
        },
    )
