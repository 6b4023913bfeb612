"""Columns become codes: every type of series, kinds found and declared, every kind of missing."""

from __future__ import annotations

import warnings
from datetime import date, datetime, time
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import lookalike as la
from lookalike.base.errors import ColumnError, LookalikeWarning
from lookalike.tables.columns import coding
from lookalike.tables.columns.coding import Column, Distinct, KindLike, distinct, encode
from lookalike.tables.columns.roles import Kind


def coded(values: Any, *, kind: KindLike | None = None, na: tuple[str, ...] = ("?",)) -> Column:
    series = values if isinstance(values, pl.Series) else pl.Series(values)
    return encode(series.alias("x"), kind=kind, na=na)


def decoded(column: Column) -> list[Any]:
    texts = [*column.domain.texts, None]
    return [texts[code] for code in column.codes]


@pytest.mark.parametrize(
    ("series", "kind", "texts"),
    [
        (pl.Series([3, 1, 3]), Kind.INTEGER, ["3", "1", "3"]),
        (pl.Series([3, None], dtype=pl.UInt8), Kind.INTEGER, ["3", None]),
        (pl.Series([2**63, 1], dtype=pl.UInt64), Kind.NOMINAL, ["9223372036854775808", "1"]),
        (pl.Series([-(2**62), 2**62]), Kind.INTEGER, [str(-(2**62)), str(2**62)]),
        (pl.Series([1.5, float("nan"), None]), Kind.DECIMAL, ["1.5", None, None]),
        (pl.Series([34.0, None, 7.0]), Kind.INTEGER, ["34", None, "7"]),
        (pl.Series([0.0, -0.0, 0.5]), Kind.DECIMAL, ["0", "0", "0.5"]),
        (pl.Series([True, None, False]), Kind.NOMINAL, ["true", None, "false"]),
        (pl.Series([date(2024, 2, 29), None]), Kind.DATE, ["2024-02-29", None]),
        (
            pl.Series([datetime(2024, 2, 29, 13), datetime(2024, 2, 29)]),
            Kind.DATE,
            ["2024-02-29", "2024-02-29"],
        ),
        (pl.Series([time(8, 30)]), Kind.NOMINAL, ["08:30:00"]),
        (pl.Series([Decimal("1.50"), Decimal("2")]), Kind.DECIMAL, ["1.5", "2"]),
        (pl.Series([Decimal(2**53 + 1), Decimal(2**53)]), Kind.INTEGER, [str(2**53 + 1), str(2**53)]),
        (pl.Series([Decimal(10**29), Decimal(10**29 + 1)]), Kind.NOMINAL, [str(10**29), str(10**29 + 1)]),
        (pl.Series([f"0.{10**20}", f"0.{10**20 + 1}"]), Kind.NOMINAL, [f"0.{10**20}", f"0.{10**20 + 1}"]),
        (pl.Series(["0.10000000000000000555", "0.5"]), Kind.DECIMAL, ["0.1", "0.5"]),
        (pl.Series(["b", None, "a"]), Kind.NOMINAL, ["b", None, "a"]),
        (pl.Series(["b", None, "a"], dtype=pl.Categorical), Kind.NOMINAL, ["b", None, "a"]),
        (pl.Series(["b", None], dtype=pl.Enum(["unused", "b"])), Kind.NOMINAL, ["b", None]),
        (pl.Series([None, None]), Kind.NOMINAL, [None, None]),
        (pl.Series(["10", "9"]), Kind.INTEGER, ["10", "9"]),
        (pl.Series(["007", "7"]), Kind.NOMINAL, ["007", "7"]),
        (pl.Series(["1.0", "1"]), Kind.INTEGER, ["1", "1"]),
        (pl.Series(["31.12.1999", ""]), Kind.DATE, ["1999-12-31", None]),
        (pl.Series([19991231, 20000101]), Kind.DATE, ["1999-12-31", "2000-01-01"]),
        (pl.Series([19991232, 20000101]), Kind.INTEGER, ["19991232", "20000101"]),
        (pl.Series(["é", "z", "ß", "😀"]), Kind.NOMINAL, ["é", "z", "ß", "😀"]),
    ],
)
def test_every_type_of_series_has_its_kind(series: pl.Series, kind: Kind, texts: list[str | None]) -> None:
    column = coded(series)
    assert column.kind is kind
    assert decoded(column) == texts
    assert column.domain.missing == (None in texts)


