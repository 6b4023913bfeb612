"""DuckDB: a relation, or a table of a database file. Rows are counted and recoded in SQL, inside DuckDB.

What travels besides counts is one small parquet file of tuples for the join, in a folder of its own that is gone
afterwards. DuckDB sorts and joins on disk where memory is short, so tables may be larger than memory.
"""

from __future__ import annotations

import hashlib
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from uuid import uuid4

import polars as pl

from lookalike.engines.budget import Budget
from lookalike.engines.engine import (
    CLASS,
    NOW,
    TIMES,
    Piece,
    Places,
    Told,
    known_one_by_one,
    plain,
    rarest_of,
)
from lookalike.engines.stored import StoredRows
from lookalike.errors import FileError, MissingExtra, RequestError

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

    def count(self, *groups: Sequence[str], told: Told | None = None) -> list[pl.DataFrame]:
        """The distinct tuples of each group of columns and how often each occurs."""
        out = []
        for columns in groups:
            names = ", ".join(_quoted(name) for name in columns)
            source = f"(SELECT {self._plain(columns)} FROM {self._view})"
            times = f"count(*)::BIGINT AS {_quoted(TIMES)}"
            out.append(self._ask(f"SELECT {names}, {times} FROM {source} GROUP BY ALL"))
        if told is not None:
            told(int(out[0][TIMES].sum()), 1.0)
        return out

    def sample(self, share: float, *, seed: int) -> pl.DataFrame:
        """Rows whose hash is small."""
        hashed = f"hash({int(seed)}, {self._every()}) >> 32"
        return self._ask(f"SELECT {self._plain()} FROM {self._view} WHERE {hashed} < {round(share * 2**32)}")

    def fingerprint(self) -> str:
        """The number of rows, and a sum over a hash of each: the same in any order, else different."""
        hashed = f"SELECT hash({', '.join(_quoted(n) for n in self.relation.columns)}) AS h FROM {self._view}"
        seen = self._ask(
            f"SELECT count(*)::BIGINT AS n, bit_xor(h)::VARCHAR AS x, sum(h)::VARCHAR AS s FROM ({hashed})"
        )
        return hashlib.sha256(repr(seen.row(0)).encode()).hexdigest()

    def pieces(self, columns: Sequence[str], *, told: Told | None = None) -> Iterator[Piece]:
        """Some columns of all rows, a piece at a time."""
        relation = self.relation.query(self._view, f"SELECT {self._plain(columns)} FROM {self._view}")
        for batch in relation.to_arrow_reader(_AT_ONCE):
            rows = pl.DataFrame(batch)
            if told is not None:
                told(rows.height, 0.0)
            yield rows.select(plain(rows))

    def apply(self, places: Places) -> Duck:
        """A relation of the rows that stay, recoded."""
        folder = tempfile.TemporaryDirectory(prefix="lookalike-")
        lines = places.lines()
        was = {name: f"was_{i}" for i, name in enumerate(places.tuples.columns)}
        now = {name: f"now_{i}" for i, name in enumerate(places.boxes)}
        renamed = {**was, **{f"{NOW}{name}": short for name, short in now.items()}}
        joins = [self._join("w", lines.rename(renamed), was, Path(folder.name))]
        shown = {name: f"w.{short}" for name, short in now.items()}
        for i, (name, (values, becomes)) in enumerate(places.spelt.items()):
            pairs = pl.DataFrame({"was_0": values, "becomes": becomes})
            joins.append("LEFT " + self._join(f"s{i}", pairs, {name: "was_0"}, Path(folder.name)))
            shown[name] = f"s{i}.becomes"
        shown |= {name: shown.get(name, f"p.{_quoted(name)}") for name in places.others}
        if places.stars is not None:  # of these rows nothing is said
            stays = f"w.{_quoted(CLASS)} <> {places.stars}"
            shown |= {name: f"CASE WHEN {stays} THEN {shown[name]} END" for name in places.others}
        kept = [f"{shown[name]} AS {_quoted(name)}" for name in places.names]
        relation = self.relation.query(
            self._view,
            f"SELECT {', '.join(kept)}, w.{_quoted(CLASS)} "
            f"FROM (SELECT {self._plain()} FROM {self._view}) AS p {' '.join(joins)}",
        )
        return Duck(relation, (self.held, folder), self.budget)

    def known(self, names: Sequence[str]) -> dict[str, tuple[pl.DataFrame, int]]:
        """Of each column its values with how often each occurs, and the rarest pair of a value and a class."""
        return known_one_by_one(self, names)

    def rarest(self, columns: Sequence[str], below: int) -> tuple[int, int]:
        """How often the rarest tuple occurs, and how many rows have a tuple that occurs less often than `below`."""
        return rarest_of(self, columns, below)

    def _join(self, alias: str, rows: pl.DataFrame, was: Mapping[str, str], folder: Path) -> str:
        """A join with a few rows, which go into a file of their own; missing values are equal."""
        path = folder / f"{alias}.parquet"
        path.touch(mode=0o600)
        rows.write_parquet(path)
        match = " AND ".join(
            f"p.{_quoted(n)} IS NOT DISTINCT FROM {alias}.{short}" for n, short in was.items()
        )
        return f"JOIN read_parquet({_text(path)}) AS {alias} ON {match}"

    def ordered(self, seed: int) -> Any:
        """A relation of the rows in an order given by their content and the seed."""
        names = [name for name in self.relation.columns if name != CLASS]
        texts = ", ".join(f"coalesce(CAST({_quoted(name)} AS VARCHAR), chr(0))" for name in names)
        order = f"md5(concat_ws(chr(31), '{int(seed)}', {texts}))"
        shown = ", ".join(map(_quoted, names))
        return self.relation.query(self._view, f"SELECT {shown} FROM {self._view} ORDER BY {order}")

    def create(self, table: str, *, seed: int) -> None:
        """A new table of the rows, where the relation is."""
        self.ordered(seed).create(table)

    def take(self, table: str, rows: StoredRows) -> None:
        """A new table of rows that were recoded here, by way of a file that is gone afterwards."""
        self._create(f"TABLE {_quoted(table)}", rows)

    def _create(self, what: str, rows: StoredRows) -> None:
        with tempfile.TemporaryDirectory(prefix="lookalike-") as folder:
            path = Path(folder) / "rows.parquet"
            path.touch(mode=0o600)
            rows.write(path, safe=False)
            self.relation.query(self._view, f"CREATE {what} AS SELECT * FROM read_parquet({_text(path)})")

    def hand_out(self, rows: StoredRows) -> Any:
        """Rows that were recoded here as a relation, of a temporary table that lives as long as the connection."""
        table = f"lookalike_{uuid4().hex}"
        self._create(f"TEMP TABLE {table}", rows)
        return self.relation.query(self._view, f"SELECT * FROM {table}")

    def drop(self, table: str) -> None:
        """Take a table away again."""
        self.relation.query(self._view, f"DROP TABLE {_quoted(table)}")

    def _every(self) -> str:
        return ", ".join(_quoted(name) for name in self.relation.columns)

    def _plain(self, columns: Sequence[str] | None = None) -> str:
        """Columns as engines agree on them: categories as texts, moments in universal time, one zero and one NaN."""
        kinds = dict(zip(self.relation.columns, map(str, self.relation.types)))
        out = []
        for name in self.relation.columns if columns is None else columns:
            if name not in kinds:
                raise RequestError(f"there is no column {name!r} in the relation.")
            kind, quoted = kinds[name], _quoted(name)
            if kind.startswith("ENUM") or kind == "UUID":
                quoted = f"CAST({quoted} AS VARCHAR)"
            elif kind in ("FLOAT", "DOUBLE"):
                quoted = f"(CAST({quoted} AS DOUBLE) + 0.0::DOUBLE)"
            elif kind in ("TIMESTAMP_S", "TIMESTAMP_MS", "TIMESTAMP_NS"):
                quoted = f"CAST({quoted} AS TIMESTAMP)"
            out.append(f"{quoted} AS {_quoted(name)}")
        return ", ".join(out)

    def _ask(self, query: str) -> pl.DataFrame:
        try:
            rows: pl.DataFrame = self.relation.query(self._view, query).pl()
        except Exception as problem:
            if type(problem).__module__.startswith(("duckdb", "_duckdb")):
                raise FileError(f"DuckDB cannot count the rows ({type(problem).__name__}).") from None
            raise
        return rows.select(plain(rows))


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


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _text(path: Path) -> str:
    return "'" + str(path).replace("'", "''") + "'"
