"""Recoding: everything that turns a table into its release, as a value that can be printed, saved and applied again.

Applied to the table it was made for, it gives the release again, to the letter. Applied to new rows it follows the
same rules: values it has never seen, rows that fit no box and classes that would break the promise are held back.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from lookalike.base.errors import RequestError, shown_names
from lookalike.models import Model, model_from_dict
from lookalike.recodings import treatments
from lookalike.recodings.assignment import Assignment
from lookalike.recodings.boxes import enclose
from lookalike.recodings.covering import BoxTexts, cover, grow_known
from lookalike.recodings.edges import SHARED, find_edges
from lookalike.recodings.following import follow
from lookalike.recodings.publishing import LEVEL, count_released
from lookalike.recodings.restoring import give_back
from lookalike.recodings.settling import settle
from lookalike.recodings.treatments import Box, Drop, Follow, Generalise, Pseudonymise, Round, Treatment
from lookalike.recodings.written import check_written
from lookalike.tables.cells import Attribute, Cells, Classes
from lookalike.tables.coded import CodedRows, merged, used
from lookalike.tables.columns.coding import Distinct, alike
from lookalike.tables.columns.grouping import group_codes
from lookalike.tables.columns.markers import are_marked
from lookalike.tables.columns.notation import STAR
from lookalike.tables.columns.roles import Kind
from lookalike.tables.sources.frames import as_it_is
from lookalike.tables.sources.traces import alone
from lookalike.tables.table import Table

FORMAT = 1


#: per column, the place of each row among what rows publish of it
Texts = dict[str, tuple[NDArray[np.int32], list[Any]]]


@dataclass(frozen=True, eq=False)
class Placed:
    """The class of each row of a table, and what each row publishes of the columns that its class decides on."""

    of_row: NDArray[np.int32]  #: -1 where it is held back
    texts: Texts
    held_back: dict[str, int]  #: reason -> rows
    population: NDArray[np.int64] | None = None  #: people of the population in each class, where one is known


@dataclass(frozen=True, eq=False)
class Applied:
    """Rows as released, in the order they came, and what was held back and why."""

    coded: CodedRows
    of_row: NDArray[np.int32]  #: class of each incoming row, -1 where held back
    held_back: dict[str, int]
    give_back: Callable[..., Any] = field(default=as_it_is, repr=False)

    @property
    def rows(self) -> pl.DataFrame:
        """The rows written out."""
        return self.coded.frame

    @property
    def frame(self) -> Any:
        """The rows as the kind of frame they came in, with their index where none is held back."""
        return self.give_back(self.rows, in_order=not (self.of_row < 0).any())

    def __repr__(self) -> str:
        reasons = ", ".join(f"{n} {why}" for why, n in self.held_back.items() if n) or "nothing"
        return f"Applied({self.coded.height:,} rows; held back: {reasons})"


@dataclass(frozen=True, eq=False)
class Recoding:
    """What happens to each column, the promise that decides which rows are held back, the boxes of local methods.

    Examples:
        >>> import polars as pl
        >>> import lookalike as la
        >>> ages, illnesses = [31, 32, 33, 71, 72, 73], ["flu", "flu", "cold", "flu", "cold", "cold"]
        >>> frame = pl.DataFrame({"age": ages, "disease": illnesses})
        >>> people = la.table(frame, quasi=["age"], sensitive=["disease"])
        >>> release = la.anonymize(people, la.KAnonymity(3), method="optimal", suppression=0)
        >>> release.recoding.quasi, release.recoding.levels
        (['age'], {'age': 1})
    """

    columns: Mapping[str, Treatment]  #: column -> what is done to it
    models: tuple[Model, ...]  #: the promises that decide which rows are held back
    suppressed: str = "drop"  #: rows held back are dropped, or kept as stars and all else blank
    sensitive: tuple[str, ...] = ()  #: the sensitive columns
    #: of local methods: the values of each class, by column
    boxes: Mapping[str, BoxTexts] = field(default_factory=dict)
    assignment: Assignment | None = None  #: of local methods: the class of each row
    meanings: Mapping[str, Any] = field(
        default_factory=dict
    )  #: kind, order and hierarchy of the columns that were looked at

    @cached_property
    def quasi(self) -> list[str]:
        """The quasi-identifiers: columns that are generalised or boxed."""
        return [name for name, t in self.columns.items() if isinstance(t, Generalise | Box)]

    @cached_property
    def levels(self) -> dict[str, int]:
        """The hierarchy level of each generalised column."""
        return {name: t.level for name, t in self.columns.items() if isinstance(t, Generalise)}

    @property
    def all_texts(self) -> set[str | None]:
        """All texts that stand for somebody's values."""
        found = {text for boxes in self.boxes.values() for text in (*boxes.texts, *boxes.labels)}
        blurred = [t for t in self.columns.values() if isinstance(t, Generalise | Box)]
        published = [t.published for t in blurred if isinstance(t, Generalise) and t.published is not None]
        hierarchies = [*(t.hierarchy for t in blurred), *published]
        rows = (row for one in hierarchies for row in one.options.get("rows", ()))
        return found.union(*rows)

    def apply(
        self,
        table: Any,
        *,
        pseudonyms: Mapping[str, Sequence[str]] | None = None,
        population: Cells | None = None,
    ) -> Applied:
        """Recode the rows of a table or frame; `frame` of what comes back is of the same kind.

        pseudonyms: the ready-made values of pseudonymised columns, made with the private key.
        population: the table's cells with a population attached, for promises that speak about one.
        """
        if not isinstance(table, Table):
            from lookalike.recodings.taking import take_as

            table = take_as(self, table)
        unknown = [name for name in self.columns if name not in table.roles]
        if unknown:
            raise RequestError(
                f"the recoding was made for columns that are not there: {shown_names(unknown, self.all_texts)}."
            )
        placed = self.place(table, population=population)
        rows = self.publish(table, placed, pseudonyms or {})
        return Applied(rows, placed.of_row, placed.held_back, partial(give_back, table, quasi=self.quasi))

    def place(self, table: Table, *, population: Cells | None = None) -> Placed:
        """Find the class of each row, and hold back rows that have none and classes that break a promise."""
        texts: Texts = {}
        if self.boxes:
            of_row, unseen, uncovered = self.box_rows(table)
            for name, side in self.boxes.items():
                texts[name] = (of_row, list(side.texts))
        else:
            of_row, unseen = self.generalise_rows(table, texts)
            uncovered = 0
        before = int((of_row < 0).sum())
        of_row, counted = self.settle(table, of_row, texts, population=population)
        self.measure_numbers(table, of_row, texts)
        for name, treatment in self.columns.items():
            if isinstance(treatment, Follow):
                texts[name] = follow(table, name, treatment.of, texts, of_row)
        held = {"unseen": unseen, "uncovered": uncovered, "breaking": int((of_row < 0).sum()) - before}
        return Placed(of_row, texts, held, counted)

    def settle(
        self,
        table: Table,
        of_row: NDArray[np.int32],
        texts: Texts,
        *,
        population: Cells | None = None,
    ) -> tuple[NDArray[np.int32], NDArray[np.int64] | None]:
        """The class of each row by what is published of it, -1 where it is held back; and its people in a population.

        Hierarchies decide who is in, so that nobody who was left out of a release is in it when it is made again. Where
        labels are published that know the released people only, classes that are called the same become one.
        """
        of_row, counted = self._count_population(population, of_row, shown=False)
        of_row = settle(table, of_row, self.models, population=counted)
        if self.boxes:
            return of_row, counted
        of_row, counted = self._count_population(population, self.group_rows(of_row, texts), shown=True)
        return settle(table, of_row, self.models, population=counted) if self.renames else of_row, counted

    def group_rows(self, of_row: NDArray[np.int32], texts: Texts) -> NDArray[np.int32]:
        """The class of each row that has one, by what is published of it."""
        columns = [texts[name] for name in self.levels]
        known = np.logical_and.reduce([of_row >= 0, *(where >= 0 for where, _ in columns)])
        called = [where[known] for where, _ in columns]
        out = np.full(len(of_row), -1, dtype=np.int32)
        out[known] = group_codes(called, [len(labels) for _, labels in columns], int(known.sum()))[0]
        return out

    def _count_population(
        self, cells: Cells | None, of_row: NDArray[np.int32], *, shown: bool
    ) -> tuple[NDArray[np.int32], NDArray[np.int64] | None]:
        """The class of each row, numbered with those that only the population has, and its people in each."""
        if cells is None:
            return of_row, None
        if self.boxes:
            return of_row, cells.population_of(of_row)
        classes = self.roll_up(cells) if shown else cells.roll_up(self.levels)
        return np.where(of_row < 0, -1, classes.of_cell[cells.of_row]).astype(np.int32), classes.population

    @property
    def renames(self) -> bool:
        """Whether a column is published by other labels than those of its hierarchy."""
        return any(isinstance(t, Generalise) and t.published is not None for t in self.columns.values())

    def roll_up(self, cells: Cells) -> Classes:
        """Cells merged into classes by what is published of them."""
        labels = []
        for attribute, codes in zip(cells.attributes, cells.codes, strict=True):
            treatment = self.columns[attribute.name]
            assert isinstance(treatment, Generalise)
            hierarchy, level = treatment.shown
            tree, known = grow_known(hierarchy, attribute.domain)
            node = np.full(attribute.domain.size, len(tree.labels[level]), dtype=np.int32)
            node[known] = tree.up[level]
            labels.append((node[codes], len(tree.labels[level]) + 1))
        return cells.merge(
            *group_codes([node for node, _ in labels], [size for _, size in labels], len(cells))
        )

    def generalise_rows(self, table: Table, texts: Texts) -> tuple[NDArray[np.int32], int]:
        """Class of each row by its labels; rows with a value that the hierarchy does not know are -1."""
        treated = {name: how for name, how in self.columns.items() if isinstance(how, Generalise)}
        cells = table.cells(quasi=list(treated), sensitive=[])
        columns, sizes = [], []
        seen = np.ones(len(cells), dtype=bool)
        for codes, (name, treatment) in zip(cells.codes, treated.items(), strict=True):
            node_of_code, labels = _nodes(table, name, treatment)
            nodes = node_of_code[codes]
            seen &= nodes >= 0
            columns.append(np.maximum(nodes, 0))
            sizes.append(len(labels))
            if treatment.published is not None:
                node_of_code, labels = _nodes(table, name, Generalise(LEVEL, treatment.published))
            # Numbered by their texts, since an order of rows may come of it: that of nodes knows everybody.
            listed = sorted(set(labels), key=lambda label: (label is not None, str(label)))
            place = {label: i for i, label in enumerate(listed)}
            number = np.array([*(place[label] for label in labels), -1], dtype=np.int32)
            texts[name] = (number[node_of_code][table.column(name).codes], listed)
        of_cell = np.where(seen, group_codes(columns, sizes, len(cells))[0], np.int32(-1))
        of_row = of_cell[cells.of_row]
        return of_row, 0 if seen.all() else int((of_row < 0).sum())

    def measure_numbers(self, table: Table, of_row: NDArray[np.int32], texts: Texts) -> None:
        """Midpoints and means of generalised columns, from the rows that are published and no others."""
        for name, treatment in self.columns.items():
            if not isinstance(treatment, Generalise) or treatment.numbers == "range":
                continue
            column, (nodes, labels) = table.column(name), texts[name]
            kept = np.where(of_row >= 0, nodes, -1).astype(np.int32)
            present, dense = np.unique(kept[kept >= 0], return_inverse=True)
            of_node = np.full(len(kept), -1, dtype=np.int32)
            of_node[kept >= 0] = dense
            least = int(np.bincount(dense).min(initial=SHARED))
            edges = find_edges(column.domain, count_released(table, name, of_row >= 0, column.domain), least)
            attribute = Attribute(column, partial(table.tree, name))
            side = enclose(attribute, "range", column.codes, of_node, len(present), edges)
            found = side.means(of_node) if treatment.numbers == "mean" else side.midpoints()
            numbers: list[float | None] = [None] * len(labels)
            for node, number in zip(present.tolist(), found, strict=True):
                numbers[node] = number
            texts[name] = (nodes, numbers)

    def box_rows(self, table: Table) -> tuple[NDArray[np.int32], int, int]:
        """Class of each row (-1: none): as remembered for the table the boxes were made for, else the smallest covering
        box; and how many rows have a value that nobody knows, or fit no box."""
        cells = table.cells(quasi=list(self.boxes), sensitive=[])
        recalled = None if self.assignment is None else self.assignment.recall(table, cells)
        if recalled is not None:
            return recalled, 0, 0
        recipes = {name: t.hierarchy for name, t in self.columns.items() if isinstance(t, Box)}
        of_cell, unseen = cover(cells, self.boxes, recipes)
        of_row = of_cell[cells.of_row]
        lost = int(cells.records[unseen].sum())
        return of_row, lost, int((of_row < 0).sum()) - lost

    def other_columns(
        self, table: Table, pseudonyms: Mapping[str, Sequence[str]], *, but: Collection[str]
    ) -> dict[str, Distinct]:
        """What is published of columns that are no quasi-identifiers nor follow one, and not among `but`."""
        none = (Drop, Follow, Generalise, Box)
        names = (name for name, how in self.columns.items() if name not in but and not isinstance(how, none))
        return {name: self._otherwise(table, name, pseudonyms) for name in names}

    def _otherwise(self, table: Table, name: str, pseudonyms: Mapping[str, Sequence[str]]) -> Distinct:
        """A column that no class decides on: a pseudonym, a rounded number, or the value as it is."""
        treatment = self.columns[name]
        if isinstance(treatment, Pseudonymise):
            if name not in pseudonyms:
                raise RequestError(
                    f"column {name!r} is published as a pseudonym: pass pseudonyms={{{name!r}: [...]}}."
                )
            return alike(pl.Series(pseudonyms[name], dtype=pl.String))
        if isinstance(treatment, Round):
            return rounded(table, name, treatment.to)
        return _as_it_is(table, name, promised=any(name in model.columns for model in self.models))

    def publish(self, table: Table, placed: Placed, pseudonyms: Mapping[str, Sequence[str]]) -> CodedRows:
        """What is published of rows in memory, in the order they came."""
        of_row, texts = placed.of_row, placed.texts
        kept = of_row >= 0
        places = np.flatnonzero(kept)
        whole, blank = len(places) == len(kept), self.suppressed == "star"
        out = {}
        for name, treatment in self.columns.items():
            if isinstance(treatment, Drop):
                continue
            if name in texts:
                where, labels = texts[name]
                column = Distinct(where, pl.Series(labels, strict=False))
                quasi = not isinstance(treatment, Follow)
                star: str | None = STAR if quasi and column.values.dtype == pl.String else None
            else:
                column, star = self._otherwise(table, name, pseudonyms), None
            if blank and not whole:  # a row of stars is about somebody: whatever is left in it could tell who
                column = _starred(column, kept, star)
            elif name in texts or not whole:
                column = column.part(places)
            if name in texts:
                column = merged(column)
            out[name] = Distinct(column.codes, alone(column.values, left_out=not whole))
        return CodedRows(out, len(table) if blank else len(places))

    def to_dict(self, *, private: bool = False) -> dict[str, Any]:
        """The recoding as plain JSON values. `private=True` adds the assignment of rows: never publish that."""
        out: dict[str, Any] = {
            "format": FORMAT,
            "columns": {name: treatments.to_dict(t) for name, t in self.columns.items()},
            "models": [model.to_dict() for model in self.models],
            "suppressed": self.suppressed,
            "sensitive": list(self.sensitive),
            "boxes": {name: side.to_dict() for name, side in self.boxes.items()},
            "meanings": dict(self.meanings),
        }
        if private and self.assignment is not None:
            out["assignment"] = self.assignment.to_dict()
        return out

    @staticmethod
    def from_dict(written: Mapping[str, Any]) -> Recoding:
        """Read back what `to_dict` wrote."""
        if written.get("format") != FORMAT:
            raise RequestError(
                f"this recoding has format {written.get('format')!r}; this version reads format {FORMAT}."
            )
        check_written(written)
        assignment = written.get("assignment")
        return Recoding(
            columns={name: treatments.from_dict(t) for name, t in written["columns"].items()},
            models=tuple(model_from_dict(model) for model in written["models"]),
            suppressed=str(written["suppressed"]),
            sensitive=tuple(written["sensitive"]),
            boxes={name: BoxTexts.from_dict(side) for name, side in written["boxes"].items()},
            assignment=None if assignment is None else Assignment.from_dict(assignment),
            meanings=dict(written["meanings"]),
        )

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Recoding) and self.to_dict(private=True) == other.to_dict(private=True)

    def __str__(self) -> str:
        width = max(len(name) for name in self.columns)
        lines = [f"{name:<{width}}  {treatment}" for name, treatment in self.columns.items()]
        promise = "; ".join(str(model) for model in self.models)
        kept = "left out" if self.suppressed == "drop" else "kept as stars, all else blank"
        return "\n".join([*lines, f"rows that would break {promise or 'nothing'} are {kept}"])

    def __repr__(self) -> str:
        shape = (
            f"{len(next(iter(self.boxes.values())).texts):,} boxes" if self.boxes else f"levels {self.levels}"
        )
        return f"Recoding({len(self.columns)} columns, {shape})"


