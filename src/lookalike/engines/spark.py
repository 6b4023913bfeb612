"""Spark: rows of a DataFrame are counted, recoded and written by Spark, on its workers; only tuples are collected.

Where every quasi-identifier is recoded by its own value alone, rows find their class by one small broadcast table per
column and one of the classes; else by a join with the tuples. Shuffled are counts, and once the rows when they are
written, into an order that only their content and the seed decide.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any
from urllib.parse import unquote

import polars as pl

from lookalike.engines.budget import Budget
from lookalike.engines.engine import CLASS, MOST_TUPLES, NOW, TIMES, Piece, Places, Told, plain, too_many
from lookalike.engines.lookups import Lookups, find_lookups
from lookalike.engines.spark_writing import asking, drop_rows, write_rows
from lookalike.errors import RequestError, unknown_column

_PLACE = "place"  # of a row in the order of a release
_SET = "set"  # which group of columns a count belongs to, where several are counted at once
_SMALL = 64  # rare pairs are looked for first in small classes, which together hold this part of the rows
_BROADCAST = 256 << 20  # bytes of tuples that every worker gets a copy of; more are joined by a shuffle


@dataclass(frozen=True, eq=False)
class _Applied:
    """Recoded rows before what their classes publish is joined to them."""

    coded: Any  #: a frame of the class, and c0, c1, … for the other columns
    labels: pl.DataFrame  #: of each class, what it publishes
    columns: Sequence[tuple[str, str]]  #: what is published, and from which column of the two

    def shown(self) -> list[Any]:
        """What is published, under its name."""
        from pyspark.sql import functions as F

        return [F.col(column).alias(name) for name, column in self.columns]


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
        every = self._ask(counted.limit(self._limit(groups)), [*wanted, TIMES, _SET])
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
        every = self._ask(found.limit(self._limit(names)), [_SET, *names, TIMES, "least"])
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

    def height(self) -> int:
        """How many rows there are."""
        with asking():
            return int(self.frame.count())

    def rows(self) -> pl.DataFrame:
        """All rows, which must be few."""
        return self._ask(self._plain(), self.frame.columns)

    def only(self, names: Sequence[str]) -> Spark:
        """The same rows with these columns only."""
        return replace(self, frame=self._plain(names).toDF(*names))

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
        lines, now = places.lines(), {name: f"now{i}" for i, name in enumerate(places.boxes)}
        labels = lines.unique(CLASS).select(
            pl.col(CLASS), *(pl.col(f"{NOW}{name}").alias(to) for name, to in now.items())
        )
        sizes = pl.DataFrame(
            {CLASS: range(len(places.sizes)), "size": places.sizes}, schema_overrides={CLASS: pl.Int32}
        )
        labels = labels.join(sizes, on=CLASS).sort("size", *now.values()).with_row_index("class")
        labels = labels.with_columns(pl.col("class").cast(pl.Int32))
        rank, few = labels.select(CLASS, "class"), labels["size"].cum_sum() <= places.height // _SMALL
        if lookups is None:
            found = lines.select(*was, CLASS).rename(was).join(rank, on=CLASS).drop(CLASS)
            rows = self._join(rows, found, list(was.values()))
        else:
            rows = self._join_lookups(rows, lookups, was, rank)
        spelt = {}
        for i, (name, (values, becomes)) in enumerate(places.spelt.items()):
            pairs = pl.DataFrame({f"c{self._place(name)}": values, f"spelt{i}": becomes})
            rows = self._join(rows, pairs, [f"c{self._place(name)}"], how="left")
            spelt[name] = f"spelt{i}"
        others = {name: f"c{i}" for i, name in enumerate(places.others)}
        shown = [F.col(spelt.get(n, f"c{self._place(n)}")).alias(to) for n, to in others.items()]
        columns = {**now, **others}
        made = _Applied(
            rows.select("class", *shown),
            labels.select("class", *now.values()),
            [(name, columns[name]) for name in places.names],
        )
        frame = self._publish(made, made.coded).select(*made.shown(), F.col("class").alias(CLASS))
        return replace(self, frame=frame, few=int(few.sum()) + 1, applied=made)

    def _publish(self, applied: _Applied, rows: Any) -> Any:
        """Rows of classes with what their classes publish beside."""
        return self._join(rows, applied.labels, ["class"])

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
        """A frame of applied rows, each partition in an order given by their content and the seed.

        They are sorted last, since Spark leaves out a sort that a join comes after.
        """
        assert self.applied is not None
        rows = self._publish(self.applied, _parted(self.applied.coded, seed))
        by = (_PLACE, *self.applied.coded.columns)
        return rows.sortWithinPartitions(*by).select(*self.applied.shown())

    def shuffled(self, seed: int) -> Any:
        """The frame, each partition in an order given by what its rows hold and the seed."""
        rows = self._renamed()
        parted = _parted(rows, seed).sortWithinPartitions(_PLACE, *rows.columns)
        return parted.drop(_PLACE).toDF(*self.frame.columns)

    def create(self, table: str, *, seed: int) -> None:
        """Write applied rows to a new table of the catalogue, or to an address if there is a `/`."""
        self.write(self.ordered(seed), table)

    def write(self, rows: Any, table: str) -> None:
        """Write a frame to a new table of the catalogue, or to a folder of parquet files if there is a `/`."""
        write_rows(self.frame.sparkSession, rows, table)

    def drop(self, table: str) -> None:
        """Take a table or a folder away again."""
        drop_rows(self.frame.sparkSession, table)

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
