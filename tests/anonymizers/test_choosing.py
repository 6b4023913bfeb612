"""`la.choose_k`: the largest k without impact below it; the whole table, warnings, a picture."""

from __future__ import annotations

import json
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from typer.testing import CliRunner

import lookalike as la
from lookalike.cli import app
from lookalike.cli.choose_k import parse_ks


def people(n: int = 200) -> la.Table:
    rng = np.random.default_rng(0)
    frame = pl.DataFrame(
        {
            "age": rng.integers(20, 50, n),
            "town": rng.choice(["a", "b", "c"], n),
            "pay": rng.normal(100, 10, n).round(),
        }
    )
    return la.table(frame, quasi=["age", "town"], sensitive=["pay"])


def rows_left(least: int) -> la.Question:
    """Impact where fewer than so many records are left: a rule whose outcome at every k can be counted by hand."""

    def enough(frame: Any) -> float:
        return float(len(frame) >= least)

    return la.Question("function", name=f"at least {least}", compute=enough, tolerance=0, relative=False)


def kept_at(table: la.Table, ks: list[int]) -> dict[int, int]:
    """Records in classes of k or more when nothing is generalised, counted with Polars."""
    sizes = table.rows.group_by("age", "town").len()["len"]
    return {k: int(sizes.filter(sizes >= k).sum()) for k in ks}


@pytest.mark.parametrize("bound", [0, 1, 2, 3])
def test_the_k_chosen_is_the_largest_without_an_impact(bound: int) -> None:
    table, ks = people(), [1, 2, 3, 4]
    kept = kept_at(table, ks)
    assert len(set(kept.values())) == 4
    least = list(kept.values())[bound]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = la.choose_k(
            table, ks=ks, questions=[rows_left(least)], method="levels", levels={}, suppression=1.0
        )
    assert found.k == ks[bound]
    assert [one.impact for one in found.table] == [kept[k] < least for k in ks]
    assert [one.records - (one.suppressed or 0) for one in found.table] == list(kept.values())
    for one in found.table:
        assert one.risk is not None
        assert one.risk <= 1 / one.k


def test_each_row_is_the_release_that_anonymize_makes() -> None:
    table = people()
    questions = [la.Question("mean", of="age", tolerance=0.5)]
    for method, options in (
        ("optimal", {}),
        ("local", {"rounds": 3}),
        ("mondrian", {}),
        ("auto", {"rounds": 3}),
    ):
        with pytest.warns(la.LookalikeWarning, match="largest tried"):
            found = la.choose_k(table, ks=[3, 5], questions=questions, method=method, seed=4)
        for one in found.table:
            release = la.anonymize(table, la.KAnonymity(one.k), method=method, seed=4, **options)
            assert (one.loss, one.suppressed) == (release.detail_lost, release.suppressed)
            again = la.evaluate(table, release, questions=questions, resamples=0)
            assert one.answers == again.questions


def test_an_impact_that_comes_and_goes_is_warned_about() -> None:
    table = people()
    kept = list(kept_at(table, [1, 2, 3]).values())

    def odd(frame: Any) -> float:
        return float(len(frame) == kept[1])

    question = la.Question("function", name="odd", compute=odd, tolerance=0, relative=False)
    with pytest.warns(la.LookalikeWarning, match="not monotone"):
        found = la.choose_k(
            table, ks=[1, 2, 3], questions=[question], method="levels", levels={}, suppression=1.0
        )
    assert found.k == 1
    assert [one.impacted for one in found.table] == [(), ("odd",), ()]


def test_a_k_without_a_release_counts_as_an_impact_and_no_k_may_do() -> None:
    table = people()
    found = la.choose_k(
        table, ks=[50, 60], questions=[rows_left(0)], method="levels", levels={}, suppression=0.0
    )
    assert found.k is None
    assert [one.loss for one in found.table] == [None, None]
    assert "no release keeps the promise" in str(found)
    json.dumps(found.to_dict())