def read_meanings(people: Table, cells: Cells, models: Sequence[Model]) -> dict[str, Any]:
    """How columns were read: their kind, and what a checker must know besides: a given order, a given hierarchy."""
    out: dict[str, Any] = {}
    for column in (*(a.column for a in cells.attributes), *cells.sensitive):
        known: dict[str, Any] = {"kind": str(column.kind)}
        if column.kind is Kind.ORDINAL:
            known["order"] = column.domain.texts
        if any(model.needs_hierarchy and column.name in model.columns for model in models):
            known["hierarchy"] = people.tree(column.name).recipe.to_dict()
        out[column.name] = known
    return out


def _nodes(table: Table, name: str, treatment: Generalise) -> tuple[NDArray[np.int32], list[Any]]:
    """Node of each code (-1: unknown to the hierarchy) and what each node publishes."""
    column = table.column(name)
    grown = table.grown(name, treatment.hierarchy)
    tree, known = (
        grow_known(treatment.hierarchy, column.domain)
        if grown is None
        else (grown, np.arange(column.domain.size))
    )
    if treatment.level > tree.height:
        raise RequestError(
            f"column {name!r}: its hierarchy has levels 0 to {tree.height}, not {treatment.level}."
        )
    node_of_code = np.full(column.domain.size, -1, dtype=np.int32)
    node_of_code[known] = tree.up[treatment.level]
    return node_of_code, list(tree.published(treatment.level))


