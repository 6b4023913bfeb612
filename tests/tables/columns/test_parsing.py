"""Texts as numbers and dates: all of them or none."""

from __future__ import annotations

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lookalike.tables.columns.parsing import read_dates, read_numbers
from lookalike.tables.columns.roles import Kind


@pytest.mark.parametrize(
    ("texts", "values", "kind"),
    [
        (["1", "-2", "+3"], [1, -2, 3], Kind.INTEGER),
        (["0", "10"], [0, 10], Kind.INTEGER),
        (["1.5", ".25", "2."], [1.5, 0.25, 2.0], Kind.DECIMAL),
        (["1e3", "2.5E-1"], [1000.0, 0.25], Kind.DECIMAL),
        (["63.0", "7"], [63, 7], Kind.INTEGER),
        (["1,234", "12,345,678"], [1234, 12345678], Kind.INTEGER),
        (["108,429.42", "7"], [108429.42, 7.0], Kind.DECIMAL),
        (["3,5", "12,25"], [3.5, 12.25], Kind.DECIMAL),
        (["1.234,5", "7,25"], [1234.5, 7.25], Kind.DECIMAL),
        ([" 4 ", "5"], [4, 5], Kind.INTEGER),
        (["$1,234.50", "-$5.25"], [1234.5, -5.25], Kind.DECIMAL),
        (["1.234,50 €", "7,25€"], [1234.5, 7.25], Kind.DECIMAL),
        (["EUR 20", "EUR 30"], [20, 30], Kind.INTEGER),
    ],
)
def test_numbers_in_common_spellings(texts: list[str], values: list[float], kind: Kind) -> None:
    read = read_numbers(pl.Series(texts), None)
    assert read is not None
    assert read[0].tolist() == values
    assert read[1] is kind


@pytest.mark.parametrize(
    "texts",
    [["1", "x"], ["007", "8"], ["1-2"], ["٣"], ["1 2"], ["0x10"], ["$5", "€5"], ["$5", "5"], ["9" * 19, "1"]],
)
def test_codes_and_words_are_no_numbers(texts: list[str]) -> None:
    assert read_numbers(pl.Series(texts), None) is None


@pytest.mark.filterwarnings("error")
def test_numbers_without_end_are_read_without_a_word() -> None:
    read = read_numbers(pl.Series(["1e999", "1"]), None)
    assert read is None or read[1] is Kind.DECIMAL


def test_leading_zeros_are_numbers_where_somebody_says_so() -> None:
    read = read_numbers(pl.Series(["007", "8"]), Kind.INTEGER)
    assert read is not None
    assert read[0].tolist() == [7, 8]


@pytest.mark.parametrize(
    ("texts", "numbers"),
    [
        (["37 %", "4.5%", "-1%"], [37, 4.5, -1]),
        (["37\u00a0%", "4,5 %", "1.000,5 %"], [37, 4.5, 1000.5]),
        (["3 Prozent", "4 Prozent"], [3, 4]),
        (["37 %", "4"], None),
        (["5 %", "5 ‰"], None),
        (["100 % x", "5 %"], None),
    ],
)
def test_per_cent_are_numbers_where_all_have_one_sign(texts: list[str], numbers: list[float] | None) -> None:
    read = read_numbers(pl.Series(texts), None)
    assert (None if read is None else read[0].tolist()) == numbers


def test_months_with_points_are_no_decimals() -> None:
    assert read_numbers(pl.Series(["02.2019", "11.2020"]), None) is None
    assert read_numbers(pl.Series(["2.2019", "11.2020"]), None) is not None
    assert read_numbers(pl.Series(["02.2019", "11.2020"]), Kind.DECIMAL) is not None


@pytest.mark.parametrize(
    ("texts", "day"),
    [
        (["2024-01-31"], "2024-01-31"),
        (["2024/1/31"], "2024-01-31"),
        (["31.01.2024"], "2024-01-31"),
        (["31/1/2024"], "2024-01-31"),
        (["1/31/2024"], "2024-01-31"),
        (["31-01-2024"], "2024-01-31"),
        (["01-31-2024"], "2024-01-31"),
        (["31 Jan 2024"], "2024-01-31"),
        (["31-Jan-2024"], "2024-01-31"),
        (["31 January 2024"], "2024-01-31"),
        (["January 31, 2024"], "2024-01-31"),
        (["20240131"], "2024-01-31"),
        (["2024-01-31T23:59:59.5Z"], "2024-01-31"),
        (["2024-01-31 08:30"], "2024-01-31"),
        (["31/01/2024 8:30 PM"], "2024-01-31"),
        (["2024-01-31 08:30:00+02:00"], "2024-01-31"),
    ],
)
def test_dates_in_common_formats(texts: list[str], day: str) -> None:
    read = read_dates(pl.Series(texts))
    assert read is not None
    assert [str(d) for d in read[0]] == [day]
    assert read[1] is None


@pytest.mark.parametrize(
    "texts", [["1/2/45"], ["2024-13-01"], ["2024-02-30"], ["12:30"], ["May"], ["99999999"]]
)
def test_what_is_no_date_with_a_full_year_is_refused(texts: list[str]) -> None:
    assert read_dates(pl.Series(texts)) is None


def test_one_value_settles_whether_the_day_or_the_month_comes_first() -> None:
    day_first = read_dates(pl.Series(["01/02/2024", "13/02/2024"]))
    month_first = read_dates(pl.Series(["01/02/2024", "02/13/2024"]))
    assert day_first is not None
    assert month_first is not None
    assert [str(d) for d in day_first[0]] == ["2024-02-01", "2024-02-13"]
    assert [str(d) for d in month_first[0]] == ["2024-01-02", "2024-02-13"]
    assert day_first[1] is None
    assert month_first[1] is None


def test_where_nothing_settles_it_the_day_comes_first_and_the_other_reading_is_named() -> None:
    read = read_dates(pl.Series(["01/02/2024", "03/04/2024"]))
    assert read is not None
    assert [str(d) for d in read[0]] == ["2024-02-01", "2024-04-03"]
    assert read[1] == "%m/%d/%Y"
    same = read_dates(pl.Series(["02/02/2024"]))
    assert same is not None
    assert same[1] is None


def test_a_late_exception_is_found_although_the_sample_fits() -> None:
    assert read_numbers(pl.Series([str(i) for i in range(1, 1000)] + ["x"]), None) is None
    assert read_dates(pl.Series(["2024-01-01"] * 1000 + ["x"])) is None
    late = read_numbers(pl.Series([str(i) for i in range(1, 1000)] + ["0.5"]), None)
    assert late is not None
    assert late[1] is Kind.DECIMAL


@settings(deadline=None)
@given(st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=1))
def test_every_float_survives_its_text(values: list[float]) -> None:
    read = read_numbers(pl.Series([repr(v) for v in values]), Kind.DECIMAL)
    assert read is not None
    assert read[0].tolist() == [v + 0.0 for v in values]


@settings(deadline=None)
@given(st.lists(st.dates(), min_size=1))
def test_every_date_survives_its_iso_text(days: list[object]) -> None:
    read = read_dates(pl.Series([str(day) for day in days]))
    assert read is not None
    assert [str(d) for d in read[0]] == [str(day) for day in days]
