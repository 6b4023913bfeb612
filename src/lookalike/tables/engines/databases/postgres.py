"""PostgreSQL, through the ADBC driver: rows are counted and recoded in SQL, on the server.

Tuples go there as a temporary table and are joined by their quoted texts, since PostgreSQL cannot hash a comparison in
which missing values are equal. What cannot travel as it is (numeric, uuid, enumerations) travels as text.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any
from uuid import uuid4

import polars as pl

from lookalike.base.errors import FileError, MissingExtra, unknown_column
from lookalike.tables.engines.budget import Budget
from lookalike.tables.engines.databases.recoding_sql import Dialect, quoted, rarest_query, recoded
from lookalike.tables.engines.databases.released import DatabaseRows, release_rows
from lookalike.tables.engines.engine import (
    CLASS,
    PERSON,
    TIMES,
    OnRows,
    Piece,
    Places,
    plain,
)

_AS_THEY_ARE = (
    "boolean",
    "smallint",
    "integer",
    "bigint",
    "text",
    "date",
    "timestamp without time zone",
    "timestamp with time zone",
)
_FLOATS = ("real", "double precision")


@dataclass(frozen=True, eq=False)
class Postgres:
    """The rows of a query."""

    connection: Any = field(repr=False)
    query: str = field(repr=False)
    columns: tuple[str, ...] = ()
    budget: Budget = field(default_factory=Budget, repr=False)

    name = "postgresql"

    def describe(self) -> dict[str, pl.DataType]:
        """The columns and their types."""
        return dict(self._ask(f"{self._rows('*')} LIMIT 0").schema)

    def count(self, *groups: Sequence[str], on_rows: OnRows | None = None) -> list[pl.DataFrame]:
        """The distinct tuples of each group of columns and how often each occurs."""
        out = []
        for columns in groups:
            for name in columns:
                if name not in self.columns:
                    raise unknown_column(name, self.columns, "table")
            names = ", ".join(map(quoted, columns))
            rows = self._rows(f"{names}, count(*) AS {quoted(TIMES)}")
            out.append(self._ask(f"{rows} GROUP BY {names}"))
        if on_rows is not None:
            on_rows(int(out[0][TIMES].sum()), 1.0)
        return out

    def sample(self, share: float, *, seed: int) -> pl.DataFrame:
        """Rows whose hash is small."""
        hashed = f"(hashtextextended(p::text, {int(seed)}) & 4294967295)"
        return self._ask(f"{self._rows('*')} WHERE {hashed} < {round(share * 2**32)}")

    def fingerprint(self) -> str:
        """The number of rows, and a sum over a hash of each: the same in any order, else different."""
        sums = "count(*)::text AS n, sum(hashtextextended(p::text, 0)::numeric)::text AS s"
        return hashlib.sha256(repr(self._ask(self._rows(sums)).row(0)).encode()).hexdigest()

    def pieces(self, columns: Sequence[str], *, on_rows: OnRows | None = None) -> Iterator[Piece]:
        """Some columns of all rows, a piece at a time."""
        with self._cursor() as cursor:
            cursor.execute(self._rows(", ".join(map(quoted, columns))))
            for batch in cursor.fetch_record_batch():
                rows = pl.DataFrame(batch)
                if on_rows is not None:
                    on_rows(rows.height, 0.0)
                yield rows.select(plain(rows))

    def hold(self, counted: Sequence[str], besides: Sequence[str]) -> Postgres:
        """The query itself: the server keeps what it needs."""
        return self

    def release(
        self, places: Places, *, seed: int, check: Callable[[], None], on_rows: OnRows | None = None
    ) -> DatabaseRows:
        """The rows that stay, recoded on the server."""
        return release_rows(self, places, seed=seed, check=check)

    def apply(self, places: Places, *, seed: int) -> Postgres:
        """A query for the rows that stay, recoded; of a temporary table where records of a tuple are dealt out."""
        dialect = Dialect(
            self._place, lambda *sides: " = ".join(map(_key, sides)), lambda one, other: f"({one} # {other})"
        )
        query = recoded(self, places, self.query, dialect, seed=seed)
        if places.split:
            table = f"lookalike_{uuid4().hex}"
            with self._cursor() as cursor:
                cursor.execute(f"CREATE TEMP TABLE {table} AS {query}")
            query = f"SELECT * FROM {table}"
        columns = (*places.names, CLASS, *([] if places.unit is None else [PERSON]))
        return Postgres(self.connection, query, columns, self.budget)

    def rarest(
        self, columns: Sequence[str], below: int, *, people: bool = False, but: Sequence[int] = ()
    ) -> tuple[int, int]:
        """How often the rarest tuple occurs, and how many rows have a tuple that occurs less often than `below`."""
        query = rarest_query(f"({self.query})", columns, below, people=people, but=but)
        ((least, few),) = self._ask(query).rows()
        return least, few

    def _place(self, rows: pl.DataFrame) -> str:
        """A temporary table of a few rows."""
        table = f"lookalike_{uuid4().hex}"
        with self._cursor() as cursor:
            cursor.adbc_ingest(table, rows, mode="create", temporary=True)
        return table

    def create(self, table: str, *, seed: int) -> None:
        """A new table of the rows, on the server; it is there as a whole or not at all."""
        with self._cursor() as cursor:
            cursor.execute(f"CREATE TABLE {_quoted_path(table)} AS {self.ordered(seed)}")

    def drop(self, table: str) -> None:
        """Take a table away again."""
        with self._cursor() as cursor:
            cursor.execute(f"DROP TABLE {_quoted_path(table)}")

    def ordered(self, seed: int) -> str:
        """The query for the rows in an order given by their content and the seed."""
        names = [name for name in self.columns if name not in (CLASS, PERSON)]
        shown = ", ".join(f"p.{quoted(name)}" for name in names)
        order = f"md5('{int(seed)}' || {_key(f'p.{quoted(name)}' for name in names)})"
        return f"SELECT {shown} FROM ({self.query}) AS p ORDER BY {order}"

    def _rows(self, shown: str) -> str:
        return f"SELECT {shown} FROM ({self.query}) AS p"

    def _ask(self, query: str) -> pl.DataFrame:
        with self._cursor() as cursor:
            cursor.execute(query)
            rows = pl.DataFrame(cursor.fetch_arrow_table())
        return rows.select(plain(rows))

    @contextmanager
    def _cursor(self) -> Iterator[Any]:
        """A cursor whose errors tell what went wrong, and no value."""
        from adbc_driver_manager import Error

        try:
            with self.connection.cursor() as cursor:
                yield cursor
        except Error as problem:
            raise FileError(
                f"PostgreSQL did not answer as it should ({type(problem).__name__}, {problem.sqlstate or 'no code'}). "
                "Nothing was released."
            ) from None


def open_postgres(url: str, table: str, budget: Budget) -> Postgres:
    """A table, or a view, of a server."""
    try:
        from adbc_driver_manager import Error
        from adbc_driver_postgresql import dbapi
    except ImportError:
        raise MissingExtra("adbc-driver-postgresql", "postgres", "reading from PostgreSQL") from None
    try:
        connection = dbapi.connect(url, autocommit=True)
    except Error as problem:
        raise FileError(f"PostgreSQL cannot be reached ({type(problem).__name__}).") from None
    asked = (
        "SELECT attname::text AS name, format_type(atttypid, NULL) AS kind FROM pg_attribute "
        f"WHERE attrelid = {_text(_quoted_path(table))}::regclass AND attnum > 0 AND NOT attisdropped ORDER BY attnum"
    )
    kinds = dict(Postgres(connection, "")._ask(asked).iter_rows())
    shown = ", ".join(f"{_plain(name, kind)} AS {quoted(name)}" for name, kind in kinds.items())
    return Postgres(connection, f"SELECT {shown} FROM {_quoted_path(table)}", tuple(kinds), budget)


def _plain(name: str, kind: str) -> str:
    """A column as engines agree on it: one zero, and text where nothing else can travel."""
    if kind in _FLOATS:
        return f"({quoted(name)}::double precision + 0.0::double precision)"
    return quoted(name) if kind in _AS_THEY_ARE else f"{quoted(name)}::text"


def _key(columns: Any) -> str:
    return f"concat_ws(',', {', '.join(f'quote_nullable({column}::text)' for column in columns)})"


def _quoted_path(table: str) -> str:
    return ".".join(quoted(part) for part in table.split("."))


def _text(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"
