"""The optimal search against brute force over every node, and against the optima that ARX publishes for Adult."""

from __future__ import annotations

import itertools
import math
from collections import Counter, defaultdict
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

import lookalike as la
from lookalike.anonymizers import optimal
from lookalike.anonymizers.lattice import MEASURES, Lattice
from lookalike.cells import Cells
from lookalike.errors import GuaranteeError, RequestError
from lookalike.hierarchies import Hierarchy
from lookalike.models import (
    AlphaK,
    AverageRisk,
    BetaLikeness,
    DeltaDisclosure,
    DirectionalDiversity,
    KAnonymity,
    KLCloseness,
    KMap,
    LDiversity,
    Model,
    SampleUniqueness,
    TCloseness,
)

TREES = {
    "x": [["a", "ab", "*"], ["b", "ab", "*"], ["c", "cd", "*"], ["d", "cd", "*"]],
    "y": [["0", "low", "all"], ["1", "low", "all"], ["2", "high", "all"]],
    "z": [["m", "*"], ["w", "*"]],
    "s": [["flu", "lung", "any"], ["cold", "lung", "any"], ["ulcer", "gut", "any"], ["colic", "gut", "any"]],
}
VALUES = {name: [row[0] for row in rows] for name, rows in TREES.items()}
MODELS: list[list[Model]] = [
    [KAnonymity(2)],
    [KAnonymity(3)],
    [KAnonymity(2), LDiversity("s", 2)],
    [LDiversity("s", 2, "entropy")],
    [KAnonymity(2), LDiversity("s", 2, "recursive", 2.0)],
    [TCloseness("s", 0.4, "equal")],
    [KAnonymity(2), TCloseness("s", 0.3, "hierarchical")],
    [TCloseness("s", 0.25, "ordered"), KAnonymity(2)],
    [AlphaK("s", 0.6, 2)],
    [AlphaK("s", 0.4, 1, "flu")],
    [BetaLikeness("s", 1.0)],
    [BetaLikeness("s", 0.5, enhanced=False), KAnonymity(2)],
    [DeltaDisclosure("s", 1.5)],
    [KLCloseness("s", 0.4)],
    [DirectionalDiversity("s", "flu")],
    [KMap(3, sampling_fraction=0.5, significance=0.3)],
    [AverageRisk(0.4)],
    [SampleUniqueness(0.1)],
    [KAnonymity(2), AverageRisk(0.34), LDiversity("s", 2)],
    [LDiversity("s", 2, strict=True), LDiversity("u", 2), KAnonymity(2)],
    [TCloseness("s", 0.5, "equal", strict=True), TCloseness("u", 0.3)],
]


def cells_of(rows: list[tuple[str, str, str, str, str]], *, unit: list[int] | None = None) -> Cells:
    frame = pl.DataFrame(rows, schema=["x", "y", "z", "s", "u"], orient="row")
    if unit is not None:
        frame = frame.with_columns(pl.Series("person", unit[: len(rows)]))
    people = la.table(
        frame,
        quasi=["x", "y", "z"],
        sensitive=["s", "u"],
        hierarchies={name: Hierarchy.rows(tree) for name, tree in TREES.items()},
        unit=None if unit is None else "person",
        types={"y": "nominal"},
        others=[],
    )
    return people.cells()


rows_of = st.lists(
    st.tuples(*(st.sampled_from(VALUES[name]) for name in ("x", "y", "z", "s")), st.sampled_from("pq")),
    min_size=1,
    max_size=24,
)


def all_nodes(lattice: Lattice) -> list[tuple[int, ...]]:
    spans = [range(low, high + 1) for low, high in zip(lattice.low, lattice.high)]
    return list(itertools.product(*spans))


def lattice_of(cells: Cells, models: list[Model], **asked: object) -> Lattice:
    options = {"suppression": 0.0, "loss": "loss", "weights": None, "min_levels": None, "max_levels": None}
    return Lattice(cells, models, **{**options, **asked})  # type: ignore[arg-type]


def compare_with_brute_force(cells: Cells, models: list[Model], **asked: object) -> None:
    lattice = lattice_of(cells, models, **asked)
    best = min(lattice.evaluate(node).loss for node in all_nodes(lattice))
    if math.isinf(best):
        with pytest.raises(GuaranteeError):
            optimal.search(cells, models, **asked)  # type: ignore[arg-type]
        return
    found = optimal.search(cells, models, **asked)  # type: ignore[arg-type]
    judged = lattice.evaluate(found.levels)
    assert found.loss == pytest.approx(best, abs=1e-9)
    assert judged.loss == pytest.approx(best, abs=1e-9)
    assert (judged.suppressed == found.suppressed).all()
    assert found.proven_optimal
    assert found.bound == pytest.approx(found.loss)
    for other in found.alternatives:
        again = lattice.evaluate(other.levels)
        assert (again.loss, again.records) == (pytest.approx(other.loss, abs=1e-9), other.suppressed)
    losses = [other.loss for other in found.alternatives]
    assert losses == sorted(losses)
    assert len({other.levels for other in found.alternatives}) == len(found.alternatives)


