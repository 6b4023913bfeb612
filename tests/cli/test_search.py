"""`lookalike search` and `lookalike measure`: weights, options, a truth, evolution, graphs, class vectors, pictures."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

import lookalike as la
from lookalike.cli import app

run = CliRunner().invoke


@pytest.fixture(scope="module")
def people(tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("search") / "people.csv"
    frame = la.datasets.population(300, seed=1).select("age", "gender", "area", "on_benefits")
    frame.write_csv(file)
    return file


def call(*typed: object) -> dict[str, Any]:
    done = run(app, [*map(str, typed), "--json"])
    assert done.exit_code == 0, done.output
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def say(*typed: object, code: int = 0) -> str:
    done = run(app, list(map(str, typed)))
    assert done.exit_code == code, done.output
    return done.stdout if code == 0 else done.stderr


def test_weights_are_those_of_the_fitness(people: Path) -> None:
    found = call("search", people, "--method", "exhaustive", "--weights", "k_mean=3,alpha=1")
    table = la.read(people, others=[])
    expected = la.search_quasi(table, method="exhaustive", fitness=la.Fitness(k_mean=3.0, alpha=1.0))
    assert found["best"]["fitness"] == pytest.approx(expected.fitness)
    assert "the fitness has no 'kmean'" in say("search", people, "--weights", "kmean=3", code=2)


def test_a_sum_of_any_metrics_is_searched(people: Path) -> None:
    typed = ["--sum-of", "separation=1,l_diversity.mean=-0.2", "-s", "on_benefits"]
    found = call("search", people, "--method", "exhaustive", *typed)
    table = la.read(people, others=[])
    fitness = la.LinearFitness(
        table, {"separation": 1, "l_diversity.mean": -0.2}, {"sensitive": "on_benefits"}
    )
    assert found["best"]["fitness"] == pytest.approx(
        la.search_quasi(table, method="exhaustive", fitness=fitness).fitness
    )
    both = say("search", people, "--sum-of", "separation=1", "--weights", "alpha=2", code=2)
    assert "--weights and --sum-of" in both


def test_options_of_a_method_reach_it(people: Path) -> None:
    few = call("search", people, "--method", "evolutionary", "--options", "population=6,generations=3")
    assert len(few["history"]) == len(few["evolution"]) == 3
    cooled = call("search", people, "--method", "annealing", "--options", "steps=7,cooling=0.5")
    assert len(cooled["history"]) == 7
    front = call("search", people, "--method", "nsga2", "--options", "risk=uniqueness,generations=2")
    assert front["method"] == "nsga2"
    assert "takes no such option: depth" in say("search", people, "--options", "depth=3", code=2)
    assert "expected name=value" in say("search", people, "--options", "depth", code=2)


def test_a_truth_scores_the_set_found(people: Path) -> None:
    found = call("search", people, "--truth", "age,gender,area")
    best = found["best"]["columns"]
    scores = la.score_recognition(best, ["age", "gender", "area"], ["age", "gender", "area", "on_benefits"])
    assert found["scores"]["f1"] == pytest.approx(scores.f1)
    assert "Against age, gender, area: Scores(precision" in say(
        "search", people, "--truth", "age,gender,area"
    )


def test_the_evolution_of_all_terms_is_printed_and_drawn(people: Path, tmp_path: Path) -> None:
    pytest.importorskip("altair")
    pytest.importorskip("vl_convert")
    shown = say("search", people, "--plot", tmp_path / "path.svg")
    told = shown.partition("How it got there:")[2]
    for term in ("fitness", "distinction", "separation", "uniqueness", "k mean"):
        assert term in told
    drawn = (tmp_path / "path.svg").read_text()
    assert all(term in drawn for term in ("distinction", "separation", "uniqueness", "k_mean"))


def test_a_fitness_nobody_registered_is_refused_with_those_there_are(people: Path) -> None:
    assert "there is no fitness 'mine'" in say("search", people, "--fitness", "mine", code=2)


def test_measure_takes_a_graph_from_a_file(people: Path, tmp_path: Path) -> None:
    (tmp_path / "graph.csv").write_text("age,gender,area,on_benefits\n0,0,0,1\n0,0,0,1\n0,0,0,0\n0,0,0,0\n")
    typed = ["-q", "age,area", "--metric", "causal_importance", "--graph"]
    found = call("measure", people, *typed, tmp_path / "graph.csv")
    assert found["causal_importance"]["value"] == 1
    assert "is no file" in say("measure", people, *typed, tmp_path / "none.csv", code=2)
    (tmp_path / "other.csv").write_text("age,size\n0,1\n0,0\n")
    assert "no column 'size'" in say("measure", people, *typed, tmp_path / "other.csv", code=2)
    (tmp_path / "short.csv").write_text("age,area\n0,1\n")
    assert "2 x 2 matrix" in say("measure", people, *typed, tmp_path / "short.csv", code=2)


def test_measure_gives_class_vectors_only_when_asked(people: Path) -> None:
    typed = ["measure", people, "-q", "gender", "--metric", "k_anonymity,distinction"]
    assert "classes" not in call(*typed)["k_anonymity"]
    found = call(*typed, "--classes")["k_anonymity"]["classes"]
    counted = la.read(people, others=[]).rows["gender"].value_counts()
    assert {one["label"][0]: one["value"] for one in found} == dict(counted.iter_rows())
    assert [one["records"] for one in found] == [one["value"] for one in found]
    assert "female" in say(*typed, "--classes")
    assert "female" not in say(*typed)


def test_measure_draws_what_has_classes(people: Path, tmp_path: Path) -> None:
    pytest.importorskip("altair")
    pytest.importorskip("vl_convert")
    say(
        "measure", people, "-q", "age", "--metric", "k_anonymity,distinction", "--plot", tmp_path / "pictures"
    )
    assert [file.name for file in (tmp_path / "pictures").iterdir()] == ["k_anonymity.svg"]
