"""Settle which rows are held back so that what remains keeps every promise.

Every class that breaks a model goes as a whole, and with it all rows of the people in it. That can change what the
remaining classes are compared with, or take people out of them, so it is repeated until nothing breaks. Dropping
whole classes never shrinks another class unless a person has rows in both, so k settles in one round without units.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from lookalike.models.model import Model
from lookalike.tables.table import Table


@dataclass(frozen=True, eq=False)
class Settled:
    """The class of each row (-1: held back), and how many rounds it took until nothing broke."""

    of_row: NDArray[np.int32]
    rounds: int


def looked_at(table: Table, models: Sequence[Model]) -> list[str]:
    """The sensitive columns that matter to the models: theirs, or all where one treats the others as known."""
    if any(getattr(model, "strict", False) for model in models):
        return table.sensitive
    return list(dict.fromkeys(name for model in models for name in model.columns))


def settle(
    table: Table,
    of_row: NDArray[np.int32],
    models: Sequence[Model],
    *,
    population: NDArray[np.int64] | None = None,
) -> Settled:
    """Hold back everything that breaks a model. `population` is the number of people of the population per class."""
    of_row = of_row.copy()
    names = looked_at(table, models)
    unit = None if table.unit is None else table.column(table.unit).codes
    rounds = 0
    while (of_row >= 0).any():
        classes = table.classes(of_row, sensitive=names)
        labels = classes.cells.codes[0]
        if population is not None:
            classes = replace(classes, population=population[labels])
        broken = np.zeros(len(classes), dtype=bool)
        for model in models:
            broken |= model.breaks(classes)
        if not broken.any():
            break
        rounds += 1
        gone = np.zeros(int(of_row.max()) + 2, dtype=bool)
        gone[labels[broken]] = True
        rows = gone[of_row]
        if unit is not None:
            people = np.zeros(int(unit.max()) + 1, dtype=bool)
            people[unit[rows]] = True
            rows |= people[unit]
        of_row[rows] = -1
    return Settled(of_row, rounds)
