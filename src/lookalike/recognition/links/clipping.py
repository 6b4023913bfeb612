"""Columns that are the difference or the sum of two others, clipped at an end: what is paid above an excess and never
below 0, days of follow-up up to a year, a benefit up to a cap.

An end is a value at which many rows lie and beyond which hardly any do. The equation is judged by the rows away from
the ends: it holds in 98 of 100 of them. At an end the two others must give the end or go beyond it: in 98 of 100 of all
rows the column is what they give, clipped.
Where the excess is the same for all, what is paid is another column less a constant, clipped; where a share is paid up
to a cap, another one by a factor.
O(clipped columns x quasi-identifiers x columns) on few rows, then O(n).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from lookalike.recognition.links.differences import (
    BRIEF,
    ENOUGH,
    HOLDS,
    MOST,
    UNITS,
    Amounts,
    Floats,
    Thirds,
    near,
)

_BEYOND = 0.01  # share of values beyond an end: a few are mistyped
_PILED = 0.02  # share of values at an end from which they are clipped there
_INSIDE = 0.1  # share of values away from the ends from which an equation says something about the column
_LIKELY = 0.7  # share of a few rows in which a column moves in proportion to another
_SPREAD = (0.1, 0.9)  # between these quantiles a column spreads
_STILL = 0.9  # share of these rows in which one of two others stays, so that it says nothing: an excess may hardly vary
_DIFFERENCES = ((1.0, -1.0), (-1.0, 1.0))  # signs of two columns


@dataclass(frozen=True)
class Ends:
    """Where a column is clipped; without end where it is not."""

    low: float
    high: float

    def inside(self, values: Floats) -> NDArray[np.bool_]:
        """Which values are away from the ends; not those that are missing."""
        return (values > self.low) & (values < self.high)

    def holds(self, values: Floats, expected: Floats, off: float) -> float:
        """The share of values that are what is expected up to a constant, clipped; 0 where too few inside are."""
        told = ~np.isnan(values - expected)
        values, expected = values[told], expected[told]
        inside = self.inside(values)
        if inside.sum() < max(ENOUGH, _INSIDE * len(values)):
            return 0.0
        rest = (values - expected)[inside]
        if near(rest, off) < HOLDS:
            return 0.0
        clipped = np.clip(expected + np.median(rest), self.low, self.high)
        return float((np.abs(clipped - values) <= off).mean())


NOWHERE = Ends(-np.inf, np.inf)  #: a column that is not clipped


def find_ends(column: Amounts) -> Ends | None:
    """The ends at which a column of numbers is clipped; None where it is at neither, or hardly anything is between."""
    if column.dates or len(column.known) < ENOUGH:
        return None
    low, high = np.quantile(column.known, (_BEYOND, 1 - _BEYOND), method="inverted_cdf").tolist()
    ends = Ends(
        low if (column.known == low).mean() >= _PILED else -np.inf,
        high if (column.known == high).mean() >= _PILED else np.inf,
    )
    enough = ends.inside(column.known).sum() >= max(ENOUGH, _INSIDE * len(column.known))
    return ends if enough and ends != NOWHERE else None


def find_clipped(
    known: Mapping[str, Amounts], others: Mapping[str, Amounts]
) -> Iterator[tuple[tuple[str, str, str], float]]:
    """Three columns of which the third is the difference or the sum of two, clipped, and how often; quasi-identifiers
    and others among them."""
    every, numbers = _enough(known, others)
    dates = [name for name in every if name not in numbers]
    for name, one in _clipped(numbers):
        found = set()
        for two in _likely(name, one, known, numbers, dates):
            names = frozenset({name, *two})
            if len(names) < 3 or names in found or names <= known.keys() or names <= others.keys():
                continue
            share = one.holds(every[two[0]], every[two[1]])
            if share >= HOLDS:
                found.add(names)
                yield (*two, name), share


def find_clipped_copies(
    known: Mapping[str, Amounts], others: Mapping[str, Amounts]
) -> Iterator[tuple[str, str, float]]:
    """A column, another one that is the same but for a factor and a constant, clipped, and how often; one of the two a
    quasi-identifier."""
    numbers = _enough(known, others)[1]
    blurred = {name: column for name, column in numbers.items() if name in known}
    shown = {name: column for name, column in numbers.items() if name not in known}
    if not 0 < len(blurred) * len(shown) <= MOST**2:
        return
    for name, one in _clipped(numbers):
        beside = shown if name in known else blurred
        for other in one.likely_copies(beside):
            share = one.copies(beside[other])
            if share >= HOLDS:
                yield other, name, share


def _enough(
    known: Mapping[str, Amounts], others: Mapping[str, Amounts]
) -> tuple[dict[str, Amounts], dict[str, Amounts]]:
    """The columns that say enough, and those of numbers among them."""
    every = {name: column for name, column in {**known, **others}.items() if len(column.known) >= ENOUGH}
    return every, {name: column for name, column in every.items() if not column.dates}


def _clipped(numbers: Mapping[str, Amounts]) -> Iterator[tuple[str, _Clipped]]:
    for name, column in numbers.items():
        ends = find_ends(column)
        if ends is not None:
            yield name, _Clipped(column, ends)


def _likely(
    name: str, one: _Clipped, known: Mapping[str, Amounts], numbers: Mapping[str, Amounts], dates: list[str]
) -> Iterator[tuple[str, str]]:
    """Two columns that may give the clipped one, by the first rows away from its ends."""
    for pair in combinations(dates, 2):
        if name in known or any(day in known for day in pair):
            yield pair
    if not 2 < len(numbers) <= MOST:
        return
    rest = {other: column for other, column in numbers.items() if other != name}
    thirds = Thirds(rest, one.rows)
    for other in rest if name in known else [other for other in rest if other in known]:
        column, rows = rest[other], one.rows[: BRIEF + 1]
        for sign in (1.0, -1.0):
            steps = np.diff(one.column.values[rows] - sign * column.values[rows])
            for third in thirds.likely(steps, max(one.column.exact, column.exact)):
                yield other, third


class _Clipped:
    """A column that is clipped, and the rows in which it is not."""

    def __init__(self, column: Amounts, ends: Ends) -> None:
        self.column, self.ends = column, ends
        self.rows = np.flatnonzero(ends.inside(column.values))

    def holds(self, a: Amounts, b: Amounts) -> float:
        """The share of rows in which it is the difference or the sum of two, clipped; 0 where that says little."""
        off = 1.0 if a.dates else max(self.column.exact, a.exact, b.exact)
        if not self._inside(self.column).moves(off):
            return 0.0
        signs = _DIFFERENCES if a.dates else (*_DIFFERENCES, (1.0, 1.0))
        return max(
            (
                self.ends.holds(self.column.values, (x * a.values + y * b.values) / unit, off)
                for unit in (UNITS if a.dates else (1.0,))
                if self._varies(a, off * unit) and self._varies(b, off * unit)
                for x, y in signs
            ),
            default=0.0,
        )

    def likely_copies(self, columns: Mapping[str, Amounts]) -> list[str]:
        """Columns that move in proportion to it in most of a few rows."""
        rows = self.rows[: BRIEF + 1]
        steps = np.diff(self.column.values[rows])
        moved = np.array([np.diff(column.values[rows]) for column in columns.values()])
        moved[moved == 0] = np.nan
        ratio = steps / moved
        told = ~np.isnan(ratio)
        ratio[~told.any(axis=1)] = 0.0
        factor = np.nanmedian(ratio, axis=1)
        same = (np.abs(steps - factor[:, None] * moved) <= 2 * self.column.exact).sum(axis=1)
        fits = (factor != 0) & (told.sum(axis=1) >= ENOUGH / 2) & (same >= _LIKELY * told.sum(axis=1))
        return [name for name, one in zip(columns, fits.tolist(), strict=True) if one]

    def copies(self, a: Amounts) -> float:
        """The share of rows in which it is another column up to a factor and a constant, clipped."""
        off, mine, theirs = self.column.exact, self._inside(self.column), self._inside(a)
        both = ~np.isnan(mine.values - theirs.values)
        if both.sum() < ENOUGH or not mine.moves(off):
            return 0.0
        low, high = np.quantile(theirs.values[both], _SPREAD)
        least, most = np.quantile(mine.values[both], _SPREAD)
        if high <= low:
            return 0.0
        factor = (most - least) / (high - low)
        return max(self.ends.holds(self.column.values, sign * factor * a.values, off) for sign in (1.0, -1.0))

    def _varies(self, column: Amounts, by: float) -> bool:
        known = self._inside(column).known
        return len(known) >= ENOUGH and near(known, by) < _STILL

    def _inside(self, column: Amounts) -> Amounts:
        """A column in the rows in which this one is not clipped."""
        return Amounts(column.values[self.rows], column.dates)
