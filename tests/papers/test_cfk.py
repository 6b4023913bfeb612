"""`lookalike paper cfk`: the worked example agrees everywhere; the data sets run where they are found; runs resume."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from lookalike.errors import FileError
from lookalike.papers.cfk import paper as cfk
from lookalike.papers.cfk import runs as cfk_runs
from lookalike.papers.cfk.lines import toy
from lookalike.papers.cfk.studies import STUDIES, load, prepare

pytest.importorskip("sklearn")


def test_the_worked_example_agrees_with_the_print() -> None:
    assert [line.agrees for line in toy()] == ["yes", "yes", "yes", "yes", "-", "-"]


def test_without_data_only_the_worked_example_is_shown(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv("LOOKALIKE_DATA", raising=False)
    cfk.run(output=None, full=False, seed=0, json=True)
    lines = json.loads(capsys.readouterr().out)["lines"]
    assert lines[-1]["remark"].startswith("not found: set LOOKALIKE_DATA")
    monkeypatch.setenv("LOOKALIKE_DATA", "nowhere")
    with pytest.raises(FileError, match="not there"):
        cfk.run(output=None, full=False, seed=0, json=True)


def test_what_was_measured_once_is_not_measured_again(tmp_path: Path) -> None:
    calls = []
    for _ in range(2):
        kept = cfk_runs.remember(tmp_path / "deep" / "one.json", lambda: calls.append(1) or {"ncp": 0.5})  # type: ignore[func-returns-value]
        assert kept == {"ncp": 0.5}
    assert calls == [1]
    assert [file.name for file in (tmp_path / "deep").iterdir()] == ["one.json"]


@pytest.mark.parametrize(
    ("name", "columns"),
    [("Adult", 11), ("CMC", 8), ("German", 19), ("Heart", 12), ("Hospital", 20), ("Informs", 13)],
)
def test_every_data_set_has_the_papers_number_of_predictors(
    shared_data: Path, name: str, columns: int
) -> None:
    rows = load(STUDIES[name], shared_data)
    assert rows.width - 1 == columns
    assert set(STUDIES[name].quasi) <= set(rows.columns)
    assert rows["favourable"].n_unique() == 2


def test_heart_is_better_than_printed_and_than_mondrian(shared_data: Path) -> None:
    experiment = prepare(STUDIES["Heart"], shared_data)
    found = cfk_runs.measure(experiment)
    count = found["explained"]
    assert sum(found["ncp"]) / count <= 0.0264
    assert sum(found["confirmed"]) / count == 1.0
    assert sum(found["ncp"]) <= sum(found["mondrian_ncp"])
    assert found["k_min"] >= 10
    assert found["attack"]["attacks"][0]["rate"] == 0
    assert found["attack_raw"]["attacks"][0]["rate"] > 0
    json.dumps(found)
