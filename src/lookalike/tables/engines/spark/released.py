"""Released rows that Spark's workers keep as words, certify by counting, and write out.

One pass over the original finds the class of each row and leaves bundles of words with the workers, in memory or on
their disks; where tuples go to several classes, a second step deals their rows out. Frames and files are made from the
bundles, a bucket of them at a time. Only counts come to the driver, and rows where a file is saved here.
"""

from __future__ import annotations

import pickle
import weakref
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import Any

import numpy as np
import polars as pl

from lookalike.base.errors import FileError
from lookalike.tables.engines.engine import Places
from lookalike.tables.engines.spark.frames import let_go
from lookalike.tables.engines.spark.workers import (
    BUNDLES,
    COUNTS,
    ROWS,
    WAITING,
    deal_rows_out,
    find_rarest,
    keep_rows,
    publish,
    scatter_groups,
    write_files,
)
from lookalike.tables.engines.spark.writing import asking, drop_rows, local_folder, write_folder, write_rows
from lookalike.tables.engines.stored.buckets import sorted_rows
from lookalike.tables.engines.stored.keeping import Counted, plan_keeping
from lookalike.tables.engines.stored.known_values import CHANGED
from lookalike.tables.engines.stored.packing import Words
from lookalike.tables.engines.stored.rows import StoredRows, kept_rows

_BUCKET = 1 << 21  # rows of a bucket, more or less: one file
_MOST_BITS = 14


@dataclass(frozen=True, eq=False)
class SparkRows(StoredRows):
    """Released rows on Spark's workers."""

    session: Any = field(repr=False, kw_only=True)
    bundles: Any = field(repr=False, kw_only=True)  #: a frame of all rows as words
    shared: Any = field(repr=False, kw_only=True)  #: what workers know of them
    bits: int = field(kw_only=True)

    @property
    def frame(self) -> Any:
        """A Spark frame of the rows, each partition in an order given by their content and the seed."""
        from pyspark.sql.pandas.types import from_arrow_schema, to_arrow_schema

        table = pl.DataFrame(schema=self.schema).to_arrow(compat_level=pl.CompatLevel.oldest())
        kinds = from_arrow_schema(table.schema, prefer_timestamp_ntz=True)
        return _work(self._by_bucket(), kinds, publish, self.shared, to_arrow_schema(kinds, timezone="UTC"))

    def create(self, table: str) -> None:
        """Write the rows to a new table of the catalogue, or to an address if there is a `/`."""
        self.check()
        if (folder := local_folder(self.session, table)) is None:
            write_rows(self.session, self.frame, table)
        else:
            write_folder(self.session, table, lambda beside: self._write_files(folder(beside)))
        try:
            self.check()
        except FileError:
            self.drop(table)
            raise

    def drop(self, table: str) -> None:
        """Take a table or a folder away again."""
        drop_rows(self.session, table)

    def _write_files(self, folder: str) -> None:
        rows = _work(self._by_bucket(), "bucket long, rows long", write_files, self.shared, folder)
        written = pl.DataFrame(rows.toArrow())
        if written["rows"].sum() != self.height:
            raise FileError(CHANGED)

    def _rarest(
        self, columns: Sequence[str], below: int, *, people: bool = False, blank: bool = True
    ) -> tuple[int, int]:
        """The fewest people, or rows, that share a class and some values, and the rows of groups below a limit."""
        words = self.packing(columns, people=people, blank=blank)[1]
        with asking():
            groups = _work(
                self.bundles, BUNDLES, scatter_groups, self.shared, list(columns), people, blank, self.bits
            )
            groups = groups.repartition(1 << self.bits, "bucket")
            found = pl.DataFrame(
                _work(groups, "least long, below long", find_rarest, words, below, people).toArrow()
            )
        least = int(found["least"].to_numpy().min(initial=self.height))
        return least, int(found["below"].sum())

    def _by_bucket(self) -> Any:
        with asking():
            return self.bundles.repartition(1 << self.bits, "bucket")


@dataclass(frozen=True, eq=False)
class _FarBuckets:
    """Buckets on workers, which come here one after the other."""

    bundles: Any
    words: int

    def in_order(self) -> Iterator[Words]:
        """The rows of one bucket after the other, sorted by their words."""
        with asking():
            found = self.bundles.select("bucket", "bundle").orderBy("bucket").toLocalIterator()
            for _, some in groupby(found, key=lambda row: row["bucket"]):
                words = [np.frombuffer(row["bundle"], dtype=np.uint64) for row in some]
                yield sorted_rows(np.concatenate(words).reshape(-1, self.words))


def release_on_workers(engine: Any, places: Places, *, seed: int, check: Callable[[], None]) -> SparkRows:
    """Recode the rows of a Spark frame on its workers, and count what comes out."""
    session = engine.frame.sparkSession
    keeping = plan_keeping(engine, places, seed=seed)
    parallel = session.sparkContext.defaultParallelism
    wanted = max(places.height / _BUCKET, parallel, 1)
    bits = min(int(np.ceil(np.log2(wanted))), _MOST_BITS)
    with asking():
        shared = session.sparkContext.broadcast(keeping)
        kept = engine.on_workers(keeping.columns, BUNDLES, keep_rows, shared, bits).persist()
        held = [kept]
        if keeping.waiting:
            waiting = kept.where(kept.kind == WAITING).repartition(1 << bits, "bucket")
            held.append(_work(waiting, BUNDLES, deal_rows_out, shared, bits).persist())
        counted, *dealt = [_counts(each) for each in held]
    keeping.refuse_changed(counted)
    counted = Counted.sum([counted, *dealt])
    check()
    bundles = kept.where(kept.kind == ROWS)
    for more in held[1:]:
        bundles = bundles.union(more.where(more.kind == ROWS))
    said = kept_rows(keeping, counted)
    plain = StoredRows(**said, rows=None, budget=None, check=None)  # type: ignore[arg-type]
    out = SparkRows(
        **said,
        rows=_FarBuckets(bundles, keeping.words),  # type: ignore[arg-type]
        budget=engine.budget,
        check=check,
        session=session,
        bundles=bundles,
        shared=session.sparkContext.broadcast(plain),
        bits=bits,
    )
    weakref.finalize(out, let_go, held)
    return out


def _counts(kept: Any) -> Counted:
    found = kept.where(kept.kind == COUNTS).select("bundle").toLocalIterator(prefetchPartitions=True)
    return Counted.sum(pickle.loads(row["bundle"]) for row in found)


def _work(rows: Any, schema: Any, work: Callable[..., Any], *given: Any) -> Any:
    """A frame of what a function makes of each partition on a worker."""

    def run(batches: Any) -> Any:
        return work(*given, batches)

    with asking():
        return rows.mapInArrow(run, schema)
