"""Settle which rows are held back so that what remains keeps every promise.

Every class that breaks a model goes as a whole, and with it all rows of the people in it. That can change what the
remaining classes are compared with, or take people out of them, so it is repeated until nothing breaks. Dropping
whole classes never shrinks another class unless a person has rows in both, so k settles in one round without units.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from lookalike.models.model import Model
from lookalike.tables import Table


def settle(table: Table, of_row: NDArray[np.int32], models: Sequence[Model]) -> NDArray[np.int32]:
    """The class of each row once everything that breaks a model is held back (-1)."""
    of_row = of_row.copy()
    names = list(dict.fromkeys(name for model in models for name in model.columns))
    unit = None if table.unit is None else table.column(table.unit).codes
    while (of_row >= 0).any():
        classes = table.classes(of_row, sensitive=names)
        broken = np.zeros(len(classes), dtype=bool)
        for model in models:
            broken |= model.breaks(classes)
        if not broken.any():
            break
        labels = classes.cells.codes[0][broken]
        gone = np.zeros(int(of_row.max()) + 2, dtype=bool)
        gone[labels] = True
        rows = gone[of_row] & (of_row >= 0)
        if unit is not None:
            people = np.zeros(int(unit.max()) + 1, dtype=bool)
            people[unit[rows]] = True
            rows |= people[unit]
        of_row[rows] = -1
    return of_row
