"""In one run of a file nothing is computed twice: what preparing it read and found goes into carrying it out."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable, Hashable
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from typer.testing import CliRunner

import lookalike as la
from lookalike.cli import app
from lookalike.recognition import units
from lookalike.recognition.links import finding, trajectories
from lookalike.tables.columns import coding
from lookalike.tables.hierarchies import automatic
from lookalike.tables.meanings import meaning
from lookalike.tables.sources import files

PERSON = np.repeat(np.arange(200), 3)
DRAW = np.random.default_rng(4)


@pytest.fixture
def calls(monkeypatch: pytest.MonkeyPatch) -> Counter[Hashable]:
    """How often each verb was called for the same columns."""
    counted: Counter[Hashable] = Counter()

    def watch(module: Any, name: str, columns: Callable[..., Hashable]) -> None:
        own = getattr(module, name)

        def call(*given: Any, **options: Any) -> Any:
            counted[name, columns(*given, **options)] += 1
            return own(*given, **options)

        for loaded in list(sys.modules.values()):
            if loaded.__name__.startswith("lookalike.") and getattr(loaded, name, None) is own:
                monkeypatch.setattr(loaded, name, call)

    watch(files, "read_file", lambda path, **_: path)
    watch(meaning, "understand", lambda column, *_: column.name)
    watch(coding, "code", lambda name, *_, **__: name)
    watch(finding, "_find", lambda _, quasi, columns: (tuple(quasi), tuple(columns)))
    watch(units, "_find_unit", lambda _, columns, __: tuple(column.name for column in columns))
    watch(automatic, "choose", lambda domain, *_: (len(domain.values), str(domain.values[:3])))
    watch(trajectories, "find_trajectories", lambda columns, unit, *_: (tuple(columns), len(unit)))
    return counted


def _run(frame: pl.DataFrame, folder: Path) -> None:
    frame.write_csv(folder / "people.csv")
    done = CliRunner().invoke(app, ["run", str(folder / "people.csv"), "--yes", "-o", str(folder / "out")])
    assert done.exit_code == 0, done.output


def test_a_run_computes_nothing_twice(calls: Counter[Hashable], tmp_path: Path) -> None:
    people = la.datasets.population(800, seed=5).drop("dob")
    _run(people.with_columns(tripled=pl.col("age") * 3 + 7), tmp_path)
    assert {"read_file", "understand", "code", "_find", "_find_unit", "choose"} == {name for name, _ in calls}
    assert not {call for call, times in calls.items() if times > 1}


def test_a_run_in_which_people_have_several_rows_reads_their_key_as_such_once(
    calls: Counter[Hashable], tmp_path: Path
) -> None:
    visits = pl.DataFrame(
        {
            "patient_id": PERSON + 1000,
            "age": DRAW.integers(20, 80, 200)[PERSON],
            "sex": DRAW.choice(["female", "male"], 200)[PERSON],
            "height_cm": DRAW.integers(150, 200, 200)[PERSON],
            "diagnosis": DRAW.choice(["J45", "E11", "I10", "F32"], 600),
        }
    )
    _run(visits, tmp_path)
    again = {call: times for call, times in calls.items() if times > 1}
    # as numbers, as the codes these are, and as the key of people, in `inspect` and in what follows from it
    assert again.pop(("code", "patient_id")) == 4
    # of the table, by whoever warns of the release, and by the attack on it
    assert all(name == "find_trajectories" for name, _ in again), again
    assert calls["read_file", tmp_path / "people.csv"] == 1
