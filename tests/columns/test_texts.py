"""Few texts are looked at in Python, many in Polars: the answers are the same, whatever the texts are."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from lookalike.columns import parsing, texts
from lookalike.columns.coding import encode

ODD = [
    "",
    " ",
    "\x1c",
    "7\n",
    "\u00a07",
    "+7",
    "007",
    "1e3",
    "1e400",
    "1,234",
    "1.234,5",
    "NA",
    "-",
    "12 Jan 2001",
]
ODD += ["2001-02-03", "2001-02-03 04:05", "31/12/1999", "٣", "x", "Straße", "9" * 19, "-0", ".5", "5."]
SOME = st.lists(st.one_of(st.sampled_from(ODD), st.text(max_size=6), st.integers().map(str)), max_size=8)


def read(values: list[str]) -> Any:
    try:
        column = encode(pl.Series("a", values, dtype=pl.String), kind=None, na=["?"])
    except Exception as problem:
        return type(problem), str(problem)
    return column.kind, column.domain.texts, column.codes.tolist()


@settings(max_examples=300, deadline=None)
@given(SOME)
@example(["2001-02-03", "2001-02-03 04:05"])
@pytest.mark.filterwarnings("ignore:.*its dates can be read")
def test_a_column_is_the_same_whether_its_texts_are_few_or_many(values: list[str]) -> None:
    few = read(values)
    with pytest.MonkeyPatch.context() as patch:
        for module in (texts, parsing):
            patch.setattr(module, "FEW", 1)
        patch.setattr("lookalike.columns.coding.FEW", 0)
        many = read(values)
    assert few == many


@pytest.mark.parametrize("pattern", ["^[0-9]$", parsing._TIME])
def test_a_line_break_at_the_end_is_part_of_the_text(pattern: str) -> None:
    values = pl.Series(["7\n", "1 04:05\n"])
    assert not texts.some_match(values, pattern)
    assert not np.array(values.str.contains(pattern)).any()
