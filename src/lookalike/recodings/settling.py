"""Settle which rows are held back so that what remains keeps every promise.

Every class that breaks a model goes as a whole, and with it all rows of the people in it. That can change what the
remaining classes are compared with, or take people out of them, so it is repeated until nothing breaks. Promises about
the whole table are asked when all others hold. Dropping whole classes never shrinks another class unless a person has
rows in both, so k settles in one round without units. A round costs O(entries of the cells).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from lookalike.models.model import Flags, Model, Reference
from lookalike.tables.cells import Classes
from lookalike.tables.table import Table


def looked_at(table: Table, models: Sequence[Model]) -> list[str]:
    """The sensitive columns that matter to the models: theirs, or all where one treats the others as known."""
    if any(model.knows_others for model in models):
        return table.sensitive
    return list(dict.fromkeys(name for model in models for name in model.columns))


def hold_back(
    classes: Classes,
    models: Sequence[Model],
    *,
    reference: Reference | None = None,
    most: int | None = None,
) -> Classes:
    """What is left of the classes when everything that breaks a model is held back.

    reference: what classes are compared with; by default what is left of them.
    most: how many people may go; when more have to, it ends early.
    """
    alone = [model for model in models if not model.whole_table]
    together = [model for model in models if model.whole_table]
    left, people = classes, classes.cells.people
    while True:
        broken = breaking(left, alone, reference)
        if not broken.any():
            broken = breaking(left, together, reference)
        if not broken.any() or (most is not None and people - left.cells.people > most):
            return left
        entries = left.cells.entries
        gone = broken[left.of_cell[entries.cell]]
        if entries.unit is not None:
            leaving = np.zeros(int(entries.unit.max(initial=-1)) + 1, dtype=bool)
            leaving[entries.unit[gone]] = True
            gone = leaving[entries.unit]
        left = left.without(gone)


def breaking(classes: Classes, models: Sequence[Model], reference: Reference | None = None) -> Flags:
    """Which classes with people in them break at least one model."""
    broken = np.zeros(len(classes), dtype=bool)
    for model in models:
        broken |= model.breaks(classes, reference=reference)
    return broken & (classes.counts > 0)


def settle(
    table: Table,
    of_row: NDArray[np.int32],
    models: Sequence[Model],
    *,
    population: NDArray[np.int64] | None = None,
) -> NDArray[np.int32]:
    """The class of each row, -1 where it is held back. `population`: people of the population per class."""
    kept = of_row >= 0
    if not kept.any():
        return of_row
    classes = table.classes(of_row, sensitive=looked_at(table, models))
    labels = classes.cells.codes[0]
    if population is not None:
        classes = replace(classes, population=population[labels])
    left = hold_back(classes, models)
    stays = np.zeros(int(of_row.max()) + 2, dtype=bool)
    stays[labels] = left.counts > 0
    rows = stays[of_row]
    if left.cells.entries.unit is not None:
        unit = table.column(str(table.unit)).part(kept).codes
        here = np.zeros(int(unit.max()) + 1, dtype=bool)
        here[left.cells.entries.unit] = True
        rows[kept] &= here[unit]
    return np.where(rows, of_row, -1).astype(np.int32)
