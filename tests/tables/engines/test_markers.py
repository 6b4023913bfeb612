"""What the user says means missing is missing in every column that is published, wherever the rows are."""

from __future__ import annotations

from datetime import date
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import lookalike as la
from tables.engines.test_engines import (  # noqa: F401
    TEXT,
    TYPED,
    Put,
    _address,
    far,
    near,
    server,
    told,
)

# these tables hold values that differ by blanks and case, which every engine has to tell apart
pytestmark = pytest.mark.filterwarnings("ignore:.*from another one only by")

NA = ["?", "unknown", "-9", "-9.0", "9999-12-31", "1"]
#: what a reader of the release must not find; `-9.5` and `unknown yet` are values
MARKERS = {"?", " ? ", "unknown", "-9", "-9.0", "9999-12-31", "1"}
SAID: dict[str, Any] = {
    "quasi": ["age", "sex"],
    "sensitive": ["disease", "income", "stage"],
    "others": [],
    "na": NA,
}
OTHERS = ["note", "score", "seen"]


def people(n: int = 2000) -> pl.DataFrame:
    rng = np.random.default_rng(0)

    def pick(*values: Any) -> pl.Series:
        return pl.Series(values).gather(rng.integers(0, len(values), n))

    return pl.DataFrame(
        {
            "age": pick(*range(20, 30), -9),
            "sex": pick("f", "m", "unknown"),
            "disease": pick("d1", "d2", "unknown", "d3"),
            "income": pick(100, 200, -9, 300),
            "stage": pick("low", "medium", "high"),  # the second of an order is no 1
            "note": pick("fine", "unknown", " ? ", "unknown yet", None),
            "score": pick(1.5, -9.0, -9.5, None),
            "seen": pick(date(2024, 2, 29), date(9999, 12, 31)),
        }
    )


def expected_counts(rows: pl.DataFrame) -> dict[str, int]:
    """How many rows of each column say nothing."""
    text = rows.select(pl.all().cast(pl.String))
    return {name: sum(v is None or v in MARKERS for v in text[name].to_list()) for name in text.columns}


@pytest.mark.parametrize("put", [*TEXT[:1], *TYPED])
@pytest.mark.parametrize("method", ["optimal", "mondrian"])
def test_markers_of_missing_are_published_as_missing_everywhere(
    put: Put, method: str, tmp_path: Path
) -> None:
    rows = people()
    asked: dict[str, Any] = {"method": method, "linked": dict.fromkeys(OTHERS, "accept"), "suppression": 0}
    models = [la.KAnonymity(20), la.LDiversity("income", 2), la.LDiversity("stage", 2)]
    here = la.anonymize(near(put, rows, tmp_path, **SAID), *models, **asked)
    there = la.anonymize(far(put(rows, tmp_path), **SAID), *models, **asked)
    gone = expected_counts(rows)
    for name in ("disease", "income", "stage", *OTHERS):
        assert here.rows[name].null_count() == gone[name], name
        assert not MARKERS & set(here.rows[name].cast(pl.String))
    assert told(there) == told(here)
    out = there.save(tmp_path / "out", format="parquet")
    assert la.verify(out / "release.parquet", out / "certificate.json").ok
    saved = pl.read_parquet(out / "release.parquet")
    assert saved.sort(pl.all()).equals(here.rows.select(saved.columns).sort(pl.all()))


def test_numbers_that_are_rounded_to_a_marker_are_none() -> None:
    rows = pl.DataFrame({"age": [30] * 6, "paid": [-9.4, -9.0, 3.2, -9.4, 3.2, 1.0]})
    table = la.table(rows, quasi=["age"], sensitive=["paid"], na=["-9"])
    release = la.anonymize(table, la.KAnonymity(2), rounding={"paid": 1}, shuffle=False)
    assert release.rows["paid"].to_list() == [-9, None, 3, -9, 3, 1]


@pytest.mark.parametrize(
    ("values", "left"),
    [
        (["unknown", "a", "unknown"], [None, "a", None]),
        ([True, False, True], [True, False, True]),
        (pl.Series(["unknown", "a", "a"], dtype=pl.Categorical), [None, "a", "a"]),
        ([[2], [-9], [2]], [[2], [-9], [2]]),
        ([2**62, -9, 2], [2**62, None, 2]),
    ],
    ids=["text", "yes or no", "categories", "lists", "whole numbers"],
)
def test_markers_are_told_in_the_type_a_column_came_in(values: Any, left: list[Any]) -> None:
    rows = pl.DataFrame({"age": [30] * 3, "other": values})
    table = la.table(rows, quasi=["age"], others=["other"], na=NA)
    release = la.anonymize(table, la.KAnonymity(2), linked={"other": "accept"}, shuffle=False)
    assert release.rows["other"].to_list() == left


def test_new_rows_leave_out_the_markers_of_the_release(tmp_path: Path) -> None:
    table = la.table(people(), **SAID)
    asked: dict[str, Any] = {"method": "optimal", "linked": dict.fromkeys(OTHERS, "accept")}
    release = la.anonymize(table, la.KAnonymity(20), **asked)
    release.save(tmp_path / "first")
    assert not MARKERS & set(la.apply(release, people()).rows["note"])