def test_columns_that_undo_the_promise_are_told_not_taken_for_a_k_that_fails() -> None:
    frame = pl.DataFrame({"age": list(range(20, 60)) * 5, "code": [3 * i for i in range(20, 60)] * 5})
    question = la.Question("mean", of="age")
    with pytest.raises(la.LinkedColumnError, match="linked"):
        la.choose_k(frame, quasi=["age"], others=["code"], ks=[8], questions=[question])
    decided = {"linked": {"code": "drop"}}
    with pytest.warns(la.LookalikeWarning, match="largest tried"):
        chosen = la.choose_k(frame, quasi=["age"], others=["code"], ks=[8], questions=[question], **decided)
    assert chosen.table[0].loss is not None


def test_intervals_are_there_when_asked_for() -> None:
    table = people()
    with pytest.warns(la.LookalikeWarning, match="largest"):
        found = la.choose_k(table, ks=[2], questions=[la.Question("mean", of="pay")], resamples=10)
    assert found.table[0].answers[0].changes[0].low is not None


def test_the_picture_shows_every_curve_and_the_choice(tmp_path: Path) -> None:
    pytest.importorskip("altair")
    table = people()
    with pytest.warns(la.LookalikeWarning, match="largest"):
        found = la.choose_k(table, ks=[2, 3], questions=[la.Question("mean", of="pay")])
    lines, rule = found.plot().to_dict()["layer"]
    points = lines["data"]["values"]
    assert {point["curve"] for point in points} == {
        "largest risk",
        "mean risk",
        "loss",
        "left out",
        "questions changed",
    }
    assert rule["data"]["values"] == [{"k": 3}]
    assert found.save(tmp_path / "k.svg").read_text().startswith("<svg")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"ks": []}, "`ks` is empty"),
        ({"ks": [0]}, "`ks` must be a whole number from 1 on"),
        ({"questions": []}, "`questions` is empty"),
        ({"method": "magic"}, "no method 'magic'"),
    ],
)
def test_wrong_requests_say_what_is_allowed(options: dict[str, Any], message: str) -> None:
    with pytest.raises(la.RequestError, match=message):
        la.choose_k(people(), **{"questions": [la.Question("mean", of="pay")], **options})
    with pytest.raises(la.RequestError, match="other models only"):
        la.choose_k(people(), la.KAnonymity(2), questions=[la.Question("mean", of="pay")])


def test_the_command_prints_k_and_table(tmp_path: Path) -> None:
    people().rows.write_csv(tmp_path / "people.csv")
    (tmp_path / "q.toml").write_text(
        "[[question]]\nkind = 'mean'\nof = 'pay'\nby = 'town'\ntolerance = 0.2\n"
    )
    call = ["choose-k", str(tmp_path / "people.csv"), "-q", "age,town", "-s", "pay"]
    call += ["--questions", str(tmp_path / "q.toml"), "--ks", "2-3,5", "--picture", str(tmp_path / "k.svg")]
    printed = CliRunner().invoke(app, [*call, "--json"])
    assert printed.exit_code == 0, printed.output
    found = json.loads(printed.stdout)
    assert [one["k"] for one in found["table"]] == [2, 3, 5]
    assert found["k"] in (None, 2, 3, 5)
    assert (tmp_path / "k.svg").exists()
    shown = CliRunner().invoke(app, call)
    assert "chosen k" in shown.stdout


def test_ks_are_typed_as_ranges_and_lists() -> None:
    assert parse_ks("2-5,10") == [2, 3, 4, 5, 10]
    with pytest.raises(la.RequestError, match="--ks"):
        parse_ks("two")


def test_ten_ks_on_adult_are_all_tried(shared_data: Path) -> None:
    folder = shared_data / "adult_arx"
    frame = pl.read_csv(folder / "adult_arx.csv")
    quasi = [name for name in frame.columns if name != "salary-class"]
    table = la.table(frame, quasi=quasi, sensitive=["salary-class"], hierarchies=folder / "hierarchies")
    questions = [
        la.Question("ranking", by="education", share={"salary-class": ">50K"}),
        la.Question("share", of={"salary-class": ">50K"}, by="sex"),
        la.Question("mean", of="age", by="salary-class"),
    ]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = la.choose_k(table, ks=range(2, 12), questions=questions)
    assert len(found.table) == 10
