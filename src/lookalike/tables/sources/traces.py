"""Whatever a released frame carries besides its rows and could tell about rows left out is taken off it.

Categories and dictionaries list values that no row has any more; a column may be as wide as the largest value it once
held; a value that was blanked stays in memory below the mark that calls it missing; texts share memory with texts that
were filtered away. Arrow files and readers hand all of that on. One copy of all texts and of columns with gaps, O(n).
"""

from __future__ import annotations

import io
from typing import Any

import polars as pl

from lookalike.tables.columns.naming import named, nameless
from lookalike.tables.columns.texts import FEW

_NARROW = (pl.Int8, pl.Int16, pl.Int32, pl.UInt8, pl.UInt16, pl.UInt32)


def leave_no_trace(rows: pl.DataFrame, *, left_out: bool) -> pl.DataFrame:
    """The same rows with nothing else attached; `left_out` says whether there were others."""
    plain = rows.with_columns(
        named(name).cast(_without_categories(kind))
        for name, kind in rows.schema.items()
        if _without_categories(kind) != kind
    )
    if left_out:
        plain = plain.with_columns(
            _width_of_its_own(_refilled(nameless(column))).alias(column.name) for column in plain
        )
    shared = [name for name, kind in plain.schema.items() if _holds_text(kind)]
    if not shared:
        return plain
    copy = io.BytesIO()
    plain.select(named(shared)).write_ipc_stream(copy, compat_level=pl.CompatLevel.oldest())
    copy.seek(0)
    return plain.with_columns(pl.read_ipc_stream(copy))


def alone(values: pl.Series, *, left_out: bool) -> pl.Series:
    """The same values with nothing else attached."""
    if values.dtype == pl.String and len(values) <= FEW:
        return pl.Series(values.name, values.to_list(), dtype=pl.String)
    copy = leave_no_trace(pl.DataFrame([values]), left_out=left_out).to_series()
    return copy.set_sorted() if values.dtype == pl.String and values.flags["SORTED_ASC"] else copy


def _without_categories(kind: Any) -> Any:
    if isinstance(kind, pl.Enum | pl.Categorical):
        return pl.String()
    if isinstance(kind, pl.List):
        return pl.List(_without_categories(kind.inner))
    if isinstance(kind, pl.Array):
        return pl.Array(_without_categories(kind.inner), kind.size)
    if isinstance(kind, pl.Struct):
        return pl.Struct({field.name: _without_categories(field.dtype) for field in kind.fields})
    return kind


def _holds_text(kind: pl.DataType) -> bool:
    return kind in (pl.String, pl.Binary) or kind.is_nested()


def _refilled(column: pl.Series) -> pl.Series:
    """A column with released values alone in memory, also where it is missing."""
    if not column.null_count():
        return column
    there = column.is_not_null()
    if not there.any():
        return pl.Series(column.name, [None] * len(column), dtype=column.dtype)
    place = pl.select(pl.when(there).then(there.cum_sum() - 1)).to_series()
    return column.drop_nulls().gather(place)


def _width_of_its_own(column: pl.Series) -> pl.Series:
    """A number column wider than its values need, but not as wide as numbers are by default, was made to fit others."""
    kind = column.dtype
    if isinstance(kind, pl.Decimal):
        digits = column.cast(pl.String).str.extract(r"\.(\d*?)0*$").str.len_chars().max()
        return column.cast(pl.Decimal(38, int(digits or 0)))  # type: ignore[arg-type]
    if kind in _NARROW and column.shrink_dtype().dtype != kind:
        return column.cast(pl.UInt64 if kind.is_unsigned_integer() else pl.Int64)
    return column
