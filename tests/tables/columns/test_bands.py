"""Texts with an order of their own are recognised; all of them, or none."""

from __future__ import annotations

import polars as pl
import pytest

import lookalike as la
from lookalike.tables.columns.bands import natural_order


@pytest.mark.parametrize(
    "ordered",
    [
        ["0 to 17", "18 to 29", "30 to 49", "50 to 69", "70 or Older"],
        ["10-19", "20-29", "30-39"],
        ["<20", "20-39", "40-59", "60+"],
        ["under 5 years", "5 to 9 years", "10 years and over"],
        ["[0, 10)", "[10, 20)", "[20, 30)"],
        ["< $1,000", "$1,000 - $9,999", "$10,000 or more"],
        ["<= 5k", "5k-10k", "10k-50k", "> 50k"],
        ["0", "1-2", "3-5", "6+"],
        ["2", "9", "10", "89", "90+"],
        ["<1", "1", "2", "10", "65 and over"],
        ["under 5", "5", "6", "11"],
        [*map(str, range(365)), "365+"],
        ["unter 500 €", "500 bis 900 €", "900 bis 1.500 €", "über 1.500 €"],
        ["moins de 2 ans", "2 à 4 ans", "5 ans et plus"],
        ["<3 ng/L", "3 ng/L", "4.5 ng/L", "12 ng/L", "103 ng/L"],
        ["4.4 µg/l", "5 µg/l", "12.1 µg/l"],
        ["2 x10^9/L", "4.5 x10^9/L", "11 x10^9/L", "> 100 x10^9/L"],
        ["<5mmHg", "5mmHg", "60mmHg", ">180mmHg"],
        ["0-9 mg/dl", "10-19 mg/dl", "100-199 mg/dl"],
        ["low", "med", "high", "vhigh"],
        ["Minor", "Moderate", "Major", "Extreme"],
        ["Mon", "Tue", "Fri"],
        ["7:05", "07:30", "12:00", "23:59"],
        ["00:00:30", "07:15:00", "07:15:01.5"],
        ["12:10 am", "9:00 AM", "12:00 PM", "1:00 p.m."],
        ["2015-12", "2016-2", "2016-10"],
        ["11/2019", "02/2058", "01/2060"],
        ["11.2019", "02.2058", "01.2060"],
        ["März 2018", "Mai 2019", "Dez. 2019"],
        ["Mar 2018", "May 2019", "September 2019"],
        ["févr. 2019", "août 2019", "janvier 2020"],
        ["2017 Okt", "2018 Juni", "2019 Mai"],
        ["2015 Q4", "2016 Q1", "2016 Q2"],
        ["Q4 2015", "Q1 2016", "Q2 2016"],
        ["2019-W52", "2020-W01", "2020-W10"],
        ["1st-4th", "12th", "HS-grad", "Some-college", "Bachelors", "Doctorate"],
        ["basic.4y", "high.school", "university.degree"],
    ],
)
def test_bands_and_degrees_are_in_order_however_they_come(ordered: list[str]) -> None:
    assert natural_order(ordered[::-1]) == list(range(len(ordered)))[::-1]
    table = la.table(pl.DataFrame({"x": sorted(ordered)}), others=[])
    assert table.column("x").kind == "ordinal"
    assert table.column("x").domain.texts == ordered


@pytest.mark.parametrize(
    "texts",
    [
        ["0-17", "10-20", "30-40"],  # they overlap
        ["<3 ng/L", "4 ng/L", "5 mg/L"],  # of two units
        ["<3 ng/L", "4 ng/L", "5"],  # of one, or none
        ["3 Main Street", "12 Main Street", "104 Main Street"],
        ["25-00503", "26-00504", "27-1"],  # codes
        ["10-19", "20-29", "unknown"],
        ["10-19", "20-29"],  # too few to tell
        ["2", "3", "5more"],
        ["2", "90+", "100"],  # who is 100 may be in either
        ["red", "green", "blue"],
        ["555-1234", "555-1235", "555-1239"],
        ["low", "high", "purple"],
        ["07:00", "7:00", "08:00"],  # one time, spelt twice
        ["13:00 pm", "14:00 pm", "15:00 pm"],
        ["2016-13", "2016-14", "2016-15"],
        ["Abc 2019", "Mai 2018", "Juni 2019"],
        ["Mai 2019", "May 2019", "Juni 2019"],  # one month, spelt twice
        ["2016 Q1", "2016 H1", "2017 Q1"],  # periods of two sorts
        ["10:00", "11:00", "noonish"],
    ],
)
def test_what_is_not_clearly_in_order_stays_nominal(texts: list[str]) -> None:
    assert natural_order(texts) is None
    assert la.table(pl.DataFrame({"x": texts}), others=[]).column("x").kind == "nominal"


def test_neighbouring_bands_are_published_as_a_range() -> None:
    bands = ["0 to 17"] * 3 + ["18 to 29"] * 3 + ["30 to 49"] * 9 + ["70 or Older"] * 3
    release = la.anonymize(
        la.table(pl.DataFrame({"age": bands}), quasi=["age"]), la.KAnonymity(6), method="local"
    )
    assert "[0 to 17, 18 to 29]" in release.rows["age"].to_list()


@pytest.mark.parametrize("method", ["local", "optimal"])
def test_ages_with_a_top_code_are_published_as_ranges_with_it_at_the_end(method: str) -> None:
    ages = [str(age) for age in range(21, 90) for _ in range(20)] + ["90+"] * 20
    table = la.table(pl.DataFrame({"age": ages}), quasi=["age"])
    asked = {"min_levels": {"age": 1}} if method == "optimal" else {}
    release = la.anonymize(table, la.KAnonymity(20 if asked else 25), method=method, **asked)
    order = [*map(str, range(21, 90)), "90+"]
    seen = release.rows["age"].unique().to_list()
    assert any(label.endswith(", 90+]") for label in seen)
    for label in seen:
        low, high = label.strip("[]").split(", ")
        assert order.index(low) < order.index(high)


def test_spellings_of_nothing_among_bands_are_missing() -> None:
    column = la.table(pl.DataFrame({"x": ["1", "2", "3+", "NA"]}), others=[]).column("x")
    assert (column.domain.texts, column.domain.missing) == (["1", "2", "3+"], True)


def test_many_times_of_day_are_published_as_ranges() -> None:
    times = [f"{h:02}:{m:02}" for h in range(8, 18) for m in range(60)]
    release = la.anonymize(la.table(pl.DataFrame({"at": times}), quasi=["at"]), la.KAnonymity(5))
    assert all(text.startswith("[") for text in release.rows["at"].to_list())


def test_a_type_said_by_hand_wins() -> None:
    frame = pl.DataFrame({"x": ["low", "medium", "high"]})
    assert la.table(frame, others=[], types={"x": "nominal"}).column("x").kind == "nominal"
