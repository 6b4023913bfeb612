"""Columns of like names that add up to a quasi-identifier: the items of a test beside its score, months beside a year.

Whoever has the items published adds them up, so a blurred score hides nobody. The sum may be scaled, as per cent are.
O(columns x n).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

import numpy as np

from lookalike.links.differences import ENOUGH, HOLDS, Amounts

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


def _follows(column: Amounts, total: np.ndarray[tuple[int], np.dtype[np.float64]]) -> float:
    """The share of rows in which a column is the sum, scaled and moved by a constant; 0 where that says little."""
    both = ~(np.isnan(column.values) | np.isnan(total))
    score, items = column.values[both], total[both]
    if len(score) < ENOUGH or not column.moves(column.exact):
        return 0.0
    low, high = np.quantile(items, _SPREAD)
    if high <= low:
        return 0.0
    least, most = np.quantile(score, _SPREAD)
    rest = score - (most - least) / (high - low) * items
    return float((np.abs(rest - np.median(rest)) <= _ROUNDED * column.known.std()).mean())
