"""Bounds from boxes of the lattice: never above what brute force finds, and equal to it in the end."""

from __future__ import annotations

import itertools
import math
from collections import Counter
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import lookalike as la
from lookalike.anonymizers.optimal import searching
from lookalike.anonymizers.optimal.boxes import LatticeBoxes
from lookalike.anonymizers.optimal.branching import Branching
from lookalike.anonymizers.optimal.covers import ColumnCover
from lookalike.anonymizers.optimal.lattice import GeneralisationLattice
from lookalike.kernels.lattice import box_tables
from lookalike.models import KAnonymity, LDiversity, SampleUniqueness
from lookalike.tables.hierarchies import Hierarchy

#: One has levels that change nothing, one a value that is a group of its own, one a single level.
TREES = {
    "a": [["0", "low", "low", "*", "*"], ["1", "low", "low", "*", "*"], ["2", "2", "2", "*", "*"]],
    "b": [["é", "é/ß", "*"], ["ß", "é/ß", "*"], ["?", "?", "*"]],
    "c": [[str(i), f"{i // 2}x", f"{i // 4}y", "*"] for i in range(8)],
    "d": [["m", "m"], ["w", "w"]],
    "e": [["p", "*"], ["q", "*"]],
}
rows_of = st.lists(
    st.tuples(*(st.sampled_from([row[0] for row in rows]) for rows in TREES.values())),
    min_size=1,
    max_size=30,
)
limits = st.sampled_from([0.0, 0.1, 0.3, 1.0])


def lattice_of(rows: list[tuple[str, ...]], k: int, **asked: Any) -> GeneralisationLattice:
    frame = pl.DataFrame(rows, schema=list(TREES), orient="row").with_columns(
        pl.col("b").replace({"?": None})
    )
    trees = {name: Hierarchy.rows(tree) for name, tree in TREES.items()}
    trees["b"] = Hierarchy.rows(TREES["b"][:2])
    table = la.table(
        frame, quasi=frame.columns, hierarchies=trees, types=dict.fromkeys(frame.columns, "nominal")
    )
    options = {"loss": "loss", "weights": None, "min_levels": None, "max_levels": None}
    return GeneralisationLattice(table.cells(), [KAnonymity(k)], **{**options, **asked})


def best_of(lattice: GeneralisationLattice, columns: list[int], k: int) -> float:
    """The least that some columns lose by themselves, by looking at every choice of their levels."""
    cells, best = lattice.cells, math.inf
    for levels in itertools.product(*(range(lattice.low[a], lattice.high[a] + 1) for a in columns)):
        up = [cells.attributes[a].tree.up[level] for a, level in zip(columns, levels, strict=True)]
        keys = [
            tuple(int(u[cells.codes[a][i]]) for a, u in zip(columns, up, strict=True))
            for i in range(len(cells))
        ]
        sizes: Counter[tuple[int, ...]] = Counter()
        for key, records in zip(keys, cells.records.tolist(), strict=True):
            sizes[key] += records
        gone, lost = 0, 0.0
        for i, (key, records) in enumerate(zip(keys, cells.records.tolist(), strict=True)):
            gone += records if sizes[key] < k else 0
            for a, level in zip(columns, levels, strict=True):
                each = 1.0 if sizes[key] < k else float(lattice.losses(a, level)[cells.codes[a][i]])
                lost += records * each * lattice.weights[a]
        if gone <= lattice.spare and gone < lattice.total:
            best = min(best, lost / lattice.total)
    return best


@settings(max_examples=150, deadline=None, suppress_health_check=list(HealthCheck))
@given(
    rows=rows_of,
    k=st.integers(2, 4),
    suppression=limits,
    loss=st.sampled_from(["loss", "ncp", "precision"]),
    weights=st.sampled_from([None, {"a": 3.0, "c": 0.5}, {"b": 0.0}]),
    levels=st.sampled_from([{}, {"min_levels": {"c": 1}}, {"max_levels": {"a": 3, "c": 2}}]),
    columns=st.sampled_from([[0, 1, 2, 3, 4], [2, 0], [1, 2, 4], [3], [4, 3, 2]]),
    useful=st.sampled_from([0.0, 0.2, 2.0]),
    share=st.sampled_from([0.0, 0.5, 1.0]),
)
def test_some_columns_by_themselves_are_searched_to_the_optimum(
    rows: list,
    k: int,
    suppression: float,
    loss: str,
    weights: Any,
    levels: Any,
    columns: list[int],
    useful: float,
    share: float,
) -> None:
    """From whatever target on, and with whatever share of the optimum known to be lost from elsewhere."""
    lattice = lattice_of(rows, k, suppression=suppression, loss=loss, weights=weights, **levels)
    best = best_of(lattice, columns, k)
    boxes = LatticeBoxes(lattice, columns, lattice.high)
    boxes.useful = useful
    bounds = [boxes.least]
    while not boxes.done():
        boxes.step()
        bounds.append(boxes.least)
        boxes.know(share * min(best, 1.0) if np.isfinite(best) else 0.0, np.inf)
    assert (np.diff(bounds) > -1e-12).all() or math.isinf(best)
    assert all(bound <= best + 1e-9 for bound in bounds)
    assert boxes.best == pytest.approx(best, abs=1e-9)


