"""Cells: the distinct quasi-identifier tuples of a table, how many records share each, and their sensitive values.

Counting rows happens once (`count`); everything after works on cells: rolling up to coarser levels, merging into
classes, histograms of sensitive values per class. Counts are exact 64-bit integers, of people where the table
names a unit, else of records.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lookalike.base.errors import RequestError, unknown_column
from lookalike.tables.columns.coding import Column
from lookalike.tables.columns.domains import Codes, Domain
from lookalike.tables.columns.grouping import Labels, first_of_each, group_codes, group_keys, sum_by, tally
from lookalike.tables.hierarchies import Tree
from lookalike.tables.histograms import Histogram

__all__ = ["Attribute", "Cells", "Classes", "Entries", "Histogram", "count"]


@dataclass(frozen=True, eq=False)
class Attribute:
    """A quasi-identifier of the cells: its name, its domain, and its tree, grown when first asked for."""

    column: Column
    _tree: Callable[[], Tree]

    @property
    def name(self) -> str:
        """Column name."""
        return self.column.name

    @property
    def domain(self) -> Domain:
        """The values behind the codes."""
        return self.column.domain

    @property
    def tree(self) -> Tree:
        """The generalisation hierarchy over these values."""
        return self._tree()


@dataclass(frozen=True, eq=False)
class Entries:
    """Distinct (cell, sensitive values, unit) tuples with their record counts: what histograms are made of."""

    cell: Labels
    codes: tuple[Codes, ...]  #: one array per sensitive column
    count: NDArray[np.int64]
    unit: Codes | None


@dataclass(frozen=True, eq=False)
class Classes:
    """Cells merged into equivalence classes: all that a privacy model looks at."""

    counts: NDArray[np.int64]  #: people (or records) in each class
    records: NDArray[np.int64]  #: records in each class
    of_cell: Labels  #: class of each cell
    cells: Cells
    population: NDArray[np.int64] | None = None  #: people of the population in each class, where one is known

    def __len__(self) -> int:
        return len(self.counts)

    def histogram(self, name: str) -> Histogram:
        """The sensitive values of each class; people count once per value."""
        return self.cells._histogram(name, self.of_cell, len(self))

    def overall(self, name: str) -> NDArray[np.int64]:
        """How often each value of a sensitive column occurs in all classes together; people count once per value."""
        return self.histogram(name).overall if self.cells.entries.unit is None else self.cells.overall(name)

    def without(self, gone: NDArray[np.bool_]) -> Classes:
        """The same classes when some of the cells' entries are left out; a class may stay without people."""
        e, kept = self.cells.entries, ~gone
        entries = Entries(
            e.cell[kept],
            tuple(codes[kept] for codes in e.codes),
            e.count[kept],
            None if e.unit is None else e.unit[kept],
        )
        records = sum_by(entries.cell, entries.count, len(self.cells))
        cells = replace(self.cells, entries=entries, records=records, counts=records)
        if e.unit is not None:
            every = np.arange(len(cells), dtype=np.int32)
            cells = replace(cells, counts=cells._people(every, len(cells), records))
        return replace(cells.merge(self.of_cell, len(self)), population=self.population)

    def split(self, names: Sequence[str]) -> Classes:
        """Refine the classes by other sensitive columns, as if these were quasi-identifiers too."""
        finer, parent = self.cells._refine(names)
        extra = len(self.cells.attributes)
        columns = [self.of_cell[parent], *finer.codes[extra:]]
        return finer.merge(*group_codes(columns, [len(self), *finer.sizes[extra:]], len(finer)))


