"""View: a table seen through a set of columns. Its classes are counted once and shared by all metrics.

O(n) to count; afterwards every metric works on classes and histograms.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lookalike.base.errors import ColumnError, RequestError, unknown_column
from lookalike.tables.cells import Attribute, Cells, Classes, Histogram, count
from lookalike.tables.columns.coding import Column
from lookalike.tables.columns.grouping import first_of_each
from lookalike.tables.table import Table


class ClassView:
    """The classes of a table by some of its columns, with the columns that metrics compare them with."""

    def __init__(
        self,
        table: Table,
        quasi: Sequence[str],
        *,
        sensitive: str | None = None,
        target: str | None = None,
        treatment: str | None = None,
        treated: str | None = None,
        universe: Sequence[str] | None = None,
        adjacency: Any = None,
        cells: Cells | None = None,
    ) -> None:
        if isinstance(quasi, str):
            raise ColumnError(f"quasi: give a list of column names, such as [{quasi!r}].")
        for name in (*quasi, *(universe or ()), *filter(None, (sensitive, target, treatment))):
            if name not in table.roles:
                raise unknown_column(name, table.names, "metrics")
        if len(set(quasi)) < len(quasi):
            raise ColumnError("quasi: a column is named twice.")
        self.table = table
        self.quasi = tuple(quasi)
        self.sensitive = sensitive
        self.target = target
        self.treatment = treatment
        self.universe = tuple(universe if universe is not None else table.names)
        self.adjacency = adjacency
        self._treated = treated
        self._cells = cells

    @property
    def records(self) -> int:
        """Rows of the table."""
        return len(self.table)

    @cached_property
    def classes(self) -> Classes:
        """Equivalence classes of the rows."""
        if self._cells is not None:
            return self._cells.subset(self.quasi)
        return count_cells(self.table, self.quasi, [self.sensitive, self.target]).classes()

    @property
    def sizes(self) -> NDArray[np.int64]:
        """Records in each class."""
        return self.classes.records

    def labels(self) -> list[tuple[str | None, ...]]:
        """The values of each class, as text; None is a missing value."""
        classes = self.classes
        cells = classes.cells
        one = first_of_each(classes.of_cell, len(classes))
        columns = []
        for name in self.quasi:
            place = cells.names.index(name)
            texts = [*cells.attributes[place].domain.texts, None]
            columns.append([texts[code] for code in cells.codes[place, one].tolist()])
        return list(zip(*columns, strict=True)) if columns else [()] * len(classes)

    def histogram(self, name: str) -> Histogram:
        """How often each value of another column occurs in each class; missing is a value."""
        return self.classes.histogram(name)

    def numbers(self, name: str) -> NDArray[np.float64]:
        """A numeric column's number for each of its codes."""
        column = self.table.column(name)
        if not column.kind.numeric:
            raise ColumnError(
                f"column {name!r} holds {column.kind} values; this metric needs numbers. Choose a numeric target."
            )
        return column.domain.numbers

    @cached_property
    def is_treated(self) -> NDArray[np.bool_]:
        """Which rows are treated; all others are controls."""
        column = self.table.column(str(self.treatment))
        texts = column.domain.texts
        if self._treated is None:
            if len(texts) != 2:
                raise RequestError(
                    f"treatment column {self.treatment!r} has {len(texts)} values; say which means treated: treated=..."
                )
            code = 1
        elif str(self._treated) in texts:
            code = texts.index(str(self._treated))
        else:
            raise RequestError(f"treatment column {self.treatment!r} has no value equal to treated=.")
        treated: NDArray[np.bool_] = column.codes == code
        if not treated.any() or treated.all():
            raise RequestError(
                f"treatment column {self.treatment!r}: there must be both treated rows and controls."
            )
        return treated

    @property
    def covariates(self) -> list[Column]:
        """The columns of the set without the treatment."""
        return [self.table.column(name) for name in self.quasi if name != self.treatment]


def count_cells(table: Table, quasi: Sequence[str], beside: Sequence[str | None]) -> Cells:
    """Cells of any columns, with histograms of others; not kept with the table, since sets of columns are many."""
    extra = list(dict.fromkeys(name for name in beside if name is not None))
    return count(
        [Attribute(table.column(name), lambda name=name: table.tree(name)) for name in quasi],  # type: ignore[misc]
        [table.column(name) for name in extra],
        rows=len(table),
    )
