"""Whatever lies in a file, `prepare` and `run` end with a release that verifies, or with a sentence."""

from __future__ import annotations

import csv
import random
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import polars as pl
import pytest

import lookalike as la

NAMES = (
    "id",
    "name",
    "Pat-Nr",
    "age",
    "Geburtsdatum",
    "sex",
    "PLZ",
    "city",
    "income",
    "dx1",
    "notes",
    "score",
    "Q1",
)
ODD = ("", " a b ", "ünï", "select", "*", "é;x", "px_cd", "latitude", "weekday", "email")
CELLS: tuple[Callable[[random.Random], str], ...] = (
    lambda draw: str(draw.randint(0, 5)),
    lambda draw: str(draw.randint(-9, 99)),
    lambda draw: f"{draw.uniform(-90, 90):.4f}",
    lambda draw: f"{draw.randint(1900, 2024)}-{draw.randint(1, 12):02d}-{draw.randint(1, 28):02d}",
    lambda draw: draw.choice(["a", "b", "N/A", "", "?", "*", "{a, b}", "[1, 2)", "=1+1"]),
    lambda draw: f"P{draw.randint(0, 20)}",
    lambda draw: draw.choice(["1e300", "-1e300", "0", "1e-300", "5"]),
    lambda draw: "",
    lambda draw: "7",
    lambda draw: f"{draw.randint(0, 23):02d}:{draw.randint(0, 59):02d}",
    lambda draw: str(draw.randint(10**17, 10**18)),
    lambda draw: draw.choice(["1.234,50", "2.000,00", "3,5"]),
    lambda draw: f"{draw.choice('ABC')}{draw.randint(0, 99):02d}.{draw.randint(0, 9)}",
    lambda draw: draw.choice(["yes", "no"]),
)


@pytest.mark.filterwarnings("ignore::lookalike.LookalikeWarning")
@pytest.mark.parametrize("seed", range(60))
def test_every_file_ends_with_a_release_or_a_sentence(tmp_path: Path, seed: int) -> None:
    draw = random.Random(seed)
    rows = draw.choice([1, 2, 3, 5, 8, 13, 30, 60, 200])
    names = draw.sample(NAMES + ODD, draw.randint(1, 9))
    columns = [[cell(draw) for _ in range(rows)] for cell in draw.choices(CELLS, k=len(names))]
    file = tmp_path / "people.csv"
    with file.open("w", newline="", encoding="utf-8") as out:
        csv.writer(out).writerows([names, *zip(*columns, strict=True)])
    folder = tmp_path / "out"
    with suppress(la.LookalikeError):
        la.run(la.prepare(file), output=folder)
    if folder.exists():
        checks = la.verify(folder / "release.csv", folder / "certificate.json").findings
        assert all(check.ok is not False for check in checks)


@pytest.mark.parametrize("rows", [1, 2])
def test_fewer_people_than_a_group_are_never_published(tmp_path: Path, rows: int) -> None:
    file = tmp_path / "people.csv"
    file.write_text("name,age,salary\n" + "Bob,3,2000.5\n" * rows, encoding="utf-8")
    recipe = la.prepare(file)
    assert recipe.columns["name"].role == "identifier"
    with pytest.raises(la.GuaranteeError):
        la.run(recipe, output=tmp_path / "out")
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("name", ["*", "^a.*$"])
def test_a_column_called_as_patterns_of_names_are_is_a_column_like_any_other(name: str) -> None:
    people = la.table(pl.DataFrame({"age": [1, 2] * 5, name: [3, 4] * 5}), quasi=["age", name])
    assert la.anonymize(people, la.KAnonymity(5)).rows[name].to_list().count("4") == 5
