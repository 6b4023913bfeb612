"""Table: rows about people with the role of every column, coded on first use.

`intake.py` makes one from a frame or a file. Everything after that works on `Table.cells()`.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Hashable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import cached_property, partial
from itertools import chain
from typing import Any, TypeVar, cast

import numpy as np
import polars as pl
from numpy.typing import NDArray

from lookalike.base.errors import (
    ColumnError,
    HierarchyError,
    RequestError,
    UnseenValues,
    amount,
    unknown_column,
)
from lookalike.base.notebooks import panel
from lookalike.base.progress import Progress
from lookalike.tables.cells import Attribute, Cells, Classes, count
from lookalike.tables.columns.coding import Column, Distinct, KindLike, alike, code, distinct, in_plain
from lookalike.tables.columns.domains import Domain
from lookalike.tables.columns.grouping import first_of_each, group_keys
from lookalike.tables.columns.roles import Kind, Role
from lookalike.tables.engines.engine import TIMES
from lookalike.tables.engines.origin import Origin
from lookalike.tables.hierarchies import Hierarchy, Tree
from lookalike.tables.hierarchies.by_meaning import names_in_numbers
from lookalike.tables.hierarchies.groupings import spell_missing
from lookalike.tables.meanings.meaning import Meaning, understand
from lookalike.tables.meanings.mnemonics import DictionaryEntry, look_up
from lookalike.tables.meanings.names import is_of_amounts, is_of_codes
from lookalike.tables.ordering import order_rows, order_values, rank_values
from lookalike.tables.sources.delimited import TextColumns

T = TypeVar("T")
_WORTH_THREADS = 100_000  # rows below which coding columns one by one is as quick
LOOKED_AT = 200_000  #: rows that are looked at where not all have to be


class Table:
    """Rows about people. Made by `table` or `read`; never changed afterwards.

    Rows are in memory, or stay where they are: then the table has an `origin`, and in memory are the distinct tuples of
    the columns that are thought about, each standing for so many records.

    Examples:
        >>> import polars as pl
        >>> import lookalike as la
        >>> ages, illnesses = [31, 32, 33, 71, 72, 73], ["flu", "flu", "cold", "flu", "cold", "cold"]
        >>> frame = pl.DataFrame({"age": ages, "disease": illnesses})
        >>> people = la.table(frame, quasi=["age"], sensitive=["disease"])
        >>> people.names
        ['age', 'disease']
        >>> people.with_roles(disease="target").having(la.Role.TARGET)
        ['disease']
    """

    def __init__(
        self,
        rows: pl.DataFrame | Mapping[str, Distinct] | None,
        roles: Mapping[str, Role],
        *,
        kinds: Mapping[str, KindLike],
        hierarchies: Mapping[str, Hierarchy],
        unit: str | None,
        weight: str | None,
        na: Collection[str],
        give_back: Callable[..., Any],
        undecided: Collection[str] = (),
        times: NDArray[np.int64] | None = None,
        origin: Origin | None = None,
        besides: Collection[str] = (),
    ) -> None:
        self._held = rows  # None: counted on first use, where the rows are
        self._times = times
        self.origin = origin  #: where the rows are, if not in memory
        self.besides = tuple(besides)  #: columns that are counted there whatever their role
        self.roles = dict(roles)
        self.kinds = dict(kinds)
        self.hierarchies = dict(hierarchies)
        self.unit = unit
        self.weight = weight
        self.na = tuple(na)
        self.give_back = give_back
        self.undecided = [
            name for name in self.roles if name in undecided
        ]  #: what they are, nobody knows yet
        self._columns: dict[str, Column] = {}
        self._came: dict[str, Distinct] = {}
        self._trees: dict[str, Tree] = {}
        self._meanings: dict[str, tuple[Column, DictionaryEntry | None, Meaning]] = {}
        self._cells: dict[tuple[tuple[str, ...], tuple[str, ...]], Cells] = {}
        self._orders: dict[tuple[str, ...], NDArray[np.int64]] = {}
        self._answers: dict[Hashable, Any] = {}

    @property
    def _source(self) -> pl.DataFrame | Mapping[str, Distinct]:
        if self._held is None:
            self.take_tuples()
        assert self._held is not None
        return self._held

    @property
    def times(self) -> NDArray[np.int64] | None:
        """Records that each row stands for, where it is not one."""
        if self._held is None:
            self.take_tuples()
        return self._times

    @property
    def in_memory(self) -> bool:
        """Whether all rows are in memory."""
        return self.origin is None

    @property
    def counted(self) -> list[str]:
        """The columns of which something is known for each row: all, or those that were counted where the rows are."""
        if self.origin is None:
            return self.names
        known = (Role.QUASI, Role.SENSITIVE)
        return [n for n in self.names if self.roles[n] in known or n == self.unit or n in self.besides]

    def take_tuples(self, *, hold: bool = False, progress: Progress = False) -> bool:
        """Count the tuples of rows that are elsewhere, where that has not been done; whether it was done now.

        hold: whether the rows are needed again, as for a release.
        """
        if self._held is not None or self.origin is None:
            return False
        if not self.counted:
            raise RequestError("the table has no quasi-identifiers. Name them with `quasi`.")
        if hold:
            rest = [n for n in self.names if n not in self.counted and self.roles[n] is not Role.IDENTIFIER]
            self.origin = self.origin.holding(self.counted, rest)
        tuples = self.origin.tuples(self.counted, progress)
        self._held, self._times = tuples.drop(TIMES), tuples[TIMES].to_numpy().astype(np.int64)
        return True

    def refuse_changed(self) -> None:
        """Refuse to go on where rows that are elsewhere are not those that were counted."""
        if self.origin is not None and self._held is not None:
            self.origin.refuse_changed()

    def counting(self, names: Collection[str]) -> Table:
        """The same table, with some more columns counted where the rows are."""
        return self if self.origin is None or set(names) <= {*self.counted} else self._with(besides=names)

    def expanded(self) -> Table:
        """The same table with a row for every record: for methods that put single records into classes."""
        times = self.times
        if self.origin is None or times is None:
            return self
        self.origin.refuse_many(self.records)
        came = {name: self.as_it_came(name) for name in self.counted}
        return self._with(
            rows={name: Distinct(np.repeat(one.codes, times), one.values) for name, one in came.items()},
            times=None,
        )

    def in_sight(self) -> Table:
        """The rows to look at where not all have to be: all that are in memory, else about 200,000 of them."""
        if self.origin is None:
            return self
        seen = self.origin.sight
        if seen is None or (seen.kinds, seen.na) != (self.kinds, self.na):
            seen = self.origin.sight = self.some_rows(LOOKED_AT)
        said = ("roles", "hierarchies", "unit", "undecided")
        return cast("Table", seen._with(**{name: getattr(self, name) for name in said}))

    def distinct_values(self, names: Sequence[str]) -> dict[str, int]:
        """How many different values each of some columns has in all rows."""
        if self.origin is None:
            return {name: len(self.as_it_came(name).values) for name in names}
        return {name: one.height for name, one in zip(names, self.origin.values(names), strict=True)}

    def __len__(self) -> int:
        if isinstance(self._source, pl.DataFrame):
            return self._source.height
        source = self._source
        return source.height if isinstance(source, TextColumns) else len(next(iter(source.values())).codes)

    @cached_property
    def rows(self) -> pl.DataFrame:
        """The table as a Polars frame. A text file is written out as one only when this is asked for."""
        if isinstance(self._source, pl.DataFrame):
            return self._source
        return pl.DataFrame([found.series(name) for name, found in self._source.items()])

    @property
    def is_text(self) -> bool:
        """Whether it was read from a text file, so that its rows are texts."""
        return not isinstance(self._source, pl.DataFrame)

    @property
    def names(self) -> list[str]:
        """Column names in the caller's order."""
        return list(self.roles)

    def having(self, role: Role) -> list[str]:
        """The columns of a role, in the caller's order."""
        return [name for name in self.names if self.roles[name] is role]

    @property
    def identifiers(self) -> list[str]:
        """Columns that name a person outright."""
        return self.having(Role.IDENTIFIER)

    @property
    def quasi(self) -> list[str]:
        """Quasi-identifiers: known to outsiders, identifying in combination."""
        return self.having(Role.QUASI)

    @property
    def sensitive(self) -> list[str]:
        """Columns whose values must not be learnt about a person."""
        return self.having(Role.SENSITIVE)

    @property
    def targets(self) -> list[str]:
        """Columns that models predict."""
        return self.having(Role.TARGET)

    def column(self, name: str) -> Column:
        """A column as codes, coded on first use."""
        if name not in self._columns:
            if name not in self.roles:
                raise unknown_column(name, self.names, "table")
            self._refuse_uncounted(name)
            source = self._source
            found = distinct(source[name]) if isinstance(source, pl.DataFrame) else in_plain(source[name])
            kind = self.kinds.get(name)
            if name == self.unit and kind is None and found.values.dtype == pl.String:
                kind = Kind.NOMINAL  # patients 1 and 1.0 are two people
            counted = self.roles[name] in (Role.QUASI, Role.SENSITIVE)
            column = code(name, found, kind=kind, na=self.na, matters=counted)
            whole = kind is None and column.kind is Kind.INTEGER and not is_of_amounts(name)
            if whole and (is_of_codes(name) or names_in_numbers(self.concept(column), column.domain)):
                column = code(
                    name, found, kind=Kind.NOMINAL, na=self.na
                )  # 1 and 2 for women and men are no amounts
            self._columns[name] = column if self.times is None else replace(column, times=self.times)
        return self._columns[name]

    def as_it_came(self, name: str) -> Distinct:
        """A column as its distinct values, in the type and spelling they came in."""
        if name not in self._came:
            self._refuse_uncounted(name)
            source = self._source
            self._came[name] = alike(source[name]) if isinstance(source, pl.DataFrame) else source[name]
        return self._came[name]

    def _knows(self, names: Sequence[str]) -> bool:
        """Whether these columns are among those that are in memory, where anything is."""
        if self.origin is None or self._held is None:
            return self.origin is None
        held = self._held.columns if isinstance(self._held, pl.DataFrame) else self._held
        return set(names) <= set(held)

    def _refuse_uncounted(self, name: str) -> None:
        if self.origin is not None and not self._knows([name]) and name not in self.counted:
            raise RequestError(
                f"column {name!r}: the rows are not in memory ({self.origin.name}), where only quasi-identifiers, "
                "sensitive columns and the unit are counted. Read the rows with `read_rows()` for this."
            )

    def concept(self, column: Column) -> str:
        """What a column is about, by its name beside the other names, and its values."""
        return self.meaning(column, self._official.get(column.name)).concept.name

    def meaning(self, column: Column, entry: DictionaryEntry | None = None) -> Meaning:
        """What a column is about, and why it is thought so; read once as long as nothing else is said of it."""
        known = self._meanings.get(column.name)
        if known is None or known[0] is not column or known[1] != entry:
            known = self._meanings[column.name] = (column, entry, understand(column, entry))
        return known[2]

    @cached_property
    def _official(self) -> dict[str, DictionaryEntry]:
        return look_up(self.names)

    def once(self, question: Hashable, answer: Callable[[], T]) -> T:
        """The answer to a question about these rows, worked out when it is asked first.

        Tables that differ in roles or hierarchies share their answers, so a question names the roles it depends on.
        """
        key = (self.unit, question)
        if key not in self._answers:
            self._answers[key] = answer()
        return cast(T, self._answers[key])

    def _code(self, names: Sequence[str]) -> None:
        """Code several columns at the same time, where there are enough rows to make it worth while."""
        if len(self) >= _WORTH_THREADS:
            with ThreadPoolExecutor(os.cpu_count()) as threads:
                list(threads.map(self.column, dict.fromkeys(names)))

    def tree(self, name: str) -> Tree:
        """The column's hierarchy grown over its values; an automatic one where none was given."""
        if name not in self._trees:
            column = self.column(name)
            given = self.hierarchies.get(name) or Hierarchy.automatic(self.concept(column))
            recipe = spell_missing(given, self.na)
            try:
                self._trees[name] = recipe.grow(column.domain, column.counts)
            except UnseenValues as problem:
                row = int(np.flatnonzero(np.isin(column.codes, problem.codes))[0]) + 1
                raise UnseenValues(f"column {name!r}, first in row {row}: {problem}", problem.codes) from None
            except HierarchyError as problem:
                raise HierarchyError(f"column {name!r}: {problem}") from None
        return self._trees[name]

    def grown(self, name: str, recipe: Hierarchy) -> Tree | None:
        """The tree over a column's values that came of this very recipe, where it has been grown already."""
        tree = self._trees.get(name)
        return tree if tree is not None and tree.recipe is recipe else None

    def cells(self, *, quasi: Sequence[str] | None = None, sensitive: Sequence[str] | None = None) -> Cells:
        """Count the table once: its distinct quasi-identifier tuples, how many records and which values each has."""
        key = (
            tuple(self.quasi if quasi is None else quasi),
            tuple(self.sensitive if sensitive is None else sensitive),
        )
        if quasi is None and not key[0]:
            raise RequestError("the table has no quasi-identifiers. Name them with `quasi`.")
        if key not in self._cells:
            self._code([*key[0], *key[1], *([] if self.unit is None else [self.unit])])
            self._cells[key] = count(
                [Attribute(self.column(name), partial(self.tree, name)) for name in key[0]],
                [self.column(name) for name in key[1]],
                rows=len(self),
                unit=self._unit(),
                sensitive_trees={name: partial(self.tree, name) for name in key[1]},
                times=self.times,
            )
        return self._cells[key]

    def tuples(self) -> tuple[Table, NDArray[np.int64]]:
        """A table of the distinct tuples of quasi-identifiers, each standing for its records; and a row of each."""
        cells = self.cells(sensitive=[])
        rows = first_of_each(cells.of_row, len(cells))
        came = {name: self.as_it_came(name) for name in self.quasi}
        out = self._with(
            rows={name: Distinct(one.codes[rows], one.values) for name, one in came.items()},
            roles={name: self.roles[name] for name in self.quasi},
            times=cells.records,
        )
        out._columns = {
            a.name: Column(a.name, codes, a.domain, cells.records)
            for a, codes in zip(cells.attributes, cells.codes, strict=True)
        }
        return out, rows

    def people_having(self, name: str, *, among: NDArray[np.bool_] | None = None) -> NDArray[np.int64]:
        """How many people have each value of a column; records where the table tells no people apart.

        among: only these rows are looked at, and only their values counted.
        """
        column, unit = self.column(name), self._unit()
        column = column if among is None else column.part(among)
        if unit is None:
            return column.counts
        keys = column.codes.astype(np.int64) * unit.domain.size
        keys += unit.codes if among is None else unit.codes[among]
        once = group_keys(keys, column.domain.size * unit.domain.size)[1]
        return np.bincount(once // unit.domain.size, minlength=column.domain.size).astype(np.int64)

    def content_order(self, *, quasi: Sequence[str] | None = None) -> NDArray[np.int64]:
        """Positions of the rows, ordered by their quasi-identifiers and then by whatever else they hold."""
        known = tuple(self.quasi if quasi is None else quasi)
        if known not in self._orders:
            cells = self.cells(quasi=known, sensitive=[])
            taken = set(known)
            came = (self.as_it_came(name) for name in self.counted if name not in taken)
            rest = (rank_values(column, order_values(column.values)) for column in came)
            self._orders[known] = order_rows(len(self), chain([(cells.of_row, len(cells))], rest))
        return self._orders[known]

    def classes(self, of_row: NDArray[np.int32], *, sensitive: Sequence[str] | None = None) -> Classes:
        """Classes given by a label per row, as local recodings make them; rows labelled -1 are left out.

        Classes come in the order of their labels, those without a row being passed over.
        """
        kept = of_row >= 0
        label = Column(
            "class", of_row[kept], Domain(Kind.INTEGER, np.arange(int(of_row.max(initial=-1)) + 1))
        )
        parts = [
            self.column(name).part(kept) for name in (self.sensitive if sensitive is None else sensitive)
        ]
        return count(
            [Attribute(label, partial(Hierarchy.automatic().grow, label.domain))],
            parts,
            rows=int(kept.sum()),
            unit=None if (unit := self._unit()) is None else unit.part(kept),
            sensitive_trees={column.name: partial(self._tree_over, column) for column in parts},
            times=None if self.times is None else self.times[kept],
        ).classes()

    def _tree_over(self, column: Column) -> Tree:
        return self.tree(column.name).over(column.domain)

    def _unit(self) -> Column | None:
        """The column that tells people apart. Rows without a value in it could be anybody, so they are refused."""
        if self.unit is None:
            return None
        column = self.column(self.unit)
        lost = np.flatnonzero(column.codes >= len(column.domain.values))
        if len(lost):
            raise ColumnError(
                f"column {self.unit!r} tells people apart, but has no value in {amount(len(lost), 'row')}, the first "
                f"being row {int(lost[0]) + 1}. Fill them in, or leave these rows out."
            )
        return column

    @property
    def weights(self) -> NDArray[np.float64] | None:
        """Sampling weight of each row, where the table has them."""
        if self.weight is None:
            return None
        column = self.column(self.weight)
        if column.kind not in (Kind.INTEGER, Kind.DECIMAL):
            raise ColumnError(f"column {self.weight!r}: sampling weights must be numbers.")
        weights = column.domain.numbers[column.codes]
        wrong = np.flatnonzero(~(weights > 0))
        if len(wrong):
            raise ColumnError(
                f"column {self.weight!r}: sampling weights must be positive, none missing; not so in "
                f"{amount(len(wrong), 'row')}, the first being row {int(wrong[0]) + 1}."
            )
        return weights

    def some_rows(self, rows: int, *, seed: int = 0) -> Table:
        """So many rows, chosen by what they hold and not by their place; the table itself where it has no more.

        Of rows that are elsewhere about so many come into memory.
        """
        if self.origin is not None:
            records = self.origin.records if self._held is None else self.records
            return self._in_memory(self.origin.some(min(rows / records, 1.0), enough=LOOKED_AT, seed=seed))
        if len(self) <= rows:
            return self
        keep = np.zeros(len(self), dtype=bool)
        keep[self.content_order()[np.random.default_rng(seed).permutation(len(self))[:rows]]] = True
        return self.filter(keep)

    def read_rows(self) -> Table:
        """All rows, in memory, of a table whose rows are elsewhere; refused where they would not fit."""
        if self.origin is None:
            return self
        return self._in_memory(self.origin.all_rows())

    def _in_memory(self, rows: pl.DataFrame) -> Table:
        weight = self.weight if self.weight in rows.columns else None
        return self._with(rows=rows, times=None, origin=None, besides=(), weight=weight)

    def filter(self, keep: NDArray[np.bool_]) -> Table:
        """The same table with some of its rows. Kinds found so far stay as they are."""
        source = self._source
        if isinstance(source, pl.DataFrame):
            part: pl.DataFrame | dict[str, Distinct] = source.filter(pl.Series(keep))
        else:
            part = {name: found.part(keep) for name, found in source.items()}
        out = self._with(rows=part, times=None if self.times is None else self.times[keep])
        out._columns = {name: column.part(keep) for name, column in self._columns.items()}
        return out

    def with_roles(self, /, **roles: Role | str) -> Table:
        """The same table with other roles for some columns, which are decided by that."""
        for name in roles:
            if name not in self.roles:
                raise unknown_column(name, self.names, "roles")
        return self._with(
            roles={**self.roles, **{name: Role(role) for name, role in roles.items()}},
            undecided=[name for name in self.undecided if name not in roles],
        )

    def described_as(self, other: Table) -> Table:
        """The same rows with all that is said about columns in another table of them."""
        said = ("roles", "kinds", "hierarchies", "unit", "undecided", "na")
        return self._with(rows=self._held, **{name: getattr(other, name) for name in said})

    def with_unit(self, unit: str | None) -> Table:
        """The same table with another column that tells people apart."""
        out = self._with(unit=unit)
        if unit is not None and unit != self.unit:
            out._columns.pop(unit, None)  # numbers of people are read as they are spelt
        return out

    def with_undecided(self, names: Collection[str]) -> Table:
        """The same table, of which these columns are not published before somebody gives them a role."""
        return self._with(undecided=names)

    @property
    def records(self) -> int:
        """How many records the rows stand for."""
        return len(self) if self.times is None else int(self.times.sum())

    def records_of(self, rows: NDArray[np.bool_]) -> int:
        """How many records some of the rows stand for."""
        return int(rows.sum()) if self.times is None else int(self.times[rows].sum())

    def standing_for(self, times: NDArray[np.int64]) -> Table:
        """The same table with rows that stand for so many records each."""
        return self._with(times=times)

    def with_rows(
        self, rows: pl.DataFrame, give_back: Callable[..., Any], *, na: Collection[str] | None = None
    ) -> Table:
        """Other rows, described as these are; columns that only they have get the role other."""
        roles = {name: self.roles.get(name, Role.OTHER) for name in rows.columns}
        kinds = {name: kind for name, kind in self.kinds.items() if name in roles}
        unit, weight = (name if name in roles else None for name in (self.unit, self.weight))
        changes = {"kinds": kinds, "unit": unit, "weight": weight, "na": self.na if na is None else na}
        return self._with(rows=rows, roles=roles, give_back=give_back, **changes)

    def with_kinds(self, kinds: Mapping[str, KindLike]) -> Table:
        """The same table with some columns read as these kinds; nothing coded so far is kept."""
        return self._with(rows=self._held, kinds={**self.kinds, **kinds})

    def with_na(self, na: Collection[str]) -> Table:
        """The same table with other spellings of missing; nothing coded so far is kept."""
        return self._with(rows=self._held, na=na)

    def with_hierarchies(self, hierarchies: Mapping[str, Hierarchy]) -> Table:
        """The same table with other hierarchies for some columns."""
        return self._with(hierarchies={**self.hierarchies, **hierarchies})

    def _with(self, **changes: Any) -> Table:
        parts: dict[str, Any] = {
            "rows": self._held,
            "roles": self.roles,
            "kinds": self.kinds,
            "hierarchies": self.hierarchies,
            "unit": self.unit,
            "weight": self.weight,
            "na": self.na,
            "give_back": self.give_back,
            "undecided": self.undecided,
            "times": self._times,
            "origin": self.origin,
            "besides": self.besides,
        }
        parts |= changes
        out = Table(**parts)
        if "rows" not in changes and not self._knows(out.counted):
            out._held = out._times = None  # more columns matter than were counted
            return out
        if "rows" not in changes:
            out._columns, out._came, out._meanings = dict(self._columns), self._came, self._meanings
            out._trees = {name: tree for name, tree in self._trees.items() if out._grows_as(self, name, tree)}
            if "times" not in changes:
                out._answers = self._answers
        return out

    def _grows_as(self, other: Table, name: str, tree: Tree) -> bool:
        """Whether a column's hierarchy, grown over the same values, is the tree that another table has grown."""
        given = self.hierarchies.get(name)
        return given is tree.recipe or given is other.hierarchies.get(name)

    def _repr_html_(self) -> str:
        rows = [
            (name, "decide" if name in self.undecided else self.roles[name], self._kind_in_words(name))
            for name in self.names
        ]
        return panel(f"{self._rows_in_words()} about people", heads=("column", "role", "read as"), rows=rows)

    def _kind_in_words(self, name: str) -> str:
        """How a column is read, where that is known without looking at its values."""
        if name in self._columns:
            return str(self._columns[name].kind)
        kind = self.kinds.get(name)
        return "" if kind is None else kind if isinstance(kind, str) else "ordinal"

    def __repr__(self) -> str:
        roles = ", ".join(
            f"{role}: {', '.join(self.having(role))}"
            for role in Role
            if self.having(role) and role is not Role.OTHER
        )
        return f"Table({self._rows_in_words()}, {len(self.names)} columns; {roles or 'no roles yet'})"

    def _rows_in_words(self) -> str:
        if self.origin is None:
            return f"{len(self):,} rows"
        return (
            f"rows in {self.origin.name}"
            if self._held is None
            else f"{self.records:,} rows in {self.origin.name}"
        )
