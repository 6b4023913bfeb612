"""Official names of variables: understood in company, or alone where the values fit; never on their own word."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

import lookalike as la
from lookalike.tables.meanings.concepts import CONCEPTS
from lookalike.tables.meanings.mnemonics import dictionaries, look_up, read_dictionary
from tables.meanings.tables import Known, read_tables

SURVEYS = [table for table in read_tables() if table.kind == "survey"]


@pytest.mark.parametrize("table", SURVEYS, ids=lambda table: table.name)
def test_a_table_in_the_style_of_a_dictionary_is_understood(table: Known) -> None:
    found = la.inspect(table.frame())
    wrong = {c.name: str(c.role) for c in found.columns if c.decide or c.role != table.roles[c.name]}
    assert wrong == {}


def test_every_dictionary_is_tried_by_a_table_and_speaks_of_known_concepts() -> None:
    assert {one.name for one in dictionaries()} == {table.source for table in SURVEYS}
    assert all(set(one.concepts.values()) <= set(CONCEPTS) for one in dictionaries())


def test_digits_of_a_wave_are_any_digits() -> None:
    meps = next(one for one in dictionaries() if one.name == "meps")
    assert meps.concept_of("AGE31X") == meps.concept_of("age53x") == "age"
    assert meps.concept_of("AGE5X") is None


def test_a_short_mnemonic_alone_says_nothing() -> None:
    assert look_up(["mar", "apr", "may"]) == {}
    assert la.inspect(pl.DataFrame({"MAR": [1, 2, 3, 4, 5] * 20}))["MAR"].decide


def test_short_mnemonics_of_one_dictionary_speak_for_each_other() -> None:
    rows = pl.DataFrame({"MAR": [1, 2, 3, 4, 5] * 20, "ESR": [1, 6, 3, 6] * 25, "AGEP": list(range(100))})
    found = la.inspect(rows)
    assert found.quasi == ["MAR", "ESR", "AGEP"]
    assert "American Community Survey" in found["MAR"].evidence[0]


def test_a_long_mnemonic_alone_needs_values_that_fit() -> None:
    assert la.inspect(pl.DataFrame({"RIDAGEYR": list(range(80)) * 2})).quasi == ["RIDAGEYR"]
    assert la.inspect(pl.DataFrame({"RIDAGEYR": [900 + 7 * i for i in range(160)]})).quasi == []


def test_values_that_contradict_a_mnemonic_overrule_it() -> None:
    rows = pl.DataFrame({"AGEP": [5000 + i for i in range(90)], "MAR": [1, 2, 3] * 30, "ESR": [1, 6] * 45})
    assert la.inspect(rows).quasi == ["MAR", "ESR"]


def test_codes_of_a_dictionary_are_names_not_amounts() -> None:
    rows = pl.DataFrame({"MAR": [1, 2, 3, 4, 5] * 20, "ESR": [1, 6, 3, 6] * 25, "AGEP": list(range(100))})
    assert la.table(rows, others=[]).column("MAR").kind == "nominal"
    assert la.table(rows.select("MAR"), others=[]).column("MAR").kind == "integer"


def test_a_dictionary_of_ones_own_extends_the_others(tmp_path: Path) -> None:
    file = tmp_path / "ours.toml"
    file.write_text('title = "our register"\n[mnemonics]\nbirth_year = "GJ#"\nplace = "WKZ"\nsex = "KG"\n')
    rows = pl.DataFrame({"GJ1": [1950 + i % 50 for i in range(90)], "WKZ": [3, 7, 9] * 30, "KG": [1, 2] * 45})
    assert "WKZ" in la.inspect(rows).undecided
    found = la.inspect(rows, dictionaries=[file])
    assert found.quasi == ["GJ1", "WKZ", "KG"]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("title = 3", "has a title"),
        ("not toml [", "no dictionary in TOML"),
        ('title = "x"\n[mnemonics]\nmoon = "A"', "no concept 'moon'"),
        ('title = "x"\n[mnemonics]\nage = ["A"]', "expected age ="),
    ],
)
def test_a_file_that_is_no_dictionary_is_refused_in_words(tmp_path: Path, text: str, said: str) -> None:
    file = tmp_path / "bad.toml"
    file.write_text(text)
    with pytest.raises(la.FileError, match=said):
        read_dictionary(file)
    with pytest.raises(la.FileError, match="cannot be read"):
        read_dictionary(tmp_path / "absent.toml")
