"""What Spark's workers do to rows, in Python: count them, choose some, find their classes, write them out.

Each function takes the batches of a partition and gives batches. What passes between workers are bundles of words
(`packing.py`), many rows to one row of Spark's, so that Spark shuffles them without looking into them.
"""

from __future__ import annotations

import os
import pickle
from collections.abc import Callable, Iterator, Mapping, Sequence
from io import BytesIO
from itertools import pairwise
from pathlib import Path
from typing import Any
from uuid import uuid4

import numpy as np
import polars as pl

from lookalike.tables.coded import PIECE, enumerated, write_rows
from lookalike.tables.columns.coding import Distinct
from lookalike.tables.columns.naming import named
from lookalike.tables.engines.engine import TIMES, plain
from lookalike.tables.engines.files.counting import TooWideError, TupleCounter
from lookalike.tables.engines.spark.reading import Unit
from lookalike.tables.engines.stored.buckets import sorted_rows
from lookalike.tables.engines.stored.keeping import Keeper
from lookalike.tables.engines.stored.packing import Words
from lookalike.tables.engines.stored.rows import StoredRows, rarest_rows

BUNDLES = "kind string, bucket int, bundle binary"  #: what workers hand on
ROWS, WAITING, COUNTS = "rows", "waiting", "counts"
_PART = "part of the tuples"
_AT_ONCE = 1 << 17  # rows that are looked at together, where Spark hands them out in small batches
_HELD = 1 << 22  # rows that a worker holds before it hands them on
_BUNDLE = 1 << 13  # words of a bundle: Spark hands out thousands of bundles at once
_WATCHED = 1 << 20  # numbers per column that are counted in classes
Batches = Iterator[Any]
Read = Callable[[Batches], Iterator[pl.DataFrame]]


def read_units(
    units: Sequence[Sequence[Unit]], columns: Sequence[str], batches: Batches
) -> Iterator[pl.DataFrame]:
    """The rows of files; what Spark hands out are the numbers of lists of units."""
    for batch in batches:
        for number in batch.column(0).to_pylist():
            for unit in units[number]:
                rows = (
                    pl.scan_parquet(unit.path, glob=False).select(named(columns)).slice(unit.first, unit.rows)
                )
                yield rows.select(plain(rows)).collect()


def read_batches(columns: Sequence[str], batches: Batches) -> Iterator[pl.DataFrame]:
    """The rows that Spark hands out, many of its batches at a time."""
    some: list[Any] = []
    for batch in batches:
        some.append(batch)
        if sum(each.num_rows for each in some) >= _AT_ONCE:
            yield _rows_of(some, columns)
            some = []
    if some:
        yield _rows_of(some, columns)


def _rows_of(batches: Sequence[Any], columns: Sequence[str]) -> pl.DataFrame:
    import pyarrow as pa

    rows = pl.DataFrame(pa.Table.from_batches(batches))
    rows.columns = list(columns)
    return rows.select(plain(rows)).rechunk()


def hold_rows(read: Callable[[], Iterator[pl.DataFrame]], group: Mapping[str, Any], parts: int) -> Batches:
    """The rows, packed; and what `count_rows` gives of one group of columns."""
    counts = _Counts([group])
    for piece in read():
        counts.add(piece)
        yield _batch([(ROWS, 0, _packed(piece))])
    yield from counts.hand_out(parts)


def read_held(columns: Sequence[str], batches: Batches) -> Iterator[pl.DataFrame]:
    """Rows that are held."""
    for batch in batches:
        for bundle in batch.column("bundle"):
            yield unpacked(bundle.as_buffer(), columns)


def count_rows(
    read: Callable[[], Iterator[pl.DataFrame]], groups: Sequence[Mapping[str, Any]], parts: int
) -> Batches:
    """The distinct tuples of each group of columns, those of each part by themselves, whose number is the bucket."""
    counts = _Counts(groups)
    for piece in read():
        counts.add(piece)
    yield from counts.hand_out(parts)


