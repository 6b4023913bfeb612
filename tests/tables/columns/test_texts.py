"""Few texts are looked at in Python, many in Polars: the answers are the same, whatever the texts are."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from lookalike.tables.columns import parsing, texts
from lookalike.tables.columns.coding import encode, spelt_integers

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
@example(["\x1c", "7\n", "\u00a07"])
@example(["x", "X y", "x Y"])
@pytest.mark.filterwarnings("ignore:.*its dates can be read")
def test_a_column_is_the_same_whether_its_texts_are_few_or_many(values: list[str]) -> None:
    few = read(values)
    with pytest.MonkeyPatch.context() as patch:
        for module in (texts, parsing):
            patch.setattr(module, "FEW", 1)
        patch.setattr("lookalike.tables.columns.coding.FEW", 0)
        many = read(values)
    assert few == many


@pytest.mark.parametrize("pattern", ["^[0-9]$", parsing._TIME])
def test_a_line_break_at_the_end_is_part_of_the_text(pattern: str) -> None:
    values = pl.Series(["7\n", "1 04:05\n"])
    assert not texts.some_match(values, pattern)
    assert not np.array(values.str.contains(pattern)).any()


@pytest.mark.parametrize("size", [9, 120, 10**6, 10**18 - 1])
def test_whole_numbers_are_put_in_the_order_of_their_texts(size: int) -> None:
    numbers = np.unique(np.random.default_rng(1).integers(-size, size + 1, 500))
    spelt = [str(number) for number in numbers.tolist()]
    assert [spelt[place] for place in texts.order_as_texts(numbers)] == sorted(spelt)


@pytest.mark.parametrize("far", [30, 10**15])
def test_whole_numbers_become_sorted_texts_and_what_is_none_is_null(far: int) -> None:
    numbers = np.random.default_rng(2).integers(-5, 6, 300) * far
    given = np.where(numbers == 2 * far, -(2**63), numbers)
    found = spelt_integers(given.copy(), -(2**63))
    expected = [None if number == 2 * far else str(number) for number in numbers.tolist()]
    assert found.series("x").to_list() == expected
    assert found.values.to_list() == sorted(set(expected) - {None})
    assert found.values.flags["SORTED_ASC"]