@settings(max_examples=100, deadline=None, suppress_health_check=list(HealthCheck))
@given(
    rows=rows_of,
    k=st.integers(2, 4),
    suppression=limits,
    seed=st.integers(0, 3),
    few=st.sampled_from([0.7, 4]),
    ahead=st.sampled_from([3, 0.01]),
)
def test_covers_never_promise_more_than_the_optimum(
    rows: list, k: int, suppression: float, seed: int, few: float, ahead: float
) -> None:
    """Also with work for one box at a time, so that what is left waits and comes back, and from small parts on."""
    lattice = lattice_of(rows, k, suppression=suppression)
    best = best_of(lattice, list(range(5)), k)
    branching = Branching(lattice, alternatives=1)
    node = [int(np.random.default_rng(seed).integers(high + 1)) for high in lattice.high]
    branching.try_node(branching.prefix(node))
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr("lookalike.anonymizers.optimal.boxes._WORK", 1)
        patched.setattr("lookalike.anonymizers.optimal.covers._FEW", few)
        patched.setattr("lookalike.anonymizers.optimal.covers._AHEAD", ahead)
        cover = ColumnCover(branching, hurry=True)
        bounds = [cover.least]
        while not cover.done():
            cover.step()
            bounds.append(cover.least)
    assert all(bound <= best + 1e-9 for bound in bounds)
    assert (np.diff(bounds) > -1e-12).all()
    assert cover.least == pytest.approx(best, abs=1e-9)
    assert branching.losses[0] == pytest.approx(best, abs=1e-9)


def test_what_finds_no_room_waits_and_is_not_lost(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(0)
    rows = [tuple(str(rng.choice([row[0] for row in rows])) for rows in TREES.values()) for _ in range(60)]
    lattice = lattice_of(rows, 3, suppression=0.2)
    for name, few in (("_ROOM", 2), ("_TABLES", 5), ("_WAITING", 4), ("_OUT", 8)):
        with monkeypatch.context() as patched:
            patched.setattr(box_tables, name, few)
            boxes = LatticeBoxes(lattice, range(5), lattice.high)
            while not boxes.done():
                boxes.step()
        assert boxes.best == pytest.approx(best_of(lattice, list(range(5)), 3), abs=1e-9)


def test_boxes_are_for_models_that_ask_for_nothing_but_sizes() -> None:
    frame = pl.DataFrame({"x": ["a", "b"] * 9, "s": ["u", "v", "w"] * 6, "who": list(range(6)) * 3})
    plain = la.table(frame.drop("who"), quasi=["x"], sensitive=["s"]).cells()
    people = la.table(frame, quasi=["x"], sensitive=["s"], unit="who").cells()

    def sizes_only(cells: Any, *models: Any, loss: str = "loss") -> bool:
        asked = {"suppression": 0.1, "loss": loss, "weights": None, "min_levels": None, "max_levels": None}
        return Branching(GeneralisationLattice(cells, models, **asked), alternatives=1).sizes_only

    assert sizes_only(plain, KAnonymity(2))
    assert sizes_only(plain, KAnonymity(2), loss="precision")
    assert not sizes_only(people, KAnonymity(2))
    assert not sizes_only(plain, KAnonymity(2), LDiversity("s", 2))
    assert not sizes_only(plain, SampleUniqueness(0.1))
    assert not sizes_only(plain, KAnonymity(2), loss="entropy")
    assert not sizes_only(plain, KAnonymity(2), loss="discernibility")


@pytest.mark.parametrize("suppression", [0.05, 1.0])
def test_large_lattices_are_searched_to_the_same_optimum_as_small_ones(
    suppression: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    rng = np.random.default_rng(3)
    frame = pl.DataFrame({f"c{i}": rng.binomial(7, 0.2 + 0.05 * i, 500) for i in range(6)})
    table = la.table(
        frame, quasi=frame.columns, hierarchies=dict.fromkeys(frame.columns, Hierarchy.ordering())
    )
    small = searching.search(table.cells(), [KAnonymity(4)], suppression=suppression)
    monkeypatch.setattr(searching, "LARGE", 0)
    large = searching.search(table.cells(), [KAnonymity(4)], suppression=suppression)
    assert small.proven_optimal
    assert large.proven_optimal
    assert large.loss == pytest.approx(small.loss, abs=1e-12)


@pytest.mark.parametrize("seed", [0, 1, 2])
@pytest.mark.parametrize("suppression", [0.05, 1.0])
def test_more_time_is_never_worse(seed: int, suppression: float, monkeypatch: pytest.MonkeyPatch) -> None:
    """The clock counts how often it is looked at, so that time is work and the same on every machine."""
    rng = np.random.default_rng(seed)
    frame = pl.DataFrame({f"c{i:02}": rng.binomial(15, rng.uniform(0.1, 0.5), 200) for i in range(14)})
    table = la.table(
        frame, quasi=frame.columns, hierarchies=dict.fromkeys(frame.columns, Hierarchy.ordering())
    )
    cells, found = table.cells(), []
    for seconds in (30, 100, 300):
        ticks = itertools.count()
        monkeypatch.setattr(searching.time, "perf_counter", lambda ticks=ticks: float(next(ticks)))
        found.append(searching.search(cells, [KAnonymity(4)], suppression=suppression, seconds=seconds))
    assert found[0].nodes > searching.LARGE
    losses, bounds = [one.loss for one in found], [one.bound for one in found]
    assert losses == sorted(losses, reverse=True)
    assert bounds == sorted(bounds)
    assert max(bounds) <= min(losses)
