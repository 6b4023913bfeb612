"""Table: rows about people with the role of every column, coded on first use.

`table` takes any frame, `read` any file. Everything after that works on `Table.cells()`.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Collection, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from lookalike import frames
from lookalike.cells import Attribute, Cells, Classes, count
from lookalike.coding import Column, encode
from lookalike.domains import Domain
from lookalike.errors import ColumnError, HierarchyError, LookalikeWarning, RequestError, unknown_column
from lookalike.hierarchies import Hierarchy, Tree
from lookalike.roles import Kind, Role

Hierarchies = Mapping[str, "Hierarchy | Mapping[str, Any] | str | Path"] | str | Path


class Table:
    """Rows about people. Made by `table` or `read`; never changed afterwards."""

    def __init__(
        self,
        rows: pl.DataFrame,
        roles: Mapping[str, Role],
        *,
        kinds: Mapping[str, Kind | Sequence[str]],
        hierarchies: Mapping[str, Hierarchy],
        unit: str | None,
        weight: str | None,
        na: Collection[str],
        give_back: Callable[[pl.DataFrame], Any],
    ) -> None:
        self.rows = rows
        self.roles = dict(roles)
        self.kinds = dict(kinds)
        self.hierarchies = dict(hierarchies)
        self.unit = unit
        self.weight = weight
        self.na = tuple(na)
        self.give_back = give_back
        self._columns: dict[str, Column] = {}
        self._trees: dict[str, Tree] = {}
        self._cells: dict[tuple[tuple[str, ...], tuple[str, ...]], Cells] = {}

    def __len__(self) -> int:
        return self.rows.height

    @property
    def names(self) -> list[str]:
        """Column names in the caller's order."""
        return self.rows.columns

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
            self._columns[name] = encode(self.rows[name], kind=self.kinds.get(name), na=self.na)
        return self._columns[name]

    def tree(self, name: str) -> Tree:
        """The column's hierarchy grown over its values; an automatic one where none was given."""
        if name not in self._trees:
            column = self.column(name)
            recipe = self.hierarchies.get(name, Hierarchy.automatic())
            try:
                self._trees[name] = recipe.grow(column.domain, column.counts)
            except HierarchyError as problem:
                raise HierarchyError(f"column {name!r}: {problem}") from None
        return self._trees[name]

    def cells(self, *, quasi: Sequence[str] | None = None, sensitive: Sequence[str] | None = None) -> Cells:
        """Count the table once: its distinct quasi-identifier tuples, with how many records and which values each has."""
        key = (
            tuple(self.quasi if quasi is None else quasi),
            tuple(self.sensitive if sensitive is None else sensitive),
        )
        if key not in self._cells:
            self._cells[key] = count(
                [Attribute(self.column(name), partial(self.tree, name)) for name in key[0]],
                [self.column(name) for name in key[1]],
                rows=len(self),
                unit=None if self.unit is None else self.column(self.unit),
                sensitive_trees={name: partial(self.tree, name) for name in key[1]},
            )
        return self._cells[key]

    def classes(self, of_row: NDArray[np.int32], *, sensitive: Sequence[str] | None = None) -> Classes:
        """Classes given by a label per row, as local recodings make them; rows labelled -1 are left out.

        Classes come in the order of their labels, those without a row being passed over.
        """
        kept = of_row >= 0
        names = self.sensitive if sensitive is None else sensitive
        label = Column("class", of_row[kept], Domain(Kind.INTEGER, np.arange(int(of_row.max(initial=-1)) + 1)))

        def part(name: str) -> Column:
            column = self.column(name)
            return Column(name, column.codes[kept], column.domain)

        return count(
            [Attribute(label, partial(Hierarchy.automatic().grow, label.domain))],
            [part(name) for name in names],
            rows=int(kept.sum()),
            unit=None if self.unit is None else part(self.unit),
            sensitive_trees={name: partial(self.tree, name) for name in names},
        ).classes()

    @property
    def weights(self) -> NDArray[np.float64] | None:
        """Sampling weight of each row, where the table has them."""
        if self.weight is None:
            return None
        column = self.column(self.weight)
        if not column.kind.numeric or column.domain.missing or column.domain.numbers.min(initial=1) <= 0:
            raise ColumnError(
                f"column {self.weight!r}: sampling weights must be positive numbers, none missing."
            )
        return column.domain.numbers[column.codes]

    def filter(self, keep: NDArray[np.bool_]) -> Table:
        """The same table with some of its rows."""
        return self._with(rows=self.rows.filter(pl.Series(keep)))

    def with_roles(self, **roles: Role | str) -> Table:
        """The same table with other roles for some columns."""
        for name in roles:
            if name not in self.roles:
                raise unknown_column(name, self.names, "roles")
        return self._with(roles={**self.roles, **{name: Role(role) for name, role in roles.items()}})

    def with_hierarchies(self, hierarchies: Mapping[str, Hierarchy]) -> Table:
        """The same table with other hierarchies for some columns."""
        return self._with(hierarchies={**self.hierarchies, **hierarchies})

    def _with(self, **changes: Any) -> Table:
        parts: dict[str, Any] = {
            "rows": self.rows,
            "roles": self.roles,
            "kinds": self.kinds,
            "hierarchies": self.hierarchies,
            "unit": self.unit,
            "weight": self.weight,
            "na": self.na,
            "give_back": self.give_back,
        }
        return Table(**{**parts, **changes})

    def __repr__(self) -> str:
        roles = ", ".join(
            f"{role}: {', '.join(self.having(role))}"
            for role in Role
            if self.having(role) and role is not Role.OTHER
        )
        return f"Table({len(self):,} rows, {len(self.names)} columns; {roles or 'no roles yet'})"


