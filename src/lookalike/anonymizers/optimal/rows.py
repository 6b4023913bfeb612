"""The finest rows that a search has to tell apart: cells, parted by sensitive values where these matter. O(entries)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from lookalike.tables.cells import Cells
from lookalike.tables.columns.grouping import group_codes

Integers = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class FinestRows:
    """The finest rows that have to be told apart: cells, parted by sensitive values where these matter."""

    cell: NDArray[np.int32]
    records: Integers
    population: Integers  #: people of the population; empty where they do not matter
    tuples: NDArray[np.int32]  #: of sensitive values
    values: dict[str, NDArray[np.int32]]  #: per sensitive column that matters: its code in each tuple
    kinds: int  #: of tuples, some of which may not occur
    distinct: bool  #: no two rows are equal


def lay_out_rows(cells: Cells, columns: Sequence[str], *, with_population: bool) -> FinestRows:
    """Cells with people in them, or in the population where it matters; their entries where columns matter."""
    people = np.zeros(0, dtype=np.int64)
    if with_population and cells.population is not None:
        people = cells.population
    if not columns:
        cell = np.arange(len(cells), dtype=np.int32)
        if not len(people):
            cell = cell[cells.records > 0]
        records = cells.records[cell]
        return FinestRows(cell, records, people, np.zeros(len(records), dtype=np.int32), {}, 1, True)
    entries = cells.entries
    chosen = [i for i, column in enumerate(cells.sensitive) if column.name in columns]
    sizes = [cells.sensitive[i].domain.size for i in chosen]
    if len(chosen) == 1:
        tuples, kinds = entries.codes[chosen[0]], sizes[0]
        values = {cells.sensitive[chosen[0]].name: np.arange(kinds, dtype=np.int32)}
    else:
        tuples, kinds = group_codes([entries.codes[i] for i in chosen], sizes, len(entries.count))
        values = {cells.sensitive[i].name: np.zeros(kinds, dtype=np.int32) for i in chosen}
        for i in chosen:
            values[cells.sensitive[i].name][tuples] = entries.codes[i]
    distinct = entries.unit is None and len(chosen) == len(cells.sensitive)
    if not len(people):
        return FinestRows(entries.cell, entries.count, people, tuples, values, kinds, distinct)
    # One row of each cell has its population; cells that nobody in the table has get a row of nobody.
    nobody = np.flatnonzero(cells.records == 0).astype(np.int32)
    cell = np.concatenate([entries.cell, nobody])
    first = np.zeros(len(cells), dtype=np.int64)
    first[cell[::-1]] = np.arange(len(cell))[::-1]
    population = np.zeros(len(cell), dtype=np.int64)
    population[first] = people
    none = np.zeros(len(nobody), dtype=np.int32)
    return FinestRows(
        cell,
        np.concatenate([entries.count, none]),
        population,
        np.concatenate([tuples, none]),
        values,
        kinds,
        distinct,
    )
