"""A table whose rows stay where they are: in memory are only the distinct tuples of the columns that are thought about.

It is a `Table` whose rows are tuples, each standing for so many records. What was counted is remembered with a
fingerprint of the source, and nothing is applied to a source that changed since.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import Any, Unpack

import numpy as np
import polars as pl
from numpy.typing import NDArray

from lookalike.base.errors import FileError, RequestError, amount, warn
from lookalike.base.progress import Progress, track
from lookalike.tables.columns.coding import Distinct, KindLike
from lookalike.tables.columns.roles import WORDS, Role
from lookalike.tables.engines.engine import CLASS, MOST_TUPLES, PERSON, TIMES, Engine, too_many
from lookalike.tables.engines.opening import open_engine
from lookalike.tables.engines.spark import Spark
from lookalike.tables.hierarchies.files import collect
from lookalike.tables.intake import Said, describe_columns
from lookalike.tables.intake import table as make_table
from lookalike.tables.ordering import order_rows, order_values, rank_values
from lookalike.tables.sources.frames import as_it_is
from lookalike.tables.table import Table

LOOKED_AT = 200_000  #: rows that are looked at where not all have to be


class FarTable(Table):
    """Rows in files or a database. Made by `open_far`; `la.risk` and `la.anonymize` take what it is made from."""

    engine: Engine
    fingerprint: str
    most: int
    besides: tuple[str, ...] = ()  #: columns that were counted whatever their role

    def _with(self, **changes: Any) -> FarTable:
        out = super()._with(**changes)
        out.__class__ = FarTable
        assert isinstance(out, FarTable)
        out.engine, out.fingerprint, out.most = self.engine, self.fingerprint, self.most
        out.besides = self.besides
        return out

    def with_roles(self, /, **roles: Role | str) -> Table:
        """The same table with other roles for some columns; it is counted again where more of them matter."""
        out = super().with_roles(**roles)
        assert isinstance(out, FarTable)
        return out._counted_again(self.counted)

    def counting(self, names: Sequence[str]) -> FarTable:
        """The same table, counted by some more columns."""
        out = self._with()
        out.besides = tuple(names)
        return out._counted_again(self.counted)

    def _counted_again(self, known: Sequence[str]) -> FarTable:
        """The table, with its rows counted again where not all of its columns are known."""
        if set(self.counted) <= set(known):
            return self
        tuples = _count(self.engine, self.counted, self.most)
        self.refuse_changed()
        return self._with(rows=tuples.drop(TIMES), times=tuples[TIMES].to_numpy().astype(np.int64))

    @property
    def counted(self) -> list[str]:
        """The columns that were counted, of which alone anything is known here."""
        return [
            name for name in self.names if name in self.besides or _is_counted(self.roles, self.unit, name)
        ]

    def expanded(self) -> FarTable:
        """The same table with a row for every record: for methods that put single records into classes."""
        if self.records > self.most:
            raise RequestError(
                f"{self.records:,} records are more than the {self.most:,} that may be taken into memory for a method "
                "that puts single records into classes. Allow more with `most`, or use the method 'optimal'."
            )
        assert self.times is not None
        came = {name: self.as_it_came(name) for name in self.counted}
        return self._with(
            rows={name: Distinct(np.repeat(one.codes, self.times), one.values) for name, one in came.items()},
            times=None,
        )

    def content_order(self, *, quasi: Sequence[str] | None = None) -> NDArray[np.int64]:
        """Positions of the rows, ordered by their quasi-identifiers and then by whatever else was counted."""
        known = list(self.quasi if quasi is None else quasi)
        cells = self.cells(quasi=known, sensitive=[])
        came = (self.as_it_came(name) for name in self.counted if name not in known)
        rest = (rank_values(column, order_values(column.values)) for column in came)
        return order_rows(len(self), chain([(cells.of_row, len(cells))], rest))

    def refuse_changed(self) -> None:
        """Refuse to go on where the rows are not those that were counted."""
        if self.engine.fingerprint() != self.fingerprint:
            raise FileError(
                "the table changed since its rows were counted. Nothing was released; start again."
            )

    def some_rows(self, rows: int, *, seed: int = 0) -> Table:
        """About so many rows, chosen by what they hold, as a table in memory with the same roles."""
        return Table(
            some_rows(self.engine, min(rows / self.records, 1.0), seed),
            self.roles,
            kinds=self.kinds,
            hierarchies=self.hierarchies,
            unit=self.unit,
            weight=None,
            na=self.na,
            give_back=as_it_is,
        )

    def __repr__(self) -> str:
        return (
            f"FarTable({self.records:,} records in {self.engine.name}, {amount(len(self), 'distinct tuple')})"
        )


class Passed:
    """How many rows of an engine were passed so far, and how many bytes of files."""

    def __init__(self, engine: Engine) -> None:
        self.rows, self._share, self._bytes = 0, 0.0, getattr(engine, "size", 0)

    def add(self, rows: int, share: float) -> float:
        """So many more rows; which share of all that is, as far as is known."""
        self.rows, self._share = self.rows + rows, share
        return share

    def text(self) -> str:
        """Both in words."""
        of_files = f", {self._share * self._bytes / 1e6:,.0f} of {self._bytes / 1e6:,.0f} MB"
        return f"({self.rows:,} rows{of_files if self._bytes and self._share else ''})" if self.rows else ""


def open_far(
    source: Any,
    *,
    memory: str | int | None = None,
    table: str | None = None,
    delimiter: str | None = None,
    quote: str | None = '"',
    most: int = MOST_TUPLES,
    hold: bool = False,
    within: Path | None = None,
    progress: Progress = False,
    **said: Unpack[Said],
) -> FarTable:
    """A table that is counted where it is.

    source: a file, a folder, a pattern such as "big/*.parquet", a DuckDB database file, a DuckDB relation, or
        a Spark frame.
    memory: how much the process may take besides what it has, such as "2GB".
    table: which table of a database.
    most: distinct tuples of quasi-identifiers and sensitive values that may be taken into memory.
    hold: whether rows are needed again, as for a release; Spark's workers then hold what they are handed.
    within: the folder that every file must lie in, wherever links lead.
    The other arguments are those of `la.table` and `la.read`.
    """
    engine = open_engine(
        source, memory=memory, table=table, delimiter=delimiter, quote=quote, most=most, within=within
    )
    columns = list(engine.describe())
    if ours := next((name for name in columns if name in (TIMES, CLASS, PERSON)), None):
        raise RequestError(f"column {ours!r}: Lookalike has a column of that name beside yours. Rename it.")
    if said.get("weight") is not None:
        raise RequestError("`weight` needs the rows in memory: read the table with la.read.")
    unit, na = said.get("unit"), said.get("na", ("?",))
    named: dict[str, Any] = {word: said.get(word, None if word == "others" else ()) for word in WORDS}
    roles, kinds = describe_columns(columns, named, types=said.get("types"), unit=unit, weight=None, na=na)
    if not any(role is Role.QUASI for role in roles.values()):
        raise RequestError("the table has no quasi-identifiers. Name them with `quasi`.")
    counted = [name for name in columns if _is_counted(roles, unit, name)]
    if hold and isinstance(engine, Spark):
        rest = [name for name in columns if name not in counted and roles[name] is not Role.IDENTIFIER]
        engine = engine.hold(counted, rest)
    fingerprint = engine.fingerprint()
    tuples = _count(engine, counted, most, progress)
    out = FarTable(
        tuples.drop(TIMES),
        roles,
        kinds=kinds,
        hierarchies=collect(said.get("hierarchies"), columns),
        unit=unit,
        weight=None,
        na=na,
        give_back=as_it_is,
        times=tuples[TIMES].to_numpy().astype(np.int64),
    )
    out.engine, out.fingerprint, out.most = engine, fingerprint, most
    if not hold:  # a release looks before it begins
        out.refuse_changed()
    return out


def look_at(
    source: Any,
    *,
    memory: str | int | None = None,
    delimiter: str | None = None,
    quote: str | None = '"',
    na: Sequence[str] = ("?",),
    types: Mapping[str, KindLike] | None = None,
) -> Table:
    """All rows of files or a relation as a table in memory, or about so many of them, chosen by what they hold."""
    engine = open_engine(source, memory=memory, delimiter=delimiter, quote=quote)
    first = next(iter(engine.describe()))
    records = int(engine.count([first])[0][TIMES].sum())
    some = some_rows(engine, min(LOOKED_AT / records, 1.0), 0)
    if some.height < records:
        warn(
            f"{some.height:,} of {records:,} rows were looked at, chosen by what they hold. People are more alone in a "
            "sample than in the table: for numbers about all of them, count with la.risk.",
        )
    return make_table(some, others=[], na=na, types=types)


def some_rows(engine: Engine, share: float, seed: int) -> pl.DataFrame:
    """About this share of the rows, chosen by what they hold; of few different rows, that part of each.

    Rows that are alike are chosen together, so of few different rows hardly one might be chosen.
    """
    some = engine.sample(share, seed=seed)
    if share == 1.0 or _different(some) > share * LOOKED_AT:
        return some
    (tuples,) = engine.count(list(engine.describe()))
    times = np.maximum((tuples[TIMES].to_numpy() * share).round().astype(np.int64), 1)
    return tuples.drop(TIMES)[np.repeat(np.arange(tuples.height), times)]


def _different(rows: pl.DataFrame) -> int:
    """How many different rows there are; as many as there are rows where that cannot be told."""
    try:
        return rows.n_unique()
    except pl.exceptions.PolarsError:
        return rows.height


def count_values(source: Any, name: str, **how: Any) -> tuple[int, int]:
    """How many different values a column has in all of the rows, and how many rows there are."""
    (found,) = open_engine(source, **how).count([name])
    return found.height, int(found[TIMES].sum())


def _is_counted(roles: Mapping[str, Role], unit: str | None, name: str) -> bool:
    return roles[name] in (Role.QUASI, Role.SENSITIVE) or name == unit


def _count(engine: Engine, columns: Sequence[str], most: int, progress: Progress = False) -> pl.DataFrame:
    """The distinct tuples of these columns, and how often each occurs."""
    passed = Passed(engine)
    with track(progress, "Counting rows", passed.text) as report:
        (tuples,) = engine.count(columns, told=lambda rows, share: report(passed.add(rows, share)))
    if tuples.height > most:
        worst = max(columns, key=lambda name: tuples[name].n_unique())
        raise too_many(f"{tuples.height:,}", most, worst)
    engine.budget.refuse_spent("counting distinct tuples")
    return tuples
