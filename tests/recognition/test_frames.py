"""Verbs take a frame in a table's place: the same answer, roles as said, as released, or as proposed aloud."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import lookalike as la

ROWS = pl.DataFrame(
    {
        "age": [20, 21, 22, 23, 40, 41, 42, 43] * 2,
        "zip": ["10", "10", "11", "11", "20", "20", "21", "21"] * 2,
        "disease": ["flu", "flu", "cold", "hiv", "flu", "cold", "flu", "cold"] * 2,
    }
)
KINDS: dict[str, Callable[[pl.DataFrame], Any]] = {
    "polars": lambda rows: rows,
    "lazy": pl.DataFrame.lazy,
    "pandas": pl.DataFrame.to_pandas,
    "pyarrow": pl.DataFrame.to_arrow,
}


@pytest.fixture(params=KINDS)
def frame(request: pytest.FixtureRequest) -> Any:
    return KINDS[request.param](ROWS)


def test_risk_of_a_frame_is_that_of_its_table(frame: Any) -> None:
    people = la.table(ROWS, quasi=["age", "zip"], sensitive=["disease"])
    found = la.risk(frame, quasi=["age", "zip"], sensitive=["disease"])
    assert found.to_dict() == la.risk(people).to_dict()
    assert (
        la.special_uniques(frame, quasi=["age"]).to_dict()
        == la.special_uniques(people, quasi=["age"]).to_dict()
    )


def test_a_release_of_a_frame_is_a_frame_of_its_kind(frame: Any) -> None:
    made = la.anonymize(
        frame,
        la.KAnonymity(4),
        la.LDiversity("disease", 2),
        quasi=["age", "zip"],
        sensitive=["disease"],
        method="optimal",
        suppression=0.5,
    )
    assert made.k >= 4
    assert made.people.sensitive == ["disease"]
    assert type(made.frame) is type(frame)


def test_a_verb_about_a_release_reads_the_frame_as_it_was_released(frame: Any, tmp_path: Path) -> None:
    people = la.table(ROWS, quasi=["age", "zip"], sensitive=["disease"])
    made = la.anonymize(people, la.KAnonymity(4), method="optimal", suppression=0.5)
    wanted = la.loss(people, made).to_dict()
    assert la.loss(frame, made).to_dict() == wanted
    assert la.loss(frame, release=made).to_dict() == wanted
    made.save(tmp_path / "out")
    assert la.loss(frame, tmp_path / "out").to_dict() == wanted
    asked = {"only": ["linkage", "homogeneity"]}
    assert la.attack(frame, tmp_path / "out", **asked).to_dict() == la.attack(people, made, **asked).to_dict()


def test_without_roles_they_are_proposed_aloud(frame: Any) -> None:
    with pytest.warns(
        la.LookalikeWarning, match=r"no roles were given.*quasi=\['age'.*sensitive=\['disease'\]"
    ):
        found = la.risk(frame)
    assert "age" in found.quasi


def test_columns_nobody_named_are_warned_about_where_they_would_go_out() -> None:
    la.risk(ROWS, quasi=["age"])
    with pytest.warns(la.LookalikeWarning, match="published as is: zip, disease"):
        la.anonymize(ROWS, la.KAnonymity(2), quasi=["age"], method="optimal", linked={"zip": "accept"})


def test_recognition_takes_frames_and_columns(frame: Any) -> None:
    measured = la.measure(frame, "distinction", quasi=["age"])
    assert measured.to_dict() == la.measure(la.table(ROWS, others=[]), "distinction", quasi=["age"]).to_dict()
    assert la.measure(frame, "t_closeness", quasi=["zip"], sensitive="disease").to_dict()
    assert la.search_quasi(frame, columns=["age", "zip"]).best.columns
    assert la.linked_columns(frame, quasi=["age"], columns=["disease"]) == ()


def test_roles_said_of_a_table_that_has_them_are_refused() -> None:
    people = la.table(ROWS, quasi=["age"], others=[])
    with pytest.raises(la.RequestError, match="`quasi` is said when a table is made"):
        la.anonymize(people, la.KAnonymity(2), quasi=["zip"])


def test_the_name_of_a_file_will_do_and_one_that_is_not_there_gets_an_answer(tmp_path: Path) -> None:
    pl.DataFrame({"age": [1, 1, 2, 2, 2]}).write_csv(tmp_path / "people.csv")
    assert la.risk(str(tmp_path / "people.csv"), quasi=["age"]).k == 2
    with pytest.raises(la.FileError, match="no such file"):
        la.risk("people.csv", quasi=["age"])


def test_a_verb_says_in_its_help_that_it_takes_frames() -> None:
    assert "A frame will do" in (la.anonymize.__doc__ or "")
    assert la.anonymize.__name__ == "anonymize"


def test_a_column_nobody_knows_is_not_published_on_a_proposal() -> None:
    frame = pl.DataFrame(
        {"age": [20 + i % 40 for i in range(80)], "sex": ["m", "f"] * 40, "xkv": [i % 7 for i in range(80)]}
    )
    with pytest.raises(la.RequestError, match=r"nothing says what 1 column holds: xkv\."):
        la.anonymize(frame, la.KAnonymity(2))
    with pytest.warns(la.LookalikeWarning, match="no roles were given"):
        assert la.risk(frame).k == 2  # nothing goes out
    proposed = la.inspect(frame).table
    with pytest.raises(la.RequestError, match=r"nothing says what 1 column holds: xkv\. .*with_roles"):
        la.anonymize(proposed, la.KAnonymity(2))
    for way in (proposed, frame):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", la.LookalikeWarning)  # roles are proposed to the frame, aloud
            left = la.anonymize(way, la.KAnonymity(2), method="mondrian", drop=["xkv"])
        assert left.frame.columns == ["age", "sex"]
    decided = proposed.with_roles(xkv="other")
    assert "xkv" in la.anonymize(decided, la.KAnonymity(2), method="mondrian").frame.columns
