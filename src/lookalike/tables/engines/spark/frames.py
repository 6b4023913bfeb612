"""Spark: rows of a DataFrame are counted, recoded and written on Spark's workers; only tuples are collected.

Spark's own group-by counts them, or our code where workers read plain files by themselves or hold what they were
handed. Rows are recoded by our code on the workers, and shuffled once, as words, into an order that only their content
and the seed decide.
"""

from __future__ import annotations

import hashlib
import os
import weakref
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

import polars as pl

from lookalike.base.errors import FileError, RequestError, unknown_column
from lookalike.tables.columns.naming import named
from lookalike.tables.engines.budget import Budget
from lookalike.tables.engines.engine import MOST_TUPLES, TIMES, OnRows, Piece, Places, plain, too_many
from lookalike.tables.engines.spark.reading import Unit, find_units, share_out
from lookalike.tables.engines.spark.writing import asking, write_rows

if TYPE_CHECKING:
    from lookalike.tables.engines.stored.rows import StoredRows

_PLACE = "place"  # of a row in the order of a release
_SET = "set of columns"  # which group of columns a count belongs to, where several are counted at once
_GONE = "a file of the table is gone since its rows were counted"
_FEW, _TASKS = (
    4,
    3,
)  # where there are few cores each gets one task, else several, so that none waits long for others
_SOME = 64  # tuples of which one in so many is looked at first
_ADDED_UP = 64  # parts in which counts of many workers are added up


@dataclass(frozen=True, eq=False)
class HeldRows:
    """Some columns of all rows, packed, in the memory of workers or on their disks."""

    columns: tuple[str, ...]
    counted: tuple[str, ...]  #: those whose tuples were counted on the way
    bundles: Any  #: a frame of all that


