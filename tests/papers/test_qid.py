"""The QID paper regenerated: what agrees, and what is shown to be impossible."""

from __future__ import annotations

from pathlib import Path

import pytest

from lookalike.papers.qid import paper as qid


def test_table_4_cannot_be_right_and_says_why() -> None:
    *rows, best = qid.table_4()
    assert len(rows) == 8
    assert all(line.agrees == "no" and line.remark for line in rows)
    reasons = "; ".join(line.remark for line in rows)
    for proof in (
        "multiple of 1/10",
        "multiple of 1/45",
        "at least the commonest",
        "force D = S = 1",
        "cannot fall",
    ):
        assert proof in reasons
    assert (best.printed, best.computed) == ("Age, Gender", "Age, Diagnosis")


def test_the_printed_f_is_not_the_printed_formula_in_any_row() -> None:
    assert all("F of these inputs is" in line.remark for line in qid.table_4()[:-1])


def test_the_optimum_is_the_known_one() -> None:
    assert qid.optimum()[0].computed == "Age, Diagnosis: 1.747863, reached by 7 sets"


def test_table_7_follows_from_its_counts() -> None:
    assert [line.agrees for line in qid.table_7(None)[:5]] == ["yes"] * 5


def test_tables_6_is_reproduced_but_for_nursery(shared_data: Path) -> None:
    lines = {line.what.partition(":")[0]: line for line in qid.table_6(shared_data)}
    assert "D 0.0596 S 0.9879 K 16.777 A 0.5102" in lines["car"].computed
    assert lines["nursery"].agrees == "partly"
    assert "D 0.1250" in lines["nursery"].computed
    assert all(
        lines[name].agrees == "yes" for name in ("adult", "car", "diabetes_aim94", "heart_disease_qidlib")
    )


def test_the_signs_of_figure_1_hold() -> None:
    lines = qid.correlations(qid.figure_1(400, 0))
    assert [line.agrees for line in lines[:-1]] == ["yes"] * 6


def test_the_command_writes_table_and_figures(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("altair")
    monkeypatch.delenv("LOOKALIKE_DATA", raising=False)
    qid.run(output=tmp_path, full=False, seed=0, json=True)
    assert {path.name for path in tmp_path.iterdir()} == {"qid.csv", "figure-1.svg", "figure-2.svg"}
    assert (tmp_path / "figure-2.svg").read_text().startswith("<svg")
