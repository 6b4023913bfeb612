"""What the steps of a release would cost in Spark's own SQL, and what handing rows to Python costs: CPU seconds, twice.

Each step is run in one Java after the other, the first time with code that is still to be compiled. For the table in
docs/large-tables.md. Needs Spark and Java.

    python -m benchmarks.studies.spark_steps [10000000]
"""

from __future__ import annotations

import sys
import tempfile
import time
from collections.abc import Iterator
from typing import Any

import polars as pl

from benchmarks.bars.scale import QUASI, SPARK, make


def look_at(batches: Iterator[Any]) -> Iterator[Any]:
    """Count rows and do nothing else."""
    import pyarrow as pa

    yield pa.record_batch([pa.array([sum(batch.num_rows for batch in batches)])], names=["n"])


def main(rows: int = 10_000_000) -> None:
    """Invent the rows and run the steps."""
    with tempfile.TemporaryDirectory() as folder:
        make(rows, folder, wide=False)
        run_steps(folder)


def run_steps(folder: str) -> None:
    """Run every step twice, and print."""
    known: dict[str, Any] = {"time": time, "folder": folder, "last": [0.0]}
    exec(SPARK, known)
    from pyspark.sql import functions as F

    spark, rows, busy = known["spark"], known["rows"], known["busy"]
    hashed = rows.select(F.xxhash64(*QUASI).alias("h"), "hours", "disease")
    tuples = pl.DataFrame(hashed.select("h").distinct().toArrow())
    classes = tuples.with_columns(pl.col("h").mod(44_000).abs().cast(pl.Int32).alias("class"))
    texts = [
        pl.format("label {} of {}", pl.lit(i), pl.col("class") % (7 + 9 * i)).alias(f"n{i}") for i in range(6)
    ]
    labels = pl.DataFrame({"class": pl.int_range(44_000, dtype=pl.Int32, eager=True)}).with_columns(texts)
    found = hashed.join(F.broadcast(spark.createDataFrame(classes.to_arrow())), "h").drop("h")
    place = F.xxhash64(F.lit(1), "class", "hours", "disease").alias("place")
    moved = found.select("*", place).repartition("place")
    ordered = moved.sortWithinPartitions("place")
    shown = ordered.where(F.spark_partition_id() >= 0)  # else Spark leaves out a sort that a join comes after
    shown = shown.join(F.broadcast(spark.createDataFrame(labels.to_arrow())), "class").drop("class", "place")
    steps = {
        "read 8 columns": rows,
        "Spark's group-by of 6": rows.groupBy(*QUASI).count(),
        "hand 6 columns to Python": rows.select(*QUASI).mapInArrow(look_at, "n long"),
        "hash 6 columns, keep 2": hashed,
        "and find the class": found,
        "and shuffle": moved,
        "and sort": ordered,
        "and join labels": shown,
    }
    for name, frame in steps.items():
        spent = []
        for _ in range(2):
            before = busy()
            frame.write.format("noop").mode("overwrite").save()
            spent.append(busy() - before)
        print(f"{name:<28} {spent[0]:6.1f} {spent[1]:6.1f}", flush=True)
    before = busy()
    shown.write.mode("overwrite").parquet(f"{folder}/shown.pq")
    print(f"{'and write parquet':<28} {busy() - before:6.1f}")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