def test_domains_are_sorted_and_unused_categories_are_no_values() -> None:
    assert coded(["10", "9", "100"]).domain.texts == ["9", "10", "100"]
    assert coded(["b", "a"]).domain.texts == ["a", "b"]
    assert coded(pl.Series(["b"], dtype=pl.Enum(["unused", "b"]))).domain.size == 1
    assert coded(pl.Series([3, None, 3])).counts.tolist() == [2, 1]


@pytest.mark.parametrize("missing", [None, "", "  ", "?", " ? "])
def test_every_spelling_of_missing_is_one_value(missing: str | None) -> None:
    column = coded(["a", missing, None, "b"])
    assert decoded(column) == ["a", None, None, "b"]
    assert column.domain.size == 3


def test_na_among_numbers_and_dates_is_missing_but_among_words_it_is_a_word() -> None:
    assert decoded(coded(["1", "NA", "n/a", "-"])) == ["1", None, None, None]
    assert decoded(coded(["2024-01-01", "NULL"])) == ["2024-01-01", None]
    assert decoded(coded(["NA", "DE"])) == ["NA", "DE"]
    assert decoded(coded(["1", "NA"], kind=Kind.NOMINAL)) == ["1", "NA"]


def test_declared_markers_are_missing_whatever_the_type() -> None:
    for values in (["-9", "4"], [-9, 4], [-9.0, 4.0], ["-9.0", "4"]):
        assert decoded(coded(values, na=("-9",))) == [None, "4"]
    assert decoded(coded([date(9999, 12, 31), date(2024, 1, 1)], na=("9999-12-31",))) == [None, "2024-01-01"]


@pytest.mark.parametrize(
    ("values", "kind", "na", "left"),
    [
        (["low", "medium", "high"], None, "1", ["low", "medium", "high"]),
        (["0 to 17", "18 to 29", "30 to 49"], None, "1", ["0 to 17", "18 to 29", "30 to 49"]),
        (["2015-01", "2015-02", "2015-03"], None, "1", ["2015-01", "2015-02", "2015-03"]),
        (["low", "medium", "high"], ["low", "medium", "high"], "1", ["low", "medium", "high"]),
        (["low", "medium", "high"], None, "medium", ["low", None, "high"]),
        (["9.0", "10", "11"], Kind.ORDINAL, "9", [None, "10", "11"]),
        ([9, 10, 11], ["11", "10"], "9", [None, "10", "11"]),
        ([9, 10, 11], Kind.NOMINAL, "9", [None, "10", "11"]),
        (["9", "10", "11"], Kind.NOMINAL, "9", [None, "10", "11"]),
        ([9.5, 10.0, 11.0], None, "9", ["9.5", "10", "11"]),
        ([True, False], None, "1", ["true", "false"]),
        (["2015-01-01", "2015-02-01"], None, "2015", ["2015-01-01", "2015-02-01"]),
        ([date(2015, 1, 1), date(2015, 2, 1)], None, "2015-02", ["2015-01-01", "2015-02-01"]),
    ],
)
def test_a_marker_is_a_value_as_somebody_wrote_it_and_no_place_in_an_order(
    values: list[Any], kind: KindLike | None, na: str, left: list[str | None]
) -> None:
    assert decoded(coded(values, kind=kind, na=(na,))) == left


