"""Columns of like names that add up to a quasi-identifier: the items of a test beside its score, months beside a year.

Whoever has the items published adds them up, so a blurred score hides nobody. The sum may be scaled, as per cent are,
and clipped, as points up to the most that are given.
O(columns x n).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

import numpy as np

from lookalike.recognition.links.clipping import NOWHERE, Ends, find_ends
from lookalike.recognition.links.differences import ENOUGH, HOLDS, Amounts, Floats

FEWEST = 3  #: columns of like names from which they are looked at together
_DIGITS = re.compile(r"\d+")
_ROUNDED = 0.01  # of the spread of a score, which may be rounded
_SPREAD = (0.1, 0.9)  # of the values, by which a sum is scaled; a few mistyped ones are beyond


def find_sums(
    known: Mapping[str, Amounts], others: Mapping[str, Amounts]
) -> Iterator[tuple[tuple[str, ...], str, float]]:
    """Columns of like names, the quasi-identifier they add up to, and the share of rows in which they do."""
    alike: dict[str, list[str]] = {}
    for name, column in others.items():
        if not column.dates and _DIGITS.search(name):
            alike.setdefault(_DIGITS.sub("#", name), []).append(name)
    for names in alike.values():
        if len(names) < FEWEST:
            continue
        total = np.sum([others[name].values for name in names], axis=0)
        for quasi, column in known.items():
            share = 0.0 if column.dates else _follows(column, total)
            if share >= HOLDS:
                yield tuple(names), quasi, share


def _follows(column: Amounts, total: Floats) -> float:
    """The share of rows in which a column is the sum, scaled, moved and perhaps clipped; 0 where that says little."""
    both = ~(np.isnan(column.values) | np.isnan(total))
    score, items = column.values[both], total[both]
    if len(score) < ENOUGH or not column.moves(column.exact):
        return 0.0
    off = _ROUNDED * float(column.known.std())
    return max(
        one.holds(score, _scale(score, items, one) * items, off)
        for one in (NOWHERE, find_ends(column))
        if one is not None
    )


def _scale(score: Floats, items: Floats, ends: Ends) -> float:
    """How much a score moves while a sum moves by one, where it is not clipped; 0 where the sum stays."""
    inside = ends.inside(score)
    if not inside.any():
        return 0.0
    low, high = np.quantile(items[inside], _SPREAD)
    least, most = np.quantile(score[inside], _SPREAD)
    return float((most - least) / (high - low)) if high > low else 0.0
