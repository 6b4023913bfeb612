"""Spark: rows of a DataFrame are counted, recoded and written by Spark, on its workers; only tuples are collected.

Where every quasi-identifier is recoded by its own value alone, rows find their class by one small broadcast table per
column and one of the classes; else by a join with the tuples. Shuffled are counts, and once the rows when they are
written, into an order that only their content and the seed decide.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any
from urllib.parse import unquote
from uuid import uuid4

import polars as pl

from lookalike.engines.budget import Budget
from lookalike.engines.engine import CLASS, MOST_TUPLES, NOW, TIMES, Piece, Places, Told, plain, too_many
from lookalike.engines.lookups import Lookups, find_lookups
from lookalike.errors import FileError, RequestError, unknown_column

_SET = "set"  # which group of columns a count belongs to, where several are counted at once
_SMALL = 64  # rare pairs are looked for first in small classes, which together hold this part of the rows
_BROADCAST = 256 << 20  # bytes of tuples that every worker gets a copy of; more are joined by a shuffle


@dataclass(frozen=True, eq=False)
class _Applied:
    """Recoded rows before what their classes publish is joined to them."""

    coded: Any  #: a frame of the class, and c0, c1, … for the other columns
    labels: pl.DataFrame  #: of each class, what it publishes
    columns: Sequence[tuple[str, str]]  #: what is published, and from which column of the two


@dataclass(frozen=True, eq=False)
class Spark:
    """Rows of a Spark DataFrame."""

    frame: Any = field(repr=False)  # shows rows in notebooks
    most: int = MOST_TUPLES  #: tuples that may be collected
    budget: Budget = field(default_factory=Budget, repr=False)
    applied: _Applied | None = field(default=None, repr=False)  #: how the rows were recoded, where they were
    few: int = 0  #: classes with a smaller number are the small ones

    name = "spark"

    def __post_init__(self) -> None:
        names = self.frame.columns
        if twice := next((name for name in names if names.count(name) > 1), None):
            raise RequestError(f"the frame has two columns {twice!r}. Rename one of them.")

    def describe(self) -> dict[str, pl.DataType]:
        """The columns and their types."""
        return dict(self._ask(self._plain().limit(0), self.frame.columns).schema)

    def count(self, *groups: Sequence[str], told: Told | None = None) -> list[pl.DataFrame]:
        """The distinct tuples of each group of columns and how often each occurs; all groups in one pass."""
        wanted = list(dict.fromkeys(name for group in groups for name in group))
        places = [f"c{self._place(name)}" for name in wanted]
        sets = [[f"c{self._place(name)}" for name in group] for group in groups]
        counted = _grouped(self._plain(wanted), sets).select(*places, "times", _SET)
        every = self._ask(counted.limit(len(groups) * self.most + 1), [*wanted, TIMES, _SET])
        out = []
        for group, number in zip(groups, _numbers(sets)):
            found = every.filter(pl.col(_SET) == number).select(*group, TIMES)
            if found.height > self.most:
                raise too_many(f"more than {self.most:,}", self.most, self._most_values(group))
            out.append(found)
        if told is not None:
            told(int(out[0][TIMES].sum()), 1.0)
        return out

    def known(self, names: Sequence[str]) -> dict[str, tuple[pl.DataFrame, int]]:
        """Of each column its values with how often each occurs, and the rarest pair of a value and a class.

        Rare pairs are looked for in the smallest classes first: once is the least that a pair can occur.
        """
        from pyspark.sql import functions as F

        if not names:
            return {}
        of_class = F.col(f"c{self._place(CLASS)}")
        rows = self._plain([CLASS, *names]).withColumn("few", F.when(of_class < self.few, of_class))
        values = [f"c{self._place(name)}" for name in names]
        sets = [["few", value] for value in values]
        least = F.min(F.when(F.col("few").isNotNull(), F.col("times")))
        found = _grouped(rows, sets).groupBy(_SET, *values).agg(F.sum("times"), least)
        every = self._ask(found.limit(len(names) * self.most + 1), [_SET, *names, TIMES, "least"])
        out = {}
        for name, number in zip(names, _numbers(sets)):
            mine = every.filter(pl.col(_SET) == number)
            if mine.height > self.most:
                raise too_many(f"more than {self.most:,}", self.most, name)
            rarest = 1 if mine["least"].min() == 1 else self.rarest([CLASS, name], 0)[0]
            out[name] = (mine.select(name, TIMES), rarest)
        return out

    def rarest(self, columns: Sequence[str], below: int) -> tuple[int, int]:
        """How often the rarest tuple occurs, and how many rows have a tuple that occurs less often than `below`."""
        from pyspark.sql import functions as F

        times, rows = F.col("times"), self._plain(columns)
        small = F.sum(F.when(times < below, times))
        (found,) = self._ask(
            _grouped(rows, [rows.columns]).agg(F.min(times), small), ["least", "small"]
        ).rows()
        return int(found[0] or 0), int(found[1] or 0)

    def sample(self, share: float, *, seed: int) -> pl.DataFrame:
        """Rows whose hash is small."""
        from pyspark.sql import functions as F

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
        read = self.frame.sparkSession.read.format("binaryFile")
        with asking("a file of the table is gone since its rows were counted"):
            seen = read.load(list(files)).select("path", "length", "modificationTime")
            found = self._ask(seen, ["path", "length", "time"]).rows()
        return found if len(found) == len(files) else []

    def pieces(self, columns: Sequence[str], *, told: Told | None = None) -> Iterator[Piece]:
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
                rows = rows.rename(dict(zip(rows.columns, columns)))
                if told is not None:
                    told(rows.height, 0.0)
                yield rows.select(plain(rows))

    def apply(self, places: Places) -> Spark:
        """A frame of the rows that stay, recoded; nothing is done before it is asked for.

        Classes are numbered by their size. A row is its class and its other columns until what the class publishes is
        joined to it, last of all.
        """
        from pyspark.sql import functions as F

        rows, lookups = self._plain(), find_lookups(places)
        was = {name: f"c{self._place(name)}" for name in places.tuples.columns}
        order = places.sizes.argsort(kind="stable")[int((places.sizes == 0).sum()) :]
        rank = pl.DataFrame({CLASS: order}, schema={CLASS: pl.Int32}).with_row_index("class")
        rank = rank.with_columns(pl.col("class").cast(pl.Int32))
        lines = places.lines()
        if lookups is None:
            found = lines.select(*was, CLASS).rename(was).join(rank, on=CLASS).drop(CLASS)
            rows = self._join(rows, found, list(was.values()))
        else:
            rows = self._join_lookups(rows, lookups, was, rank)
        shown = {name: F.col(f"now{i}") for i, name in enumerate(places.boxes)}
        for i, (name, (values, becomes)) in enumerate(places.spelt.items()):
            pairs = pl.DataFrame({f"c{self._place(name)}": values, f"spelt{i}": becomes})
            rows = self._join(rows, pairs, [f"c{self._place(name)}"], how="left")
            shown[name] = F.col(f"spelt{i}")
        others = [shown.get(name, F.col(f"c{self._place(name)}")).alias(name) for name in places.others]
        coded = rows.select("class", *others).toDF("class", *(f"c{i}" for i in range(len(others))))
        labels = rank.join(lines.unique(CLASS), on=CLASS).select(
            "class", *(pl.col(f"{NOW}{name}").alias(f"now{i}") for i, name in enumerate(places.boxes))
        )
        boxes = {name: f"now{i}" for i, name in enumerate(places.boxes)}
        columns = {**boxes, **{name: f"c{i}" for i, name in enumerate(places.others)}}
        few = int((places.sizes[order].cumsum() <= places.height // _SMALL).sum()) + 1
        now = _Applied(coded, labels, [(name, columns[name]) for name in places.names])
        return replace(self, frame=self._publish(now, now.coded), few=few, applied=now)

    def _publish(self, applied: _Applied, rows: Any) -> Any:
        """Rows of classes with what their classes publish."""
        from pyspark.sql import functions as F

        rows = self._join(rows, applied.labels, ["class"])
        shown = [F.col(column).alias(name) for name, column in applied.columns]
        return rows.select(*shown, F.col("class").alias(CLASS))

    def _join_lookups(self, rows: Any, lookups: Lookups, was: Mapping[str, str], rank: pl.DataFrame) -> Any:
        """Each value becomes a number by a small table of its column, and all of them together name the class."""
        from pyspark.sql import functions as F

        key = F.lit(0).cast("long")
        for i, (name, numbers) in enumerate(lookups.numbers.items()):
            small = numbers.rename({name: was[name], lookups.NUMBER: f"number{i}"})
            rows = self._join(rows, small, [was[name]])
            key = key + F.col(f"number{i}")
        classes = lookups.classes.join(rank, on=CLASS).select(lookups.KEY, "class")
        return self._join(rows.withColumn(lookups.KEY, key), classes, [lookups.KEY])

    def _join(self, rows: Any, few: pl.DataFrame, on: Sequence[str], how: str = "inner") -> Any:
        """A join with a few rows, which go to all workers where they are few; missing values are equal."""
        from pyspark.sql import functions as F

        held = {name: f"held{i}" for i, name in enumerate(on)}
        few = few.rename(held)
        missing = {name for name, to in held.items() if few[to].null_count()}
        small = self._send(few, {held[name]: rows.schema[name].dataType for name in on})
        if few.estimated_size() < _BROADCAST:
            small = F.broadcast(small)
        match = [
            rows[name].eqNullSafe(small[to]) if name in missing else rows[name] == small[to]
            for name, to in held.items()
        ]  # one plain number is the key that Spark finds fastest
        return rows.join(small, match, how).drop(*held.values())

    def _send(self, rows: pl.DataFrame, kinds: Mapping[str, Any]) -> Any:
        """A frame of these rows; columns that are joined by have the type of what they are joined with."""
        from pyspark.sql.pandas.types import from_arrow_type
        from pyspark.sql.types import StructField, StructType

        table = rows.to_arrow()
        fields = [
            StructField(one.name, kinds.get(one.name) or from_arrow_type(one.type, prefer_timestamp_ntz=True))
            for one in table.schema
        ]
        with asking():
            return self.frame.sparkSession.createDataFrame(table, StructType(fields))

    def ordered(self, seed: int) -> Any:
        """A frame of applied rows, each partition in an order given by their content and the seed."""
        from pyspark.sql import functions as F

        assert self.applied is not None
        rows = self.applied.coded
        sorts = [one.name for one in rows.schema.fields if _is_sorted(one.dataType)]
        rows = rows.withColumn("place", F.xxhash64(F.lit(int(seed)), *sorts))
        rows = rows.repartition(F.col("place")).sortWithinPartitions("place", *sorts)
        return self._publish(self.applied, rows).drop(CLASS)

    def create(self, table: str, *, seed: int) -> None:
        """Write the rows to a new table of the catalogue, or to a new folder of parquet files where there is a `/`."""
        session, rows = self.frame.sparkSession, self.ordered(seed)
        if "/" not in table:
            with asking():
                if session.catalog.tableExists(table):
                    raise FileError(f"there is a table {table!r} already. Choose another name.")
            try:
                with asking():
                    rows.write.saveAsTable(table)
            except FileError:
                self.drop(table)
                raise
            return
        beside = f"{table.rstrip('/')}.{uuid4().hex}"
        files, target = _path(session, table)
        if files.exists(target):
            raise FileError(f"{table}: exists already. Choose another place.")
        try:
            with asking():
                rows.write.parquet(beside)
                whole = files.rename(_path(session, beside)[1], target)
        except BaseException:
            self.drop(beside)
            raise
        if not whole:
            self.drop(beside)
            raise FileError(f"{table}: cannot be written. Nothing was released.")

    def drop(self, table: str) -> None:
        """Take a table or a folder away again."""
        session = self.frame.sparkSession
        with asking():
            if "/" in table:
                files, path = _path(session, table)
                files.delete(path, True)
            else:
                session.sql(f"DROP TABLE IF EXISTS {'.'.join(map(_quoted, table.split('.')))}")

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


def _is_sorted(kind: Any) -> bool:
    from pyspark.sql import types as T

    return not isinstance(kind, T.MapType | T.VariantType | T.CalendarIntervalType)


def _path(session: Any, address: str) -> tuple[Any, Any]:
    """The file system of an address, and the address as it knows it."""
    with asking():
        path = session._jvm.org.apache.hadoop.fs.Path(address)
        return path.getFileSystem(session._jsc.hadoopConfiguration()), path


def _quoted(name: str) -> str:
    return "`" + name.replace("`", "``") + "`"


@contextmanager
def asking(what: str | None = None) -> Iterator[None]:
    """What goes wrong in Spark is told by its kind, without the values that Spark's own messages quote."""
    from py4j.protocol import Py4JError
    from pyspark.errors import PySparkException

    try:
        yield
    except (PySparkException, Py4JError, ConnectionError) as problem:
        raise FileError(f"{what or _in_words(problem)}. Nothing was released.") from None


def _in_words(problem: Exception) -> str:
    text = str(problem)
    for sign, words in _SIGNS.items():
        if sign in text:
            return words
    condition = getattr(problem, "getCondition", lambda: None)()
    return f"Spark could not do it ({condition or type(problem).__name__})"


_SIGNS = {
    "spark.driver.maxResultSize": "the tuples are larger than Spark's driver may collect. Coarsen a column that has "
    "many values, or allow more with spark.driver.maxResultSize",
    "No module named 'pyarrow'": "Spark's workers run a Python without pyarrow. Name one that has it in PYSPARK_PYTHON",
    "PATH_NOT_FOUND": "Spark finds no such file or folder",
    "FileNotFoundException": "a file of the table is gone since its rows were counted",
    "FAILED_READ_FILE": "a file of the table cannot be read, or changed since its rows were counted",
    "No space left on device": "the disk of a worker is full",
    "OutOfMemoryError": "Spark ran out of memory. Allow it more with spark.driver.memory and spark.executor.memory",
}  #: what Spark says somewhere in its message, in plainer words