def table(
    frame: Any,
    *,
    identifiers: Sequence[str] = (),
    quasi: Sequence[str] = (),
    sensitive: Sequence[str] = (),
    targets: Sequence[str] = (),
    others: Sequence[str] | None = None,
    hierarchies: Hierarchies | None = None,
    types: Mapping[str, str | Kind | Sequence[str]] | None = None,
    unit: str | None = None,
    weight: str | None = None,
    na: Collection[str] = ("?",),
) -> Table:
    """A table about people from a pandas, Polars or pyarrow frame, or anything with the Arrow stream protocol.

    identifiers, quasi, sensitive, targets: the role of each column. Columns not named get the role *other* with a
    warning; name them in `others` (or pass `others=[]` to mean "all the rest") and the warning goes away.
    hierarchies: one per column, or a folder of `COLUMN.csv` files; columns without one get an automatic one.
    types: integer, decimal, date, ordinal or nominal, or the list of values in their order.
    unit: the column that tells people (or households) apart when a person has several rows; k then counts people.
    weight: the column of sampling weights, for population risk.
    na: spellings of a missing value besides null, NaN and empty text.
    """
    taken = frames.take(frame)
    return _assemble(
        taken, identifiers, quasi, sensitive, targets, others, hierarchies, types, unit, weight, na
    )


def read(
    path: str | Path,
    *,
    identifiers: Sequence[str] = (),
    quasi: Sequence[str] = (),
    sensitive: Sequence[str] = (),
    targets: Sequence[str] = (),
    others: Sequence[str] | None = None,
    hierarchies: Hierarchies | None = None,
    types: Mapping[str, str | Kind | Sequence[str]] | None = None,
    unit: str | None = None,
    weight: str | None = None,
    na: Collection[str] = ("?",),
    delimiter: str | None = None,
    quote: str = '"',
    encoding: str = "utf-8",
    header: bool = True,
    names: Sequence[str] | None = None,
    sheet: str | None = None,
) -> Table:
    """A table about people from a file: csv, tsv or other delimited text, parquet, arrow, xlsx.

    The delimiter is guessed unless given; `header=False` calls the columns column_1, column_2, … or as in `names`.
    The other arguments are those of `table`.
    """
    from lookalike.files import read_frame

    rows = read_frame(
        Path(path),
        delimiter=delimiter,
        quote=quote,
        encoding=encoding,
        header=header,
        names=None if names is None else list(names),
        sheet=sheet,
    )
    taken = frames.take(rows)
    return _assemble(
        taken, identifiers, quasi, sensitive, targets, others, hierarchies, types, unit, weight, na
    )


