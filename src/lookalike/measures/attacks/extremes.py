"""Extremes and exact statistics: an end of a published range, or a mean, is somebody's exact value.

Whoever is known to be the oldest, or the only one beyond some age, is found where a published range ends at their age;
and with all values of a class but one, its published mean gives the last. Rounded ends and rounded means do not
(disclosure by extreme values and by differencing: Hundepool et al. 2012, https://doi.org/10.1002/9781118348239).
O(records + labels).
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from lookalike.measures.attacks.exposure import CoveredColumn, Exposure, Integers
from lookalike.measures.attacks.results import Attacked
from lookalike.recodings.labels import Range, read_label
from lookalike.tables.columns.domains import Domain
from lookalike.tables.columns.grouping import group_codes

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
        have = _people_having(exposure, side)
        known = len(side.domain.values)  # behind them is what is missing, which is no end
        people = dict(zip(side.domain.numbers[:known].tolist(), have[:known].tolist(), strict=True))
        ends, fewest = np.array([_ends_of(side.domain, text, people) for text in side.texts]).T
        ends, fewest = ends[side.label], fewest[side.label]
        published += (ends > 0).sum()
        one += (fewest < FEWER).sum()
        few += (fewest < exposure.k).sum()
        rare = have[have == 1].sum() / max(have.sum(), 1)
        expected += (1 - (1 - rare) ** ends).sum()
    return Attacked(
        "extremes",
        "singling out",
        "The attacker looks at the ends of published ranges, a value beside missing ones included. Success is a range "
        "with an end that is the exact value of one person of the table and of nobody else: an outlier's, say; or by "
        "chance, where an end is a round number. The baseline is what ends drawn from the table "
        "by lot would give.",
        int(published),
        float(one),
        baseline=float(expected / max(published, 1)),
        details={
            "ends_that_fewer_than_k_people_have": int(few),
            "columns": [s.attribute.name for s in sides],
        },
    )


def _ends_of(domain: Domain, text: str | None, people: Mapping[float, int]) -> tuple[float, float]:
    """How many ends a published range has, and how many people have the rarer of them, of those that somebody has."""
    label = read_label(text)
    if not isinstance(label, Range):
        return 0, np.inf
    ends = {domain.number(end) for end in (label.lo, label.hi)}
    return len(ends), min((people[end] for end in ends if people.get(end)), default=np.inf)


def _people_having(exposure: Exposure, side: CoveredColumn) -> Integers:
    """How many people of the table have each value of a column; records where it tells no people apart."""
    cells, unit, size = exposure.cells, exposure.people.unit, side.domain.size
    codes = cells.codes[exposure.sides.index(side)][cells.of_row].astype(np.int64)
    if unit is not None:
        people = exposure.people.column(unit)
        codes = np.unique(codes * people.domain.size + people.codes) // people.domain.size
    return np.bincount(codes, minlength=size)


def _mean(exposure: Exposure, side: CoveredColumn) -> Attacked:
    """With a class's mean and all its values but one, the last is solved; here for every class and a member of it."""
    at = exposure.sides.index(side)
    rows = np.flatnonzero(exposure.kept)
    codes = exposure.cells.codes[at][exposure.cells.of_row[rows]]
    numbers = side.domain.places[codes]
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