@pytest.mark.parametrize("models", MODELS, ids=lambda models: " + ".join(map(str, models)))
@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@given(rows=rows_of, suppression=st.sampled_from([0.0, 0.1, 0.3, 0.6, 1.0]))
def test_no_node_loses_less(models: list[Model], rows: list, suppression: float) -> None:
    compare_with_brute_force(cells_of(rows), models, suppression=suppression)


@pytest.mark.parametrize("loss", MEASURES)
@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@given(
    rows=rows_of,
    suppression=st.sampled_from([0.0, 0.2, 0.5, 1.0]),
    models=st.sampled_from([MODELS[0], MODELS[2], MODELS[5], MODELS[8]]),
    weights=st.none() | st.fixed_dictionaries({"x": st.sampled_from([0.0, 0.5, 4.0]), "z": st.just(2.0)}),
    low=st.integers(0, 2),
    high=st.integers(1, 2),
)
@example(
    rows=[("a", "0", "m", "flu", "p")] * 3, suppression=0.0, models=MODELS[0], weights=None, low=0, high=2
)
def test_no_node_loses_less_by_any_measure_weights_and_levels(
    loss: str, rows: list, suppression: float, models: list[Model], weights: dict | None, low: int, high: int
) -> None:
    compare_with_brute_force(
        cells_of(rows),
        models,
        suppression=suppression,
        loss=loss,
        weights=weights,
        min_levels={"x": low},
        max_levels={"y": high},
    )


@settings(max_examples=100, deadline=None, suppress_health_check=list(HealthCheck))
@given(
    rows=rows_of,
    unit=st.lists(st.integers(0, 6), min_size=24, max_size=24),
    models=st.sampled_from(MODELS),
    suppression=st.sampled_from([0.0, 0.3, 1.0]),
)
def test_no_node_loses_less_when_people_have_several_rows(
    rows: list, unit: list[int], models: list[Model], suppression: float
) -> None:
    compare_with_brute_force(cells_of(rows, unit=unit), models, suppression=suppression)


@settings(max_examples=150, deadline=None)
@given(
    rows=rows_of,
    k=st.integers(1, 4),
    distinct=st.integers(1, 3),
    t=st.sampled_from([0.2, 0.4, 1.0]),
    suppression=st.sampled_from([0.0, 0.25, 1.0]),
)
def test_an_independent_checker_finds_the_same_loss_and_every_promise_kept(
    rows: list, k: int, distinct: int, t: float, suppression: float
) -> None:
    """Written from the definitions, on strings, without a line of the library."""
    models = [KAnonymity(k), LDiversity("s", distinct), TCloseness("s", t, "equal")]
    n, overall = len(rows), Counter(row[3] for row in rows)
    parents = {name: {row[0]: row for row in tree} for name, tree in TREES.items()}
    leaves = {name: len(tree) for name, tree in TREES.items()}

    def judge(levels: tuple[int, ...]) -> float:
        classes = defaultdict(list)
        for row in rows:
            classes[tuple(parents[a][v][l] for a, v, l in zip("xyz", row, levels))].append(row)
        lost, gone = 0.0, 0
        for label, members in classes.items():
            seen = Counter(row[3] for row in members)
            away = sum(abs(seen[v] / len(members) - overall[v] / n) for v in overall) / 2
            if len(members) < k or len(seen) < distinct or away > t + 1e-9:
                gone += len(members)
                continue
            for name, level, text in zip("xyz", levels, label):
                under = sum(row[level] == text for row in TREES[name])
                lost += len(members) * (under - 1) / (leaves[name] - 1) / 3
        return math.inf if gone == n or gone > suppression * n + 1e-9 else (lost + gone) / n

    best = min(judge(levels) for levels in itertools.product(range(3), range(3), range(2)))
    if math.isinf(best):
        with pytest.raises(GuaranteeError):
            optimal.search(cells_of(rows), models, suppression=suppression)
    else:
        found = optimal.search(cells_of(rows), models, suppression=suppression)
        assert found.loss == pytest.approx(best)
        assert judge(found.levels) == pytest.approx(best)
