"""DuckDB: a relation, or a table of a database file. Rows are counted and recoded in SQL, inside DuckDB.

What travels besides counts is one small parquet file of tuples for the join, in a folder of its own that is gone
afterwards. DuckDB sorts and joins on disk where memory is short, so tables may be larger than memory.
"""

from __future__ import annotations

import hashlib
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from uuid import uuid4

import polars as pl

from lookalike.base.errors import FileError, MissingExtra, RequestError
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

_AT_ONCE = 1 << 18  # rows handed out at a time


@dataclass(frozen=True, eq=False)
class Duck:
    """Rows of a relation."""

    relation: Any = field(repr=False)  # shows rows
    held: Any = field(
        default=None, repr=False
    )  #: what must live as long as the relation: a connection, a folder
    budget: Budget = field(default_factory=Budget, repr=False)
    _view: str = field(default_factory=lambda: f"lookalike_{uuid4().hex}", repr=False)

    name = "duckdb"

    def describe(self) -> dict[str, pl.DataType]:
        """The columns and their types."""
        return dict(self._ask(f"SELECT {self._plain()} FROM {self._view} LIMIT 0").schema)

    def count(self, *groups: Sequence[str], on_rows: OnRows | None = None) -> list[pl.DataFrame]:
        """The distinct tuples of each group of columns and how often each occurs."""
        out = []
        for columns in groups:
            names = ", ".join(quoted(name) for name in columns)
            source = f"(SELECT {self._plain(columns)} FROM {self._view})"
            times = f"count(*)::BIGINT AS {quoted(TIMES)}"
            out.append(self._ask(f"SELECT {names}, {times} FROM {source} GROUP BY ALL"))
        if on_rows is not None:
            on_rows(int(out[0][TIMES].sum()), 1.0)
        return out

    def sample(self, share: float, *, seed: int) -> pl.DataFrame:
        """Rows whose hash is small."""
        hashed = f"hash({int(seed)}, {self._every()}) >> 32"
        return self._ask(f"SELECT {self._plain()} FROM {self._view} WHERE {hashed} < {round(share * 2**32)}")

    def fingerprint(self) -> str:
        """The number of rows, and a sum over a hash of each: the same in any order, else different."""
        hashed = f"SELECT hash({', '.join(quoted(n) for n in self.relation.columns)}) AS h FROM {self._view}"
        seen = self._ask(
            f"SELECT count(*)::BIGINT AS n, bit_xor(h)::VARCHAR AS x, sum(h)::VARCHAR AS s FROM ({hashed})"
        )
        return hashlib.sha256(repr(seen.row(0)).encode()).hexdigest()

    def pieces(self, columns: Sequence[str], *, on_rows: OnRows | None = None) -> Iterator[Piece]:
        """Some columns of all rows, a piece at a time."""
        relation = self.relation.query(self._view, f"SELECT {self._plain(columns)} FROM {self._view}")
        for batch in relation.to_arrow_reader(_AT_ONCE):
            rows = pl.DataFrame(batch)
            if on_rows is not None:
                on_rows(rows.height, 0.0)
            yield rows.select(plain(rows))

    def hold(self, counted: Sequence[str], besides: Sequence[str]) -> Duck:
        """The relation itself: DuckDB keeps what it needs."""
        return self

    def release(
        self, places: Places, *, seed: int, check: Callable[[], None], on_rows: OnRows | None = None
    ) -> DatabaseRows:
        """The rows that stay, recoded in DuckDB."""
        return release_rows(self, places, seed=seed, check=check)

    def apply(self, places: Places, *, seed: int) -> Duck:
        """A relation of the rows that stay, recoded; of a temporary table where records of a tuple are dealt out."""
        folder = tempfile.TemporaryDirectory(prefix="lookalike-")

        def place(rows: pl.DataFrame) -> str:
            path = Path(folder.name) / f"{uuid4().hex}.parquet"
            path.touch(mode=0o600)
            rows.write_parquet(path)
            return f"read_parquet({_text(path)})"

        dialect = Dialect(place, _equal, lambda one, other: f"xor({one}, {other})")
        source = f"SELECT {self._plain()} FROM {self._view}"
        query = recoded(self, places, source, dialect, seed=seed)
        if not places.split:
            return Duck(self.relation.query(self._view, query), (self.held, folder), self.budget)
        with folder:
            table = f"lookalike_{uuid4().hex}"
            self._do(f"CREATE TEMP TABLE {table} AS {query}")
        return Duck(self.relation.query(self._view, f"SELECT * FROM {table}"), self.held, self.budget)

    def rarest(
        self, columns: Sequence[str], below: int, *, people: bool = False, but: Sequence[int] = ()
    ) -> tuple[int, int]:
        """How often the rarest tuple occurs, and how many rows have a tuple that occurs less often than `below`."""
        query = rarest_query(self._view, columns, below, people=people, but=but)
        ((least, few),) = self._ask(query).rows()
        return least, few

    def ordered(self, seed: int) -> Any:
        """A relation of the rows in an order given by their content and the seed."""
        names = [name for name in self.relation.columns if name not in (CLASS, PERSON)]
        texts = ", ".join(f"coalesce(CAST({quoted(name)} AS VARCHAR), chr(0))" for name in names)
        order = f"md5(concat_ws(chr(31), '{int(seed)}', {texts}))"
        shown = ", ".join(map(quoted, names))
        return self.relation.query(self._view, f"SELECT {shown} FROM {self._view} ORDER BY {order}")

    def create(self, table: str, *, seed: int) -> None:
        """A new table of the rows, where the relation is."""
        self.ordered(seed).create(table)

    def drop(self, table: str) -> None:
        """Take a table away again."""
        self.relation.query(self._view, f"DROP TABLE {quoted(table)}")

    def _every(self) -> str:
        return ", ".join(quoted(name) for name in self.relation.columns)

    def _plain(self, columns: Sequence[str] | None = None) -> str:
        """Columns as engines agree on them: categories as texts, moments in universal time, one zero and one NaN."""
        kinds = dict(zip(self.relation.columns, map(str, self.relation.types), strict=True))
        out = []
        for name in self.relation.columns if columns is None else columns:
            if name not in kinds:
                raise RequestError(f"there is no column {name!r} in the relation.")
            kind, shown = kinds[name], quoted(name)
            if kind.startswith("ENUM") or kind == "UUID":
                shown = f"CAST({shown} AS VARCHAR)"
            elif kind in ("FLOAT", "DOUBLE"):
                shown = f"(CAST({shown} AS DOUBLE) + 0.0::DOUBLE)"
            elif kind in ("TIMESTAMP_S", "TIMESTAMP_MS", "TIMESTAMP_NS"):
                shown = f"CAST({shown} AS TIMESTAMP)"
            out.append(f"{shown} AS {quoted(name)}")
        return ", ".join(out)

    def _ask(self, query: str) -> pl.DataFrame:
        rows: pl.DataFrame = self._do(query, lambda found: found.pl())
        return rows.select(plain(rows))

    def _do(self, query: str, then: Callable[[Any], Any] = lambda found: found) -> Any:
        try:
            return then(self.relation.query(self._view, query))
        except Exception as problem:
            if type(problem).__module__.startswith(("duckdb", "_duckdb")):
                raise FileError(f"DuckDB cannot count the rows ({type(problem).__name__}).") from None
            raise


def open_database(path: Path, table: str, budget: Budget) -> Duck:
    """A table of a database file, which is only read."""
    try:
        import duckdb
    except ImportError:
        raise MissingExtra("duckdb", "duckdb", f"{path}: reading a DuckDB database") from None
    try:
        connection = duckdb.connect(str(path), read_only=True)
        return Duck(connection.table(table), connection, budget)
    except duckdb.Error as problem:
        raise FileError(f"{path}: table {table!r} cannot be opened ({type(problem).__name__}).") from None


def _equal(ones: Sequence[str], others: Sequence[str]) -> str:
    return " AND ".join(
        f"{one} IS NOT DISTINCT FROM {other}" for one, other in zip(ones, others, strict=True)
    )


def _text(path: Path) -> str:
    return "'" + str(path).replace("'", "''") + "'"
