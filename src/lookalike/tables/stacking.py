"""The rows of two releases as one table."""

from __future__ import annotations

import polars as pl

from lookalike.base.errors import RequestError


def stack(before: pl.DataFrame, now: pl.DataFrame) -> pl.DataFrame:
    """Rows of a release above rows recoded as it was; where types differ, as text, as in a csv file."""
    if set(before.columns) != set(now.columns):
        odd = sorted(set(before.columns) ^ set(now.columns))
        raise RequestError(
            f"`joins`: column {odd[0]!r} is in one of the two releases only, so they cannot be one."
        )
    return pl.DataFrame([_one_below_the_other(before[name], now[name]) for name in now.columns])


def _one_below_the_other(before: pl.Series, now: pl.Series) -> pl.Series:
    if before.dtype == pl.String != now.dtype:
        as_now = before.cast(now.dtype, strict=False) if now.dtype != pl.Boolean else before
        if as_now.dtype == now.dtype and as_now.cast(pl.String).equals(before, null_equal=True):
            before = as_now
    if before.dtype != now.dtype:
        before, now = before.cast(pl.String), now.cast(pl.String)
    return pl.concat([before, now])
