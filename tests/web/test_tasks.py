"""What the steps ask of the verbs: models from files, hierarchies in and out, groups by hand."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import lookalike as la
from lookalike.web import grouping
from lookalike.web.state import EMPTY
from lookalike.web.tasks import columns, explain, hierarchies
from lookalike.web.tasks.running import Cache

Opened = tuple[Cache, dict[str, Any]]


def quiet(share: float) -> None:
    """Nobody wants to know how far it is."""


@pytest.fixture
def opened(invented: Callable[[int], dict[str, Any]]) -> Opened:
    """A table with the decisions that were drafted for it."""
    cache = Cache()
    first = {**EMPTY, "source": invented(600)}
    return cache, {**first, **columns.propose(cache, first, quiet)["draft"]}


@pytest.fixture
def numbers(tmp_path: Path) -> Opened:
    """Applicants with numbers only, so that any model can read them."""
    n = 400
    rows = pl.DataFrame(
        {
            "age": [20 + i * 7 % 50 for i in range(n)],
            "children": [i * 5 % 4 for i in range(n)],
            "debt": [i * 13 % 90 for i in range(n)],
            "credit": [int(20 + i * 7 % 50 > 40 and i * 13 % 90 < 60) for i in range(n)],
        }
    )
    path = tmp_path / "applicants.csv"
    rows.write_csv(path)
    roles = {"age": "quasi", "children": "quasi", "debt": "other", "credit": "target"}
    return Cache(), {**EMPTY, "source": {"path": str(path), "name": path.name}, "roles": roles}


def trained(opened: Opened) -> Any:
    tree = pytest.importorskip("sklearn.tree", reason="models need scikit-learn: pip install 'lookalike[ml]'")
    rows = opened[0].raw(opened[1]).rows.to_pandas()
    return tree.DecisionTreeClassifier(max_depth=4, random_state=0).fit(
        rows[["age", "children", "debt"]].astype(float), rows["credit"].astype(int)
    )


def told(opened: Opened, model: dict[str, Any]) -> dict[str, Any]:
    met = explain.meet(*opened, quiet, model=model)
    assert met["features"] == ["age", "children", "debt"]
    return explain.explain(*opened, quiet, model=model, outcome=len(met["outcomes"]) - 1, k=5, row=1)


def test_a_model_trained_here_is_explained(opened: Opened) -> None:
    target = next(iter(explain.targets(*opened, quiet)["targets"]))
    found = explain.explain(*opened, quiet, model={"target": target}, outcome=0, k=4, row=1)
    assert found["k"] >= 4
    assert found["text"]
    assert all(one["now"] is None and one["mine"] is None for one in found["boxes"])
    paper = explain.explain(*opened, quiet, model={"target": target}, outcome=0, k=4, row=1, exact=True)
    assert {one["column"] for one in paper["boxes"]} <= set(opened[0].table(opened[1]).quasi)
    assert "one person's own" in paper["text"] or paper["text"].count("your ") <= len(paper["boxes"])


def test_a_skops_model_is_read_without_a_question(numbers: Opened, tmp_path: Path) -> None:
    io = pytest.importorskip("skops.io", reason="reading .skops needs skops: pip install 'lookalike[models]'")
    path = tmp_path / "model.skops"
    io.dump(trained(numbers), path)
    assert told(numbers, {"path": str(path), "trust": False})["k"] >= 5


def test_an_onnx_model_is_read_without_a_question(numbers: Opened, tmp_path: Path) -> None:
    skl2onnx = pytest.importorskip(
        "skl2onnx", reason="making .onnx needs skl2onnx, a part of lookalike[test]"
    )
    path = tmp_path / "model.onnx"
    matrix = skl2onnx.common.data_types.FloatTensorType([None, 3])
    path.write_bytes(skl2onnx.to_onnx(trained(numbers), initial_types=[("rows", matrix)]).SerializeToString())
    given = {"path": str(path), "trust": False, "features": ["age", "children", "debt"]}
    assert told(numbers, given)["k"] >= 5


def test_a_pickle_is_loaded_only_where_it_is_trusted(numbers: Opened, tmp_path: Path) -> None:
    joblib = pytest.importorskip("joblib")
    path = tmp_path / "model.joblib"
    joblib.dump(trained(numbers), path)
    with pytest.raises(la.RequestError, match="runs whatever its author put inside"):
        told(numbers, {"path": str(path), "trust": False})
    assert told(numbers, {"path": str(path), "trust": True})["k"] >= 5


def test_a_hierarchy_goes_out_and_comes_back_the_same(opened: Opened, tmp_path: Path) -> None:
    cache, decisions = opened
    column = next(
        n for n in cache.table(decisions).quasi if not cache.table(decisions).column(n).kind.numeric
    )
    path = tmp_path / "hierarchy.csv"
    hierarchies.write(cache, decisions, quiet, column=column, path=str(path))
    taken = hierarchies.take(cache, decisions, quiet, column=column, path=str(path))["hierarchy"]
    again = {**decisions, "hierarchies": {column: taken}}
    assert cache.table(again).tree(column).rows() == cache.table(decisions).tree(column).rows()


def test_groups_put_together_by_hand_are_what_is_published(opened: Opened) -> None:
    cache, decisions = opened
    column = "marital_status"
    assert column in cache.table(decisions).quasi
    paths = grouping.with_a_step(hierarchies.look(cache, decisions, quiet, column=column)["paths"])
    values = [path[0] for path in paths]
    paths = grouping.split(paths, 1, set(values[:2]), "the first two")
    made = hierarchies.regroup(cache, decisions, quiet, column=column, paths=paths)["hierarchy"]
    tree = cache.table({**decisions, "hierarchies": {column: made}}).tree(column)
    named = {row[0]: row[1] for row in tree.rows()}
    assert {value for value, label in named.items() if label == "the first two"} == set(values[:2])


def test_widths_that_do_not_nest_are_refused_in_words(opened: Opened) -> None:
    with pytest.raises(la.HierarchyError):
        hierarchies.widths(*opened, quiet, column="age", typed="5, 7")
    with pytest.raises(la.HierarchyError, match="numbers"):
        hierarchies.widths(*opened, quiet, column="age", typed="five")
