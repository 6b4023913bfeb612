"""Names that were once taken for something else: what each says now, and that values overrule a name."""

from __future__ import annotations

import polars as pl
import pytest

import lookalike as la
from lookalike.recognition.inspection import ColumnReport
from lookalike.tables.meanings.names import read_name

ROWS = 240


def told(name: str, values: list[object]) -> ColumnReport:
    rows = {name: [values[i * 7 % len(values)] for i in range(ROWS)], "sex": ["f", "m"] * (ROWS // 2)}
    return la.inspect(pl.DataFrame(rows))[name]


def test_extra_time_is_about_health_and_no_date() -> None:
    for name in ("Extra time", "access_arrangements", "Nachteilsausgleich", "tiers-temps"):
        assert told(name, ["25%", "50%", "0%"]).concept == "health"
    other = told("buffer time", ["25%", "50%", "0%"])
    assert other.decide
    assert "dates of events" not in " ".join(other.evidence)  # the values overrule the name


def test_many_numbers_under_a_name_of_time_are_durations_and_said_to_be_other_numbers() -> None:
    found = told("lead_time", [*range(0, 700, 3)])
    assert (found.role, found.decide) == ("other", False)
    assert found.evidence[0] == "the name says dates of events ('time'), but the values are other numbers"


def test_a_health_insurer_is_an_institution_and_no_money() -> None:
    for name in ("Krankenkasse", "health insurer", "zorgverzekeraar"):
        assert told(name, ["AOK", "TK", "Barmer", "DAK"]).concept == "institution"


def test_a_loss_is_no_length_of_stay() -> None:
    assert [reading.concept for reading in read_name("los")] == ["treatment"]
    assert read_name("LossType") == []
    assert "treatment" not in " ".join(told("LossType", ["Fire", "Glass", "Theft"]).evidence)
    assert read_name("LossDate")[0].concept == "event_date"
    assert read_name("drugs")[0].concept == "treatment"  # other plurals stay


def test_media_are_no_marks() -> None:
    assert read_name("M1 media used") == []
    assert read_name("média final")[0].concept == "performance"


def test_numbers_of_subjects_are_not_said_to_reach_anybody_by_phone() -> None:
    numbers: list[object] = [f"{site}-{i:04d}" for site in (101, 102, 205) for i in range(80)]
    for name in ("SUBJ", "xkv"):
        found = told(name, numbers)
        assert (found.role, found.concept) == ("identifier", "person_id")
        assert "reaches one person" not in " ".join(found.evidence)
    phones: list[object] = [f"{555 + i % 30}-{1000 + 37 * i % 9000}" for i in range(ROWS)]
    assert told("xkv", phones).concept == "phone"


@pytest.mark.parametrize("name", ["Notes", "Teacher comment", "Remarks", "Bemerkung", "comentarios"])
def test_few_texts_under_a_name_of_free_text_are_left_out(name: str) -> None:
    found = told(name, ["See note from Mrs Hall", "Needs to revise algebra", "Ok", "Moved house in May"])
    assert (found.role, found.concept) == ("identifier", "free_text")


def test_words_of_a_kind_are_free_text_where_the_name_can_say_nothing_else() -> None:
    assert told("Remarks", ["late", "absent", "ill"]).concept == "free_text"
    assert told("comments", ["Y", "N"]).concept != "free_text"  # whether there are any
    assert told("comments", [1, 2, 3]).concept != "free_text"
    assert told("Note", ["sehr gut", "gut", "befriedigend", "ausreichend"]).concept == "performance"


@pytest.mark.parametrize("name", ["rooms", "number_of_rooms", "bedrooms", "vehicles", "Zimmer"])
def test_how_many_rooms_a_flat_has_is_a_number_and_no_name(name: str) -> None:
    frame = pl.DataFrame({name: [1 + i * i % 7 for i in range(200)], "age": range(200)})
    assert la.inspect(frame).table.column(name).kind == "integer"
