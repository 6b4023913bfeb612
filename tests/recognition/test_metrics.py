"""Metrics of sets of columns: known answers, identities, brute force, and what they refuse."""

from __future__ import annotations

import math
from collections import defaultdict
from dataclasses import replace
from itertools import takewhile
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import lookalike as la
from lookalike.recognition.metrics import ALIASES, METRICS, definition_of
from recognition.known import ANSWERS, MEANING
from recognition.medical import COLUMNS, patients

CONTEXT = {"sensitive": "Outcome", "treatment": "Treatment", "treated": "A", "universe": COLUMNS}


@pytest.mark.parametrize("quasi", ANSWERS, ids="+".join)
def test_every_metric_gives_the_known_answer(quasi: tuple[str, ...]) -> None:
    people = patients()
    for key, expected in ANSWERS[quasi].items():
        metric, aggregate, target, options = MEANING[key]
        found = la.measure(people, metric, quasi=quasi, target=target, **CONTEXT, **options)
        assert getattr(found, aggregate) == pytest.approx(expected, abs=1e-12), key


def test_values_of_the_classes_carry_their_labels() -> None:
    ranges = la.measure(patients(), "range_utility", quasi=["Gender", "Diagnosis"], target="Age")
    assert dict(zip(ranges.labels, ranges.values, strict=True)) == {
        ("F", "Diabetes"): 26,
        ("F", "Hypertension"): 19,
        ("M", "Diabetes"): 0,
        ("M", "Hypertension"): 10,
    }


def test_balance_of_age_is_welchs_t() -> None:
    people = patients()
    welch = la.measure(people, "balance_test", quasi=["Age"], **CONTEXT).details["attributes"]["Age"]
    assert (welch["t"], welch["p"]) == pytest.approx((0.5348837209302328, 0.6111183384261996))
    student = la.measure(people, "balance_test", quasi=["Age"], pooled=True, **CONTEXT)
    assert student.details["attributes"]["Age"]["t"] == pytest.approx(0.5420211061902573)
    assert student.details["attributes"]["Age"]["p"] == pytest.approx(0.6025697516790743)


def test_balance_of_a_perfect_split_is_infinite_and_of_a_constant_zero() -> None:
    people = patients(Same=[7] * 10)
    test = la.measure(people, "balance_test", quasi=["Diagnosis", "Same"], **CONTEXT).details["attributes"]
    assert math.isinf(test["Diagnosis"]["t"])
    assert test["Diagnosis"]["p"] == 0
    assert test["Same"] == {"t": 0.0, "p": 1.0}


def test_propensity_gap_is_the_known_one() -> None:
    gap = la.measure(patients(), "propensity_gap", quasi=["Age", "Gender"], **CONTEXT)
    assert gap.value == pytest.approx(0.04615137798025398, abs=1e-4)
    assert gap.details["control_mean"] == pytest.approx(0.5832682657701779, abs=1e-4)
    pairs = la.measure(patients(), "propensity_gap", quasi=["Age", "Gender"], pairwise=True, **CONTEXT)
    assert pairs.value == pytest.approx(0.07479211640136255, abs=1e-4)


@pytest.mark.parametrize(
    ("quasi", "leaving", "touching"), [(["Age", "Gender"], 2, 2), (["Diagnosis"], 1, 2), (["Outcome"], 0, 2)]
)
def test_causal_importance_counts_arrows_of_a_supplied_graph(
    quasi: list[str], leaving: int, touching: int
) -> None:
    arrows = np.zeros((5, 5))
    for cause, effect in ((0, 2), (0, 4), (2, 3), (3, 4)):
        arrows[cause, effect] = 1

    def importance(**options: bool) -> float:
        return la.measure(
            patients(), "causal_importance", quasi=quasi, universe=COLUMNS, adjacency=arrows, **options
        ).value

    assert importance(row_only=True) == leaving
    assert importance() == touching


def test_an_arrow_inside_the_set_is_one_edge() -> None:
    arrows = [[0, 1], [0, 0]]
    found = la.measure(
        patients(), "causal_importance", quasi=["Age", "Gender"], universe=["Age", "Gender"], adjacency=arrows
    )
    assert found.value == 2
    assert found.details["edges"] == 1


def test_an_undirected_graph_counts_each_edge_at_its_ends_once() -> None:
    edges = [[0, 0.5], [0.5, 0]]
    found = la.measure(
        patients(), "causal_importance", quasi=["Age"], universe=["Age", "Gender"], adjacency=edges
    )
    assert (found.value, found.details["edges"]) == (0.5, 0.5)


