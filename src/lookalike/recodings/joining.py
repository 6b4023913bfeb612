"""Rows published now beside rows published before: who of the new ones must be held back so that both keep a promise.

What is out cannot be taken back, so only new rows go. And what is out can be subtracted: rows of the later release less
those of the earlier one are the newcomers alone. So these keep the promise twice, among themselves and beside the rows
that are out; a class that breaks it either way goes, with the other new rows of the people in it, until nothing
breaks. A round costs O(entries of the cells).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray

from lookalike.base.errors import GuaranteeError
from lookalike.models.model import Model
from lookalike.recodings.settling import breaking, looked_at, settle
from lookalike.tables.columns.coding import distinct
from lookalike.tables.columns.grouping import group_codes
from lookalike.tables.table import Table


@dataclass(frozen=True, eq=False)
class Waiting:
    """How many newcomers it takes, spread over the classes as everybody is, until enough of them can join."""

    sizes: NDArray[np.int64]  #: people in each class, old and new
    least: int  #: of the people in a class, as promised

    def people(self, share: float) -> int:
        """Newcomers of whom a share, and one at least, has its class filled by newcomers alone."""
        sizes = np.sort(self.sizes[self.sizes > 0])[::-1]
        filled = np.cumsum(sizes) >= share * sizes.sum() - 1e-9
        return math.ceil(self.least * int(sizes.sum()) / int(sizes[filled.argmax()]))


def wait_for(both: Table, of_row: NDArray[np.int32], models: Sequence[Model]) -> Waiting:
    """What newcomers wait for. `of_row`: the class of every row, old or new, nobody held back."""
    return Waiting(
        both.classes(of_row, sensitive=[]).counts, max((model.smallest_class for model in models), default=1)
    )


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
    newcomers, sensitive = both.filter(new), looked_at(both, models)
    while True:
        out[new] = settle(newcomers, out[new], models)
        classes = both.classes(out, sensitive=sensitive)
        broken = breaking(classes, [model for model in models if not model.whole_table])
        if not broken.any():
            broken = breaking(classes, [model for model in models if model.whole_table])
        if not broken.any() or not (out[new] >= 0).any():
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
