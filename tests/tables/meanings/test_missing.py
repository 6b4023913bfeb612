"""Values that may stand for missing are noticed and named; values of one person, and real values, are not."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

import lookalike as la
from lookalike.tables.meanings.missing import StandIns, stand_ins


def found_in(values: list[object], **how: object) -> StandIns | None:
    return stand_ins(la.table(pl.DataFrame({"x": values}), others=[], **how).column("x"))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("values", "named"),
    [
        ([str(i) for i in range(30)] + ["N"] * 6, ("N",)),
        ([str(i) for i in range(30)] + ["Unknown"], ("Unknown",)),
        ([f"2020-01-{i:02}" for i in range(1, 29)] + ["keine Angabe"] * 2, ("keine Angabe",)),
        (["white", "black", "asian", "Not stated"] * 5, ("Not stated",)),
        (["white", "black", "asian", "Unk.", "unknown"] * 5, ("Unk.", "unknown")),
        ([f"{i}.5" for i in range(30)] + ["NOT DONE"], ("NOT DONE",)),
        ([*range(20, 60), -9, -9, -8], ("-9", "-8")),
        ([*range(18, 70), 999, 999], ("999",)),
        ([1, 2, 3, 4] * 9 + [98, 99] * 3, ("98", "99")),
        ([1, 2, 2, 1, 9, 9] * 9, ("9",)),
        ([1.5, 2.25, 3.75, 4.5, -99.0, -99.0], ("-99",)),
        (["Degree", "GCSE", "-9", "-8"] * 5, ("-9", "-8")),
        (["yes", "no", "-7", "-8", "-9"] * 5, ("-7", "-8", "-9")),
        (["Degree", "GCSE", "99"] * 5, ("99",)),
        (["Degree", "GCSE", "refused", "-9"] * 5, ("-9", "refused")),
        (["<10k", "10k-20k", "20k+", "-9"] * 5, ("-9",)),
        (["0-17", "18-64", "65+", "-9"] * 5, ("-9",)),
    ],
)
def test_what_may_stand_for_missing_is_named(values: list[object], named: tuple[str, ...]) -> None:
    found = found_in(values)
    assert found is not None
    assert sorted(found.values) == sorted(named)
    assert found.words.endswith("missing?")


def test_a_code_among_dates_is_named() -> None:
    found = found_in([f"2020-01-{i:02}" for i in range(1, 29)] + ["-9"], types={"x": "nominal"})
    assert found is not None
    assert found.values == found.sure == ("-9",)


@pytest.mark.parametrize(
    "values",
    [
        [*range(100)],
        [*range(1, 10)] * 3,
        [*range(-50, 50)],
        [-3, -2, -1] * 9,
        ["Y", "N"] * 9,
        ["none", "hearing", "vision"] * 9,
        ["1", "2", "3", "more"] * 9,
        ["A1", "B2", "C3", "7"] * 5,
        ["tram", "U6", "99", "12"] * 5,
        ["tram", "U6", "99"],
        [*range(0, 1000, 9)],
        [1, 2, 3, 99] + [1] * 30,  # held by one record only
        [0, 1, 2, 3, 4, 7] * 9,  # seven children, not an answer refused
        [0, 1, 2, 3, 4, 8] * 9,
        [-5, -4, -3, -2, -1, 0, 1, 2, 3, 4, 5, 6] * 3,  # degrees
        [f"{a}.{b}." for a in "KNABÅ" for b in "AÅNR"] * 9,  # K.A. are the initials of people
        ["NA", "DE", "FR", "AT"] * 9,
    ],
)
def test_what_does_not_look_missing_is_left_alone(values: list[object]) -> None:
    assert found_in(values) is None


@pytest.mark.parametrize(
    ("values", "concept", "sure"),
    [
        ([*range(20, 60), -9, -9], "age", ["-9"]),
        ([*range(20, 60), -9, -9], "", []),  # a number of whatever may be -9
        ([*range(40, 60), -99, -99], "", ["-99"]),
        ([*range(500, 9000, 13), *[-999] * 3], "", ["-999"]),
        ([*range(500, 9000, 13), *[-999] * 2], "", []),  # a debt of two people
        ([*range(18, 70), 999, 999], "", ["999"]),
        ([*range(18, 70), 99, 99], "age", []),  # some people are 99
        ([1, 2, 3, 4] * 9 + [98, 99] * 3, "", ["98", "99"]),
        ([9, 19, 29, 49, 99] * 9, "", []),  # prices
        ([1, 2, 3, 4, 5, 6, 9] * 9, "housing", []),  # rooms
        ([1, 2, 9] * 9, "sex", ["9"]),
        ([1, 2, 9] * 9, "", []),
        ([0, 1, 2, 9] * 9, "children", None),
        ([str(i) for i in range(30)] + ["unknown"] * 2, "", ["unknown"]),
        ([str(i) for i in range(30)] + ["N"] * 6, "", []),
        (["<£15k", "£15k-£30k", "£30k-£60k", ">£60k", "unknown"] * 6, "income", ["unknown"]),
        (["white", "black", "Not stated"] * 5, "race", []),  # a word among words can stay one
        (["white", "black", "Not stated", "-9", "999"] * 5, "race", ["-9", "999"]),
        (["tram", "U6", "99"] * 5, "", []),  # a bus
        (["yes", "no", "-1"] * 5, "", ["-1"]),
        (["yes", "no", "-7", "-8", "-9"] * 5, "", ["-7", "-8", "-9"]),
        (["plano", "unclear", "-2", "-4"] * 5, "", []),  # strengths of lenses
    ],
)
def test_only_what_can_hardly_be_a_value_is_sure(
    values: list[object], concept: str, sure: list[str] | None
) -> None:
    column = la.table(pl.DataFrame({"x": values}), others=[]).column("x")
    found = stand_ins(column, concept)
    assert (None if found is None else sorted(found.sure)) == sure


def test_what_another_column_has_as_a_value_is_not_proposed_for_all_of_them() -> None:
    rows = pl.DataFrame({"sex": [1, 2, 9] * 12, "age": [*range(1, 37)], "visits": [1, 2, 3, 4, 5, 999] * 6})
    found = la.inspect(rows)
    assert found.na == ["?", "999"]
    assert [code.elsewhere for code in found.codes if code.column == "sex"] == [("age",)]
    assert any("'9' is a value of age" in words for words in found["sex"].evidence)
    assert not any("--na" in words for words in found["sex"].evidence)


def test_a_word_that_only_one_person_has_is_not_shown() -> None:
    found = found_in([str(i) for i in range(30)] + ["Zyx"])
    assert found is not None
    assert found.values == ()
    assert "Zyx" not in found.words


def test_what_is_read_as_missing_is_not_asked_about_again() -> None:
    assert found_in([str(i) for i in range(30)] + ["N"] * 6, na=["N"]) is None
    assert found_in([*range(20, 60), -9, -9], na=["-9"]) is None


def test_inspect_says_the_option_that_makes_them_missing() -> None:
    rows = pl.DataFrame({"age": [str(20 + i) for i in range(30)] + ["N"] * 6, "sex": [1, 2, 9] * 12})
    found = la.inspect(rows)
    assert found.na == ["?", "N", "9"]
    assert (
        "all numbers but one word: is 'N' missing? If so, read the table with --na='?,N'"
        in found["age"].evidence
    )
    read = la.table(rows, others=[], na=found.na)
    assert read.column("age").kind == "integer"
    assert la.inspect(read).na == found.na


@pytest.mark.parametrize("word", ["NULL", "NA", "N/A", "nan"])
@pytest.mark.parametrize("empty", [["NULL"], ["NA", "NULL"], ["N/A"], ["nan", "unknown"]])
def test_a_column_that_holds_nothing_else_does_not_make_a_word_for_no_answer_a_value(
    word: str, empty: list[str], tmp_path: Path
) -> None:
    frame = pl.DataFrame(
        {
            "job": ["nurse", "cook", "clerk", word] * 30,
            "left": (empty * 120)[:120],
            "age": list(range(20, 80)) * 2,
            "dx": ["flu", "cold"] * 60,
        }
    )
    found = la.inspect(frame)
    assert not any(code.elsewhere for code in found.codes)
    frame.write_csv(tmp_path / "people.csv")
    assert word in la.prepare(tmp_path / "people.csv").source["na"]


@pytest.mark.parametrize("word", ["unknown", "none", "NA"])
def test_words_that_people_write_stay_values_until_somebody_says_so(word: str, tmp_path: Path) -> None:
    lands = ["NA", "AT", "DE", "FR"] if word == "NA" else ["rent", "own", "free", word]
    frame = pl.DataFrame({"place": lands * 30, "age": list(range(20, 80)) * 2})
    frame.write_csv(tmp_path / "people.csv")
    assert word not in la.prepare(tmp_path / "people.csv").source.get("na", [])
