"""Which engine a source needs: files are streamed, relations, databases and Spark frames stay where they are."""

from __future__ import annotations

import glob
from pathlib import Path
from typing import Any

from lookalike.base.errors import FileError, RequestError
from lookalike.tables.engines.budget import Budget
from lookalike.tables.engines.databases.duck import Duck, open_database
from lookalike.tables.engines.databases.postgres import open_postgres
from lookalike.tables.engines.engine import MOST_TUPLES, Engine
from lookalike.tables.engines.files.streaming import Streaming
from lookalike.tables.engines.spark.frames import Spark
from lookalike.tables.sources.files import resolve_within
from lookalike.tables.sources.frames import is_relation, is_spark

_DATABASES = (".duckdb", ".ddb")
_SERVERS = ("postgresql://", "postgres://")
_PACKED = (".gz", ".zst", ".zstd")
_READ = (".csv", ".tsv", ".txt", ".parquet", ".pq")


def is_elsewhere(path: str | Path) -> bool:
    """Whether a name is that of a server, a database, a folder or a pattern, which are never read as a whole."""
    if str(path).startswith(_SERVERS) or Path(path).suffix.lower() in _DATABASES:
        return True
    return not Path(path).is_file() and (Path(path).is_dir() or any(sign in str(path) for sign in "*?["))


def open_engine(
    source: Any,
    *,
    memory: str | int | None = None,
    table: str | None = None,
    delimiter: str | None = None,
    quote: str | None = '"',
    most: int = MOST_TUPLES,
    within: Path | None = None,
) -> Engine:
    """The engine for a source.

    source: a file, a folder, a pattern such as "big/*.parquet", a DuckDB database file, a DuckDB relation, a Spark
        frame, or the address of a PostgreSQL server.
    memory: how much the process may take besides what it has, such as "2GB".
    table: which table of a database.
    most: distinct tuples that Spark may hand over.
    within: the folder that every file must lie in, wherever links lead.
    """
    budget = Budget() if memory is None else Budget(read_memory(memory))
    if is_relation(source):
        return Duck(source, budget=budget)
    if is_spark(source):
        if ".connect." in type(source).__module__:
            raise RequestError("frames of Spark Connect cannot be read yet. Make it in a session of its own.")
        return Spark(source, most, budget)
    if str(source).startswith(_SERVERS):
        if table is None:
            raise RequestError("this is a server. Say which `table` of it.")
        return open_postgres(str(source), table, budget)
    path = Path(source)
    if path.suffix.lower() in _DATABASES:
        if table is None:
            raise RequestError(f"{path}: is a database. Say which `table` of it.")
        if not path.is_file():
            raise FileError(f"{path}: no such file.")
        return open_database(path if within is None else resolve_within(path, within), table, budget)
    if table is not None:
        raise RequestError("`table` is for databases, and this is none.")
    return Streaming(_files(path, within), budget, delimiter, quote)


def read_memory(text: str | int) -> int:
    """`2GB`, `500 MB` or a number of bytes."""
    if isinstance(text, int):
        amount, unit = float(text), ""
    elif not isinstance(text, str):
        raise RequestError(
            f"memory: expected an amount such as '2GB' or '500MB', found a {type(text).__name__}."
        )
    else:
        digits = text.strip().rstrip("BbIiKkMmGgTt ")
        unit = text.strip()[len(digits) :].strip().upper().rstrip("B").rstrip("I")
        try:
            amount = float(digits)
        except ValueError:
            amount = -1
    if unit not in ("", "K", "M", "G", "T") or not amount > 0:
        raise RequestError(f"memory: expected an amount such as '2GB' or '500MB', found {text!r}.")
    found = int(amount * 1024 ** ("", "K", "M", "G", "T").index(unit))
    if found < 64 << 20:
        raise RequestError("memory: at least 64MB are needed.")
    return found


def _files(path: Path, within: Path | None) -> tuple[Path, ...]:
    if path.is_file():
        found = [path]
    elif path.is_dir():
        found = [file for file in path.rglob("*") if file.is_file() and _is_read(file)]
    else:
        found = [Path(file) for file in glob.glob(str(path), recursive=True) if Path(file).is_file()]
    if not found:
        raise FileError(f"{path}: no such file, and no csv or parquet files there.")
    endings = {_ending(file) in (".parquet", ".pq") for file in found}
    if len(endings) > 1:
        raise FileError(f"{path}: text and parquet files together are not one table. Name one kind.")
    found.sort()
    return tuple(found if within is None else [resolve_within(file, within) for file in found])


def _ending(path: Path) -> str:
    return Path(path.stem).suffix.lower() if path.suffix.lower() in _PACKED else path.suffix.lower()


def _is_read(path: Path) -> bool:
    return not path.name.startswith((".", "_")) and _ending(path) in _READ