def test_t_closeness_of_one_value_against_three() -> None:
    people = la.table(
        pl.DataFrame({"q": [1, 2, 2, 2, 2, 2, 2, 2, 2], "s": [1, 1, 1, 2, 2, 2, 3, 3, 3]}), others=[]
    )
    people = la.table(pl.DataFrame({"q": [1, 2, 2], "s": [1, 2, 3]}), others=[], types={"s": "nominal"})

    def of_first(metric: str, **options: object) -> float:
        return float(la.measure(people, metric, quasi=["q"], sensitive="s", **options).values[0])

    assert of_first("t_closeness", divergence="kl") == pytest.approx(1.0986122886681098)
    assert of_first("t_closeness") == pytest.approx(2 / 3)
    assert of_first("t_closeness", ordered=True) == pytest.approx(0.5)
    assert of_first("generalisation_ratio") == pytest.approx(4 / 3)
    assert of_first("delta_presence") == pytest.approx(2 / 3)


@pytest.mark.parametrize(
    ("rows", "distinction", "separation"),
    [
        ([(1, "X"), (2, "Y"), (1, "X"), (2, "Y")], 0.5, 2 / 3),
        ([(1, "X"), (2, "Y"), (1, "Y"), (2, "X")], 1, 1),
    ],
)
def test_distinction_and_separation_of_the_papers_examples(
    rows: list[tuple[int, str]], distinction: float, separation: float
) -> None:
    people = la.table(pl.DataFrame(rows, schema=["A", "B"], orient="row"), others=[])
    assert la.measure(people, "distinction", quasi=["A", "B"]).value == distinction
    assert la.measure(people, "separation", quasi=["A", "B"]).value == pytest.approx(separation)


def tables(most: int = 25) -> st.SearchStrategy[pl.DataFrame]:
    value = st.one_of(st.none(), st.integers(0, 3))
    return st.integers(1, most).flatmap(
        lambda n: st.fixed_dictionaries(
            {name: st.lists(value, min_size=n, max_size=n) for name in ("a", "b", "c", "s", "y")}
        ).map(lambda columns: pl.DataFrame(columns, schema=dict.fromkeys(columns, pl.Int64)))
    )


@settings(max_examples=60, deadline=None)
@given(tables())
def test_identities_of_class_sizes(rows: pl.DataFrame) -> None:
    people = la.table(rows, others=[])
    n = len(people)
    previous = None
    for quasi in (["a"], ["a", "b"], ["a", "b", "c"]):
        k = la.measure(people, "k_anonymity", quasi=quasi)
        distinction = la.measure(people, "distinction", quasi=quasi).value
        separation = la.measure(people, "separation", quasi=quasi).value
        assert k.mean * distinction == pytest.approx(1)
        assert k.record_mean == pytest.approx(1 + (n - 1) * (1 - separation) if n > 1 else 1)
        assert np.average(1 / k.values, weights=k.weights) == pytest.approx(distinction)
        if previous is not None:
            assert distinction >= previous[0]
            assert separation >= previous[1]
            assert k.min <= previous[2]
        previous = distinction, separation, k.min


@settings(max_examples=60, deadline=None)
@given(tables(), st.booleans())
def test_sensitive_metrics_agree_with_brute_force(rows: pl.DataFrame, ordered: bool) -> None:
    people = la.table(rows, others=[])
    groups = defaultdict(list)
    for a, b, s in rows.select("a", "b", "s").iter_rows():
        groups[a, b].append(s)
    everybody = rows["s"].to_list()
    values = sorted({v for v in everybody if v is not None}) + ([None] if None in everybody else [])

    def shares(members: list[object]) -> np.ndarray:
        return np.array([members.count(v) for v in values]) / len(members)

    whole = shares(everybody)

    def per_class(metric: str, **options: object) -> dict[tuple[object, ...], float]:
        found = la.measure(people, metric, quasi=["a", "b"], sensitive="s", **options)
        labels = [tuple(None if v is None else int(v) for v in label) for label in found.labels]
        return dict(zip(labels, found.values, strict=True))

    diversity, kl = per_class("l_diversity"), per_class("t_closeness", divergence="kl")
    emd, delta = per_class("t_closeness", ordered=ordered), per_class("delta_presence")
    ratio = per_class("generalisation_ratio")
    assert set(diversity) == set(groups)
    for label, members in groups.items():
        inside = shares(members)
        present = inside > 0
        apart = np.abs(inside - whole)
        steps = np.abs(np.cumsum(inside - whole)).sum() / max(len(values) - 1, 1)
        assert diversity[label] == present.sum()
        assert kl[label] == pytest.approx(
            (inside[present] * np.log(inside[present] / whole[present])).sum(), abs=1e-12
        )
        assert emd[label] == pytest.approx(steps if ordered else apart.sum() / 2, abs=1e-12)
        assert delta[label] == pytest.approx(apart.max(), abs=1e-12)
        assert ratio[label] == pytest.approx(apart.sum(), abs=1e-12)


