"""Causal graphs: discovered where causal-learn is installed, refused in words where it is not."""

from __future__ import annotations

import sys

import numpy as np
import polars as pl
import pytest

import lookalike as la
from lookalike.recognition.metrics.graphs import coarsen


def chain(rows: int = 600) -> la.Table:
    """a -> b -> c, and d on its own; e never varies."""
    rng = np.random.default_rng(0)
    a = rng.integers(0, 3, rows)
    b = np.where(rng.random(rows) < 0.85, a, rng.integers(0, 3, rows))
    c = np.where(rng.random(rows) < 0.85, b, rng.integers(0, 3, rows))
    return la.table(
        pl.DataFrame({"a": a, "b": b, "c": c, "d": rng.integers(0, 2, rows), "e": [1] * rows}), others=[]
    )


@pytest.mark.parametrize("method", ["pc", "ges"])
def test_neighbours_of_a_chain_are_found(method: str) -> None:
    graph = la.discover_graph(chain(), method=method)
    edges = {frozenset(arrow) for arrow in graph.arrows}
    assert edges == {frozenset("ab"), frozenset("bc")}
    importance = la.measure(chain(), "causal_importance", quasi=["b", "d"], adjacency=graph)
    assert importance.details["edges"] == 2


def test_a_missing_library_names_its_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "causallearn.search.ConstraintBased.PC", None)
    with pytest.raises(la.MissingExtra, match=r"causal-learn\. Install it with: "):
        la.discover_graph(chain(60))


def test_bins_keep_order_and_common_values() -> None:
    people = la.table(
        pl.DataFrame({"n": np.arange(100), "w": ["x"] * 60 + ["y"] * 30 + [f"z{i}" for i in range(10)]}),
        others=[],
    )
    numbers = coarsen(people.column("n"), 5)
    assert np.bincount(numbers).tolist() == [20] * 5
    assert (np.diff(numbers) >= 0).all()
    assert np.bincount(coarsen(people.column("w"), 3)).tolist() == [60, 30, 10]


def test_wrong_requests_are_refused() -> None:
    with pytest.raises(la.RequestError, match="`method` must be one of 'pc', 'ges'"):
        la.discover_graph(chain(60), method="fci")
    with pytest.raises(la.RequestError, match="`bins` must be a whole number from 2 on"):
        la.discover_graph(chain(60), bins=1)
