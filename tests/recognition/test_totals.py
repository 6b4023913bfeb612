"""A sum below a table is nobody's row, and is told."""

from __future__ import annotations

import warnings

import polars as pl
import pytest

import lookalike as la

DONORS = pl.DataFrame(
    {
        "donor": [f"D{i:03d}" for i in range(40)],
        "age": [20 + i % 30 for i in range(40)],
        "given": [10.0 * i for i in range(40)],
    }
)


@pytest.mark.parametrize("word", ["TOTAL", " Total: ", "Summe", "Grand total", "итого"])
def test_a_row_that_is_called_total_is_told_wherever_it_stands(word: str) -> None:
    total = pl.DataFrame({"donor": [word], "age": [None], "given": [7800.0]}, schema=DONORS.schema)
    for place, frame in ((41, pl.concat([DONORS, total])), (1, pl.concat([total, DONORS]))):
        with pytest.warns(la.LookalikeWarning, match=rf"row {place} of the table reads like a total"):
            la.inspect(frame)


def test_a_value_that_many_have_is_no_total() -> None:
    kind = pl.Series("resection", ["total", "partial"] * 20)
    with warnings.catch_warnings():
        warnings.simplefilter("error", la.LookalikeWarning)
        la.inspect(DONORS.with_columns(kind))
