"""Two releases of the same people in folders beside each other are refused where they undo each other."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from typer.testing import CliRunner

import lookalike as la
from lookalike.base.errors import GuaranteeError
from lookalike.cli import app
from lookalike.releases.beside import refuse_overlaps

QUASI = ["age", "gender", "area"]


@pytest.fixture(autouse=True)
def _looks(monkeypatch: pytest.MonkeyPatch) -> None:
    """All other tests save side by side whatever they like."""
    monkeypatch.setattr("lookalike.releases.release.refuse_overlaps", refuse_overlaps)


def frame(rows: int = 1_500, seed: int = 4) -> pl.DataFrame:
    return la.datasets.population(rows, seed=seed).select("name", *QUASI, "income")


def made(rows: pl.DataFrame, k: int = 5, **how: Any) -> la.Release:
    people = la.table(rows, identifiers=["name"], quasi=QUASI, sensitive=["income"], others=[])
    return la.anonymize(people, la.KAnonymity(k), **how)


def below(first: la.Release, second: la.Release, k: int) -> int:
    """People in groups smaller than k for whoever holds both, counted row by row."""
    pairs = list(zip(first.of_row.tolist(), second.of_row.tolist(), strict=True))
    both = [pair for pair in pairs if min(pair) >= 0]
    return sum(both.count(pair) < k for pair in both)


@pytest.mark.parametrize("format", ["csv", "parquet"])
@pytest.mark.parametrize(
    ("one", "other"),
    [
        ({"method": "mondrian"}, {"method": "local"}),
        ({"method": "local", "seed": 0}, {"method": "local", "seed": 1}),
        ({"method": "mondrian", "k": 5}, {"method": "mondrian", "k": 7}),
        ({"method": "optimal"}, {"method": "mondrian"}),
    ],
)
def test_two_releases_of_the_same_people_are_refused_with_the_number_of_those_found(
    one: dict[str, Any], other: dict[str, Any], format: str, tmp_path: Path
) -> None:
    rows = frame()
    first = made(rows, **one)
    second = made(rows.sample(fraction=1.0, shuffle=True, seed=1), **other)
    first.save(tmp_path / "first", format=format)
    found = below(first, made(rows, **other), 5)
    assert found > 0
    with pytest.raises(GuaranteeError, match=f"finds {found:,} records in groups smaller than 5"):
        second.save(tmp_path / "second")
    assert not (tmp_path / "second").exists()
    out = second.save(tmp_path / "second", despite="the first one never left this office")
    run = json.loads((out / "private" / "run.json").read_text())
    assert run["despite"] == "the first one never left this office"
    assert run["beside"] == [{"folder": "first", "people": found, "k": 5}]
    assert "office" not in (out / "certificate.json").read_text()


def test_releases_that_do_not_undo_each_other_lie_beside_each_other(tmp_path: Path) -> None:
    rows = frame()
    made(rows, method="mondrian").save(tmp_path / "first")
    made(rows, method="mondrian").save(tmp_path / "the same again")
    made(frame(seed=5), method="mondrian").save(tmp_path / "other people")
    made(rows.drop("area").with_columns(area=pl.lit("all")), method="optimal").save(
        tmp_path / "another table"
    )
    saved = {path.parent.name for path in tmp_path.glob("*/certificate.json")}
    assert saved == {"first", "the same again", "other people", "another table"}


def test_rows_that_stay_in_a_file_are_compared_as_well(tmp_path: Path) -> None:
    frame().write_csv(tmp_path / "people.csv")
    said: dict[str, Any] = {"identifiers": ["name"], "quasi": QUASI, "sensitive": ["income"], "others": []}
    made(pl.read_csv(tmp_path / "people.csv", infer_schema=False), method="optimal").save(tmp_path / "first")
    away = la.read(tmp_path / "people.csv", engine="streaming", **said)
    with pytest.raises(GuaranteeError, match="another release of the same people"):
        la.anonymize(away, la.KAnonymity(5), method="mondrian").save(tmp_path / "second")


def test_people_are_counted_where_they_have_several_rows(tmp_path: Path) -> None:
    rows = frame(600)
    visits = pl.concat([rows, rows.with_columns(area=pl.col("area").shuffle(seed=2))])
    releases = []
    for method in ("mondrian", "local"):
        people = la.table(visits, quasi=QUASI, sensitive=["income"], others=["name"], unit="name")
        asked: dict[str, Any] = {"drop": ["name"], "linked": {"income": "accept"}, "suppression": 0.5}
        releases.append(la.anonymize(people, la.KAnonymity(3), method=method, **asked))
    releases[0].save(tmp_path / "first")
    with pytest.raises(GuaranteeError, match=r"finds [\d,]+ people in groups"):
        releases[1].save(tmp_path / "second")


def test_a_run_is_refused_and_carried_out_with_a_reason(tmp_path: Path) -> None:
    frame(600).drop("name").write_csv(tmp_path / "people.csv")
    run = ["run", str(tmp_path / "people.csv"), "--yes"]
    assert CliRunner().invoke(app, [*run, "-o", str(tmp_path / "one")]).exit_code == 0
    other = [*run, "-k", "7", "-o", str(tmp_path / "other")]
    refused = CliRunner().invoke(app, other)
    assert refused.exit_code == 1
    assert "another release of the same people" in refused.output
    assert not (tmp_path / "other").exists()
    done = CliRunner().invoke(app, [*other, "--despite", "one is a draft"])
    assert done.exit_code == 0, done.output
    assert la.Recipe.load(tmp_path / "other" / "private" / "recipe.toml", anywhere=True).output == {
        "despite": "one is a draft"
    }
