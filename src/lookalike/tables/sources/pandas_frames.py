"""pandas frames in and out, without pyarrow.

On the way back a column that kept its type gets its dtype back. The index is passed over, but for rows that come back
all and in their order.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import polars as pl

from lookalike.base.errors import ColumnError, warn


def take_pandas(frame: Any) -> tuple[pl.DataFrame, dict[str, list[str]], Callable[..., Any]]:
    """The frame as Polars, the orders of its ordered categories, and the way back."""
    names = [str(name) for name in frame.columns]
    parts = {name: frame.iloc[:, position] for position, name in enumerate(names)}
    rows = pl.DataFrame({name: _named(name, part) for name, part in parts.items()})
    orders = {
        name: [str(value) for value in part.cat.categories]
        for name, part in parts.items()
        if str(part.dtype) == "category" and part.cat.ordered
    }
    schema, dtypes = rows.schema, {name: part.dtype for name, part in parts.items()}
    height, missing = rows.height, {name: rows[name].null_count() for name in names}
    nothing = {name: part[part.isna()].iloc[0] for name, part in parts.items() if _is_mixed(part)}
    titles, index = dict(zip(names, frame.columns, strict=True)), frame.index

    def give_back(rows: pl.DataFrame, *, in_order: bool = False) -> Any:
        import pandas

        columns = {
            name: _pandas(
                rows[name],
                dtypes[name] if schema.get(name) == rows.schema[name] else None,
                whole=(rows.height, rows[name].null_count()) == (height, missing.get(name)),
                nothing=nothing.get(name),
            )
            for name in rows.columns
        }
        out = pandas.DataFrame(columns, index=pandas.RangeIndex(rows.height))
        if in_order and rows.height == height and not isinstance(index, pandas.RangeIndex):
            warn(
                "the frame keeps the index of the original, since its rows are all there and in their order. If the "
                "index tells who is who, take it off before the frame goes out: frame.reset_index(drop=True).",
            )
            out.index = index
        out.columns = pandas.Index([titles.get(name, name) for name in rows.columns])
        return out

    return rows, orders, give_back


def _is_mixed(part: Any) -> bool:
    """Whether a column holds objects and says in a way of its own what is missing: None, or a number that is none."""
    return str(part.dtype) == "object" and bool(part.isna().any())


def _named(name: str, part: Any) -> pl.Series:
    try:
        return _series(part).alias(name)
    except UnicodeEncodeError:  # its message shows a cell
        raise ColumnError(
            f"column {name!r}: its name or some of its texts hold half a character (a surrogate), as text does that "
            "was read with the wrong encoding. Read it again with the right one, or replace these characters."
        ) from None


def _series(part: Any) -> pl.Series:
    """One pandas column; whatever pandas calls missing is null."""
    if str(part.dtype) == "category":
        values = _series(part.cat.categories.to_series())
        codes = part.cat.codes.to_numpy()
        padded = pl.concat([values, pl.Series([None], dtype=values.dtype)])
        return padded.gather(np.where(codes < 0, len(values), codes))
    if isinstance(part.dtype, np.dtype) and part.dtype.kind in "iufbM":
        values = part.to_numpy()
        if part.dtype.kind == "f":
            return pl.Series(values.astype(np.float64) if part.dtype.itemsize > 8 else values).fill_nan(None)
        return pl.Series(values.astype("datetime64[ms]") if part.dtype == "datetime64[s]" else values)
    texts = _texts(part)
    if texts is not None:
        return texts
    nothing = part.isna().to_numpy()
    listed = part.astype(object).to_numpy(copy=True)
    listed[nothing] = None
    cells = [cell.tolist() if isinstance(cell, np.ndarray) else cell for cell in listed.tolist()]
    kinds = {type(cell) for cell in cells if cell is not None}
    if kinds == {int, float} and all(abs(cell) <= 2**53 for cell in cells if type(cell) is int):
        return pl.Series(cells, dtype=pl.Float64, strict=False)
    try:
        out = pl.Series(cells, strict=True)
        if out.dtype != pl.Object:
            return out
    except (TypeError, OverflowError, pl.exceptions.PolarsError):
        pass
    # Values of several types, or of a type of their own (periods, UUIDs): what they print as tells them apart.
    return pl.Series([None if cell is None else str(cell) for cell in cells], dtype=pl.String)


def _texts(part: Any) -> pl.Series | None:
    """A column of texts, each distinct one read once; None where anything else is among them."""
    try:
        codes, distinct = part.factorize()
    except (TypeError, NotImplementedError):  # lists and the like
        return None
    values = list(distinct)
    if not all(type(value) is str for value in values):
        return None
    return pl.Series([*values, None], dtype=pl.String).gather(np.where(codes < 0, len(values), codes))


def _pandas(column: pl.Series, dtype: Any, *, whole: bool, nothing: Any) -> Any:
    """A pandas column; `dtype` is what it had before, where its values are still of that type.

    `whole` says that nobody is left out. Else categories that nobody has any more are not told. `nothing` is what was
    written for missing among objects.
    """
    import pandas

    kind, missing = column.dtype, column.null_count() > 0
    if kind == pl.String and str(dtype) == "object":
        return pandas.Series([nothing if text is None else text for text in column.to_list()], dtype=object)
    if kind.is_integer():
        plain = pandas.array(column.to_list(), dtype="Int64") if missing else column.to_numpy()
    elif kind == pl.Boolean:
        plain = pandas.array(column.to_list(), dtype="boolean") if missing else column.to_numpy()
    elif kind.is_float() or (kind.is_temporal() and kind not in (pl.Time, pl.Duration)):
        plain = column.to_numpy()
        if isinstance(kind, pl.Datetime) and kind.time_zone:
            plain = pandas.DatetimeIndex(plain).tz_localize("UTC").tz_convert(kind.time_zone)
    else:
        plain = pandas.Series(column.to_list(), dtype=object).to_numpy()  # lists of one length are no matrix
    out = pandas.Series(plain)
    if dtype is None or out.dtype == dtype:
        return out
    if str(dtype) == "category":
        listed = _series(
            dtype.categories.to_series()
        )  # as the column was read: intervals, for one, as their texts
        place = dict(zip(listed.to_list(), range(len(listed)), strict=True))
        there = column.unique().drop_nulls().to_list()
        if not all(value in place for value in there):
            return out
        codes = column.replace_strict(
            there, [place[value] for value in there], default=-1, return_dtype=pl.Int32
        )
        found = pandas.Categorical.from_codes(codes.to_numpy(), dtype=dtype)
        return pandas.Series(found if whole else found.remove_unused_categories())
    if isinstance(dtype, pandas.SparseDtype):  # it names a value that need not be in the release
        return out
    if str(dtype) == "object" and kind == pl.Date:
        return pandas.Series(column.to_list(), dtype=object)
    try:
        return out.astype(dtype)
    except (TypeError, ValueError):
        return out
