"""Rows as distinct values and codes: what a released table is until it is written out.

Counting, comparing, ordering and digests then cost as much as the distinct values, not the rows. Values keep their own
type and spelling: nothing is read into them. One grouping per column, O(n).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from io import BytesIO
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

import numpy as np
import polars as pl
from numpy.typing import NDArray

from lookalike.base.errors import FileError
from lookalike.tables.columns.coding import Distinct, alike
from lookalike.tables.columns.grouping import group_codes, group_sizes
from lookalike.tables.columns.naming import named
from lookalike.tables.columns.spelling import canonical_texts, is_nested
from lookalike.tables.lines import write_csv, write_frame
from lookalike.tables.ordering import drawn_order, order_values

PIECE = 1 << 16  #: rows that are written out at a time
_LISTED = 1 << 14  # distinct texts that a parquet file lists
_SOME = 1 << 16  # rows of some classes that are looked at first


@dataclass(frozen=True, eq=False)
class ValueCounts:
    """The distinct values of a column as text, sorted, missing first, and how often each occurs."""

    values: pl.Series
    times: NDArray[np.int64]

    def pairs(self) -> list[tuple[str | None, int]]:
        """Value and count, one after the other."""
        return list(zip(self.values.to_list(), self.times.tolist(), strict=True))


class ReleasedRows(Protocol):
    """All that a certificate, a dictionary and a report ask of released rows, wherever these are."""

    @property
    def height(self) -> int:
        """How many rows there are."""

    @property
    def schema(self) -> dict[str, pl.DataType]:
        """The columns in order, and their types."""

    @property
    def frame(self) -> Any:
        """The rows written out."""

    def counts(self, name: str) -> ValueCounts:
        """The values of a column as text and how often each occurs."""

    def values(self, name: str) -> pl.DataFrame:
        """`value` and `count`: a column's distinct values and how often each occurs, missing left out; in no order."""

    def pieces(self) -> Iterator[pl.DataFrame]:
        """The rows written out a piece at a time."""

    def class_sizes(self, quasi: Sequence[str]) -> NDArray[np.int64]:
        """How many rows share each tuple of some columns."""

    def smallest_known(self, quasi: Sequence[str], stars: Sequence[str | None]) -> dict[str, int]:
        """Rows in the smallest class when each single column is known besides the quasi-identifiers, all as text.

        Rows whose quasi-identifiers all say nothing (`stars`, where rows were kept as stars) stand in no class.
        """

    def write(self, path: Path, *, safe: bool) -> None:
        """Write a csv or parquet file; `safe` for spreadsheets."""


class RowsElsewhere(ReleasedRows, Protocol):
    """Released rows that are not in memory."""

    def known(self, columns: Sequence[str], promised: int) -> tuple[int, int]:
        """The smallest class when some columns are known besides, and the rows in classes smaller than promised."""


@runtime_checkable
class WritesTables(Protocol):
    """Released rows that can be written to a table where the original is."""

    def create(self, table: str) -> None:
        """Write the rows to a new table, whole or not at all."""

    def drop(self, table: str) -> None:
        """Take a table away again."""


