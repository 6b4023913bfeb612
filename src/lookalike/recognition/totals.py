"""Rows that are nobody's: the sum below a table, called "Total" in some column. O(distinct values)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import polars as pl

from lookalike.base.errors import warn
from lookalike.tables.columns.coding import Column

_SEVERAL = 3  #: rows that are called so; what more are called is a value
_LEAST = 20  #: rows of a table in which such a row stands out
_WORDS = (
    *("total", "totals", "grand total", "subtotal", "sub-total", "sum", "overall total"),
    *(
        "gesamt",
        "gesamtsumme",
        "summe",
        "zwischensumme",
        "insgesamt",
        "totaal",
        "totalt",
        "summa",
        "yhteensä",
    ),
    *(
        "somme",
        "total général",
        "sous-total",
        "totale",
        "totale generale",
        "suma",
        "suma total",
        "total general",
    ),
    *("razem", "celkem", "összesen", "toplam", "итого", "всего", "合計", "总计", "合计"),
)


def warn_of_totals(columns: Sequence[Column]) -> None:
    """Say which rows read like sums of all others, so that none is counted as somebody."""
    found = set[int]()
    for column in columns:
        if column.domain.values.dtype != object or len(column.codes) < _LEAST:
            continue
        texts = pl.Series(column.domain.texts, dtype=pl.String)
        called = texts.str.strip_chars(" \t:*").str.to_lowercase().is_in(_WORDS).to_numpy()
        few = np.flatnonzero(called & (column.counts[: len(texts)] <= _SEVERAL))
        if len(few):
            found.update((np.flatnonzero(np.isin(column.codes, few)) + 1).tolist())
    if 0 < len(found) <= _SEVERAL:
        rows = ", ".join(f"{row:,}" for row in sorted(found))
        warn(
            f"{'row' if len(found) == 1 else 'rows'} {rows} of the table {'reads' if len(found) == 1 else 'read'} like "
            "a total of the others, but would be counted, and published, as a person. Take it out of the file."
        )
