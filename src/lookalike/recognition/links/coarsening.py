"""Bands of a column with many values: rounded amounts, quantile groups, first letters; and the amounts beside bands.

In the order of the fine column the bands follow each other, so that neighbours have the same band. How often they do
beyond chance is a kappa (Cohen 1960, https://doi.org/10.1177/001316446002000104); each band begins once without being
counted as a change. Dependence (`dependence.py`) sees nothing here, as hardly a fine value comes twice.
O(columns x quasi-identifiers x n) after a sort per column.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lookalike.recognition.links.dependence import RankedCodes
from lookalike.recognition.links.link import How

AGREE = 0.9  #: kappa of neighbours from which bands are believed
_FINE = 20  #: values of a fine column, at least
_REPEATED = 5  #: rows of a band on average, at least
_BY_CHANCE = 30  #: changes of the band that chance would make, from which their absence tells something


def find_bands(
    known: Mapping[str, RankedCodes], others: Mapping[str, RankedCodes], rows: NDArray[np.int64]
) -> Iterator[tuple[str, str, How, float]]:
    """A column, the quasi-identifier it is bands of, or that is bands of it, and how far neighbours agree.

    rows: some rows, in an order that says nothing: values that come several times are ordered by it.
    """
    for name, quasi in known.items():
        order = _by_value(quasi, rows)
        for other, column in others.items():
            agree = _neighbours_agree(column, order)
            if agree >= AGREE:
                yield other, name, "follows from", agree
    for other, column in others.items():
        order = _by_value(column, rows)
        for name, quasi in known.items():
            agree = _neighbours_agree(quasi, order)
            if agree >= AGREE:
                yield other, name, "determines", agree


def _by_value(fine: RankedCodes, rows: NDArray[np.int64]) -> NDArray[np.int64] | None:
    """The rows in the order of a column's values; None where it has few or none of an order."""
    codes = fine.codes[rows]
    known = rows[codes < fine.ordered]
    if len(np.unique(fine.codes[known])) < _FINE:
        return None
    return known[np.argsort(fine.codes[known], kind="stable")]


def _neighbours_agree(bands: RankedCodes, order: NDArray[np.int64] | None) -> float:
    """How far neighbours in an order have the same band, beyond chance; 0 where that says little."""
    if order is None:
        return 0.0
    seen: NDArray[Any] = bands.codes[order]
    counts = np.bincount(seen)
    begin = int((counts > 0).sum()) - 1
    if begin < 1 or len(seen) < _REPEATED * (begin + 1):
        return 0.0
    by_chance = len(seen) * (1 - float(((counts / len(seen)) ** 2).sum())) - begin
    if by_chance < _BY_CHANCE:
        return 0.0
    return 1 - max(int((seen[1:] != seen[:-1]).sum()) - begin, 0) / by_chance
