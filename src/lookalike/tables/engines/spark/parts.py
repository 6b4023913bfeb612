"""Parts of a Spark table, each small enough for one worker: cut as Mondrian cuts, at medians of a sample.

LeFevre, DeWitt and Ramakrishnan 2006, https://doi.org/10.1109/ICDE.2006.101. A part is one group of rows that Spark
hands to a function on a worker, as Arrow; workers need this package. Rows are shuffled once.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import polars as pl

from lookalike.tables.columns.naming import named, nameless
from lookalike.tables.engines.spark.frames import Spark
from lookalike.tables.engines.spark.writing import asking

_PART = "part of the table"


@dataclass(frozen=True)
class Cut:
    """Rows whose value is above go right, all others left, missing ones too; where there is no further cut, a part."""

    column: str
    above: Any
    left: Cut | int
    right: Cut | int

    @property
    def parts(self) -> int:
        """How many parts there are."""
        return sum(side.parts if isinstance(side, Cut) else 1 for side in (self.left, self.right))


def cut_sample(rows: pl.DataFrame, columns: Sequence[str], parts: int) -> Cut | int:
    """A tree of cuts into at most so many parts of about the same size, each along the column that is widest there."""
    return _cut(rows, columns, {name: rows[name].n_unique() for name in columns}, parts, [0])


def _cut(
    rows: pl.DataFrame, columns: Sequence[str], widths: Mapping[str, int], parts: int, made: list[int]
) -> Cut | int:
    inside = {name: nameless(rows[name]).drop_nulls().n_unique() for name in columns}
    name = max(columns, key=lambda each: inside[each] / widths[each])
    if parts < 2 or inside[name] < 2:
        made[0] += 1
        return made[0] - 1
    values = nameless(rows[name]).drop_nulls().sort()
    above = values[(len(values) - 1) // 2]
    if above == values[-1]:  # half of the rows have the largest value: the next one below parts them
        above = values.filter(values < above)[-1]
    right = (named(name) > above).fill_null(False)
    sides = [
        _cut(rows.filter(side), columns, widths, each, made)
        for side, each in ((~right, parts // 2), (right, parts - parts // 2))
    ]
    return Cut(name, above, *sides)


def work_on_parts(engine: Spark, tree: Cut | int, work: Callable[[Any], Any], shown: Sequence[str]) -> Any:
    """A frame of what a function on workers makes of each part: the columns `shown` as texts, others as they are."""
    from pyspark.sql.types import StringType, StructField, StructType

    names = engine.frame.columns
    rows = engine._plain().toDF(*names)
    kinds = {one.name: one.dataType for one in rows.schema.fields}
    fields = [StructField(name, StringType() if name in shown else kinds[name]) for name in names]
    return _hand_out(rows, _part_of(tree, rows), work, StructType(fields))


def work_on_classes(
    engine: Spark, classes: Sequence[str], parts: int, work: Callable[[Any], Any], made: str
) -> Any:
    """A frame of what a function on workers makes of groups of rows, rows of one class never being in two groups."""
    from pyspark.sql import functions as F

    rows = engine._plain().toDF(*engine.frame.columns)
    group = F.pmod(F.xxhash64(*(rows[name] for name in classes)), F.lit(parts)).cast("int")
    return _hand_out(rows, group, work, made)


def _hand_out(rows: Any, part: Any, work: Callable[[Any], Any], schema: Any) -> Any:
    def run(table: Any) -> Any:  # on a worker
        return work(table.drop_columns([_PART]))

    with asking():
        return rows.withColumn(_PART, part).groupBy(_PART).applyInArrow(run, schema)


def _part_of(tree: Cut | int, rows: Any) -> Any:
    """The number of a row's part."""
    from pyspark.sql import functions as F

    if isinstance(tree, int):
        return F.lit(tree)
    right = F.coalesce(rows[tree.column] > F.lit(tree.above), F.lit(False))
    return F.when(right, _part_of(tree.right, rows)).otherwise(_part_of(tree.left, rows))
