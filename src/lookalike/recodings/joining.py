"""Rows published now beside rows published before: who of the new ones must be held back so that both keep a promise.

What is out cannot be taken back, so only new rows go: all of a class that breaks a promise, and with them the other new
rows of the people in it, until nothing breaks. A round costs O(entries of the cells).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import polars as pl
from numpy.typing import NDArray

from lookalike.base.errors import GuaranteeError
from lookalike.models.model import Model
from lookalike.recodings.settling import breaking, looked_at
from lookalike.tables.columns.coding import distinct
from lookalike.tables.columns.grouping import group_codes
from lookalike.tables.table import Table


def classes_of(rows: pl.DataFrame, quasi: Sequence[str]) -> NDArray[np.int32]:
    """The class of each row by its published quasi-identifiers."""
    found = [distinct(rows[name]) for name in quasi]
    sizes = [len(one.values) + 1 for one in found]
    of_row, _ = group_codes([one.codes + 1 for one in found], sizes, rows.height)
    return of_row.astype(np.int32)


def settle_new(
    both: Table, of_row: NDArray[np.int32], models: Sequence[Model], *, before: int
) -> NDArray[np.int32]:
    """The class of each row, -1 where it is held back; the first `before` rows are out already and stay."""
    unit = None if both.unit is None else both.column(both.unit).codes
    new = np.arange(len(of_row)) >= before
    out = of_row.copy()
    sensitive = looked_at(both, models)
    while True:
        classes = both.classes(out, sensitive=sensitive)
        broken = breaking(classes, [model for model in models if not model.whole_table])
        if not broken.any():
            broken = breaking(classes, [model for model in models if model.whole_table])
        if not broken.any():
            return out
        labels = np.zeros(int(out.max()) + 2, dtype=bool)
        labels[classes.cells.codes[0][broken]] = True
        gone = labels[out] & (out >= 0) & new
        if not gone.any():
            raise GuaranteeError(
                "the rows that are out already break the promise once the new ones are counted with them. Release the "
                "new rows by themselves, or make a new release of all of them."
            )
        if unit is not None:
            gone = np.isin(unit, unit[gone]) & new
        out[gone] = -1