@dataclass(frozen=True, eq=False)
class Spark:
    """Rows of a Spark DataFrame."""

    frame: Any = field(repr=False)  # shows rows in notebooks
    most: int = MOST_TUPLES  #: tuples that may be collected
    budget: Budget = field(default_factory=Budget, repr=False)
    held: HeldRows | None = field(
        default=None, repr=False
    )  #: what workers were handed, for all that is asked later

    name = "spark"

    def __post_init__(self) -> None:
        names = self.frame.columns
        if twice := next((name for name in names if names.count(name) > 1), None):
            raise RequestError(f"the frame has two columns {twice!r}. Rename one of them.")

    def describe(self) -> dict[str, pl.DataType]:
        """The columns and their types."""
        return dict(self._ask(self._plain().limit(0), self.frame.columns).schema)

    def count(self, *groups: Sequence[str], on_rows: OnRows | None = None) -> list[pl.DataFrame]:
        """The distinct tuples of each group of columns and how often each occurs; all groups in one pass."""
        wanted = list(dict.fromkeys(name for group in groups for name in group))
        out = self._count_on_workers(groups) if self._is_theirs(wanted) else self.group(*groups)
        if on_rows is not None:
            on_rows(int(out[0][TIMES].sum()), 1.0)
        return out

    def group(self, *groups: Sequence[str]) -> list[pl.DataFrame]:
        """The same by Spark's own group-by."""
        wanted = list(dict.fromkeys(name for group in groups for name in group))
        places = [f"c{self._place(name)}" for name in wanted]
        sets = [[f"c{self._place(name)}" for name in group] for group in groups]
        counted = _grouped(self._plain(wanted), sets).select(*places, "times", _SET)
        every = self._ask(counted.limit(self._limit(groups)), [*wanted, TIMES, _SET])
        out = []
        for group, number in zip(groups, _numbers(sets), strict=True):
            found = every.filter(pl.col(_SET) == number).select(named([*group, TIMES]))
            if found.height > self.most:
                raise too_many(f"more than {self.most:,}", self.most, self._most_values(group))
            out.append(found)
        return out

    def _count_on_workers(self, groups: Sequence[Sequence[str]]) -> list[pl.DataFrame]:
        """Each worker counts what it reads; where they are many, they add up each other's counts."""
        from lookalike.tables.engines.spark.workers import (
            BUNDLES,
            ROWS,
            add_up,
            add_up_parts,
            count_rows,
            unpacked,
        )

        parts, typed = self._counted_in, self._typed(groups)
        if self.held is not None and [tuple(group) for group in groups] == [self.held.counted]:
            counted = self.held.bundles.where(self.held.bundles.kind != ROWS)
        else:
            wanted = list(dict.fromkeys(name for group in groups for name in group))
            counted = self.on_workers(wanted, BUNDLES, count_rows, typed, parts)
        if parts > 1:
            parted = counted.repartition(parts, "bucket")
            counted = parted.mapInArrow(lambda batches: add_up_parts(batches), BUNDLES)
        found = [[pl.DataFrame(schema={**kinds, TIMES: pl.Int64()})] for kinds in typed]
        with asking():
            for row in counted.toLocalIterator(prefetchPartitions=True):
                group = int(row["kind"])
                mine = found[group]
                mine.append(unpacked(row["bundle"]))
                if parts == 1:
                    mine[:] = [add_up(mine)]
                if sum(each.height for each in mine) > self.most:
                    raise too_many(f"more than {self.most:,}", self.most, self._most_values(groups[group]))
        return [pl.concat(mine) for mine in found]

    def _typed(self, groups: Sequence[Sequence[str]]) -> list[dict[str, pl.DataType]]:
        kinds = self.describe()
        return [{name: kinds[name] for name in group} for group in groups]

    @property
    def _counted_in(self) -> int:
        """In how many parts counts of workers are added up; on a cluster nobody knows how many tasks there will be."""
        if self._parts is None and not self._is_local:
            return _ADDED_UP
        return _ADDED_UP if (self._tasks if self._parts is None else len(self._parts)) > _FEW else 1

    def rarest(self, columns: Sequence[str], other: str) -> int:
        """How many rows share the values of some columns and of one other, at least.

        Some tuples of the columns are looked at first: once is the least that a value can occur with one of them.
        """
        from pyspark.sql import functions as F

        rows = self._plain([*columns, other])
        some = rows.where(F.pmod(F.xxhash64(*rows.columns[:-1]), F.lit(_SOME)) == 0)
        least = 0
        for each in (some, rows):
            (found,) = self._ask(_grouped(each, [rows.columns]).agg(F.min("times")), ["least"]).rows()
            least = int(found[0] or 0)
            if least == 1:
                break
        return least

    def height(self) -> int:
        """How many rows there are."""
        with asking():
            return int(self.frame.count())

    def rows(self) -> pl.DataFrame:
        """All rows, which must be few."""
        return self._ask(self._plain(), self.frame.columns)

    def only(self, names: Sequence[str]) -> Spark:
        """The same rows with these columns only."""
        return replace(self, frame=self._plain(names).toDF(*names), held=None)

    def sample(self, share: float, *, seed: int) -> pl.DataFrame:
        """Rows whose hash is small."""
        from pyspark.sql import functions as F

        if self._is_theirs(self.frame.columns):
            from lookalike.tables.engines.spark.workers import BUNDLES, choose_rows, unpacked

            with asking():
                chosen = self.on_workers(self.frame.columns, BUNDLES, choose_rows, share, seed).collect()
            none = pl.DataFrame(schema=self.describe())
            return pl.concat([none, *(unpacked(row["bundle"]) for row in chosen)])
        rows = self._plain()
        hashed = F.shiftrightunsigned(F.xxhash64(F.lit(int(seed)), *map(F.col, rows.columns)), 32)
        return self._ask(rows.where(hashed < round(share * 2**32)), self.frame.columns)

    def fingerprint(self) -> str:
        """Sizes and times of the files, where all rows come from files; else a sum over a hash of each row."""
        files = self._files()
        seen = self._look_at(files) if files else []
        if not seen:
            from pyspark.sql import functions as F

            rows = self._plain()
            hashed = F.xxhash64(*map(F.col, rows.columns))
            sums = (F.count(F.lit(1)), F.bit_xor(hashed), F.sum(hashed.cast("decimal(38,0)")).cast("string"))
            seen = self._ask(rows.agg(*sums), ["n", "x", "s"]).rows()
        return hashlib.sha256(repr(sorted(seen)).encode()).hexdigest()

    def _files(self) -> list[str]:
        """The files that all rows come from; none where some come from elsewhere."""
        with asking():
            leaves = self.frame._jdf.queryExecution().analyzed().collectLeaves().mkString("\n")
            of_files = [line.startswith("Relation ") for line in leaves.splitlines()]
            files = self.frame.inputFiles() if all(of_files) else []
        return [unquote(file) for file in files]

    def _look_at(self, files: Sequence[str]) -> list[tuple[Any, ...]]:
        """Name, size and time of files; none where Spark does not see just these."""
        if self._parts is not None:
            try:
                about = [(file, os.stat(file.removeprefix("file:"))) for file in files]
            except OSError:
                raise FileError(f"{_GONE}. Nothing was released.") from None
            return [(file, one.st_size, one.st_mtime_ns) for file, one in about]
        read = self.frame.sparkSession.read.format("binaryFile")
        with asking(_GONE):
            seen = read.load(list(files)).select("path", "length", "modificationTime")
            found = self._ask(seen, ["path", "length", "time"]).rows()
        return found if len(found) == len(files) else []

    def pieces(self, columns: Sequence[str], *, on_rows: OnRows | None = None) -> Iterator[Piece]:
        """Some columns of all rows, a piece at a time: partition after partition comes to the driver."""

        def packed(batches: Iterator[Any]) -> Iterator[Any]:  # runs on workers, which need pyarrow only
            import pyarrow as pa

            for batch in batches:
                sink = pa.BufferOutputStream()
                with pa.ipc.new_stream(sink, batch.schema) as stream:
                    stream.write_batch(batch)
                yield pa.record_batch([pa.array([sink.getvalue().to_pybytes()], pa.binary())], names=["rows"])

        with asking():
            for row in self._plain(columns).mapInArrow(packed, "rows binary").toLocalIterator():
                rows = pl.read_ipc_stream(row["rows"])
                rows = rows.rename(dict(zip(rows.columns, columns, strict=True)))
                if on_rows is not None:
                    on_rows(rows.height, 0.0)
                yield rows.select(plain(rows))

    def release(
        self, places: Places, *, seed: int, check: Callable[[], None], on_rows: OnRows | None = None
    ) -> StoredRows:
        """The rows that stay, recoded on the workers."""
        from lookalike.tables.engines.spark.released import release_on_workers

        return release_on_workers(self, places, seed=seed, check=check)

    def hold(self, counted: Sequence[str], besides: Sequence[str]) -> Spark:
        """The same rows, of which workers hold these columns: Spark hands them over once, when they are asked for.

        Handing rows to Python costs as much as grouping them, so it is done once where they are needed again. The
        tuples of the first columns are counted on the way. Workers that read files by themselves hold nothing.
        """
        from lookalike.tables.engines.spark.workers import BUNDLES, hold_rows

        if self._parts is not None:
            return self
        (group,), columns = self._typed([counted]), (*counted, *besides)
        bundles = self.on_workers(columns, BUNDLES, hold_rows, group, self._counted_in).persist()
        out = replace(self, held=HeldRows(columns, tuple(counted), bundles))
        weakref.finalize(out, let_go, [bundles])
        return out

    def on_workers(self, columns: Sequence[str], schema: str, work: Callable[..., Any], *given: Any) -> Any:
        """A frame of what a function on workers makes of some columns of each part of the rows."""
        from lookalike.tables.engines.spark.workers import ROWS, read_batches, read_held, read_units

        session, names, parts = self.frame.sparkSession, list(columns), self._parts
        if parts is not None:
            rows = session.range(0, len(parts), 1, len(parts))

            def run(batches: Any) -> Any:
                return work(lambda: read_units(parts, names, batches), *given)
        elif self.held is not None and self._is_theirs(names):
            rows = self.held.bundles.where(self.held.bundles.kind == ROWS)

            def run(batches: Any) -> Any:
                return work(lambda: read_held(names, batches), *given)
        else:
            rows = self._plain(names)
            rows = rows.coalesce(self._tasks) if self._is_local else rows

            def run(batches: Any) -> Any:
                return work(lambda: read_batches(names, batches), *given)

        with asking():
            return rows.mapInArrow(run, schema)

    def _is_theirs(self, columns: Sequence[str]) -> bool:
        """Whether workers have these columns: in files that they read by themselves, or held."""
        return self._parts is not None or (self.held is not None and {*columns} <= {*self.held.columns})

    @property
    def _is_local(self) -> bool:
        """Whether Spark runs in one process, whose cores do not come and go."""
        return str(self.frame.sparkSession.sparkContext.master).startswith("local")

    @property
    def _tasks(self) -> int:
        """How many tasks rows are dealt out to, at most."""
        parallel = int(self.frame.sparkSession.sparkContext.defaultParallelism)
        return parallel if parallel <= _FEW else parallel * _TASKS

    @cached_property
    def _parts(self) -> list[list[Unit]] | None:
        """What workers read by themselves, a list for each task; None where they have to be handed the rows."""
        units = find_units(self.frame)
        return None if units is None else share_out(units, self._tasks)

    def shuffled(self, seed: int) -> Any:
        """The frame, each partition in an order given by what its rows hold and the seed."""
        rows = self._renamed()
        parted = _parted(rows, seed).sortWithinPartitions(_PLACE, *rows.columns)
        return parted.drop(_PLACE).toDF(*self.frame.columns)

    def write(self, rows: Any, table: str) -> None:
        """Write a frame to a new table of the catalogue, or to a folder of parquet files if there is a `/`."""
        write_rows(self.frame.sparkSession, rows, table)

    def _limit(self, groups: Sequence[Any]) -> int:
        """So many tuples that some group has too many of them; Spark counts them in 31 bits."""
        return min(len(groups) * self.most + 1, 2**31 - 1)

    def _most_values(self, columns: Sequence[str]) -> str:
        """The column with most values, or about so many."""
        from pyspark.sql import functions as F

        rows = self._plain(columns)
        found = self._ask(rows.agg(*(F.approx_count_distinct(name) for name in rows.columns)), columns)
        return max(columns, key=lambda name: found[name][0])

    def _place(self, name: str) -> int:
        if name not in self.frame.columns:
            raise unknown_column(name, self.frame.columns, "frame")
        return list(self.frame.columns).index(name)

    def _renamed(self) -> Any:
        """The frame with names that mean nothing to Spark, which ignores case and reads dots."""
        return self.frame.toDF(*(f"c{i}" for i in range(len(self.frame.columns))))

    def _plain(self, columns: Sequence[str] | None = None) -> Any:
        """Columns as engines agree on them, under the names c0, c1, … of their place in the frame."""
        from pyspark.sql import functions as F

        places = range(len(self.frame.columns)) if columns is None else map(self._place, columns)
        kinds = self.frame.schema.fields
        return self._renamed().select(
            *(_agreed(F.col(f"c{i}"), kinds[i].dataType).alias(f"c{i}") for i in places)
        )

    def _ask(self, rows: Any, names: Sequence[str]) -> pl.DataFrame:
        with asking():
            found = pl.DataFrame(rows.toArrow())
        found.columns = list(names)
        return found.select(plain(found))