def _starred(column: Distinct, kept: NDArray[np.bool_], star: str | None) -> Distinct:
    """A column whose held back rows say nothing."""
    codes = np.where(kept, column.codes, -1).astype(np.int32)
    if star is None:
        return used(Distinct(codes, column.values))
    codes[~kept] = len(column.values)
    return merged(used(Distinct(codes, pl.concat([column.values, pl.Series([star])], rechunk=True))))


def _as_it_is(table: Table, name: str, *, promised: bool) -> Distinct:
    """A column as it came, what means missing left empty. One that a promise is about: one spelling per value."""
    column = table.as_it_came(name)
    kind = column.values.dtype
    if isinstance(kind, pl.Enum | pl.Categorical):
        column, kind = Distinct(column.codes, column.values.cast(pl.String)), pl.String()
    if promised and kind == pl.String:
        coded = table.column(name)
        codes = np.where(coded.codes < len(coded.domain.texts), coded.codes, -1).astype(np.int32)
        return Distinct(codes, pl.Series(coded.domain.texts, dtype=pl.String))
    if promised and isinstance(kind, pl.Datetime):  # promises are about days
        column = merged(Distinct(column.codes, column.values.cast(pl.Date)))
    if promised and kind.is_float():
        column = column.drop(column.values.is_nan().to_numpy())
    return column.drop(are_marked(column.values, table.na))


def rounded(table: Table, name: str, to: float) -> Distinct:
    """A column of numbers as multiples of `to`."""
    column = table.column(name)
    if not column.kind.numeric or column.kind == "date":
        raise RequestError(f"column {name!r} cannot be rounded: it is {column.kind}.")
    values = np.round(column.domain.numbers / to) * to
    if float(to).is_integer() and np.nanmax(np.abs(values), initial=0) < 2**53:
        whole = [None if np.isnan(v) else int(v) for v in values.tolist()]
        return merged(Distinct(column.codes, pl.Series(whole, dtype=pl.Int64)))
    digits = max(0, -int(np.floor(np.log10(to))) + 1)
    tidy = [None if np.isnan(v) else round(v, digits) for v in values.tolist()]
    return merged(Distinct(column.codes, pl.Series(tidy, dtype=pl.Float64)))