@dataclass(frozen=True, eq=False)
class CodedRows:
    """A table as the distinct values of each column, each of which occurs, and the place of each row's among them."""

    columns: Mapping[str, Distinct]
    height: int
    _orders: dict[str, NDArray[np.int64]] = field(default_factory=dict, repr=False)

    @staticmethod
    def of(rows: pl.DataFrame) -> CodedRows:
        """A frame, coded."""
        return CodedRows({column.name: alike(column) for column in rows.iter_columns()}, rows.height)

    @cached_property
    def schema(self) -> dict[str, pl.DataType]:
        """The type of each column."""
        return {name: column.values.dtype for name, column in self.columns.items()}

    @cached_property
    def frame(self) -> pl.DataFrame:
        """The rows written out."""
        return pl.DataFrame([column.series(name) for name, column in self.columns.items()])

    def pieces(self) -> Iterator[pl.DataFrame]:
        """The rows written out a piece at a time; one piece without rows where there are none."""
        for start in range(0, max(self.height, 1), PIECE):
            part = slice(start, start + PIECE)
            yield pl.DataFrame(
                [
                    Distinct(column.codes[part], column.values).series(name)
                    for name, column in self.columns.items()
                ]
            )

    def take(self, order: NDArray[np.integer[Any]]) -> CodedRows:
        """The same rows in another order."""
        moved = {name: Distinct(column.codes[order], column.values) for name, column in self.columns.items()}
        return CodedRows(moved, self.height, self._orders)

    def shuffled(self, seed: int) -> CodedRows:
        """The same rows in an order that does not depend on the one they came in."""
        columns = [(column, self.order(name)) for name, column in self.columns.items()]
        return self.take(drawn_order(self.height, columns, np.random.default_rng(seed)))

    def order(self, name: str) -> NDArray[np.int64]:
        """The places of a column's distinct values when they are sorted."""
        if name not in self._orders:
            self._orders[name] = order_values(self.columns[name].values)
        return self._orders[name]

    def values(self, name: str) -> pl.DataFrame:
        """`value` and `count`: a column's distinct values and how often each occurs, missing left out; in no order."""
        column = self.columns[name]
        times = np.bincount(column.codes[column.codes >= 0], minlength=len(column.values))
        return pl.DataFrame({"value": column.values, "count": times.astype(np.int64)})

    def texts(self, name: str) -> Distinct:
        """A column as a reader of a csv file finds it: every value as text; values that read alike are one."""
        if name not in self._texts:
            column = self.columns[name]
            if column.values.dtype != pl.String:
                column = merged(Distinct(column.codes, as_text(pl.DataFrame({name: column.values}))[name]))
            self._texts[name] = column
        return self._texts[name]

    @cached_property
    def _texts(self) -> dict[str, Distinct]:
        return {}

    def counts(self, name: str) -> ValueCounts:
        """The values of a column as text and how often each occurs."""
        if name not in self._counts:
            column = self.texts(name)
            times = np.bincount(column.codes + 1, minlength=len(column.values) + 1).astype(np.int64)
            same = column is self.columns[name]
            order = self.order(name) if same else order_values(column.values)
            values, times = column.values.gather(order), np.append(times[:1], times[1:][order])
            if times[0]:
                values = pl.concat([pl.Series([None], dtype=pl.String), values.alias("")])
            self._counts[name] = ValueCounts(values, times[int(times[0] == 0) :])
        return self._counts[name]

    @cached_property
    def _counts(self) -> dict[str, ValueCounts]:
        return {}

    def class_sizes(self, quasi: Sequence[str]) -> NDArray[np.int64]:
        """How many rows share each tuple of some columns."""
        known = [self.columns[name] for name in quasi]
        return group_sizes([c.codes + 1 for c in known], [len(c.values) + 1 for c in known], self.height)

    def smallest_known(self, quasi: Sequence[str], stars: Sequence[str | None]) -> dict[str, int]:
        """Rows in the smallest class when each single column is known besides; at most one grouping per column.

        Some classes are looked at first: where somebody in them is alone with a value, no class is smaller.
        """
        rows: Any = slice(None)
        if stars:
            starred = np.logical_and.reduce(
                [_says(self.texts(name), star) for name, star in zip(quasi, stars, strict=True)]
            )
            rows = np.flatnonzero(~starred)
        known = [self.texts(name) for name in quasi]
        columns = [column.codes[rows] + 1 for column in known]
        n = len(columns[0]) if columns else self.height
        of_row, classes = group_codes(columns, [len(column.values) + 1 for column in known], n)
        upto = np.cumsum(np.bincount(of_row, minlength=classes))
        some = np.flatnonzero(of_row <= np.searchsorted(upto, _SOME))
        out, taken = {}, set(quasi)
        for name in self.columns:
            if name not in taken:
                column = self.texts(name)
                codes, sizes = column.codes[rows], [classes, len(column.values) + 1]
                least = int(group_sizes([of_row[some], codes[some] + 1], sizes, len(some)).min(initial=n))
                if least > 1 and len(some) < n:
                    least = int(group_sizes([of_row, codes + 1], sizes, n).min())
                out[name] = least
        return out

    def write(self, path: Path, *, safe: bool) -> None:
        """The table is never written out in memory as a whole."""
        values = {name: column.values for name, column in self.columns.items()}
        codes = [[column.codes for column in self.columns.values()]]
        if path.suffix != ".csv":
            columns = {name: Distinct(c.codes, enumerated(c.values)) for name, c in self.columns.items()}
            write_rows(CodedRows(columns, self.height).pieces(), path, self.schema, safe=safe)
        elif self.height < PIECE or not write_csv(values, codes, path, safe=safe):
            write_rows(self.pieces(), path, self.schema, safe=safe)


