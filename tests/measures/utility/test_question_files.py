"""Questions in TOML: read as they would be made in Python; errors name the file, the line and the key."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from typer.testing import CliRunner

import lookalike as la
from lookalike.cli import app

pytest.importorskip("scipy")

GOOD = """
# what the health board asks
[[question]]
name = "poverty by town"
kind = "ranking"
by = "town"
share = { poor = "yes" }
among = { age = { from = 30, to = 60 } }
top = 1

[[question]]
kind = "two-sample test"
of = "age"
between = "poor"
test = "student"
"""


def test_a_file_gives_the_questions_one_would_make_in_python(tmp_path: Path) -> None:
    (tmp_path / "q.toml").write_text(GOOD)
    first, second = la.read_questions(tmp_path / "q.toml")
    assert first == la.Question(
        "ranking",
        name="poverty by town",
        by="town",
        share={"poor": "yes"},
        among={"age": {"from": 30, "to": 60}},
        top=1,
    )
    assert second == la.Question("two-sample test", of="age", between="poor", test="student")
    assert second.name == "age between poor"
    assert first.to_dict()["among"] == {"age": {"from": 30, "to": 60}}


@pytest.mark.parametrize(
    ("written", "message"),
    [
        ("[[question]\n", r"q\.toml: is not TOML: .*line 1"),
        ("", "has no question"),
        ("x = 1\n", "line 1, x: there is no table 'x'"),
        ("[[question]]\nname = 'a'\n", "line 1, kind: a question needs a `kind`: ranking"),
        (GOOD + "\n[[question]]\nkind = 'meen'\n", "line 18, kind: there is no kind of question 'meen'"),
        (GOOD.replace("top = 1", "top = 0"), "line 9, top: give a whole number from 1 on, found 0"),
        (
            GOOD.replace("top = 1", "first = 1"),
            "line 9, first: a question of kind ranking has no such option",
        ),
        (GOOD.replace('test = "student"', 'test = "z"'), "line 15, test: choose from student, welch, rank"),
        (GOOD.replace('of = "age"\n', ""), "line 12, kind: of: a question of kind two-sample test needs"),
        ("[[question]]\nkind = 'function'\ncompute = 'print'\n", "line 3, compute: .*cannot hold one"),
    ],
)
def test_errors_name_the_line_and_the_key(written: str, message: str, tmp_path: Path) -> None:
    (tmp_path / "q.toml").write_text(written)
    with pytest.raises(la.FileError, match=message):
        la.read_questions(tmp_path / "q.toml")


def test_a_file_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(la.FileError, match="cannot be read"):
        la.read_questions(tmp_path / "q.toml")
    (tmp_path / "q.toml").write_bytes(b"\xff\xfe")
    with pytest.raises(la.FileError, match="UTF-8"):
        la.read_questions(tmp_path / "q.toml")


def test_the_command_asks_them(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    rows = pl.DataFrame(
        {
            "age": rng.integers(20, 60, 80),
            "town": rng.choice(["Gent", "Leuven"], 80),
            "poor": rng.choice(["yes", "no"], 80),
        }
    )
    rows.write_csv(tmp_path / "people.csv")
    table = la.table(rows, quasi=["age", "town"], sensitive=["poor"])
    la.anonymize(table, la.KAnonymity(4), method="local").save(tmp_path / "out")
    (tmp_path / "q.toml").write_text(GOOD)
    call = [
        "evaluate",
        str(tmp_path / "people.csv"),
        str(tmp_path / "out"),
        "--questions",
        str(tmp_path / "q.toml"),
    ]
    shown = CliRunner().invoke(app, call)
    assert shown.exit_code == 0, shown.output
    assert "poverty by town: significant impact: " in shown.stdout
    printed = json.loads(CliRunner().invoke(app, [*call, "--json"]).stdout)
    assert printed["targets"] == []
    assert [one["kind"] for one in printed["questions"]] == ["ranking", "two-sample test"]
    assert {"before", "after", "difference", "low", "high"} <= set(printed["questions"][0]["changes"][0])
    (tmp_path / "q.toml").write_text(GOOD.replace("top = 1", "top = 0"))
    refused = CliRunner().invoke(app, call)
    assert refused.exit_code == 2
    assert "line 9, top" in refused.stderr


def test_the_command_needs_a_target_or_questions(tmp_path: Path) -> None:
    rows = pl.DataFrame({"age": [1, 1], "y": ["a", "b"]})
    rows.write_csv(tmp_path / "people.csv")
    la.anonymize(la.table(rows, quasi=["age"], others=["y"]), la.KAnonymity(2)).save(tmp_path / "out")
    found = CliRunner().invoke(app, ["evaluate", str(tmp_path / "people.csv"), str(tmp_path / "out")])
    assert found.exit_code == 2
    assert "--target" in found.stderr
    assert "--questions" in found.stderr