@settings(max_examples=60, deadline=None)
@given(tables())
def test_utility_metrics_agree_with_brute_force(rows: pl.DataFrame) -> None:
    people = la.table(rows, others=[], types={"y": "integer"})
    groups = defaultdict(list)
    for a, y in rows.select("a", "y").iter_rows():
        groups[a].append(y)

    def per_class(metric: str) -> dict[object, float]:
        found = la.measure(people, metric, quasi=["a"], target="y")
        return {None if v is None else int(v): x for (v,), x in zip(found.labels, found.values, strict=True)}

    results = {
        m: per_class(m)
        for m in ("mse", "accuracy", "range_utility", "distinct_values", "completeness", "gini")
    }
    for label, members in groups.items():
        known = [y for y in members if y is not None]
        counts = np.array([members.count(v) for v in set(members)]) / len(members)
        assert results["accuracy"][label] == pytest.approx(counts.max())
        assert results["gini"][label] == pytest.approx(1 - (counts**2).sum())
        assert results["distinct_values"][label] == len(counts)
        assert results["completeness"][label] == pytest.approx(len(known) / len(members))
        if known:
            assert results["mse"][label] == pytest.approx(np.var(known))
            assert results["range_utility"][label] == max(known) - min(known)
        else:
            assert math.isnan(results["mse"][label])
            assert math.isnan(results["range_utility"][label])
    gain = la.measure(people, "information_gain", quasi=["a"], target="y")
    entropy = la.measure(people, "group_entropy", quasi=["a"], target="y")
    assert gain.value == pytest.approx(gain.details["target_entropy"] - entropy.value, abs=1e-12)


@settings(max_examples=25, deadline=None)
@given(tables(), st.randoms(use_true_random=False))
def test_no_metric_depends_on_the_order_of_rows(rows: pl.DataFrame, random: object) -> None:
    order = list(range(len(rows)))
    random.shuffle(order)  # type: ignore[attr-defined]
    for metric in ("k_anonymity", "l_diversity", "t_closeness", "separation"):
        one, two = (
            la.measure(la.table(r, others=[]), metric, quasi=["a", "b"], sensitive="s")
            for r in (rows, rows[order])
        )
        assert one.labels == two.labels
        assert one.values == pytest.approx(two.values)


def test_missing_is_a_value_of_its_own() -> None:
    people = la.table(pl.DataFrame({"a": [None, None, 1], "s": ["x", None, None]}), others=[])
    k = la.measure(people, "k_anonymity", quasi=["a"])
    assert dict(zip(k.labels, k.values, strict=True)) == {("1",): 1, (None,): 2}
    assert la.measure(people, "l_diversity", quasi=["a"], sensitive="s").max == 2


@pytest.mark.parametrize("column", ["same", "none", "key"])
@pytest.mark.parametrize("metric", METRICS)
def test_constant_missing_and_unique_columns_give_defined_answers(metric: str, column: str) -> None:
    people = la.table(
        pl.DataFrame(
            {
                "same": ["x"] * 6,
                "none": pl.Series([None] * 6, dtype=pl.String),
                "key": list("abcdef"),
                "s": list("uuvvww"),
                "y": [1, 2, 3, 4, 5, 6],
                "t": [0, 1, 0, 1, 0, 1],
            }
        ),
        others=[],
    )
    graph = np.zeros((6, 6))
    found = la.measure(
        people, metric, quasi=[column], sensitive="s", target="y", treatment="t", adjacency=graph
    )
    assert np.isfinite(found.value)
    assert np.isfinite(found.to_dict()["mean"])


@pytest.mark.parametrize("metric", [m for m, d in METRICS.items() if "treatment" not in d.needs])
def test_a_single_row_gives_defined_answers(metric: str) -> None:
    people = la.table(pl.DataFrame({"a": [1], "s": ["x"], "y": [3]}), others=[])
    found = la.measure(people, metric, quasi=["a"], sensitive="s", target="y", adjacency=np.zeros((3, 3)))
    assert np.isfinite(found.value)


def test_separation_of_a_single_record_is_zero() -> None:
    people = la.table(pl.DataFrame({"a": [1]}), others=[])
    assert la.measure(people, "separation", quasi=["a"]).value == 0