class _Counts:
    """The tuples of groups of columns: as codes as long as one number tells all of them apart, then as values."""

    def __init__(self, groups: Sequence[Mapping[str, Any]]) -> None:
        fits = [TupleCounter.fits(list(group.values())) for group in groups]
        self._counters = [
            TupleCounter(group) if fit else None for group, fit in zip(groups, fits, strict=True)
        ]
        self._values = [pl.DataFrame(schema={**group, TIMES: pl.Int64()}) for group in groups]

    def add(self, piece: pl.DataFrame) -> None:
        """The rows of one more piece."""
        times = pl.len().cast(pl.Int64).alias(TIMES)
        for i, counter in enumerate(self._counters):
            if counter is not None:
                try:
                    counter.add(piece)
                    continue
                except TooWideError:
                    self._values[i], self._counters[i] = counter.counted(), None
            columns = self._values[i].columns[:-1]
            self._values[i] = add_up([self._values[i], piece.group_by(named(columns)).agg(times)])

    def hand_out(self, parts: int) -> Batches:
        """The tuples of each group; its number is the kind, that of the part of them the bucket."""
        for number, (counter, values) in enumerate(zip(self._counters, self._values, strict=True)):
            found = values if counter is None else counter.counted()
            if parts == 1:
                yield from (_batch([(str(number), 0, _packed(some))]) for some in found.iter_slices(_HELD))
                continue
            part = (found.drop(TIMES).hash_rows(0) % parts).cast(pl.Int32).alias(_PART)
            split = found.with_columns(part).partition_by(_PART, as_dict=True, include_key=False)
            for (bucket,), rows in split.items():
                yield from (
                    _batch([(str(number), bucket, _packed(some))]) for some in rows.iter_slices(_HELD)
                )


def add_up(counted: Sequence[pl.DataFrame]) -> pl.DataFrame:
    """Counts of the same columns, as one."""
    rows = pl.concat(counted)
    return rows.group_by(pl.exclude(TIMES)).agg(pl.col(TIMES).sum()) if len(counted) > 1 else rows


def add_up_parts(batches: Batches) -> Batches:
    """Counts that several workers made of the same part."""
    held: dict[tuple[str, int], list[pl.DataFrame]] = {}
    for batch in batches:
        for kind, bucket, bundle in zip(*(batch.column(i).to_pylist() for i in range(3)), strict=True):
            held.setdefault((kind, bucket), []).append(unpacked(bundle))
    for (kind, bucket), counted in held.items():
        yield _batch([(kind, bucket, _packed(add_up(counted)))])


