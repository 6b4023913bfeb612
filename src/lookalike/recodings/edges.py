"""Ends of published ranges that give nobody away: a value that enough people have, or else a round number beyond it.

The least and the greatest value of a class are somebody's own: one person of 97 would make `[60, 97]`, and where no
other age is known `97 | ∅`. An end that fewer than `least` people have moves outward to the edge of the finest cell
around it that holds so many: 2, 5, 10, 20 … of a number, the month, quarter, year or decade of a date. O(d log d) for d
distinct values.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from math import ceil, floor, log10
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lookalike.tables.columns.domains import FINEST, GREATEST, Domain, number_text, spread
from lookalike.tables.columns.roles import Kind

Numbers = NDArray[np.float64]
Grid = Callable[[Numbers], tuple[Numbers, Numbers]]
SHARED = 5  #: people who must have a value before a range ends with it
_EXACT = 2.0**53  # below it, floats tell whole numbers apart
_COARSEST = 1e308  # the largest step that floats can count with


@dataclass(frozen=True, eq=False)
class Edges:
    """For each value of a column of numbers or dates: where a range that begins, or ends, with it is said to."""

    low: Numbers
    high: Numbers
    texts: tuple[list[str], list[str]]  #: of the lower and of the upper edges
    codes: tuple[
        NDArray[np.int64], NDArray[np.int64]
    ]  #: the first and the last value that a range so said covers


def find_edges(domain: Domain, counts: NDArray[np.integer[Any]], least: int, finest: float = 0.0) -> Edges:
    """The edges of a numeric domain, no finer than a grid, from how many released people have each value alone."""
    n = len(domain.values)
    numbers, upto = domain.numbers[:n], np.concatenate([[0], np.cumsum(counts[:n])])
    low, high = numbers.copy(), numbers.copy()
    shared = (counts[:n] >= least) & (finest == 0)
    alone = np.flatnonzero(~shared)
    for around in grids(domain.kind, numbers[counts[:n] > 0], finest):
        if not len(alone):
            break
        down, up = around(numbers[alone])
        inside = upto[np.searchsorted(numbers, up)] - upto[np.searchsorted(numbers, down)]
        low[alone] = np.minimum(down, numbers[alone])
        # whole numbers and days end before the next cell begins
        high[alone] = np.maximum(up if domain.kind is Kind.DECIMAL else up - 1, numbers[alone])
        alone = alone[inside < least]
    if domain.kind is Kind.INTEGER:  # one float further where whole numbers lie between floats
        between = ~shared & (np.abs(numbers) >= _EXACT)
        low[between], high[between] = np.nextafter(low[between], -np.inf), np.nextafter(high[between], np.inf)
    codes = (np.searchsorted(numbers, low), np.searchsorted(numbers, high, side="right") - 1)
    lower, upper = (
        [
            own if stays else _text(edge, domain.kind)
            for own, stays, edge in zip(domain.texts, shared, edges.tolist(), strict=True)
        ]
        for edges in (low, high)
    )
    return Edges(low, high, (lower, upper), codes)


def nice_step(width: float) -> float:
    """The smallest of 1, 2, 5, 10, 20, … (and of .1, .2, .5, …) that is no smaller than a width, as floats go."""
    width = min(max(width, FINEST), _COARSEST)
    power = 10.0 ** floor(log10(width))
    return next(digit * power for digit in (1, 2, 5, 10) if digit * power >= width * (1 - 1e-12))


def round_to(number: float, step: float) -> float:
    """The multiple of a step nearest to a number, without the noise of floats."""
    digits = max(0, ceil(-log10(step)))
    return round(round(number / step) * step, digits)


def grids(kind: Kind, numbers: Numbers, finest: float = 0.0, *, single: bool = False) -> Iterator[Grid]:
    """Grids, finer ones first. Each tells of a number where its cell begins, and where the next one does.

    finest: the width of the first, where that is not for the numbers to say. single: first cells of one whole number or
    one day.
    """
    # one value alone, beside missing, spans nothing: then its size says what is round
    span = (spread(numbers) or float(abs(numbers[0])) or 1.0) if len(numbers) else 0.0
    if single and not finest and kind is not Kind.DECIMAL:
        yield partial(_steps, step=1.0)
    if kind is Kind.DATE:
        yield from (partial(_months, many=many) for many in (1, 3, 12, 120, 1200))
    elif span > 0:
        step = finest or (2.0 if kind is Kind.INTEGER else nice_step(span / 1e6))
        yield partial(_steps, step=step)
        while step < min(span, _COARSEST):
            step = nice_step(1.5 * step)
            yield partial(_steps, step=step)


def _steps(numbers: Numbers, *, step: float) -> tuple[Numbers, Numbers]:
    cell, digits = np.floor(numbers / step), max(0, ceil(-log10(step)))
    with np.errstate(over="ignore"):  # the cell around the greatest floats ends beyond them
        down, up = np.round(cell * step, digits), np.round((cell + 1) * step, digits)
    return np.maximum(down, -GREATEST), np.minimum(up, GREATEST)


def _months(days: Numbers, *, many: int) -> tuple[Numbers, Numbers]:
    since = days.astype(np.int64).astype("datetime64[D]").astype("datetime64[M]").astype(np.int64) + 1970 * 12
    first = (since // many) * many - 1970 * 12
    begin, end = (m.astype("datetime64[M]").astype("datetime64[D]") for m in (first, first + many))
    return begin.astype(np.int64).astype(float), end.astype(np.int64).astype(float)


def _text(number: float, kind: Kind) -> str:
    if kind is Kind.DATE:
        return str(np.datetime64(int(number), "D"))
    return str(int(number)) if kind is Kind.INTEGER else number_text(number)