def _assemble(
    taken: frames.Frame,
    identifiers: Sequence[str],
    quasi: Sequence[str],
    sensitive: Sequence[str],
    targets: Sequence[str],
    others: Sequence[str] | None,
    hierarchies: Hierarchies | None,
    types: Mapping[str, str | Kind | Sequence[str]] | None,
    unit: str | None,
    weight: str | None,
    na: Collection[str],
) -> Table:
    rows = taken.rows
    if not rows.width:
        raise RequestError("the table has no columns.")
    if not rows.height:
        raise RequestError("the table has no rows.")
    named = {
        Role.IDENTIFIER: identifiers,
        Role.QUASI: quasi,
        Role.SENSITIVE: sensitive,
        Role.TARGET: targets,
        Role.OTHER: others or (),
    }
    roles = _roles(rows.columns, named, unit, weight, warn=others is None)
    kinds: dict[str, Kind | Sequence[str]] = {**taken.orders}
    for name, kind in (types or {}).items():
        if name not in roles:
            raise unknown_column(name, rows.columns, "types")
        kinds[name] = _kind(name, kind)
    recipes = _recipes(hierarchies, rows.columns)
    return Table(
        rows,
        roles,
        kinds=kinds,
        hierarchies=recipes,
        unit=unit,
        weight=weight,
        na=na,
        give_back=taken.give_back,
    )


def _roles(
    columns: list[str],
    named: Mapping[Role, Sequence[str]],
    unit: str | None,
    weight: str | None,
    *,
    warn: bool,
) -> dict[str, Role]:
    roles: dict[str, Role] = {}
    for role, names in named.items():
        if isinstance(names, str):
            raise ColumnError(f"{role}: give a list of column names, such as [{names!r}].")
        for name in names:
            if name not in columns:
                raise unknown_column(name, columns, str(role))
            if name in roles:
                raise ColumnError(
                    f"column {name!r} is named twice ({roles[name]} and {role}). Give it one role."
                )
            roles[name] = role
    for what, name in (("unit", unit), ("weight", weight)):
        if name is not None and name not in columns:
            raise unknown_column(name, columns, what)
    if unit is not None:
        roles.setdefault(unit, Role.IDENTIFIER)
    if weight is not None:
        roles.setdefault(weight, Role.OTHER)
    unnamed = [name for name in columns if name not in roles]
    if unnamed and warn and any(named.values()):
        shown = ", ".join(unnamed[:8]) + (", …" if len(unnamed) > 8 else "")
        warnings.warn(
            f"{len(unnamed)} column(s) were given no role and are treated as 'other', published as they are: {shown}. "
            "Name them in others=[...] if that is meant, or pass others=[] to accept all.",
            LookalikeWarning,
            stacklevel=4,
        )
    return {name: roles.get(name, Role.OTHER) for name in columns}


def _kind(name: str, kind: str | Kind | Sequence[str]) -> Kind | Sequence[str]:
    if not isinstance(kind, str):
        return [str(v) for v in kind]
    try:
        return Kind(kind)
    except ValueError:
        raise RequestError(
            f"types: column {name!r} cannot be {kind!r}; use {', '.join(Kind)} or a list of values in order."
        ) from None


def _recipes(hierarchies: Hierarchies | None, columns: list[str]) -> dict[str, Hierarchy]:
    from lookalike.hierarchies.files import read_folder

    if hierarchies is None:
        return {}
    if isinstance(hierarchies, str | Path):
        return {name: recipe for name, recipe in read_folder(hierarchies).items() if name in columns}
    recipes = {}
    for name, given in hierarchies.items():
        if name not in columns:
            raise unknown_column(name, columns, "hierarchies")
        if isinstance(given, Hierarchy):
            recipes[name] = given
        elif isinstance(given, str | Path):
            recipes[name] = Hierarchy.read(given)
        else:
            recipes[name] = Hierarchy.groups(given)
    return recipes
