"""Searches over sets of columns: the known optimum, the truth of exhaustion, and the same answer on any threads."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

import lookalike as la
from lookalike.recognition.fitness import fitness_5_1, fitness_paper_5_1
from lookalike.recognition.optimisers.nsga2 import order
from recognition.known_ranking import RANKING
from recognition.medical import COLUMNS, patients

METHODS = ["greedy", "tabu", "annealing", "evolutionary"]


def crowd(rows: int = 300, seed: int = 0) -> la.Table:
    rng = np.random.default_rng(seed)
    sizes = (2, 3, 3, 4, 6, 8, 12, 30)
    return la.table(pl.DataFrame({f"c{i}": rng.integers(0, s, rows) for i, s in enumerate(sizes)}), others=[])


def test_the_ranking_of_all_31_sets_is_the_known_one() -> None:
    found = la.search_quasi(patients(), method="exhaustive", columns=COLUMNS, top=31)
    assert [c.columns for c in found.ranking] == [columns for _, columns in RANKING]
    assert [c.fitness for c in found.ranking] == pytest.approx([value for value, _ in RANKING], abs=1e-9)
    assert found.measured == 31


@pytest.mark.parametrize("method", METHODS)
def test_every_optimiser_reaches_the_optimum_of_the_ten_patients(method: str) -> None:
    found = la.search_quasi(patients(), method=method, columns=COLUMNS)
    assert found.columns == ("Age", "Diagnosis")
    assert found.fitness == pytest.approx(1.747863248)


@pytest.mark.parametrize("method", METHODS)
def test_no_optimiser_beats_exhaustion_and_history_never_falls(method: str) -> None:
    truth = la.search_quasi(crowd(), method="exhaustive")
    found = la.search_quasi(crowd(), method=method, seed=3)
    assert found.fitness <= truth.fitness
    assert list(found.history) == sorted(found.history)
    assert found.history[-1] == found.fitness


@pytest.mark.parametrize("method", [*METHODS, "exhaustive", "nsga2"])
def test_the_same_seed_gives_the_same_answer_on_any_number_of_threads(method: str) -> None:
    one, two = (la.search_quasi(crowd(), method=method, seed=5, threads=t) for t in (1, 3))
    assert one.to_dict() == two.to_dict()


def test_greedy_ends_where_no_flip_improves() -> None:
    table = crowd()
    found = la.search_quasi(table, method="greedy")
    every = la.search_quasi(table, method="exhaustive", top=256)
    values = {frozenset(c.columns): c.fitness for c in every.ranking}
    here = frozenset(found.columns)
    flips = [here ^ {name} for name in table.names]
    assert all(values[f] <= found.fitness for f in flips if f)


def test_ties_go_to_fewer_columns_then_to_the_alphabet() -> None:
    twins = la.table(pl.DataFrame({"b": [1, 2, 3], "a": [1, 2, 3]}), others=[])
    flat = la.Fitness(divide=False)
    assert la.search_quasi(twins, method="exhaustive", fitness=flat).columns == ("a",)


def test_gains_do_not_depend_on_the_way_to_a_set() -> None:
    fitness = la.Fitness(distinction_gain=0.2, separation_gain=0.2, penalty=1.0)
    table = crowd(60)
    every = la.search_quasi(table, method="exhaustive", fitness=fitness, top=255)
    walked = la.search_quasi(table, method="evolutionary", fitness=fitness, top=255)
    truth = {c.columns: c.fitness for c in every.ranking}
    assert len(walked.ranking) > 100
    assert all(c.fitness == pytest.approx(truth[c.columns]) for c in walked.ranking)


def test_a_gain_is_the_mean_over_leaving_one_out() -> None:
    only_gain = la.Fitness(
        distinction=0, separation=0, k_mean=0, distinction_gain=1, separation_gain=0, divide=False
    )
    found = la.search_quasi(patients(), method="exhaustive", columns=COLUMNS, fitness=only_gain, top=31)
    value = {c.columns: c.fitness for c in found.ranking}
    assert value["Age", "Gender"] == pytest.approx(((0.8 - 0.2) + (0.8 - 0.8)) / 2)


def test_a_linear_fitness_takes_any_metrics() -> None:
    people = patients()
    fitness = la.LinearFitness(people, {"distinction": 1, "accuracy": -0.5}, {"target": "Outcome"})
    found = la.search_quasi(
        people, method="exhaustive", columns=["Age", "Gender", "Diagnosis"], fitness=fitness, top=7
    )
    value = {c.columns: c.fitness for c in found.ranking}
    assert value["Gender", "Diagnosis"] == pytest.approx(0.4 - 0.5 * 0.7)
    assert found.columns == ("Age", "Diagnosis")
    with pytest.raises(la.RequestError, match="accuracy needs a target"):
        la.LinearFitness(people, {"accuracy": 1})


def test_the_front_is_what_nothing_beats() -> None:
    table = crowd()
    front = la.search_quasi(table, method="nsga2", seed=1, generations=60)
    every = la.search_quasi(table, method="exhaustive", top=255).ranking
    for candidate in front.ranking:
        assert candidate.cost == len(candidate.columns)
        beaten = [
            c for c in every if len(c.columns) < candidate.cost and c.separation >= candidate.separation
        ]
        assert beaten == []
    best_by_size = {len(c.columns): 0.0 for c in every}
    for c in every:
        best_by_size[len(c.columns)] = max(best_by_size[len(c.columns)], c.separation)
    assert {c.cost for c in front.ranking} >= {1, 2, 3}
    assert all(c.separation == best_by_size[len(c.columns)] for c in front.ranking)


def test_a_front_may_cost_utility_instead_of_columns() -> None:
    people = patients()
    cost = la.LinearFitness(people, {"information_gain": 1}, {"target": "Outcome"})
    front = la.search_quasi(
        people, method="nsga2", columns=["Age", "Gender", "Diagnosis"], cost=cost, generations=5
    )
    assert all(c.cost >= 0 for c in front.ranking)


def test_points_are_sorted_into_fronts_and_equals_share_one() -> None:
    rank, distance = order(np.array([[1.0, 1.0], [1.0, 1.0], [2.0, 2.0], [0.5, 1.0], [2.0, 3.0]]))
    assert rank.tolist() == [0, 0, 0, 1, 1]
    assert np.isinf(distance[2])


def test_the_papers_formula_adds_k_and_ours_divides_by_it() -> None:
    printed = (1, 0.80, 0.75, 0.40, 0.60)
    assert fitness_paper_5_1(*printed) == pytest.approx(0.7875)
    true = (1.25, 42 / 45, 0.8, 1.0, 0.5416666666666666)
    assert fitness_paper_5_1(*true) == pytest.approx(0.8)
    assert fitness_5_1(*true) == pytest.approx(0.6875)


@pytest.mark.parametrize("rows", [1, 2])
@pytest.mark.parametrize("method", [*METHODS, "exhaustive", "nsga2"])
def test_tiny_tables_are_searched(method: str, rows: int) -> None:
    table = la.table(pl.DataFrame({"a": ["x"] * rows, "b": [None] * rows}), others=[])
    assert la.search_quasi(table, method=method).columns


@pytest.mark.parametrize(
    ("options", "error"),
    [
        ({"method": "magic"}, "`method` must be one of"),
        ({"method": "tabu", "tenure": 0}, "at least 1"),
        ({"method": "annealing", "cooling": 1.0}, "between 0 and 1"),
        ({"method": "evolutionary", "population": 1}, "at least 2"),
        ({"method": "evolutionary", "tournament": 99}, "fit into the population"),
        ({"method": "evolutionary", "mutation": 2}, "rates between 0 and 1"),
        ({"method": "greedy", "population": 5}, "takes no such option: population"),
        ({"method": "nsga2", "risk": "gini"}, "risk is one of"),
        ({"method": "nsga2", "cost": "gini"}, "cost is"),
        ({"threads": 0}, "`threads` must be a whole number from 1 on"),
    ],
)
def test_wrong_options_are_refused(options: dict[str, object], error: str) -> None:
    with pytest.raises(la.RequestError, match=error):
        la.search_quasi(patients(), **options)


def test_progress_and_convergence_are_shown() -> None:
    pytest.importorskip("altair")
    shares: list[float] = []
    found = la.search_quasi(crowd(), method="evolutionary", progress=shares.append)
    assert shares[-1] == 1
    chart = found.plot().to_dict()
    assert [row["step"] for row in chart["data"]["values"] if row["term"] == "fitness"] == list(range(1, 31))
    front = la.search_quasi(crowd(), method="nsga2", generations=3)
    assert len(front.plot().to_dict()["data"]["values"]) == len(front.ranking)


def test_identifiers_are_left_out_unless_asked_for() -> None:
    rows = patients().rows.with_columns(key=pl.int_range(10))
    people = la.table(rows, identifiers=["key"], others=[])
    assert la.search_quasi(people, method="exhaustive").columns != ("key",)
    assert la.search_quasi(people, method="exhaustive", columns=["key", "Gender"]).columns == ("key",)