def choose_rows(read: Callable[[], Iterator[pl.DataFrame]], share: float, seed: int) -> Batches:
    """Rows whose hash is small."""
    few = round(share * 2**32)
    for piece in read():
        yield _batch([(ROWS, 0, _packed(piece.filter(piece.hash_rows(seed) // 2**32 < few)))])


def keep_rows(read: Callable[[], Iterator[pl.DataFrame]], shared: Any, bits: int) -> Batches:
    """Rows as words, in as many buckets as there are numbers of so many bits; and what was counted of them."""
    rows, waiting = _Shelf(ROWS, bits), _Shelf(WAITING, bits)
    keeper = Keeper(shared.value, rows, waiting, room=_WATCHED)
    for piece in read():
        for start in range(0, piece.height, _AT_ONCE):
            keeper.take(piece[start : start + _AT_ONCE])
        if rows.held + waiting.held > _HELD:
            yield from (*rows.hand_out(), *waiting.hand_out())
    yield from (*rows.hand_out(), *waiting.hand_out())
    yield _batch([(COUNTS, 0, pickle.dumps(keeper.counted))])


def deal_rows_out(shared: Any, bits: int, batches: Batches) -> Batches:
    """Rows that waited, with their classes; and what was counted of them."""
    rows, waiting = _Shelf(ROWS, bits), _Shelf(WAITING, bits)
    keeper = Keeper(shared.value, rows, waiting, room=_WATCHED)
    for _, bucket in _gathered(batches, shared.value.waiting_words):
        keeper.deal_out(bucket)
        yield from rows.hand_out()
    yield _batch([(COUNTS, 0, pickle.dumps(keeper.counted))])


def publish(shared: Any, schema: Any, batches: Batches) -> Batches:
    """Rows as they are published, in the order of their words."""
    rows: StoredRows = shared.value
    values = [rows.listed(name) for name in rows.names]
    for _, bucket in _gathered(batches, rows.width):
        for start in range(0, len(bucket), PIECE):
            table = _decoded(rows, values, bucket[start : start + PIECE]).to_arrow(
                compat_level=pl.CompatLevel.oldest()
            )
            yield from table.cast(schema).combine_chunks().to_batches()


def write_files(shared: Any, folder: str, batches: Batches) -> Batches:
    """A parquet file for each bucket, whole or not at all; its number and how many rows it has."""
    rows: StoredRows = shared.value
    values = [enumerated(rows.listed(name)) for name in rows.names]
    for number, bucket in _gathered(batches, rows.width):
        path = Path(folder) / f"part-{number:05}.parquet"
        beside = path.with_name(f".{path.stem}.{uuid4().hex}.parquet")
        starts = range(0, len(bucket), PIECE)
        pieces = (_decoded(rows, values, bucket[start : start + PIECE]) for start in starts)
        try:
            write_rows(pieces, beside, rows.schema, safe=False)
            os.replace(beside, path)
        finally:
            beside.unlink(missing_ok=True)
        yield _numbers(bucket=number, rows=len(bucket))


def scatter_groups(
    shared: Any, columns: Sequence[str], people: bool, blank: bool, bits: int, batches: Batches
) -> Batches:
    """Of each row its class, some columns and the person, as words."""
    rows: StoredRows = shared.value
    pack, _ = rows.packing(columns, people=people, blank=blank)
    for _, bucket in _gathered(batches, rows.width):
        shelf = _Shelf(ROWS, bits)
        for start in range(0, len(bucket), PIECE):
            shelf.put(pack(bucket[start : start + PIECE]))
        yield from shelf.hand_out()


def find_rarest(words: int, below: int, people: bool, batches: Batches) -> Batches:
    """How many rows are alike at least, and how many are in groups below a limit."""
    for _, bucket in _gathered(batches, words):
        least, some = rarest_rows(bucket, below, people=people)
        yield _numbers(least=least, below=some)


class _Shelf:
    """Rows that a worker holds, and hands on in bundles by the first bits of their first word."""

    def __init__(self, kind: str, bits: int) -> None:
        self.kind, self.bits, self.held, self._rows = kind, bits, 0, list[Words]()

    def put(self, rows: Words) -> None:
        self._rows.append(rows)
        self.held += len(rows)

    def hand_out(self) -> Batches:
        if not self.held:
            return
        rows = sorted_rows(np.concatenate(self._rows))
        self._rows, self.held = [], 0
        edges = np.arange(1, 1 << self.bits, dtype=np.uint64) << np.uint64(64 - self.bits)
        ends = [0, *np.searchsorted(rows[:, 0], edges).tolist(), len(rows)] if self.bits else [0, len(rows)]
        step = max(_BUNDLE // rows.shape[1], 1)
        for bucket, (first, end) in enumerate(pairwise(ends)):
            bundles = [rows[i : min(i + step, end)].tobytes() for i in range(first, end, step)]
            if bundles:
                yield _batch([(self.kind, bucket, bundle) for bundle in bundles])


def _gathered(batches: Batches, words: int) -> Iterator[tuple[int, Words]]:
    """The rows of each bucket of a partition, sorted."""
    held: dict[int, list[Words]] = {}
    for batch in batches:
        for bucket, bundle in zip(batch.column("bucket").to_pylist(), batch.column("bundle"), strict=True):
            held.setdefault(bucket, []).append(np.frombuffer(bundle.as_buffer(), dtype=np.uint64))
    for bucket in sorted(held):
        yield bucket, sorted_rows(np.concatenate(held.pop(bucket)).reshape(-1, words))


def _decoded(rows: StoredRows, values: Sequence[pl.Series], some: Words) -> pl.DataFrame:
    return pl.DataFrame(
        [
            Distinct(codes, each).series(name)
            for name, codes, each in zip(rows.names, rows.shown(some), values, strict=True)
        ]
    )


def _packed(rows: pl.DataFrame) -> bytes:
    """Rows as a parquet file: a text that many of them hold is written once."""
    file = BytesIO()
    rows.write_parquet(file, compression="lz4", statistics=False)
    return file.getvalue()


def unpacked(bundle: Any, columns: Sequence[str] | None = None) -> pl.DataFrame:
    """Rows that a worker handed on."""
    return pl.read_parquet(BytesIO(bundle), columns=None if columns is None else list(columns))


def _numbers(**columns: int) -> Any:
    """A batch of one row of numbers."""
    import pyarrow as pa

    found = [_array(pa.int64(), np.array([number], dtype=np.int64)) for number in columns.values()]
    return pa.record_batch(found, names=list(columns))


def _batch(rows: Sequence[tuple[str, int, bytes]]) -> Any:
    """A batch of bundles."""
    import pyarrow as pa

    kinds, buckets, bundles = zip(*rows, strict=True)
    columns = [
        _texts(pa.string(), [kind.encode() for kind in kinds]),
        _array(pa.int32(), np.array(buckets, dtype=np.int32)),
        _texts(pa.binary(), bundles),
    ]
    return pa.record_batch(columns, names=["kind", "bucket", "bundle"])


def _texts(kind: Any, values: Sequence[bytes]) -> Any:
    ends = np.cumsum([0, *map(len, values)])
    if ends[-1] >= 2**31:
        raise OverflowError("a bundle is larger than Spark takes")
    return _array(kind, ends.astype(np.int32), b"".join(values), n=len(values))


def _array(kind: Any, *buffers: Any, n: int | None = None) -> Any:
    """An array from its buffers: from values, pyarrow would load pandas first, which takes a worker up to a second."""
    import pyarrow as pa

    length = len(buffers[0]) if n is None else n
    return pa.Array.from_buffers(kind, length, [None, *map(pa.py_buffer, buffers)])