@pytest.mark.parametrize(
    ("metric", "need"),
    [
        ("mse", "target column"),
        ("l_diversity", "sensitive column"),
        ("covariate_shift", "treatment column"),
        ("causal_importance", "causal graph"),
    ],
)
def test_a_metric_says_what_it_needs_before_computing(metric: str, need: str) -> None:
    with pytest.raises(la.RequestError, match=f"{metric} needs a {need}"):
        la.measure(patients(), metric, quasi=["Age"])


def test_wrong_requests_say_what_is_allowed() -> None:
    people = patients()
    with pytest.raises(la.RequestError, match="no metric 'closeness'"):
        la.measure(people, "closeness", quasi=["Age"])
    with pytest.raises(la.ColumnError, match="Did you mean 'Age'"):
        la.measure(people, "distinction", quasi=["age"])
    with pytest.raises(la.ColumnError, match="needs numbers"):
        la.measure(people, "mse", quasi=["Age"], target="Outcome")
    with pytest.raises(la.RequestError, match="takes no such option: base"):
        la.measure(people, "distinction", quasi=["Age"], base=2)
    with pytest.raises(la.RequestError, match="say which means treated"):
        la.measure(people, "covariate_shift", quasi=["Gender"], treatment="Age")
    with pytest.raises(la.RequestError, match="expected a 6 x 6 matrix"):
        la.measure(people, "causal_importance", quasi=["Age"], adjacency=np.zeros((2, 2)))


def test_roles_of_the_table_are_the_default() -> None:
    people = la.table(patients().rows, quasi=["Age"], sensitive=["Outcome"], targets=["Outcome01"], others=[])
    assert la.measure(people, "l_diversity", quasi=["Gender"]).value == 2
    assert la.measure(people, "mse", quasi=["Gender"]).value == pytest.approx(0.24)


def test_a_metric_shows_its_aggregates_and_no_labels() -> None:
    k = la.measure(patients(), "k_anonymity", quasi=["Age", "Gender"])
    assert repr(k).startswith("k_anonymity(Age, Gender): min 1; 8 classes")
    shown = k.to_dict()
    assert (shown["median"], shown["sd"], shown["risk_sign"]) == (1, pytest.approx(0.6614378), -1)
    assert "labels" not in shown


def test_a_chart_draws_histogram_cdf_and_quantiles(tmp_path: object) -> None:
    pytest.importorskip("altair")
    chart = la.measure(patients(), "k_anonymity", quasi=["Age", "Gender"]).plot().to_dict()
    assert [part.get("title") or part["layer"][0]["title"] for part in chart["hconcat"]] == [
        "histogram",
        "empirical CDF",
        "normal Q-Q",
    ]


def test_an_infinite_value_can_be_drawn() -> None:
    pytest.importorskip("altair")
    chart = la.measure(patients(), "balance_test", quasi=["Diagnosis", "Age"], **CONTEXT).plot()
    assert len(chart.to_dict()["hconcat"]) == 3


def names_of_the_paper() -> list[tuple[str, str]]:
    """The table of names in docs/papers/qid.md: what the paper says, and what it is called here."""
    page = Path(__file__).resolve().parents[2] / "docs" / "papers" / "qid.md"
    lines = page.read_text(encoding="utf-8").partition("| the paper says |")[2].splitlines()[2:]
    rows = [line.split("|")[1:3] for line in takewhile(lambda line: line.startswith("|"), lines)]
    return [(name, ours.strip(' `"')) for said, ours in rows for name in said.strip().split(", ")]


@pytest.mark.parametrize(("said", "ours"), names_of_the_paper())
def test_the_papers_names_are_understood_wherever_a_metric_is_named(said: str, ours: str) -> None:
    assert definition_of(said).name == ours


def test_every_alias_leads_to_a_metric_and_hides_none() -> None:
    assert set(ALIASES.values()) <= set(METRICS)
    assert not set(ALIASES) & set(METRICS)
    assert all(definition_of(name).name == name for name in METRICS)
    assert la.measure(patients(), "Separation", quasi=["Age"]).value == la.measure(
        patients(), "separation", quasi=["Age"]
    ).value  # fmt: skip
    with pytest.raises(la.RequestError, match="there is no metric 'Seperation'; known are"):
        la.measure(patients(), "Seperation", quasi=["Age"])


def test_a_defect_inside_a_metric_is_not_told_as_a_wrong_option(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(view: object, **options: object) -> object:
        raise TypeError("got an unexpected keyword argument")

    monkeypatch.setitem(METRICS, "distinction", replace(METRICS["distinction"], compute=broken))
    with pytest.raises(TypeError):
        la.measure(patients(), "distinction", quasi=["Age"], base=2)
