"""Classes of single rows for privacy models, and the repair of classes that break one by merging neighbours.

Models ask for counts and histograms of classes. Rows of one cell may lie in several classes here, so the classes are
counted from rows: O(n). Repair merges a breaking class with the one whose union adds least loss, until all models hold.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lookalike.base.errors import RequestError
from lookalike.models.model import Model
from lookalike.tables.cells import Attribute, Cells, Classes, count
from lookalike.tables.columns.coding import Column
from lookalike.tables.columns.domains import Domain
from lookalike.tables.columns.roles import Kind
from lookalike.tables.hierarchies import Hierarchy

Labels = NDArray[np.int32]


def classes_of_rows(
    cells: Cells, of_row: Labels, classes: int, unit: NDArray[np.integer[Any]] | None
) -> Classes:
    """Classes from a label per row: the same sensitive values and people, told apart by class instead of by cell.

    Where the population is known, a class stands for everybody who shares a tuple with one of its rows.
    """
    domain = Domain(Kind.INTEGER, np.arange(classes))
    label = Attribute(Column("class", of_row, domain), lambda: Hierarchy.automatic().grow(domain))
    people = None
    if unit is not None:
        people = Column(
            "unit", unit.astype(np.int32), Domain(Kind.INTEGER, np.arange(int(unit.max(initial=0)) + 1))
        )
    counted = count(
        [label],
        cells.sensitive,
        rows=len(of_row),
        unit=people,
        sensitive_trees=cells.sensitive_trees,
    )
    if cells.population is None:
        return counted.classes()
    return replace(counted, population=cells.population_of(of_row)).classes()


def breaking(models: Sequence[Model], classes: Classes) -> NDArray[np.bool_]:
    """Which classes break at least one model."""
    flags = np.zeros(len(classes), dtype=bool)
    for model in models:
        flags |= model.breaks(classes)
    return flags


def check_models(cells: Cells, models: Sequence[Model], unit: NDArray[np.integer[Any]] | None) -> None:
    """Refuse models that no classes can keep, and cells that count people when nobody says which row is whose."""
    if cells.entries.unit is not None and unit is None:
        raise RequestError("the table counts people, not rows: pass `unit`, the person's code of each row.")
    alone = classes_of_rows(cells, cells.of_row, int(cells.of_row.max(initial=-1)) + 1, unit)
    for model in models:
        model.check(alone)


def relabel(of_row: Labels) -> tuple[Labels, int]:
    """Number the classes in use 0, 1, ... in order of their first row, and count them."""
    used, first, inverse = np.unique(of_row, return_index=True, return_inverse=True)
    place = np.empty(len(used), dtype=np.int32)
    place[np.argsort(first)] = np.arange(len(used), dtype=np.int32)
    return place[inverse].astype(np.int32), len(used)