def test_a_declared_kind_overrules_what_the_values_look_like() -> None:
    assert coded(["1", "2"], kind=Kind.NOMINAL).kind is Kind.NOMINAL
    assert coded([10, 9], kind=Kind.NOMINAL).domain.texts == ["10", "9"]
    assert coded([1.0, 2.5], kind=Kind.NOMINAL).domain.texts == ["1", "2.5"]
    assert coded(["007"], kind=Kind.INTEGER).domain.texts == ["7"]
    assert coded([1, 2], kind=Kind.DECIMAL).kind is Kind.DECIMAL
    assert coded([1.0, 2.0], kind=Kind.INTEGER).kind is Kind.INTEGER
    assert coded(["10", "9", "NA"], kind=Kind.ORDINAL).domain.texts == ["9", "10"]
    assert coded(["low", "high"], kind=Kind.ORDINAL).domain.texts == ["high", "low"]
    assert coded(["", None], kind=Kind.DATE).domain.size == 1


@pytest.mark.parametrize(
    ("values", "ordered"),
    [
        (["10", "100", "11", "2", "89", "9", "90+"], ["2", "9", "10", "11", "89", "90+", "100"]),
        (["10 cigarettes", "2 cigarettes", "0"], ["0", "2 cigarettes", "10 cigarettes"]),
        (["<5", "5-9", "10-14", "7"], ["<5", "5-9", "7", "10-14"]),
        (["high", "low", "medium"], ["low", "medium", "high"]),
        (["b10", "b9", "a"], ["a", "b10", "b9"]),  # nothing says better than the texts themselves
    ],
)
def test_what_is_declared_ordinal_goes_by_its_numbers(values: list[str], ordered: list[str]) -> None:
    assert coded(values, kind=Kind.ORDINAL).domain.texts == ordered
    assert coded(values, kind=sorted(values)).domain.texts == sorted(values)  # a given order wins


@pytest.mark.parametrize(
    ("values", "kind"),
    [
        (["x-secret"], Kind.INTEGER),
        (["1.5"], Kind.INTEGER),
        ([1.5], Kind.INTEGER),
        (["x-secret"], Kind.DECIMAL),
        (["5"], Kind.DATE),
        ([5], Kind.DATE),
        ([date(2024, 1, 1)], Kind.INTEGER),
        (["01/02/2024"], "%Y-%m-%d"),
    ],
)
def test_values_that_do_not_read_as_declared_are_refused_unseen(values: list[Any], kind: KindLike) -> None:
    with pytest.raises(ColumnError, match="column 'x' was declared") as problem:
        coded(values, kind=kind)
    assert str(values[0]) not in str(problem.value)


def test_a_date_format_can_be_declared() -> None:
    assert decoded(coded(["01/02/2024"], kind="%m/%d/%Y")) == ["2024-01-02"]
    assert decoded(coded(["1.2.45", "1.2.15", "NA"], kind="%d.%m.%y")) == ["1945-02-01", "2015-02-01", None]
    assert decoded(coded([31012024], kind="%d%m%Y")) == ["2024-01-31"]


def test_dates_that_can_be_read_two_ways_warn_and_declaring_them_settles_it() -> None:
    with pytest.warns(LookalikeWarning, match=r"day.*first.*'%m/%d/%Y'"):
        column = coded(["01/02/2024", "03/04/2024"])
    assert decoded(column) == ["2024-02-01", "2024-04-03"]
    assert decoded(coded(["01/02/2024", "03/04/2024"], kind=Kind.DATE)) == ["2024-02-01", "2024-04-03"]


