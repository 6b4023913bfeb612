"""Columns of which one is the difference of two others: a length of stay beside two dates, an age beside a date of
birth and that of the event, net pay beside gross pay and tax.

Two dates of which hardly a pair comes twice seem to tell nothing, and yet whoever knows both knows the days between.
An equation holds where it does in 98 of 100 rows, up to a constant: between dates to a day, week, month or year and one
more or less, between numbers to a thousandth of their spread; of more than 300 columns of numbers only dates are asked.
A difference or sum may be clipped at an end, as what is paid above an excess is at 0: `links/clipping.py`.
O(quasi-identifiers x columns^2) on few rows, then O(n).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from lookalike.tables.columns.coding import Column
from lookalike.tables.columns.roles import Kind
from lookalike.tables.table import Table

HOLDS = 0.98  #: share of rows in which an equation holds
_STILL = 0.5  # share of rows about the middle from which a column hardly moves, and an equation says little
ENOUGH = 20  #: rows from which one is believed
_FEW, BRIEF = 400, 60  #: rows looked at first, and before that
_LIKELY, _LIKELY_SOON = 0.9, 0.7  # shares of these in which it has to hold
MOST = 300  #: columns of numbers up to which these are looked at three at a time
UNITS = (1.0, 7.0, 30.436875, 365.2425)  #: days of a day, week, month and year
_PRECISE = 1e-3  # of the spread of numbers

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Amounts:
    """A column of numbers, or of dates as days; NaN where a value is missing."""

    values: Floats
    dates: bool

    @cached_property
    def known(self) -> Floats:
        """The values that are not missing."""
        return self.values[~np.isnan(self.values)]

    @cached_property
    def exact(self) -> float:
        """How far off a value may be."""
        return 1.0 if self.dates else float(_PRECISE * self.known.std())

    def moves(self, by: float) -> bool:
        """Whether most values are further than this from the middle one."""
        return near(self.known, by) < _STILL


def amounts(column: Column, rows: NDArray[np.int64]) -> Amounts | None:
    """The numbers or days of a column in some rows; None where it has others."""
    if not column.kind.numeric and column.kind is not Kind.DATE:
        return None
    values = np.asarray(column.domain.values).astype(np.float64)
    return Amounts(np.append(values, np.nan)[column.codes[rows]], column.kind is Kind.DATE)


def amounts_of(people: Table, names: Iterable[str], rows: NDArray[np.int64]) -> dict[str, Amounts]:
    """The columns of a table that hold numbers or days, in some rows."""
    return {name: one for name in names if (one := amounts(people.column(name), rows)) is not None}


def find_differences(
    known: Mapping[str, Amounts], others: Mapping[str, Amounts]
) -> Iterator[tuple[tuple[str, str, str], float]]:
    """Three columns of which one is the difference of two, and how often; quasi-identifiers and others among them."""
    every = {name: column for name, column in {**known, **others}.items() if len(column.known) >= ENOUGH}
    every = {name: column for name, column in every.items() if column.moves(column.exact)}
    dates = [name for name, column in every.items() if column.dates]
    numbers = {name: column for name, column in every.items() if not column.dates}
    if not numbers:
        return
    thirds = Thirds(numbers)
    mixed = [(one, two) for one in numbers if one in known for two in numbers if one != two]
    pairs = [*combinations(dates, 2), *(mixed if len(numbers) <= MOST else [])]
    seen = set()
    for one, two in pairs:
        a, b = every[one], every[two]
        steps = np.diff(a.values[:_FEW] - b.values[:_FEW])
        for unit in UNITS if a.dates else (1.0,):
            for three in thirds.likely(steps / unit, 1.0 if a.dates else max(a.exact, b.exact)):
                names = frozenset({one, two, three})
                if len(names) < 3 or names in seen or names <= known.keys() or names <= others.keys():
                    continue
                share = _holds(a, b, every[three], steps, unit)
                if share >= HOLDS:
                    seen.add(names)
                    yield (one, two, three), share


class Thirds:
    """Columns of numbers that may be a difference: how each moves in the first rows, or the first of some."""

    def __init__(self, columns: Mapping[str, Amounts], rows: NDArray[np.int64] | None = None) -> None:
        self.names = list(columns)
        first = slice(BRIEF + 1) if rows is None else rows[: BRIEF + 1]
        self.moved = np.array([np.diff(column.values[first]) for column in columns.values()])
        self.exact = np.array([column.exact for column in columns.values()])

    def likely(self, steps: Floats, off: float) -> list[str]:
        """Those that move by such steps in most of a few rows, up or down."""
        steps, by = steps[:BRIEF], 2 * np.maximum(off, self.exact)[:, None]
        told = (~np.isnan(steps - self.moved)).sum(axis=1)
        same = [(np.abs(steps - sign * self.moved) <= by).sum(axis=1) for sign in (1.0, -1.0)]
        return [
            self.names[i] for i in np.flatnonzero((told > 0) & (np.maximum(*same) >= _LIKELY_SOON * told))
        ]


def _holds(a: Amounts, b: Amounts, c: Amounts, steps: Floats, unit: float) -> float:
    """The share of rows in which the third is the difference of the others, either way; 0 where that says little."""
    off = 1.0 if a.dates else max(a.exact, b.exact, c.exact)
    first = np.diff(c.values[:_FEW])
    for sign in (1.0, -1.0):
        told = np.abs(steps / unit - sign * first)
        told = told[~np.isnan(told)]
        if len(told) < ENOUGH - 1 or float((told <= 2 * off).mean()) < _LIKELY:
            continue
        if not (c.moves(off) and a.moves(off * unit) and b.moves(off * unit)):
            continue
        rest = (a.values - b.values) / unit - sign * c.values
        share = near(rest[~np.isnan(rest)], off)
        if share >= HOLDS:
            return share
    return 0.0


def near(values: Floats, by: float) -> float:
    """The share of values that are so near to the middle one."""
    return float((np.abs(values - np.median(values)) <= by).mean())