def write_rows(
    pieces: Iterable[pl.DataFrame], path: Path, schema: Mapping[str, pl.DataType], *, safe: bool
) -> None:
    """Write rows to a csv or parquet file as they come; `safe` for spreadsheets. There is at least one piece.

    Texts may be `enumerated`: a parquet file says all the same that they are texts.
    """
    if path.suffix != ".csv":
        _write_parquet(pieces, path, schema)
        return
    with path.open("wb") as file:
        for i, piece in enumerate(pieces):
            write_frame(piece, file, safe=safe, header=i == 0)


def _write_parquet(pieces: Iterable[pl.DataFrame], path: Path, schema: Mapping[str, pl.DataType]) -> None:
    from polars.io.plugins import register_io_source

    pieces = iter(pieces)
    first = next(pieces)
    failed: list[BaseException] = []

    def hand_out(*asked: Any) -> Iterator[pl.DataFrame]:
        try:
            yield first
            yield from pieces
        except BaseException as problem:  # Polars would tell it as a failure of its own
            failed.append(problem)
            raise

    try:
        rows = register_io_source(hand_out, schema=dict(first.schema))
        rows.sink_parquet(path, metadata=_arrow_schema(schema))
    except BaseException as problem:
        if failed:
            raise failed[0] from None
        if isinstance(problem, pl.exceptions.PolarsError):
            raise FileError(
                f"{path.name}: cannot be written ({type(problem).__name__}); nothing was. Is the disk full?"
            ) from None
        raise


def enumerated(values: pl.Series) -> pl.Series:
    """Not too many distinct texts, each of which occurs, as an enumeration: a parquet file then takes them as they are,
    and nobody has to look for equal texts in the rows."""
    return values.cast(pl.Enum(values)) if values.dtype == pl.String and len(values) <= _LISTED else values


def _arrow_schema(schema: Mapping[str, pl.DataType]) -> dict[str, str]:
    """What a parquet file says its columns are."""
    file = BytesIO()
    pl.DataFrame(schema=dict(schema)).write_parquet(file)
    file.seek(0)
    return pl.read_parquet_metadata(file)


def count_texts(values: pl.Series, times: NDArray[np.int64]) -> ValueCounts:
    """Counts of values of any type, missing among them, as counts of texts."""
    rows = pl.DataFrame({"value": values, "times": times})
    rows = as_text(rows.select("value")).with_columns(rows["times"])
    counted = rows.group_by("value").agg(pl.col("times").sum()).sort("value", nulls_last=False)
    return ValueCounts(counted["value"], counted["times"].to_numpy())


def _says(column: Distinct, text: str | None) -> NDArray[np.bool_]:
    """Which rows have this text."""
    if text is None:
        return column.codes < 0
    return np.asarray(np.append(column.values.eq(text).to_numpy(), False)[column.codes])


def merged(column: Distinct) -> Distinct:
    """The same column with equal values as one; values that are missing become so."""
    same = alike(column.values)
    if len(same.values) == len(column.values):
        return column
    return Distinct(np.append(same.codes, np.int32(-1))[column.codes], same.values)


def used(column: Distinct) -> Distinct:
    """The same column without values that no row has."""
    return column.part(np.ones(len(column.codes), dtype=bool))


def as_text(rows: pl.DataFrame) -> pl.DataFrame:
    """A frame as a reader of its csv file finds it: every value as text, missing as null."""
    plain = [rows[name].cast(pl.String) for name, kind in rows.schema.items() if _is_plain(kind)]
    nested = [canonical_texts(rows[name]) for name, kind in rows.schema.items() if is_nested(kind)]
    rows = rows.with_columns([*plain, *nested])
    typed = [name for name, kind in rows.schema.items() if kind != pl.String]
    if not typed:
        return rows
    # a second column, since a line with nothing on it is no row
    numbered = [named(name).alias(str(i)) for i, name in enumerate(typed)]
    lines = BytesIO()
    write_frame(rows.select(*numbered, pl.int_range(pl.len()).alias("place")), lines, safe=False, header=True)
    found = pl.read_csv(lines.getvalue(), infer_schema=False)
    return rows.with_columns(found[str(i)].alias(name) for i, name in enumerate(typed))


def _is_plain(kind: pl.DataType) -> bool:
    """Whether a csv file spells values of this type as a cast does; floats and times have spellings of their own."""
    return kind.is_integer() or kind == pl.Boolean