@dataclass(frozen=True, eq=False)
class Cells:
    """Distinct tuples (`codes[attribute, cell]`), with counts and sensitive values. Made by `Table.cells()`."""

    attributes: tuple[Attribute, ...]
    codes: NDArray[np.int32]  #: attributes x cells
    counts: NDArray[np.int64]  #: people (or records) in each cell
    records: NDArray[np.int64]  #: records in each cell
    sensitive: tuple[Column, ...]
    entries: Entries
    of_row: Labels  #: cell of each row
    population: NDArray[np.int64] | None = None
    sensitive_trees: Mapping[str, Callable[[], Tree]] = field(default_factory=dict)

    def __len__(self) -> int:
        return int(self.codes.shape[1])

    @property
    def names(self) -> list[str]:
        """Names of the quasi-identifiers."""
        return [attribute.name for attribute in self.attributes]

    @cached_property
    def sizes(self) -> list[int]:
        """Domain size of each attribute."""
        return [attribute.domain.size for attribute in self.attributes]

    @cached_property
    def people(self) -> int:
        """Number of people (or records) in the table."""
        unit = self.entries.unit
        return int(self.records.sum()) if unit is None else len(np.unique(unit))

    def take(self, order: NDArray[np.integer[Any]]) -> Cells:
        """The same cells of rows that stand in another order: row i is the former row `order[i]`."""
        attributes = tuple(replace(a, column=a.column.take(order)) for a in self.attributes)
        sensitive = tuple(column.take(order) for column in self.sensitive)
        return replace(self, attributes=attributes, sensitive=sensitive, of_row=self.of_row[order])

    def classes(self) -> Classes:
        """Every cell as a class of its own."""
        return Classes(self.counts, self.records, np.arange(len(self), dtype=np.int32), self, self.population)

    def merge(self, of_cell: Labels, classes: int) -> Classes:
        """Cells merged into classes by a label per cell."""
        population = None if self.population is None else sum_by(of_cell, self.population, classes)
        records = sum_by(of_cell, self.records, classes)
        return Classes(self._people(of_cell, classes, records), records, of_cell, self, population)

    def overall(self, name: str) -> NDArray[np.int64]:
        """How often each value of a sensitive column occurs; people count once per value."""
        e = self.entries
        if e.unit is not None:
            return self._histogram(name, np.zeros(len(self), dtype=np.int32), 1).overall
        place = self._sensitive(name)
        return sum_by(e.codes[place], e.count, self.sensitive[place].domain.size)

    def population_of(self, of_row: Labels) -> NDArray[np.int64]:
        """People of the population who share a tuple with a row of each class, where rows have classes (-1: none).

        What a class publishes may cover more people than these, never fewer.
        """
        assert self.population is not None
        kept, classes = of_row >= 0, int(of_row.max(initial=-1)) + 1
        keys = of_row[kept].astype(np.int64) * len(self) + self.of_row[kept]
        owner, cell = np.divmod(group_keys(keys, classes * len(self))[1], len(self))
        return sum_by(owner, self.population[cell], classes)

    def roll_up(self, levels: Sequence[int] | Mapping[str, int]) -> Classes:
        """Classes of the table generalised to these levels (0 = as it is), one per attribute."""
        return self.merge(*self.label(levels))

    def label(self, levels: Sequence[int] | Mapping[str, int]) -> tuple[Labels, int]:
        """The class of each cell when generalised to these levels, and the number of classes."""
        wanted = self._levels(levels)
        columns, sizes = [], []
        for codes, attribute, level in zip(self.codes, self.attributes, wanted, strict=True):
            if level:
                tree = attribute.tree
                columns.append(tree.up[level][codes])
                sizes.append(len(tree.labels[level]))
            else:
                columns.append(codes)
                sizes.append(attribute.domain.size)
        return group_codes(columns, sizes, len(self))

    def subset(self, names: Sequence[str]) -> Classes:
        """Classes of the table seen through some of its quasi-identifiers only."""
        where = [self._position(name) for name in names]
        return self.merge(
            *group_codes([self.codes[i] for i in where], [self.sizes[i] for i in where], len(self))
        )

    def refined(self, names: Sequence[str]) -> Cells:
        """Cells that also tell some sensitive columns apart; the others stay sensitive. Their `of_row` is empty."""
        return self._refine(names)[0]

    def _refine(self, names: Sequence[str]) -> tuple[Cells, Labels]:
        """The refined cells, and the cell each of them came from."""
        known = [column.name for column in self.sensitive]
        for name in names:
            if name not in known:
                raise unknown_column(name, known, "sensitive")
        inside = [i for i, name in enumerate(known) if name in names]
        outside = [i for i, name in enumerate(known) if name not in names]
        e = self.entries
        columns = [e.cell, *(e.codes[i] for i in inside)]
        sizes = [len(self), *(self.sensitive[i].domain.size for i in inside)]
        labels, n = group_codes(columns, sizes, len(e.cell))
        first = first_of_each(labels, n)
        parent = e.cell[first]
        finer = Cells(
            self.attributes
            + tuple(
                Attribute(self.sensitive[i], self.sensitive_trees.get(known[i], _no_tree)) for i in inside
            ),
            np.concatenate([self.codes[:, parent], *(e.codes[i][first][None] for i in inside)]),
            np.zeros(n, dtype=np.int64),
            sum_by(labels, e.count, n),
            tuple(self.sensitive[i] for i in outside),
            Entries(labels, tuple(e.codes[i] for i in outside), e.count, e.unit),
            of_row=np.empty(0, dtype=np.int32),
            sensitive_trees=self.sensitive_trees,
        )
        counts = finer._people(np.arange(n, dtype=np.int32), n, finer.records)
        return replace(finer, counts=counts), parent

    def _people(self, labels: Labels, classes: int, records: NDArray[np.int64]) -> NDArray[np.int64]:
        unit = self.entries.unit
        if unit is None:
            return records
        pairs, span = _pairs(labels[self.entries.cell], classes, unit)
        distinct = group_keys(pairs, span)[1]
        return np.bincount(distinct // (span // max(classes, 1)), minlength=classes).astype(np.int64)

    def _histogram(self, name: str, labels: Labels, classes: int) -> Histogram:
        place = self._sensitive(name)
        column, e = self.sensitive[place], self.entries
        size = column.domain.size
        keys = labels[e.cell].astype(np.int64) * size + e.codes[place]
        of_entry, distinct = group_keys(keys, classes * size)
        if e.unit is None:
            count = sum_by(of_entry, e.count, len(distinct))
        else:
            pairs, span = _pairs(of_entry, len(distinct), e.unit)
            once = group_keys(pairs, span)[1]
            count = np.bincount(once // (span // max(len(distinct), 1)), minlength=len(distinct)).astype(
                np.int64
            )
        owner, value = np.divmod(distinct, size)
        return Histogram(owner, value, count, classes, column.domain, self.sensitive_trees.get(name))

    def _levels(self, levels: Sequence[int] | Mapping[str, int]) -> list[int]:
        if isinstance(levels, Mapping):
            for name in levels:
                self._position(name)
            wanted = [int(levels.get(name, 0)) for name in self.names]
        else:
            wanted = [int(level) for level in levels]
        if len(wanted) != len(self.attributes):
            raise RequestError(
                f"{len(wanted)} levels for {len(self.attributes)} quasi-identifiers ({', '.join(self.names)})."
            )
        for attribute, level in zip(self.attributes, wanted, strict=True):
            if level and not 0 <= level <= attribute.tree.height:
                raise RequestError(
                    f"column {attribute.name!r} has levels 0 to {attribute.tree.height}, not {level}."
                )
        return wanted

    def _position(self, name: str) -> int:
        if name not in self.names:
            raise unknown_column(name, self.names, "quasi")
        return self.names.index(name)

    def _sensitive(self, name: str) -> int:
        names = [column.name for column in self.sensitive]
        if name not in names:
            raise unknown_column(name, names, "sensitive")
        return names.index(name)

    def __repr__(self) -> str:
        return f"Cells({len(self):,} distinct tuples of {', '.join(self.names)}; {int(self.records.sum()):,} records)"


def count(
    attributes: Sequence[Attribute],
    sensitive: Sequence[Column],
    *,
    rows: int,
    unit: Column | None = None,
    sensitive_trees: Mapping[str, Callable[[], Tree]] | None = None,
    times: NDArray[np.int64] | None = None,
) -> Cells:
    """Count rows into cells: the only step that sees them. A row stands for one record, or for `times` of them."""
    of_row, n = group_codes([a.column.codes for a in attributes], [a.domain.size for a in attributes], rows)
    first = first_of_each(of_row, n)
    codes = np.empty((len(attributes), n), dtype=np.int32)
    for i, attribute in enumerate(attributes):
        codes[i] = attribute.column.codes[first]
    records = tally(of_row, n, times)
    if not sensitive and unit is None:
        entries = Entries(np.arange(n, dtype=np.int32), (), records, None)
    else:
        extra = [*sensitive, *([unit] if unit is not None else [])]
        columns, sizes = [of_row, *(c.codes for c in extra)], [n, *(c.domain.size for c in extra)]
        # Where every row is a cell of its own, nothing tells rows further apart.
        of_entry, m = (of_row, n) if n == rows else group_codes(columns, sizes, rows)
        one = first_of_each(of_entry, m)
        entries = Entries(
            of_row[one],
            tuple(column.codes[one] for column in sensitive),
            tally(of_entry, m, times),
            None if unit is None else unit.codes[one],
        )
    cells = Cells(
        tuple(attributes),
        codes,
        records,
        records,
        tuple(sensitive),
        entries,
        of_row,
        sensitive_trees=sensitive_trees or {},
    )
    if unit is None:
        return cells
    return replace(cells, counts=cells._people(np.arange(n, dtype=np.int32), n, records))


def _pairs(labels: NDArray[np.integer[Any]], classes: int, unit: Codes) -> tuple[NDArray[np.int64], int]:
    """(label, unit) pairs as keys, and the number of possible keys."""
    units = int(unit.max(initial=0)) + 1
    return labels.astype(np.int64) * units + unit, classes * units


def _no_tree() -> Tree:
    raise RequestError("a sensitive column used as a quasi-identifier has no levels of its own.")
