"""Metrics and fitness of one's own: plain functions, passed where they are used or registered by entry points."""

from __future__ import annotations

import sys
from importlib.metadata import EntryPoint
from types import ModuleType

import polars as pl
import pytest

import lookalike as la
from lookalike.base.errors import RequestError
from lookalike.recognition.metrics import own
from lookalike.recognition.metrics.view import ClassView
from lookalike.recognition.own_fitness import GROUP, MeasuredSet, registered_fitness

FRAME = pl.DataFrame({"age": [31, 31, 32, 71, 71, 71], "sex": list("fmffmm"), "ill": list("aabbcc")})


@pytest.fixture
def people() -> la.Table:
    return la.table(FRAME, others=[])


def share(view: ClassView, *, of: int = 1) -> float:
    """Share of the records in classes of a size."""
    return float(view.sizes[view.sizes == of].sum() / view.records)


def test_a_function_gives_a_class_vector_with_labels_and_direction(people: la.Table) -> None:
    found = la.measure(people, lambda view: 1 / view.sizes, quasi=["age"], risk_sign=+1, cost_sign=-1)
    by_label = dict(zip(found.labels, found.values.tolist(), strict=True))
    assert by_label == {("31",): 0.5, ("32",): 1.0, ("71",): pytest.approx(1 / 3)}
    assert (found.per, found.risk_sign, found.cost_sign, found.domain) == ("class", 1, -1, "own")
    assert found.record_mean == pytest.approx(0.5), "one over the class, over records, is classes per record"


def test_a_function_gives_one_number_and_takes_options(people: la.Table) -> None:
    found = la.measure(people, share, quasi=["age"], of=3)
    assert (found.name, found.per, found.value) == ("share", "set", 0.5)
    assert found.definition.formula == "Share of the records in classes of a size."
    with pytest.raises(RequestError, match="share takes no such option: at"):
        la.measure(people, share, quasi=["age"], at=3)


def test_a_function_gives_a_value_per_attribute(people: la.Table) -> None:
    found = la.measure(people, lambda view: {name: len(name) for name in view.quasi}, quasi=["age", "sex"])
    assert (found.per, found.labels, found.mean) == ("attribute", ["age", "sex"], 3)


def test_a_function_may_carry_its_own_signs(people: la.Table) -> None:
    def alone(view: ClassView) -> float:
        return float((view.sizes == 1).mean())

    alone.risk_sign = 1  # type: ignore[attr-defined]
    assert la.measure(people, alone, quasi=["age"]).risk_sign == 1
    assert la.measure(people, alone, quasi=["age"], risk_sign=0).risk_sign == 0


@pytest.mark.parametrize("gives", ["text", [1.0], [[1, 2, 3]], None, {"age": "old"}])
def test_what_is_no_number_per_class_is_refused(people: la.Table, gives: object) -> None:
    with pytest.raises(RequestError, match="must give a number, one number for each of the 3 classes"):
        la.measure(people, lambda view: gives, quasi=["age"])


def test_signs_belong_to_ones_own_metrics_alone(people: la.Table) -> None:
    with pytest.raises(RequestError, match="`risk_sign` is for a metric of your own"):
        la.measure(people, "separation", quasi=["age"], risk_sign=1)
    with pytest.raises(RequestError, match="must be -1, 0 or 1"):
        la.measure(people, share, quasi=["age"], risk_sign=2)


def few(one: MeasuredSet) -> float:
    return one.separation - 0.3 * len(one.columns)


@pytest.mark.parametrize("method", ["greedy", "tabu", "annealing", "evolutionary", "exhaustive"])
def test_every_method_searches_by_a_function_of_ones_own(people: la.Table, method: str) -> None:
    found = la.search_quasi(people, method=method, fitness=few)
    every = la.search_quasi(people, method="exhaustive", fitness=few, top=7)
    assert found.fitness == pytest.approx(every.fitness)
    for one in every.ranking:
        separation = la.measure(people, "separation", quasi=one.columns).value
        assert one.fitness == pytest.approx(separation - 0.3 * len(one.columns))
    assert every.fitness == max(one.fitness for one in every.ranking)


def test_a_fitness_sees_what_the_metrics_say(people: la.Table) -> None:
    seen: list[MeasuredSet] = []
    la.search_quasi(people, method="exhaustive", fitness=lambda one: seen.append(one) or 0.0)  # type: ignore[func-returns-value]
    assert len(seen) == 7
    for one in seen:
        sizes = la.measure(people, "k_anonymity", quasi=one.columns)
        assert (one.k_min, one.k_mean) == (sizes.min, pytest.approx(sizes.mean))
        for name in ("distinction", "separation"):
            assert getattr(one, name) == pytest.approx(la.measure(people, name, quasi=one.columns).value)
        penalty = la.measure(people, "attribute_length_penalty", quasi=one.columns, universe=people.names)
        assert one.length_penalty == pytest.approx(penalty.value)


def test_a_fitness_that_gives_no_number_is_refused(people: la.Table) -> None:
    with pytest.raises(RequestError, match="`fitness` must give a number for each set, found str"):
        la.search_quasi(people, fitness=lambda one: "good")  # type: ignore[arg-type, return-value]


def test_the_evolution_has_every_term_of_the_best_set_after_each_step(people: la.Table) -> None:
    found = la.search_quasi(people, method="evolutionary", generations=6, population=6)
    assert [one.fitness for one in found.evolution] == list(found.history)
    assert list(found.history) == sorted(found.history)
    assert found.evolution[-1] == found.best
    assert len(found.to_dict()["evolution"]) == 6
    alone = la.search_quasi(people, method="exhaustive")
    assert alone.evolution == (alone.best,)


def test_the_picture_of_a_search_shows_every_term(people: la.Table) -> None:
    pytest.importorskip("altair")
    drawn = la.search_quasi(people, method="greedy").plot().to_dict()
    terms = {row["term"] for row in drawn["data"]["values"]}
    assert terms == {"fitness", "distinction", "separation", "uniqueness", "k_mean", "columns"}


@pytest.fixture
def offered(monkeypatch: pytest.MonkeyPatch) -> None:
    """A distribution that registers a metric and a fitness."""
    module = ModuleType("somebodys_package")
    module.share, module.few = share, few  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "somebodys_package", module)
    points = {
        own.GROUP: EntryPoint("alone", "somebodys_package:share", own.GROUP),
        GROUP: EntryPoint("few", "somebodys_package:few", GROUP),
    }
    monkeypatch.setattr(own, "entry_points", lambda group: [points[group]])


@pytest.mark.usefixtures("offered")
def test_entry_points_are_known_by_name(people: la.Table) -> None:
    assert la.measure(people, "alone", quasi=["age"]).value == pytest.approx(1 / 6)
    assert registered_fitness("few") is few
    chosen = la.select_metrics(people, size=1, columns=["age", "sex"], metrics=["alone", "separation"])
    assert set(chosen.metrics) == {"alone", "separation"}
    summed = la.LinearFitness(people, {"alone": 1.0})
    assert la.search_quasi(people, method="exhaustive", fitness=summed).fitness > 0
    with pytest.raises(RequestError, match=r"known are .*alone"):
        la.measure(people, "nothing", quasi=["age"])
    with pytest.raises(RequestError, match="there are: few"):
        registered_fitness("many")