def let_go(frames: Sequence[Any]) -> None:
    """What workers kept is no longer needed."""
    with suppress(Exception):  # Spark may be gone
        for frame in frames:
            frame.unpersist()


def _grouped(rows: Any, sets: Sequence[Sequence[str]]) -> Any:
    """Tuples of each set of columns: how often each occurs in `times`, of which set they are in `set`."""
    from pyspark.sql import functions as F

    times = F.count(F.lit(1)).alias("times")
    if len(sets) == 1:
        return rows.groupBy(*sets[0]).agg(times, F.lit(_numbers(sets)[0]).alias(_SET))
    columns = list(dict.fromkeys(name for names in sets for name in names))
    return rows.groupingSets([[F.col(name) for name in names] for names in sets], *columns).agg(
        times, F.grouping_id().alias(_SET)
    )


def _parted(rows: Any, seed: int) -> Any:
    """Rows in partitions by a hash of what they hold and the seed, which stands beside them."""
    from pyspark.sql import functions as F

    return rows.withColumn(_PLACE, F.xxhash64(F.lit(int(seed)), *rows.columns)).repartition(F.col(_PLACE))


def _numbers(sets: Sequence[Sequence[str]]) -> list[int]:
    """The number of each set of columns as Spark counts them: a bit for every column that is not in it."""
    columns = list(dict.fromkeys(name for names in sets for name in names))
    return [sum((c not in names) << i for i, c in enumerate(reversed(columns))) for names in sets]


def _agreed(column: Any, kind: Any) -> Any:
    """A column as engines agree on it: one zero and one NaN, texts by their letters, odd types as texts."""
    from pyspark.sql import functions as F
    from pyspark.sql import types as T

    if isinstance(kind, T.FloatType | T.DoubleType):
        return column.cast("double") + F.lit(0.0)
    if isinstance(kind, T.StringType) and not kind.isUTF8BinaryCollation():
        return F.collate(column, "UTF8_BINARY")
    if isinstance(kind, T.YearMonthIntervalType | T.CalendarIntervalType | T.VariantType | T.MapType):
        return column.cast("string")
    return column
