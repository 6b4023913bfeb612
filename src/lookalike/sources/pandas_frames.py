"""pandas frames in and out, without pyarrow.

On the way back a column that kept its type gets its dtype back. The index is passed over, but for rows that come back
all and in their order.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import polars as pl

from lookalike.errors import warn


def take_pandas(frame: Any) -> tuple[pl.DataFrame, dict[str, list[str]], Callable[..., Any]]:
    """The frame as Polars, the orders of its ordered categories, and the way back."""
    names = [str(name) for name in frame.columns]
    parts = {name: frame.iloc[:, position] for position, name in enumerate(names)}
    rows = pl.DataFrame([_series(part).alias(name) for name, part in parts.items()])
    orders = {
        name: [str(value) for value in part.cat.categories]
        for name, part in parts.items()
        if str(part.dtype) == "category" and part.cat.ordered
    }
    schema, dtypes = rows.schema, {name: part.dtype for name, part in parts.items()}
    height, missing = rows.height, {name: rows[name].null_count() for name in names}
    titles, index = dict(zip(names, frame.columns)), frame.index

    def give_back(rows: pl.DataFrame, *, in_order: bool = False) -> Any:
        import pandas

        columns = {
            name: _pandas(
                rows[name],
                dtypes[name] if schema.get(name) == rows.schema[name] else None,
                whole=(rows.height, rows[name].null_count()) == (height, missing.get(name)),
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


def _series(part: Any) -> pl.Series:
    """One pandas column; whatever pandas calls missing is null."""
    if str(part.dtype) == "category":
        values = _series(part.cat.categories.to_series())
        codes = part.cat.codes.to_numpy()
        padded = pl.concat([values, pl.Series([None], dtype=values.dtype)])
        return padded.gather(np.where(codes < 0, len(values), codes))
    if isinstance(part.dtype, np.dtype) and part.dtype.kind in "iufbM":
        return (
            pl.Series(part.to_numpy()).fill_nan(None)
            if part.dtype.kind == "f"
            else pl.Series(part.to_numpy())
        )
    texts = _texts(part)
    if texts is not None:
        return texts
    nothing = part.isna().to_numpy()
    listed = part.astype(object).to_numpy(copy=True)
    listed[nothing] = None
    known = listed[~nothing].tolist()
    if {type(value) for value in known} == {int, float}:
        return pl.Series(listed.tolist(), dtype=pl.Float64, strict=False)
    try:
        out = pl.Series(listed.tolist(), strict=True)
        if out.dtype != pl.Object:
            return out
    except (TypeError, OverflowError, pl.exceptions.PolarsError):
        pass
    # Values of several types, or of a type of their own (periods, UUIDs): what they print as tells them apart.
    return pl.Series([None if value is None else str(value) for value in listed.tolist()], dtype=pl.String)


def _texts(part: Any) -> pl.Series | None:
    """A column of texts, each distinct one read once; None where anything else is among them."""
    codes, distinct = part.factorize()
    values = list(distinct)
    if not all(type(value) is str for value in values):
        return None
    return pl.Series([*values, None], dtype=pl.String).gather(np.where(codes < 0, len(values), codes))


def _pandas(column: pl.Series, dtype: Any, *, whole: bool) -> Any:
    """A pandas column; `dtype` is what it had before, where its values are still of that type.

    `whole` says that nobody is left out. Else categories that nobody has any more are not told.
    """
    import pandas

    kind, missing = column.dtype, column.null_count() > 0
    if kind.is_integer():
        plain = pandas.array(column.to_list(), dtype="Int64") if missing else column.to_numpy()
    elif kind == pl.Boolean:
        plain = pandas.array(column.to_list(), dtype="boolean") if missing else column.to_numpy()
    elif kind.is_float() or (kind.is_temporal() and kind not in (pl.Time, pl.Duration)):
        plain = column.to_numpy()
        if isinstance(kind, pl.Datetime) and kind.time_zone:
            plain = pandas.DatetimeIndex(plain).tz_localize("UTC").tz_convert(kind.time_zone)
    else:
        plain = np.array(column.to_list(), dtype=object)
    out = pandas.Series(plain)
    if dtype is None or out.dtype == dtype:
        return out
    if str(dtype) == "category":
        present = dtype.categories if whole else dtype.categories[dtype.categories.isin(out)]
        fits = out.dropna().isin(present).all()
        return out.astype(pandas.CategoricalDtype(present, dtype.ordered)) if fits else out
    if isinstance(dtype, pandas.SparseDtype):  # it names a value that need not be in the release
        return out
    if str(dtype) == "object" and kind == pl.Date:
        return pandas.Series(column.to_list(), dtype=object)
    try:
        return out.astype(dtype)
    except (TypeError, ValueError):
        return out
