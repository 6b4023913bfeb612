"""Types survive where values do, in every kind of frame, and never tell of people who were left out."""

from __future__ import annotations

from datetime import date
from typing import Any

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import lookalike as la

LEVELS = ["low", "mid", "high"]
ROWS = pl.DataFrame(
    {
        "age": pl.Series([30, 30, 31, 31, 31, 99], dtype=pl.Int32),
        "size": [1.5, 1.5, 2.0, 2.0, 2.0, 9.0],
        "member": [True, True, False, False, False, True],
        "born": [date(1990, 1, 1)] * 2 + [date(1991, 2, 3)] * 3 + [date(1900, 1, 1)],
        "grade": pl.Series(["low", "low", "mid", "mid", "mid", "high"], dtype=pl.Enum(LEVELS)),
        "word": ["a", "a", "b", "b", "b", "c"],
    }
)
NAMES = list(ROWS.columns)
KINDS: dict[str, Any] = {
    "polars": ROWS,
    "pandas": ROWS.to_pandas(),
    "pyarrow": ROWS.to_arrow().cast(
        pa.schema(
            [
                ("age", pa.int32()),
                ("size", pa.float64()),
                ("member", pa.bool_()),
                ("born", pa.date32()),
                ("grade", pa.dictionary(pa.int32(), pa.string())),
                ("word", pa.string()),
            ]
        )
    ),
}


def release(frame: Any, n: int, **how: Any) -> Any:
    part = frame.slice(0, n) if isinstance(frame, pa.Table) else frame[:n]
    return part, la.anonymize(
        part,
        la.KAnonymity(2),
        quasi=NAMES,
        method="levels",
        levels=dict.fromkeys(NAMES, 0),
        suppression=0.5,
        **how,
    )


@pytest.mark.parametrize("kind", KINDS)
def test_a_level_0_column_comes_back_as_it_was(kind: str) -> None:
    part, made = release(KINDS[kind], 5, shuffle=False)
    if kind == "pandas":
        pd.testing.assert_frame_equal(made.frame, part)
    else:
        assert made.frame.equals(part)
        assert made.frame.schema == part.schema


@pytest.mark.parametrize("kind", KINDS)
def test_types_come_back_without_those_left_out(kind: str) -> None:
    _, made = release(KINDS[kind], 6)
    assert made.suppressed == 1
    back = pl.DataFrame(made.frame) if kind != "pandas" else pl.from_pandas(made.frame)
    assert back.height == 5
    assert sorted(back["age"].to_list()) == [30, 30, 31, 31, 31]
    assert back.schema["born"].is_temporal()
    assert back.schema["member"] == pl.Boolean
    grade = made.frame["grade"]
    listed = (
        grade.dtype.categories.to_list()
        if kind == "polars"
        else list(grade.cat.categories)
        if kind == "pandas"
        else grade.chunk(0).dictionary.to_pylist()
    )
    assert listed == ["low", "mid"]


def test_a_blurred_column_is_text() -> None:
    made = la.anonymize(
        ROWS, la.KAnonymity(2), quasi=["age"], others=[], method="levels", levels={"age": 1}, suppression=0.5,
        linked=dict.fromkeys(NAMES[1:], "accept"),
    )  # fmt: skip
    assert made.frame.schema["age"] == pl.String


def test_an_index_is_kept_where_all_rows_are_there_in_order_and_said() -> None:
    frame = ROWS.to_pandas()[:5].set_index(pd.Index(list("vwxyz"), name="who"))
    _, made = release(frame, 5, shuffle=False)
    with pytest.warns(la.LookalikeWarning, match="keeps the index"):
        assert list(made.frame.index) == list("vwxyz")
    _, shuffled = release(frame, 5)
    assert isinstance(shuffled.frame.index, pd.RangeIndex)
    with_one_more = ROWS.to_pandas().set_index(pd.Index(range(5, 11)))
    _, made = release(with_one_more, 6, shuffle=False)
    assert isinstance(made.frame.index, pd.RangeIndex)


def test_days_with_hours_stay_days() -> None:
    frame = pl.DataFrame({"at": ["2024-01-01T10:00:00"] * 2 + ["2024-01-02T11:30:00"] * 2}).with_columns(
        pl.col("at").str.to_datetime()
    )
    made = la.anonymize(frame, la.KAnonymity(2), quasi=["at"], method="levels", levels={"at": 0})
    assert set(made.frame["at"]) == {"2024-01-01", "2024-01-02"}
