"""Weights learnt from labelled tables are never worse on these than the paper's; a table left out teaches nothing."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

import lookalike as la
from lookalike.recognition.fitness import Fitness
from lookalike.recognition.metrics.performance import score_recognition
from lookalike.recognition.search import search_quasi
from lookalike.recognition.subsets import Universe
from lookalike.recognition.weighting import Labelled, learn_fitness, leave_one_out


def labelled(seed: int, quasi: list[str] | None = None) -> Labelled:
    """Coarse columns are the quasi-identifiers, a fine one is not: the reverse of what the paper's weights like."""
    rng = np.random.default_rng(seed)
    sizes = {"a": 2, "b": 3, "c": 4, "d": 90, "e": 400}
    frame = pl.DataFrame({name: rng.integers(0, size, 300) for name, size in sizes.items()})
    return Labelled(la.table(frame, others=[]), quasi or ["a", "b", "c"])


def test_f1_of_every_set_is_that_of_the_scores() -> None:
    one = labelled(0)
    universe = Universe(one.table)
    for subset in range(1, 32):
        scores = score_recognition(universe.columns(subset), one.quasi, one.table.names, zero_division=0)
        assert one.f1[subset] == pytest.approx(scores.f1)


def test_what_a_fitness_reaches_is_what_the_exhaustive_search_finds() -> None:
    one = labelled(1)
    fitness = Fitness(-3.0, 1.0, 0.01, divide=False)
    best = search_quasi(one.table, method="exhaustive", fitness=fitness)
    assert one.reached(fitness) == pytest.approx(
        score_recognition(best.columns, one.quasi, one.table.names, zero_division=0).f1
    )


def test_learnt_weights_do_better_on_tables_they_have_not_seen_where_there_is_something_to_learn() -> None:
    families = {str(seed): [labelled(seed)] for seed in range(4)}
    for before, after in leave_one_out(families, draws=100).values():
        assert after > before


def test_learning_is_never_worse_than_the_papers_weights_where_it_learns() -> None:
    tables = [labelled(seed) for seed in range(3)]
    learnt = learn_fitness(tables, draws=20)
    assert np.mean([t.reached(learnt) for t in tables]) >= np.mean([t.reached(Fitness()) for t in tables])
    assert learn_fitness(tables, draws=20) == learnt


def test_the_labels_of_the_family_left_out_change_nothing_for_it() -> None:
    def weights(quasi: list[str]) -> float:
        here = labelled(9, quasi)
        families = {"here": [here], "there": [labelled(1)], "elsewhere": [labelled(2)]}
        learnt = learn_fitness([*families["there"], *families["elsewhere"]], draws=30)
        assert leave_one_out(families, draws=30)["here"][1] == here.reached(learnt)
        return learnt.distinction

    assert weights(["a", "b"]) == weights(["d"])


def test_nothing_is_learnt_from_nothing() -> None:
    with pytest.raises(la.RequestError, match="at least one labelled"):
        learn_fitness([])
    with pytest.raises(la.RequestError, match="true quasi-identifier"):
        Labelled(labelled(0).table, [])
    with pytest.raises(la.RequestError, match="draws"):
        learn_fitness([labelled(0)], draws=0)
