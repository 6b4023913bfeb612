"""The verdict on a release: what blocks it, what a person has to accept, and that it says so last."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from typer.testing import CliRunner

import lookalike as la
from lookalike.cli import app
from lookalike.measures.attacks.results import Attacked, Attacks
from lookalike.releases.recipes.recipe import ColumnRecipe
from lookalike.runs.verdict import Issue, Readiness, judge

DRAW = np.random.default_rng(2)
ROWS = pl.DataFrame({"age": DRAW.integers(20, 60, 200), "sex": DRAW.choice(["f", "m"], 200)})


def attacks(*rates: float, bound: float | None = None) -> Attacks:
    tried = [
        Attacked(f"linkage {i}", "linkability", "", 200, 200 * rate, 0.05, bound=bound)
        for i, rate in enumerate(rates)
    ]
    return Attacks(tuple(tried), {}, 200, 200)


@pytest.fixture(scope="module")
def made() -> tuple[la.Recipe, la.Release]:
    recipe = la.Recipe({name: ColumnRecipe(la.Role.QUASI) for name in ROWS.columns}, (la.KAnonymity(5),))
    release = la.run(recipe, source=ROWS).release
    return recipe, release


def test_a_release_against_which_nothing_speaks_is_ready(made: tuple[la.Recipe, la.Release]) -> None:
    verdict = judge(*made, attacks(0.05, 0.08))
    assert verdict.readiness is Readiness.READY
    assert verdict.text == "ready to hand over."


def test_the_strongest_attack_of_a_threat_is_named_for_somebody_to_accept(
    made: tuple[la.Recipe, la.Release],
) -> None:
    verdict = judge(*made, attacks(0.2, 0.3))
    assert verdict.readiness is Readiness.IF_ACCEPTED
    assert [objection.issue for objection in verdict.objections] == [Issue.ATTACK]
    assert verdict.text == (
        "ready if you accept: linkage 1 succeeds in 30.0% of 200 tries (5.0% by guessing), and 1 other attack of its "
        "kind as well."
    )


@pytest.mark.parametrize("tried", [attacks(0.9), attacks(0.3, bound=0.2)])
def test_a_release_that_gives_most_away_or_more_than_promised_is_not_ready(
    made: tuple[la.Recipe, la.Release], tried: Attacks
) -> None:
    assert judge(*made, tried).readiness is Readiness.NOT_READY


def test_what_nobody_tried_or_decided_has_to_be_accepted(made: tuple[la.Recipe, la.Release]) -> None:
    recipe, release = made
    doubtful = replace(
        recipe,
        columns={
            "age": ColumnRecipe(la.Role.QUASI, weight=0.2),
            "sex": ColumnRecipe(la.Role.SENSITIVE),
        },
    )
    linked = replace(release, linked=[{"columns": ["sex"], "quasi": ["age"], "choice": "accept"}])
    verdict = judge(doubtful, linked, None)
    issues = {objection.issue for objection in verdict.objections}
    assert issues == {Issue.NOT_ATTACKED, Issue.LINK_ACCEPTED, Issue.NO_PROMISE, Issue.UNKNOWN}
    assert verdict.readiness is Readiness.IF_ACCEPTED


def test_rows_that_may_be_several_of_a_person_block_the_release(made: tuple[la.Recipe, la.Release]) -> None:
    recipe, release = made
    doubtful = replace(recipe, doubts=("rows are counted, but 'host' has 20 different values in 200 rows",))
    assert judge(doubtful, release, attacks(0.05)).readiness is Readiness.NOT_READY


def test_a_run_says_its_verdict_last_and_in_json_first(tmp_path: Path) -> None:
    ROWS.write_csv(tmp_path / "people.csv")
    command = ["run", str(tmp_path / "people.csv"), "--yes", "--force", "-o", str(tmp_path / "out")]
    shown = CliRunner().invoke(app, command)
    assert shown.exit_code == 0, shown.output
    said = json.loads(CliRunner().invoke(app, [*command, "--json"]).stdout)
    assert next(iter(said)) == "verdict"
    assert " ".join(shown.stdout.split()).endswith(said["verdict"]["text"])
    assert said["verdict"]["readiness"] in set(Readiness)