@pytest.mark.parametrize(
    ("values", "form", "days"),
    [
        (["20-05-85", "01-02-35", "29-02-00"], "%d-%m-%y", ["1985-05-20", "1935-02-01", "2000-02-29"]),
        (["20.05.19", "01.02.18", "1.2.29"], "%d.%m.%y", ["2019-05-20", "2018-02-01", "2029-02-01"]),
        (["05/20/30", "01/02/99", "1/2/00"], "%m/%d/%y", ["1930-05-20", "1999-01-02", "2000-01-02"]),
        (["85-05-20", "35-02-01", "00-02-29"], "%y-%m-%d", ["1985-05-20", "1935-02-01", "2000-02-29"]),
        (["20-May-85", "1-feb-35", "29-FEB-00"], "%d-%b-%y", ["1985-05-20", "1935-02-01", "2000-02-29"]),
        (
            ["20 June 85", "1 May 35", "29 February 00"],
            "%d %B %y",
            ["1985-06-20", "1935-05-01", "2000-02-29"],
        ),
        (["20MAY85", "1feb35", "29Feb00"], "%d%b%y", ["1985-05-20", "1935-02-01", "2000-02-29"]),
    ],
)
def test_years_of_two_digits_are_read_where_one_order_alone_fits_and_the_century_is_told(
    values: list[str], form: str, days: list[str]
) -> None:
    with pytest.warns(LookalikeWarning, match=f"read as {form}: 30 to 99 are 1930 to 1999"):
        assert decoded(coded(values)) == days
    assert decoded(coded(values, kind=form)) == days


@pytest.mark.parametrize(
    ("values", "forms"),
    [
        (["10/05/19", "01/02/18", "05/12/15"], "%d/%m/%y, %m/%d/%y"),
        (["20-05-19", "01-02-18", "13-12-15"], "%d-%m-%y, %y-%m-%d"),
    ],
)
def test_dates_in_an_order_nobody_can_tell_stay_words_with_a_warning(values: list[str], forms: str) -> None:
    with pytest.warns(LookalikeWarning, match=f"one of several orders \\({forms}\\)"):
        assert coded(values).kind is Kind.NOMINAL
    assert coded(values, kind=Kind.DATE).kind is Kind.DATE  # the day first, as among full years


def test_dates_written_in_several_ways_are_days_and_the_ways_are_told() -> None:
    values = ["2024-01-31", "31.01.2024", "1 Feb 2024", "02/13/2024 8:30", "n/a"]
    with pytest.warns(LookalikeWarning, match="several ways \\(%Y-%m-%d, %d.%m.%Y, %m/%d/%Y, %d %b %Y\\)"):
        column = coded(values)
    assert decoded(column) == ["2024-01-31", "2024-01-31", "2024-02-01", "2024-02-13", None]
    assert decoded(coded(values, kind=Kind.DATE)) == decoded(column)


def test_ways_with_years_of_two_digits_among_full_ones_are_read_and_the_century_is_told() -> None:
    values = ["1972-01-18", "18-Jan-72 15:10", "19/11/1945", "3-Feb-04", "05MAY2021"]
    told = r"several ways \(%Y-%m-%d, %d/%m/%Y, %d%b%Y, %d-%b-%y\).* Of years of two digits 30 to 99 are 1930"
    with pytest.warns(LookalikeWarning, match=told):
        column = coded(values)
    assert decoded(column) == ["1972-01-18", "1972-01-18", "1945-11-19", "2004-02-03", "2021-05-05"]
    with pytest.warns(LookalikeWarning, match="66.7% of its different values are written as dates"):
        assert (
            coded(["1972-01-18", "1973-01-18", "01/02/03"]).kind is Kind.NOMINAL
        )  # nobody can tell the last


def test_dates_as_sas_writes_them_are_days_in_any_case() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert decoded(coded(["01MAR2021", "29feb2020", "5May2021"])) == [
            "2021-03-01",
            "2020-02-29",
            "2021-05-05",
        ]


@pytest.mark.parametrize("values", [["12AB2021", "13CDE2021"], ["7 Oaks 12", "9 Elms 14", "3 Ash 10"]])
def test_codes_and_addresses_that_name_no_month_are_no_dates(values: list[str]) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert coded(values).kind is Kind.NOMINAL


