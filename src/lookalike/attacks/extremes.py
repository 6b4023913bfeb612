"""Extremes and exact statistics: an end of a published range, or a mean, is somebody's exact value.

Whoever is known to be the oldest, or the only one beyond some age, is found where a range ends at their age; and with
all values of a class but one, its published mean gives the last. Rounded ends and rounded means do not (disclosure by
extreme values and by differencing: Hundepool et al. 2012, https://doi.org/10.1002/9781118348239). O(classes x columns).
"""

from __future__ import annotations

import numpy as np

from lookalike.attacks.exposure import CoveredColumn, Exposure
from lookalike.attacks.results import Attacked
from lookalike.columns.grouping import group_codes

FEWER = 2  #: people who have a value, below which it is one person's


def attack(exposure: Exposure) -> list[Attacked]:
    """Ends of ranges, and means that are published."""
    ranges = [side for side in exposure.sides if side.style == "range" and side.numbers == "range"]
    out = [_ends(exposure, ranges)] if ranges else []
    means = [side for side in exposure.sides if side.numbers == "mean"]
    return [*out, *(_mean(exposure, side) for side in means)]


def _ends(exposure: Exposure, sides: list[CoveredColumn]) -> Attacked:
    published = one = few = expected = 0.0
    for side in sides:
        codes = exposure.cells.codes[exposure.sides.index(side)]
        have = np.bincount(codes, weights=exposure.cells.records, minlength=side.domain.size)
        values = side.inside.copy()
        if side.domain.missing:
            values[:, -1] = False
        wide = values.sum(axis=1) > 1
        label = side.label[wide[side.label]]
        lo, hi = values.argmax(axis=1)[label], values.shape[1] - 1 - values[:, ::-1].argmax(axis=1)[label]
        fewest = np.minimum(have[lo], have[hi])
        published += len(label)
        one += (fewest < FEWER).sum()
        few += (fewest < exposure.k).sum()
        rare = have[have < FEWER].sum() / max(have.sum(), 1)
        expected += len(label) * (1 - (1 - rare) ** 2)
    return Attacked(
        "extremes",
        "singling out",
        "The attacker looks at the ends of published ranges. Success is a range with an end that is the exact value of "
        "one person of the table and of nobody else: an outlier's, say. The baseline is what ends drawn from the table "
        "by lot would give.",
        int(published),
        float(one),
        baseline=float(expected / max(published, 1)),
        details={
            "ends_that_fewer_than_k_people_have": int(few),
            "columns": [s.attribute.name for s in sides],
        },
    )


def _mean(exposure: Exposure, side: CoveredColumn) -> Attacked:
    """With a class's mean and all its values but one, the last is solved; here for every class and a member of it."""
    at = exposure.sides.index(side)
    rows = np.flatnonzero(exposure.kept)
    codes = exposure.cells.codes[at][exposure.cells.of_row[rows]]
    numbers = side.domain.numbers[codes]
    known = ~np.isnan(numbers)
    by = side.label[exposure.of_row[rows]] if side.style == "level" else exposure.of_row[rows]
    label, n = group_codes([by[known]], [int(by.max(initial=0)) + 1], int(known.sum()))
    count = np.bincount(label, minlength=n)
    total = np.bincount(label, weights=numbers[known], minlength=n)
    last = np.zeros(n)
    last[label] = numbers[known]
    solved = total / np.maximum(count, 1) * count - (total - last)
    whole = np.abs(solved - last) <= 1e-6 * np.maximum(np.abs(last), 1)
    return Attacked(
        "exact statistics",
        "inference",
        "A class publishes the exact mean of this column; the attacker knows the values of all its members but one and "
        "solves for the last.",
        n,
        int(whole.sum()),
        baseline=0.0,
        column=side.attribute.name,
    )
