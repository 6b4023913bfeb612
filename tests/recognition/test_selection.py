"""Choosing metrics: correlations over sets of columns, the redundant dropped, the reasons given."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

import lookalike as la
from lookalike.recognition.metrics.view import ClassView
from lookalike.recognition.selection import choose, correlate


@pytest.fixture(scope="module")
def table() -> la.Table:
    rng = np.random.default_rng(0)
    columns = {f"x{i}": (rng.random(400) ** 1.5 * (i + 2)).astype(int) for i in range(7)}
    columns["y"] = sum(columns.values()) + rng.integers(0, 2, 400)
    return la.table(pl.DataFrame(columns), others=[])


def test_the_printed_signs_are_found(table: la.Table) -> None:
    found = la.select_metrics(table, size=3, target="y", sensitive="y")
    assert found.correlation("k_anonymity.mean", "separation") < -0.9
    assert found.correlation("k_anonymity.mean", "distinction") < 0
    assert found.correlation("distinction", "separation") > 0
    assert found.correlation("gini", "range_utility") > 0
    assert found.correlation("gini", "information_gain") < 0
    assert found.correlation("range_utility", "information_gain") < 0


def test_record_weighted_class_size_and_separation_say_the_same(table: la.Table) -> None:
    found = la.select_metrics(
        table, size=3, columns=table.names[:7], metrics=["k_anonymity.record_mean", "separation"]
    )
    assert found.correlation("k_anonymity.record_mean", "separation") == pytest.approx(-1)
    assert len(found.chosen) == 1
    assert sum("says the same as" in reason for reason in found.reasons.values()) == 1


def test_every_metric_has_a_reason_and_chosen_ones_differ(table: la.Table) -> None:
    found = la.select_metrics(table, size=2, target="y", limit=0.9)
    assert set(found.reasons) == set(found.metrics)
    for i, one in enumerate(found.chosen):
        for two in found.chosen[:i]:
            assert abs(found.correlation(one, two)) <= 0.9
    assert "left out" in found.reasons["attribute_length_penalty"]


def test_spearman_sees_what_is_monotone(table: la.Table) -> None:
    found = la.select_metrics(
        table, size=2, columns=table.names[:7], metrics=["distinction", "k_anonymity.mean"], method="spearman"
    )
    assert found.correlation("distinction", "k_anonymity.mean") == pytest.approx(-1)


def test_correlations_agree_with_numpy_and_leave_constants_out() -> None:
    rng = np.random.default_rng(1)
    values = np.column_stack([rng.random((50, 2)), np.ones(50), np.full(50, np.inf)])
    found = correlate(values)
    assert found[0, 1] == pytest.approx(np.corrcoef(values[:, 0], values[:, 1])[0, 1])
    assert np.isnan(found[2:]).all()


def test_choice_takes_the_least_redundant_of_each_domain() -> None:
    keys = ["distinction", "separation", "gini"]
    strong = np.array([[1, 0.99, 0.1], [0.99, 1, 0.2], [0.1, 0.2, 1]])
    chosen, reasons = choose(keys, strong, 0.95)
    assert set(chosen) == {"distinction", "gini"}
    assert reasons["separation"].startswith("left out: says the same as distinction")


def test_shared_cells_give_the_same_values_as_counting_afresh(table: la.Table) -> None:
    found = la.select_metrics(table, size=2, columns=["x0", "x1", "x2"], metrics=["gini"], target="y")
    again = [la.measure(table, "gini", quasi=subset, target="y").value for subset in found.subsets]
    assert found.values[:, 0] == pytest.approx(again)
    assert ClassView(table, ["x0"]).labels()[0] == ("0",)


@pytest.mark.parametrize(
    ("options", "error"),
    [
        ({"size": 0}, "`size` must be a whole number from 1 on"),
        ({"method": "kendall"}, "`method` must be one of"),
        ({"metrics": ["mse"]}, "needs a target"),
    ],
)
def test_wrong_requests_are_refused(table: la.Table, options: dict[str, object], error: str) -> None:
    with pytest.raises(la.RequestError, match=error):
        la.select_metrics(table, **options)


def test_the_heat_map_holds_every_pair(table: la.Table) -> None:
    pytest.importorskip("altair")
    found = la.select_metrics(table, size=2, target="y")
    cells = found.plot().to_dict()["data"]["values"]
    assert len(cells) == len(found.metrics) ** 2