@pytest.mark.parametrize(
    ("values", "share"),
    [
        (["2024-01-31", "2023-05-06", "1/2/2024"], "100.0%"),  # in February or in January?
        (["1956", "1957-03-02", "1958-01", "1960-02-03"], "50.0%"),
        (["31.02.1985", "01.02.1985", "01.03.1985"], "100.0%"),
    ],
)
def test_where_most_are_dates_but_not_all_can_be_read_they_stay_words_with_a_warning(
    values: list[str], share: str
) -> None:
    with pytest.warns(LookalikeWarning, match=f"{share} of its different values are written as dates"):
        assert coded(values).kind is Kind.NOMINAL
    assert coded(values, kind=Kind.NOMINAL).kind is Kind.NOMINAL  # without a word
    assert coded([20241399, 20240101, 20240102]).kind is Kind.INTEGER


def test_words_that_differ_only_by_blanks_around_are_told() -> None:
    with pytest.warns(LookalikeWarning, match="'x': 2 values differ from another one only by blanks around"):
        assert coded(["m", " m", "f", "f ", "d"]).domain.texts == [" m", "d", "f", "f ", "m"]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert coded(["m", " m"], kind=Kind.NOMINAL).domain.texts == [" m", "m"]
        assert coded([" m", "f "]).domain.texts == [" m", "f "]
        assert coded(["1", " 1"]).domain.texts == ["1"]


@pytest.mark.parametrize("more", [0, 300])
def test_words_that_differ_only_by_case_or_blanks_are_told_however_many_there_are(more: int) -> None:
    others = [f"BD{i} 1AA" for i in range(more)]
    told = "'x': 2 values differ from another one only by case or blanks, .* Write them alike in the file"
    with pytest.warns(LookalikeWarning, match=told):
        column = coded(["LS1 4AB", "ls1 4ab", "LS14AB", "LS1 4AC", *others])
    assert len(column.domain.texts) == more + 4  # they count as different
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        coded(["LS1 4AB", "ls1 4ab", *others], kind=Kind.NOMINAL)
        coded(["LS1 4AB", "ls1 4ac", *others])
        coded(["1 11-2", "11 1-2", *others])  # without a letter, blanks tell digits apart


def test_an_order_given_by_hand_is_the_order_of_the_domain() -> None:
    column = coded(["high", "low", "?", "low"], kind=["low", "mid", "high"])
    assert column.kind is Kind.ORDINAL
    assert column.domain.texts == ["low", "high"]
    assert column.codes.tolist() == [1, 0, 2, 0]
    assert coded([3, 1], kind=["3", "1"]).codes.tolist() == [0, 1]
    assert coded([True, False], kind=["false", "true"]).codes.tolist() == [1, 0]
    with pytest.raises(ColumnError, match="1 of its 2 distinct values are not in the given order"):
        coded(["low", "secret"], kind=["low"])
    with pytest.raises(ColumnError, match="names a value twice"):
        coded(["low"], kind=["low", "low"])


@pytest.mark.parametrize("series", [pl.Series([[1]]), pl.Series([b"x"]), pl.Series([{"a": 1}])])
def test_columns_that_hold_no_plain_values_are_refused(series: pl.Series) -> None:
    with pytest.raises(ColumnError, match="column 'x': a column of"):
        coded(series)


def test_local_days_that_are_others_in_universal_time_are_told() -> None:
    noon, night = datetime(2024, 2, 29, 12), datetime(2024, 2, 29, 23)
    for moments in ([noon, None], [noon, night]):
        series = pl.Series("x", moments).dt.replace_time_zone("UTC").dt.convert_time_zone("Europe/Vienna")
        if night in moments:
            with pytest.warns(LookalikeWarning, match="'x': days are counted in universal time"):
                found = coded(series)
        else:
            found = coded(series)
        assert found.domain.texts == ["2024-02-29"]


def test_texts_with_an_offset_are_the_days_that_are_written(tmp_path: Path) -> None:
    moments = ["2024-05-01T00:45:31+02:00", "2024-05-02 23:10:00-05:00", "2024-05-03T00:10:00Z"]
    written = ["2024-05-01", "2024-05-02", "2024-05-03"]
    assert coded(moments).domain.texts == written
    pl.DataFrame({"when": moments}).write_csv(tmp_path / "visits.csv")
    assert (
        la.read(tmp_path / "visits.csv", engine="streaming", others=[]).in_sight().column("when").domain.texts
        == written
    )


