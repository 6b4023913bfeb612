"""The boundary: any frame in, a Polars frame inside, the caller's kind of frame out.

Known by narwhals: pandas, Polars (eager and lazy), pyarrow, Modin, cuDF. Anything else with the Arrow stream
protocol (a DuckDB relation, for one) is read through it and handed back as Polars.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import polars as pl

from lookalike.errors import ColumnError, RequestError


@dataclass(frozen=True, eq=False)
class Frame:
    """A frame as Polars, the orders its ordered categories declare, and the way back to the caller's kind."""

    rows: pl.DataFrame
    orders: dict[str, list[str]]
    give_back: Callable[[pl.DataFrame], Any]


def take(frame: Any) -> Frame:
    """Read any supported frame."""
    if isinstance(frame, pl.DataFrame):
        return Frame(frame, _enum_orders(frame), lambda rows: rows)
    if isinstance(frame, pl.LazyFrame):
        rows = frame.collect()
        return Frame(rows, _enum_orders(rows), lambda rows: rows.lazy())
    import narwhals.stable.v2 as nw

    module = type(frame).__module__.split(".")[0]
    if module == "pandas" and type(frame).__name__ == "DataFrame":
        return _take_pandas(frame)
    if nw.dependencies.is_pyarrow_table(frame):
        _refuse_doubles(frame.column_names)
        rows = pl.from_arrow(frame)
        assert isinstance(rows, pl.DataFrame)
        return Frame(rows, {}, lambda rows: rows.to_arrow())
    native = nw.from_native(frame, eager_only=True, pass_through=True)
    if isinstance(native, nw.DataFrame):
        kind = native.implementation
        return Frame(
            native.to_polars(),
            {},
            lambda rows: nw.from_native(rows).to_arrow() if kind.is_pyarrow() else rows,
        )
    if hasattr(frame, "__arrow_c_stream__"):
        rows = pl.DataFrame(frame)
        return Frame(rows, _enum_orders(rows), lambda rows: rows)
    raise RequestError(
        f"a {type(frame).__module__}.{type(frame).__qualname__} is not a table. Pass a pandas, Polars or pyarrow frame, "
        "an object with the Arrow stream protocol, or read a file with lookalike.read(path)."
    )


def _take_pandas(frame: Any) -> Frame:
    names = [str(name) for name in frame.columns]
    _refuse_doubles(names)
    columns, orders = [], {}
    for position, name in enumerate(names):
        series = frame.iloc[:, position]
        kind = str(series.dtype)
        if kind == "category":
            if series.cat.ordered:
                used = set(series.dropna().unique())
                orders[name] = [str(v) for v in series.cat.categories if v in used]
                series = series.astype(object)
            else:
                series = series.astype(series.cat.categories.dtype)
        columns.append(_pandas_series(name, series))

    def give_back(rows: pl.DataFrame) -> Any:
        import pandas

        return pandas.DataFrame(
            {
                name: rows[name].to_list() if rows[name].dtype == pl.String else rows[name].to_numpy()
                for name in rows.columns
            }
        )

    return Frame(pl.DataFrame(columns), orders, give_back)


def _pandas_series(name: str, series: Any) -> pl.Series:
    if series.dtype == object or str(series.dtype) in ("string", "str"):
        listed = [None if value is None or value != value else value for value in series.tolist()]
        try:
            return pl.Series(name, listed, strict=True)
        except (TypeError, pl.exceptions.PolarsError):
            return pl.Series(
                name, [None if value is None else str(value) for value in listed], dtype=pl.String
            )
    if series.isna().any() and str(series.dtype)[0] in "IUb":  # pandas' nullable integers and booleans
        return pl.Series(
            name, [None if value != value else value for value in series.astype(object).fillna(float("nan"))]
        )
    return pl.Series(name, series.to_numpy())


def _enum_orders(rows: pl.DataFrame) -> dict[str, list[str]]:
    return {
        name: kind.categories.to_list() for name, kind in rows.schema.items() if isinstance(kind, pl.Enum)
    }


def _refuse_doubles(names: list[str]) -> None:
    doubled = [name for name, times in Counter(names).items() if times > 1]
    if doubled:
        raise ColumnError(
            f"column {doubled[0]!r} appears more than once. Rename the columns so that each name is unique."
        )
