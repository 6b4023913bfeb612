"""Cells that a spreadsheet would run as formulas when it opens a csv file, and how they are made plain text.

OWASP, CSV injection: a cell that begins with = + - @, a tab or a line break is taken for a formula. An apostrophe
before it makes it text. Undone without loss: a cell that began with apostrophes before such a sign gets one more, and
loses one again. Plain numbers such as -5 are no formulas. O(n).
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import polars as pl

from lookalike.tables.columns.naming import named, nameless
from lookalike.tables.columns.texts import FEW, some_match

_SIGN = "[=+\\-@\t\r\n＝＋－＠]"
_NUMBER = r"^'*[+-]?((\d+\.?\d*|\.\d+)([eE][+-]?\d+)?)?$"
_RISKY = f"^'*{_SIGN}"
_ESCAPED = f"^'+{_SIGN}"


def formula_columns(columns: Iterable[pl.Series]) -> list[str]:
    """The columns with a cell, or a name, that a spreadsheet would take for a formula; distinct values will do."""
    found = {column.name: _some_risky(_texts(column)) for column in columns}
    names = pl.Series(list(found), dtype=pl.String)
    risky_names = set(names.filter(_is_risky(names)))
    return [name for name, risky in found.items() if risky or name in risky_names]


def holds_formulas(rows: pl.DataFrame) -> bool:
    """Whether a cell, or a name, begins as a formula does, with no apostrophe before it."""
    columns = [pl.Series(rows.columns, dtype=pl.String), *map(_texts, rows)]
    return any(some_match(column, f"^{_SIGN}", unless=_NUMBER) for column in columns)


def escape(rows: pl.DataFrame) -> pl.DataFrame:
    """All texts and names with an apostrophe before what would be a formula."""
    texts = [name for name, kind in rows.schema.items() if kind == pl.String]
    out = rows.with_columns(
        pl.when(_is_risky(named(name))).then("'" + named(name)).otherwise(named(name)).alias(name)
        for name in texts
    )
    names = pl.Series(rows.columns, dtype=pl.String)
    return out.rename(
        {
            name: f"'{name}" if risky else name
            for name, risky in zip(rows.columns, _is_risky(names), strict=True)
        }
    )


def unescape(rows: pl.DataFrame) -> pl.DataFrame:
    """The texts and names as they were before `escape`."""
    out = rows.with_columns(
        pl.when(_is_escaped(named(name))).then(named(name).str.slice(1)).otherwise(named(name)).alias(name)
        for name, kind in rows.schema.items()
        if kind == pl.String
    )
    names = pl.Series(rows.columns, dtype=pl.String)
    return out.rename(
        {name: name[escaped:] for name, escaped in zip(rows.columns, _is_escaped(names), strict=True)}
    )


def _texts(column: pl.Series) -> pl.Series:
    return nameless(column) if column.dtype == pl.String else pl.Series([], dtype=pl.String)


def _some_risky(texts: pl.Series) -> bool:
    """Whether a text would be a formula; of many, those that sort among letters and digits need no further look."""
    if len(texts) > FEW:
        texts = texts.filter((texts < "0") | ((texts >= "=") & (texts < "A")) | (texts >= "＋"))
    return some_match(texts, _RISKY, unless=_NUMBER)


def _is_risky(texts: Any) -> Any:
    return texts.str.contains(_RISKY) & ~texts.str.contains(_NUMBER)


def _is_escaped(texts: Any) -> Any:
    return texts.str.contains(_ESCAPED) & ~texts.str.contains(_NUMBER)
