"""Running sums of a quasi-identifier: in their own order, the steps of such a column are the values again.

The sum may be scaled, as shares of the whole are, and a row's own value may be in it or not. The order of rows does not
matter, as sums of what is not negative only rise. O(columns x n log n), and for most columns a few hundred rows.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np

from lookalike.recognition.links.differences import ENOUGH, HOLDS, Amounts, Floats, near

_FEW = 400  #: the smallest values that are looked at first
_LIKELY = 0.8  #: share of these in which steps have to be values
_DISTINCT = 0.9  #: share of values of their own that running sums have at least
_FLOATS = 1e-9  #: of the largest sum, by which a step may be off


def find_running_sums(
    known: Mapping[str, Amounts], others: Mapping[str, Amounts]
) -> Iterator[tuple[str, str, float]]:
    """A column, the quasi-identifier whose running sum it is, and the share of rows in which it is."""
    blurred = {
        name: quasi
        for name, quasi in known.items()
        if not quasi.dates and len(quasi.known) >= ENOUGH and quasi.moves(quasi.exact)
    }
    for name, column in others.items():
        if not blurred or column.dates or len(column.known) < ENOUGH:
            continue
        first = np.argpartition(column.values, min(_FEW, len(column.values) - 1))[:_FEW]
        few = first[np.argsort(column.values[first], kind="stable")]
        every = None
        for quasi, amounts in blurred.items():
            if _steps_are(amounts, column, few) < _LIKELY:
                continue
            if every is None:
                every = np.argsort(column.values, kind="stable")
            share = _steps_are(amounts, column, every)
            if share >= HOLDS:
                yield name, quasi, share


def _steps_are(amounts: Amounts, column: Amounts, order: np.ndarray[tuple[int], np.dtype[np.int64]]) -> float:
    """The share of steps that are the amounts of the rows before or after them, up to a factor."""
    sums, values = column.values[order], amounts.values[order]
    steps = np.diff(sums)
    if len(np.unique(sums)) < _DISTINCT * len(sums):
        return 0.0
    return max(
        _proportional(steps, values[1:], amounts, sums), _proportional(steps, values[:-1], amounts, sums)
    )


def _proportional(steps: Floats, values: Floats, amounts: Amounts, sums: Floats) -> float:
    told = ~np.isnan(steps + values) & (values != 0)
    if told.sum() < ENOUGH - 1 or near(values[told], amounts.exact) > 0.5:
        return 0.0
    factor = float(np.median(steps[told] / values[told]))
    if factor == 0:
        return 0.0
    off = abs(factor) * amounts.exact + _FLOATS * float(np.nanmax(np.abs(sums)))
    return float((np.abs(steps[told] - factor * values[told]) <= off).mean())
