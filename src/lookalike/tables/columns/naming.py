"""Columns by their names and nothing else: Polars takes `*` and `^a.*$` for patterns of names.

It does so with the name of a series too, which most methods of a series look up.
"""

from __future__ import annotations

from collections.abc import Iterable

import polars as pl
from polars import selectors


def named(names: str | Iterable[str]) -> pl.Expr:
    """The columns of a frame with these names, in this order."""
    return selectors.by_name(*([names] if isinstance(names, str) else names)).as_expr()


def nameless(column: pl.Series) -> pl.Series:
    """A column whose name cannot be taken for a pattern."""
    return column.alias("")
