"""Markers of missing: what somebody says means that there is no value, such as `?`, `unknown` or -9."""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from lookalike.tables.columns.naming import nameless
from lookalike.tables.columns.spelling import is_nested
from lookalike.tables.columns.texts import are_among

_DAY = re.compile(r"\d{4}-\d{2}-\d{2}")


def are_marked(values: pl.Series, na: Collection[str]) -> NDArray[np.bool_]:
    """Which distinct values, in the type and spelling they came in, are among the spellings of a missing one."""
    kind = values.dtype
    if kind in (pl.Boolean, pl.Time, pl.Enum, pl.Categorical):
        values, kind = values.cast(pl.String), pl.String()
    if kind == pl.String and na:
        return are_among(values, na)
    if kind.is_numeric():
        return np.isin(values.cast(pl.Float64).to_numpy(), as_values(na, np.dtype(np.float64)))
    if kind in (pl.Date, pl.Datetime):
        days = values.cast(pl.Date).to_numpy().astype("datetime64[D]")
        return np.isin(days, as_values(na, days.dtype))
    return np.zeros(len(values), dtype=bool)


def can_be_marked(kind: pl.DataType, na: Collection[str]) -> bool:
    """Whether a column of this type can hold a spelling of a missing value."""
    if kind.is_numeric():
        return len(as_values(na, np.dtype(np.float64))) > 0
    return bool(na) and not is_nested(kind)


def without_markers(values: pl.Series, na: Collection[str]) -> pl.Series:
    """The same distinct values, null where they are spellings of a missing one."""
    marked = are_marked(values, na)
    if not marked.any():
        return values
    nothing = pl.Series([None], dtype=values.dtype).new_from_index(0, len(values))
    return nameless(values).zip_with(pl.Series(~marked), nothing).alias(values.name)


def as_values(na: Collection[str], dtype: np.dtype[Any]) -> NDArray[Any]:
    """Spellings of missing that are values of a column of numbers or days: -9, 9999-12-31."""
    out: list[Any] = []
    for text in na:
        try:
            if dtype.kind != "M":
                out.append(float(text))
            elif _DAY.fullmatch(text):  # 2015 is no day, though numpy reads it as the first of that year
                out.append(np.datetime64(text, "D"))
        except ValueError:
            continue
    return np.array(out, dtype=dtype if dtype.kind == "M" else np.float64)
