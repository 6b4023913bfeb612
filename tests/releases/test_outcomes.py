"""The answer says what became of each column: in words, with an example, and what to try where it is gone."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
import pytest

import lookalike as la


def people(rows: int = 400) -> la.Table:
    draw = np.random.default_rng(0)
    frame = pl.DataFrame(
        {
            "name": [f"p{i}" for i in range(rows)],
            "age": draw.integers(20, 80, rows),
            "born": pl.Series(draw.integers(0, 12_000, rows)).cast(pl.Int32).cast(pl.Date),
            "zip": [f"{z:05d}" for z in draw.integers(10_000, 10_400, rows)],
            "note": draw.choice(["x", "y"], rows),
        }
    )
    return la.table(
        frame,
        identifiers=["name"],
        quasi=["age", "born", "zip"],
        others=["note"],
        hierarchies={"age": la.Hierarchy.intervals(5, 10), "born": la.Hierarchy.dates("month", "year")},
    )


def told(**options: object) -> dict[str, la.Outcome]:
    release = la.anonymize(people(), la.KAnonymity(2), suppression=1.0, **options)  # type: ignore[arg-type]
    return {outcome.column: outcome for outcome in release.outcomes}


def test_levels_are_told_in_words_of_their_hierarchy() -> None:
    found = told(method="levels", levels={"age": 1, "born": 2, "zip": 2})
    assert found["name"].text == "name: left out"
    assert found["note"].text == "note: as it is"
    assert found["age"].what == "bands of 5"
    assert found["age"].text.startswith("age: bands of 5, 9")
    assert found["born"].what == "by year"
    assert found["zip"].what == "2 characters hidden"
    assert str(found["age"].example).startswith("[")


def test_a_column_that_is_gone_says_what_to_try() -> None:
    found = told(method="levels", levels={"age": 3, "born": 2, "zip": 3})
    assert found["age"].what == "nothing left"
    assert "give it weight 3" in str(found["age"].advice)
    assert "local" in str(found["age"].advice)
    assert found["age"].example is None


def test_what_local_recoding_did_is_told_by_rows() -> None:
    draw = np.random.default_rng(1)
    frame = pl.DataFrame({"age": draw.integers(20, 60, 300), "sex": draw.choice(["f", "m"], 300)})
    release = la.anonymize(la.table(frame, quasi=["age", "sex"]), la.KAnonymity(5))
    found = {outcome.column: outcome for outcome in release.outcomes}
    assert release.method == "local"
    assert "ranges" in found["age"].what
    assert found["sex"].what == "as it is"
    assert found["sex"].kept == 1
    assert 0.8 < (found["age"].kept or 0) < 1
    assert str(release).splitlines()[1].strip() == found["age"].text
    assert release.to_dict()["outcomes"][0]["text"] == found["age"].text


def test_the_default_is_local_and_optimal_where_local_cannot_keep_the_promise() -> None:
    table = la.table(
        pl.DataFrame({"age": [1] * 6 + [2] * 4, "s": ["a", "b"] * 3 + ["a"] * 4}),
        quasi=["age"],
        sensitive=["s"],
    )
    assert la.anonymize(table, la.KAnonymity(2)).method == "local"
    with pytest.raises(la.GuaranteeError):
        la.anonymize(table, la.LDiversity("s", 2, kind="entropy"), method="local")
    release = la.anonymize(table, la.LDiversity("s", 2, kind="entropy"), suppression=0.5)
    assert release.method == "optimal"
    assert release.suppressed == 4


def test_an_option_of_one_method_chooses_it() -> None:
    table = la.table(pl.DataFrame({"age": [1, 1, 2, 2]}), quasi=["age"])
    assert la.anonymize(table, la.KAnonymity(2), loss="ncp").method == "optimal"
    assert la.anonymize(table, la.KAnonymity(2), output="sets").method == "local"
    with pytest.raises(la.RequestError, match="no option 'strict'"):
        la.anonymize(table, la.KAnonymity(2), strict=False)


@pytest.mark.parametrize("options", [{}, {"method": "levels", "levels": {"area": 1}, "suppression": 1.0}])
def test_towns_grouped_by_their_first_letters_ask_for_a_better_grouping(options: dict[str, Any]) -> None:
    frame = la.datasets.population(1_000, 1).select("area", "age", "gender")
    given = la.table(
        frame,
        quasi=["area", "age", "gender"],
        hierarchies={"area": la.Hierarchy.groups(la.datasets.population_groupings()["area"])},
    )
    for table, asked in ((la.table(frame, quasi=["area", "age", "gender"]), True), (given, False)):
        release = la.anonymize(table, la.KAnonymity(3), **options)
        advice = {one.column: one.advice for one in release.outcomes}
        assert ("first letters" in str(advice["area"])) is asked
