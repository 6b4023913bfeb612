"""Levels that no allowed node has where nobody may go, against every node of the lattice."""

from __future__ import annotations

import math

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import lookalike as la
from anonymizers.test_optimal import (
    MODELS,
    all_nodes,
    cells_of,
    compare_with_brute_force,
    lattice_of,
    people_of,
    rows_of,
)
from lookalike.anonymizers.optimal import fences
from lookalike.anonymizers.optimal.branching import Branching
from lookalike.anonymizers.optimal.fences import fenced
from lookalike.anonymizers.optimal.lattice import GeneralisationLattice
from lookalike.models import DeltaPresence, KAnonymity, Model


@pytest.fixture(autouse=True)
def pairs_of_few_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    """Pairs of levels are counted in tables as small as these, too."""
    monkeypatch.setattr(fences, "_SHARE", 1e-9)


def floors_of(lattice: GeneralisationLattice) -> tuple[int, dict[int, tuple[int, ...]]]:
    """The column that is decided first, and per level of it the finest level of each column that can go with it."""
    search = Branching(lattice, alternatives=1)
    floors = {}
    lead = search.order[search.plan.lead - search.folded] if search.order else 0
    for i, floor in enumerate(search.plan.floor[:, search.folded :].tolist()):
        above = dict(zip(search.order, floor, strict=True))
        floors[lattice.low[lead] + i] = tuple(low + above.get(a, 0) for a, low in enumerate(lattice.low))
    return lead, floors


def test_levels_that_break_a_promise_by_themselves_or_in_pairs_are_fenced_off() -> None:
    # x alone has a class of one person at its lowest level, y none; but y tells x = ab apart once more.
    rows = [("a", "0", "m", "flu", "p"), ("a", "1", "m", "flu", "p"), ("b", "2", "m", "flu", "p")]
    rows += [("c", "2", "m", "flu", "p"), ("c", "0", "m", "flu", "p"), ("d", "1", "m", "flu", "p")]
    lattice = fenced(lattice_of(cells_of(rows), [KAnonymity(2)]))
    assert lattice.low == (1, 0, 0)
    lead, floors = floors_of(lattice)
    assert lead == 0
    assert floors[1] == (1, 2, 0)  # ab and cd have 0, 1 and 2 once each, low twice but high once
    assert floors[2] == (1, 0, 0)


def test_values_that_only_the_population_has_do_not_hide_what_a_level_loses() -> None:
    rows = [("a", "0", "m", "flu", "p")] * 4 + [("c", "0", "m", "flu", "p")]
    others = [("a", "0", "m")] * 15 + [("d", "0", "m"), ("b", "0", "m"), ("c", "0", "m")]
    everybody = pl.DataFrame([row[:3] for row in rows] + others, schema=["x", "y", "z"], orient="row")
    cells = la.with_population(people_of(rows), everybody)
    assert fenced(lattice_of(cells, [DeltaPresence(0.2, 0.9)])).low == (1, 0, 0)
    for loss in ("entropy", "loss"):
        compare_with_brute_force(cells, [DeltaPresence(0.2, 0.9)], loss=loss)


@pytest.mark.parametrize("models", MODELS, ids=lambda models: " + ".join(map(str, models)))
@given(rows=rows_of, low=st.integers(0, 1), high=st.integers(1, 2), unit=st.booleans())
def test_no_allowed_node_is_beyond_a_fence(
    models: list[Model],
    rows: list[tuple[str, str, str, str, str]],
    low: int,
    high: int,
    unit: bool,
) -> None:
    cells = cells_of(rows, unit=[i // 2 for i in range(len(rows))] if unit else None)
    asked = {"min_levels": {"y": low}, "max_levels": {"x": high}}
    lattice = lattice_of(cells, models, **asked)
    narrowed = fenced(lattice)
    lead, floors = floors_of(narrowed)
    for node in all_nodes(lattice):
        if math.isfinite(lattice.evaluate(node).loss):
            assert all(level >= least for level, least in zip(node, narrowed.low, strict=True))
            assert all(level >= least for level, least in zip(node, floors[node[lead]], strict=True))
    compare_with_brute_force(cells, models, **asked)
