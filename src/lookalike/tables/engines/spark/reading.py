"""Spark frames that are plain parquet files on a file system that everybody sees: workers read those by themselves.

Spark hands rows to Python one value at a time, which costs more than all that is done with them here. So where a frame
is just what is in the files, and Polars reads the same values from them, workers are told what to read. Everything else
(other formats and file systems, filters, joins, columns from folder names, moments, decimals) goes through Spark.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import Any
from urllib.parse import unquote, urlparse

import polars as pl

from lookalike.base.errors import FileError
from lookalike.tables.engines.spark.writing import asking

_SAME = {
    "bigint": pl.Int64,
    "int": pl.Int32,
    "smallint": pl.Int16,
    "tinyint": pl.Int8,
    "double": pl.Float64,
    "float": pl.Float32,
    "boolean": pl.Boolean,
    "string": pl.String,
}  # types whose values Spark and Polars read alike
_FORMAT = "org.apache.spark.sql.execution.datasources.parquet.ParquetFileFormat"
_AT_ONCE = 1 << 20  # rows that are read at a time
_MOST_FILES = 10_000  # that are looked into here


@dataclass(frozen=True)
class Unit:
    """Some rows of a file, whole row groups where these are not too large."""

    path: str
    first: int
    rows: int


def find_units(frame: Any) -> list[Unit] | None:
    """What workers are to read; None where they have to be handed the rows."""
    wanted = {field.name: _SAME.get(field.dataType.simpleString()) for field in frame.schema.fields}
    if None in wanted.values():
        return None
    with asking():
        plan = frame._jdf.queryExecution().analyzed()
        if _kind(plan).rpartition(".")[2] != "LogicalRelation":
            return None
        relation = plan.relation()
        if not _kind(relation).endswith(".HadoopFsRelation") or _kind(relation.fileFormat()) != _FORMAT:
            return None
        addresses = [urlparse(file) for file in frame.inputFiles()]
    if len(addresses) > _MOST_FILES or any(each.scheme != "file" or each.netloc for each in addresses):
        return None
    out = []
    for address in addresses:
        units = _cut(unquote(address.path), wanted)
        if units is None:
            return None
        out += units
    return out if out and _workers_know_us(frame.sparkSession) else None


def _cut(path: str, wanted: dict[str, Any]) -> list[Unit] | None:
    """The rows of a file in units; None where it cannot be read here, or has other columns than are wanted."""
    from pyarrow import ArrowException
    from pyarrow.parquet import read_metadata

    try:
        if dict(pl.read_parquet_schema(path)) != wanted:
            return None
        about = read_metadata(path)
    except (OSError, ArrowException, pl.exceptions.PolarsError):
        return None
    if b"org.apache.spark.legacyDateTime" in (about.metadata or {}):
        return None
    out, first, rows = [], 0, 0
    for group in range(about.num_row_groups):
        rows += about.row_group(group).num_rows
        while rows >= _AT_ONCE or (rows and group == about.num_row_groups - 1):
            out.append(Unit(path, first, min(rows, 2 * _AT_ONCE)))
            first, rows = first + out[-1].rows, rows - out[-1].rows
    return out


def share_out(units: Sequence[Unit], tasks: int) -> list[list[Unit]]:
    """Units for each task, neighbours together."""
    tasks = min(tasks, len(units))
    edges = [i * len(units) // tasks for i in range(tasks + 1)]
    return [list(units[a:b]) for a, b in pairwise(edges)]


@lru_cache(maxsize=8)
def _workers_know_us(session: Any) -> bool:
    """Whether workers have this package; else they are handed rows where they need not know it."""

    def run(batches: Any) -> Any:
        import lookalike.tables.engines.spark.workers  # noqa: F401

        yield from batches

    try:
        with asking():
            session.range(0, 1, 1, 1).mapInArrow(run, "id long").toArrow()
    except FileError:
        return False
    return True


def _kind(thing: Any) -> str:
    return str(thing.getClass().getName())