def test_infinite_numbers_are_refused() -> None:
    with pytest.raises(ColumnError, match="infinite"):
        coded([1.0, float("inf")])


@settings(deadline=None)
@given(st.lists(st.one_of(st.none(), st.text(max_size=3)), min_size=1, max_size=60))
def test_texts_are_grouped_exactly(values: list[str | None]) -> None:
    found = distinct(pl.Series("x", values, dtype=pl.String))
    assert found.series("x").to_list() == values
    assert found.values.n_unique() == len(found.values) == len({v for v in values if v is not None})


@settings(deadline=None)
@given(
    st.lists(
        st.one_of(st.none(), st.integers(-3, 3), st.integers(-(2**63), 2**63 - 1)), min_size=1, max_size=60
    )
)
def test_integers_are_grouped_exactly(values: list[int | None]) -> None:
    found = distinct(pl.Series("x", values, dtype=pl.Int64))
    assert found.series("x").to_list() == values


@settings(deadline=None)
@given(st.lists(st.sampled_from(["a", "b", "c", None]), min_size=1), st.data())
def test_a_part_of_a_column_has_the_values_of_its_rows(values: list[str | None], data: st.DataObject) -> None:
    keep = np.array(
        data.draw(st.lists(st.booleans(), min_size=len(values), max_size=len(values))), dtype=bool
    )
    kept = [v for v, k in zip(values, keep, strict=True) if k]
    series = pl.Series("x", values, dtype=pl.String)
    part = encode(series, kind=None, na=()).part(keep)
    assert decoded(part) == kept
    assert part.domain.texts == sorted({v for v in kept if v is not None})
    assert part.domain.missing == (None in kept)
    assert distinct(series).part(keep).series("x").to_list() == kept


def test_texts_with_the_same_hash_are_still_told_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pl.Series, "hash", lambda self, seed=0: pl.Series([7] * len(self), dtype=pl.UInt64))
    found = distinct(pl.Series("x", ["a", "b", None, "a"]))
    assert isinstance(found, Distinct)
    assert found.series("x").to_list() == ["a", "b", None, "a"]


@pytest.mark.parametrize(
    "last",
    ["7", "-9", "-0", "+5", " 5", "007", "1e3", "1.0", "", "?", "NA", "9" * 18, "9" * 19, "x", "20200101"],
)
def test_many_whole_numbers_are_read_as_few_are(monkeypatch: pytest.MonkeyPatch, last: str) -> None:
    texts = pl.Series("x", [*map(str, range(-20, 400)), last, None])
    for kind in (None, Kind.INTEGER, Kind.DECIMAL, Kind.NOMINAL):
        with monkeypatch.context() as slow:
            slow.setattr(coding, "plain_integers", lambda texts: None)
            expected = _coded(texts, kind)
        assert _coded(texts, kind) == expected


def _coded(texts: pl.Series, kind: Kind | None) -> object:
    try:
        column = encode(texts, kind=kind, na=("?", "-9"))
    except ColumnError as problem:
        return str(problem)
    return column.codes.tolist(), column.kind, column.domain.texts, column.domain.missing


def test_points_that_may_stand_for_thousands_are_pointed_out() -> None:
    loans = pl.Series("loan", [f"{i}.500" for i in range(100, 130)])
    with pytest.warns(
        LookalikeWarning, match=r"'loan': every value has a point before its last three digits"
    ):
        assert encode(loans, kind=None, na=()).kind is Kind.DECIMAL
    assert encode(loans, kind=Kind.DECIMAL, na=()).kind is Kind.DECIMAL  # whoever says so has looked
    weights = pl.concat([loans, pl.Series("loan", ["0.500"])])  # no thousands begin with a zero
    assert encode(weights, kind=None, na=()).kind is Kind.DECIMAL
    assert encode(loans.head(9), kind=None, na=()).kind is Kind.DECIMAL  # too few to say
