"""Local recoding: every class keeps every model, the loss is what the boxes lose, and improving never adds to it."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations, count, pairwise
from unittest import mock

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import lookalike as la
from checker import keeps
from lookalike.anonymizers.local import chunks as local_chunks
from lookalike.anonymizers.local.classes import classes_of_rows
from lookalike.anonymizers.local.refining import recode
from lookalike.anonymizers.local.shape import shape_cells
from lookalike.anonymizers.local.stages import LocalSearch
from lookalike.base.errors import ColumnError, GuaranteeError, RequestError
from lookalike.models import (
    AlphaK,
    AverageRisk,
    BetaLikeness,
    KAnonymity,
    LDiversity,
    SampleUniqueness,
    TCloseness,
)
from strategies import people, promises

WORK = {"NonGov": ["Private", "Self"], "Gov": ["State", "Federal"]}
AGES = [[str(a), f"{a // 5 * 5}-{a // 5 * 5 + 4}", "*"] for a in range(15, 45)]

ages = st.one_of(st.none(), st.integers(15, 44))
jobs = st.sampled_from(["Private", "Self", "State", "Federal", None])
towns = st.sampled_from(["Ω", "b", "c", "d"])
grades = st.sampled_from(["low", "mid", "high"])
rows_of = st.tuples(ages, jobs, towns, grades, st.sampled_from("xyz"))
tables = st.lists(rows_of, min_size=1, max_size=60)
outputs = st.sampled_from(["sets", "hierarchy"])


def table_of(rows):
    frame = pl.DataFrame(
        rows,
        schema={"age": pl.Int64, "work": pl.String, "town": pl.String, "grade": pl.String, "ill": pl.String},
        orient="row",
    )
    return la.table(
        frame,
        quasi=["age", "work", "town", "grade"],
        sensitive=["ill"],
        hierarchies={"work": WORK, "age": la.Hierarchy.rows(AGES)},
        types={"grade": ["low", "mid", "high"], "age": "integer"},
    )


def members(found):
    return [np.flatnonzero(found.of_row == c).tolist() for c in range(found.classes)]


def loss_of(cells, found, weights=None):
    """Loss from its definition, value by value: leaves covered by what is published, over all leaves."""
    weights = weights or {}
    total = scale = 0.0
    for a, attribute in enumerate(cells.attributes):
        weight = weights.get(attribute.name, 1.0)
        scale += weight
        tree, codes = attribute.tree, cells.codes[a][cells.of_row]
        leaves = [text for text in tree.labels[0] if text is not None]
        for group in members(found):
            mine = {int(codes[i]) for i in group}
            texts = [attribute.domain.texts[c] for c in mine if c < len(attribute.domain.values)]
            missing = len(mine) - len(texts)
            style = found.styles[attribute.name]
            if style == "set":
                covered = len(mine)
            elif style == "range":
                key = float if attribute.domain.kind.numeric else attribute.domain.texts.index
                if not attribute.domain.kind.numeric:
                    leaves = attribute.domain.texts
                inside = [
                    leaf
                    for leaf in leaves
                    if texts and min(map(key, texts)) <= key(leaf) <= max(map(key, texts))
                ]
                covered = len(inside) + missing
            else:
                level = next(
                    z for z in range(tree.height + 1) if len({int(tree.up[z][c]) for c in mine}) == 1
                )
                covered = int(tree.leaves[level][tree.up[level][next(iter(mine))]])
            if tree.total > 1:
                total += weight * len(group) * (covered - 1) / (tree.total - 1)
    return total / scale / len(cells.of_row)


@settings(max_examples=150, deadline=None)
@given(rows=tables, k=st.integers(1, 7), output=outputs, seed=st.integers(0, 3))
def test_every_class_has_k_rows_and_the_loss_is_what_the_boxes_lose(rows, k, output, seed):
    cells = table_of(rows).cells()
    k = min(k, len(rows))
    found = recode(cells, [KAnonymity(k)], output=output, seed=seed)
    sizes = [len(group) for group in members(found)]
    assert sum(sizes) == len(rows)
    assert min(sizes) >= k
    assert found.loss == pytest.approx(loss_of(cells, found), abs=1e-9)
    assert all(after <= before + 1e-12 for (_, before), (_, after) in pairwise(found.stages))


@settings(max_examples=60, deadline=None)
@given(rows=tables, output=outputs, pull=st.sampled_from([0.0, 0.25, 9.0]))
def test_weights_count_in_the_loss(rows, output, pull):
    cells = table_of(rows).cells()
    found = recode(cells, [KAnonymity(1 + len(rows) // 3)], output=output, weights={"age": pull})
    assert found.loss == pytest.approx(loss_of(cells, found, {"age": pull}), abs=1e-9)


@settings(max_examples=100, deadline=None)
@given(rows=tables, k=st.integers(1, 5), wanted=st.integers(1, 3), output=outputs)
def test_every_class_has_l_sensitive_values(rows, k, wanted, output):
    cells = table_of(rows).cells()
    wanted = min(wanted, len({row[-1] for row in rows}))
    found = recode(cells, [KAnonymity(min(k, len(rows))), LDiversity("ill", wanted)], output=output)
    for group in members(found):
        assert len(group) >= min(k, len(rows))
        assert len({rows[i][-1] for i in group}) >= wanted


@pytest.mark.parametrize(
    "model",
    [
        TCloseness("ill", 0.2),
        LDiversity("ill", 1.8, kind="entropy"),
        LDiversity("ill", 2, kind="recursive", c=2.0),
        AlphaK("ill", 0.7, 3),
        BetaLikeness("ill", 1.0),
        AverageRisk(0.3),
        SampleUniqueness(0.0),
    ],
    ids=str,
)
@pytest.mark.parametrize("output", ["sets", "hierarchy"])
def test_models_without_a_kernel_are_kept_by_merging(model, output):
    draw = np.random.default_rng(4)
    rows = [
        (int(a), str(w), str(t), str(g), str(s))
        for a, w, t, g, s in zip(
            draw.integers(15, 45, 200),
            draw.choice(["Private", "Self", "State", "Federal"], 200),
            draw.choice(list("Ωbcd"), 200),
            draw.choice(["low", "mid", "high"], 200),
            draw.choice(list("xyz"), 200, p=[0.5, 0.3, 0.2]),
            strict=True,
        )
    ]
    cells = table_of(rows).cells()
    found = recode(cells, [KAnonymity(2), model], output=output)
    classes = classes_of_rows(cells, found.of_row, found.classes, None)
    assert not model.breaks(classes).any()
    assert classes.counts.min() >= 2
    assert found.classes > 1


@settings(max_examples=120, deadline=None)
@given(crowd=people(), models=promises(), output=outputs, chunk=st.sampled_from([3, 16_384]))
def test_whatever_is_promised_is_kept_or_refused(crowd, models, output, chunk):
    cells = crowd.cells()
    try:
        with mock.patch.multiple(
            "lookalike.anonymizers.local.stages", _CHUNK=chunk, _NODES=chunk, _ROUND=chunk
        ):
            found = recode(cells, models, output=output)
    except GuaranteeError:
        return
    rows = [{**row, "class": c} for row, c in zip(crowd.rows.to_dicts(), found.of_row.tolist(), strict=True)]
    assert all(keeps(rows, ["class"], model) for model in models)


def test_where_people_have_several_rows_k_counts_people():
    draw = np.random.default_rng(5)
    who = draw.integers(0, 40, 200)
    frame = pl.DataFrame({"who": who, "x": who // 4, "y": draw.integers(0, 5, 200)})
    people = la.table(frame, quasi=["x", "y"], unit="who")
    found = recode(people.cells(), [KAnonymity(3)], unit=people.column("who").codes)
    for group in members(found):
        assert len({int(who[i]) for i in group}) >= 3
    with pytest.raises(RequestError, match="unit"):
        recode(people.cells(), [KAnonymity(3)])


@pytest.mark.parametrize(("alike", "sizes"), [(3, [2, 2]), (2, [3])])
def test_a_class_that_can_spare_a_row_lends_it_and_one_that_cannot_is_joined(alike, sizes):
    frame = pl.DataFrame({"work": ["Private"] * alike + ["Self"] + ["State"] * 2})
    cells = la.table(frame, quasi=["work"], hierarchies={"work": WORK}).cells()
    found = recode(cells, [KAnonymity(2)], output="hierarchy")
    groups = members(found)
    assert sorted(map(len, groups)) == sorted([*sizes, 2])
    assert found.loss == pytest.approx(max(len(group) for group in groups if alike in group) / 3 / len(frame))


def test_of_the_same_box_the_few_take_no_more_than_they_need():
    frame = pl.DataFrame({"work": ["Private"] * 40 + ["Self"] * 2})
    cells = la.table(frame, quasi=["work"], hierarchies={"work": WORK}).cells()
    found = recode(cells, [KAnonymity(5)], output="hierarchy")
    assert sorted(np.bincount(found.of_row[40:]).tolist())[-1] == 2
    assert found.loss == pytest.approx(5 / 3 / 42)


@settings(max_examples=30, deadline=None)
@given(rows=tables, k=st.integers(1, 5), nodes=st.integers(2, 9))
def test_of_a_lattice_that_is_too_large_a_sample_will_do(rows, k, nodes):
    cells, k = table_of(rows).cells(), min(k, len(rows))
    with mock.patch.multiple(
        "lookalike.anonymizers.local.shape", _MOST_NODES=nodes, _FEW_NODES=2, _OFFERS=90
    ):
        found = recode(cells, [KAnonymity(k)], output="hierarchy")
    assert np.bincount(found.of_row).min() >= k
    assert found.loss == pytest.approx(loss_of(cells, found), abs=1e-9)


def partitions(rows, k):
    """All ways to put rows into classes of at least k."""
    if not rows:
        yield []
    for more in range(k - 1, len(rows)):
        for others in combinations(rows[1:], more):
            left = [i for i in rows[1:] if i not in others]
            if not 0 < len(left) < k:
                yield from ([[rows[0], *others], *rest] for rest in partitions(left, k))


@pytest.mark.parametrize("seed", range(12))
def test_small_tables_are_published_in_nodes_as_well_as_can_be(seed):
    draw = np.random.default_rng(seed)
    n, k = int(draw.integers(4, 9)), int(draw.integers(2, 4))
    work = draw.choice(["Private", "Self", "State", "Federal"], n, p=[0.5, 0.2, 0.2, 0.1])
    towns = draw.choice(["a", "b", "c"], n, p=[0.6, 0.3, 0.1])
    kinds = {"work": WORK, "town": {"ab": ["a", "b"], "other": ["c"]}}
    cells = la.table(
        pl.DataFrame({"work": work, "town": towns}), quasi=["work", "town"], hierarchies=kinds
    ).cells()
    found = recode(cells, [KAnonymity(k)], output="hierarchy")
    best = np.inf
    for groups in partitions(list(range(n)), k):
        of_row = np.empty(n, dtype=np.int32)
        for c, group in enumerate(groups):
            of_row[group] = c
        best = min(best, loss_of(cells, replace(found, of_row=of_row, classes=len(groups))))
    assert found.loss == pytest.approx(best)


@settings(max_examples=40, deadline=None)
@given(rows=st.lists(rows_of, min_size=8, max_size=60), k=st.integers(2, 6), seed=st.integers(0, 9))
def test_nodes_lose_the_same_whatever_the_order_of_rows(rows, k, seed):
    order = np.random.default_rng(seed).permutation(len(rows))
    found, other = (
        recode(table_of(some).cells(), [KAnonymity(k)], output="hierarchy")
        for some in (rows, [rows[i] for i in order])
    )
    assert found.stages[0][1] == pytest.approx(other.stages[0][1])


def test_the_same_seed_gives_the_same_bytes_on_any_number_of_cores(monkeypatch):
    rows = pl.DataFrame({c: np.random.default_rng(i).integers(0, 9, 2000) for i, c in enumerate("abcd")})
    cells = la.table(rows, quasi=list("abcd")).cells()
    monkeypatch.setattr("lookalike.anonymizers.local.stages._CHUNK", 500)
    monkeypatch.setattr("lookalike.anonymizers.local.stages._ROUND", 300)
    first = recode(cells, [KAnonymity(4)], seed=7)
    monkeypatch.setattr(local_chunks.os, "cpu_count", lambda: 1)
    again = recode(cells, [KAnonymity(4)], seed=7)
    assert (first.of_row == again.of_row).all()
    assert np.bincount(first.of_row).min() >= 4


def test_chunks_share_out_every_row_once():
    rows = pl.DataFrame({c: np.random.default_rng(i).integers(0, 9, 3000) for i, c in enumerate("abc")})
    shaped = shape_cells(la.table(rows, quasi=list("abc")).cells(), "sets", None)
    chunks = local_chunks.cut(shaped.rows, shaped.shape, 400)
    assert sorted(np.concatenate(chunks).tolist()) == list(range(3000))
    assert max(map(len, chunks)) <= 400


def test_a_row_that_repeats_often_loses_nothing():
    rows = pl.DataFrame({"x": [1] * 500 + list(range(2, 12)), "y": ["a"] * 505 + ["b"] * 5})
    cells = la.table(rows, quasi=["x", "y"]).cells()
    found = recode(cells, [KAnonymity(5)])
    assert len(set(found.of_row[:500].tolist()) & set(found.of_row[500:].tolist())) <= 1
    assert np.bincount(found.of_row).min() >= 5
    assert found.loss < 0.02


def test_a_time_budget_goes_on_improving():
    rows = pl.DataFrame({c: np.random.default_rng(i).integers(0, 9, 600) for i, c in enumerate("abcd")})
    cells = la.table(rows, quasi=list("abcd")).cells()
    told = []
    found = recode(cells, [KAnonymity(5)], seconds=0.3, progress=told.append)
    assert np.bincount(found.of_row).min() >= 5
    assert told[-1] == 1.0
    assert told == sorted(told)


def test_more_time_never_loses_more(monkeypatch):
    draw = np.random.default_rng(6)
    frame = pl.DataFrame({c: draw.integers(0, 9, 400) for c in "abc"}).with_columns(
        pl.Series("ill", draw.choice(list("xyz"), 400))
    )
    cells = la.table(frame, quasi=list("abc"), sensitive=["ill"]).cells()
    models = [KAnonymity(3), TCloseness("ill", 0.2)]
    losses = [recode(cells, models).loss]
    for ticks in (200, 400):  # a clock that ticks when it is looked at
        monkeypatch.setattr("lookalike.anonymizers.local.stages.perf_counter", count().__next__)
        losses.append(recode(cells, models, seconds=ticks).loss)
    assert losses == sorted(losses, reverse=True)


@pytest.mark.parametrize("output", ["sets", "hierarchy"])
def test_the_loss_is_the_same_however_many_classes_are_measured_at_a_time(output, monkeypatch):
    rows = pl.DataFrame({c: np.random.default_rng(i).integers(0, 30, 500) for i, c in enumerate("abc")})
    cells = la.table(rows, quasi=list("abc")).cells()
    search = LocalSearch(shape_cells(cells, output, None), cells, [KAnonymity(3)], None, 0)
    of_row = np.random.default_rng(0).permutation(np.arange(500) // 4).astype(np.int32)
    whole = search.loss(of_row)
    for chunk in (1, 7, 100, 499, 500):
        monkeypatch.setattr("lookalike.anonymizers.local.stages._CHUNK", chunk)
        assert search.loss(of_row) == pytest.approx(whole, rel=1e-12)


def test_constant_columns_and_one_class_are_fine():
    cells = la.table(pl.DataFrame({"x": [1, 1, 1], "y": ["a", "a", "b"]}), quasi=["x", "y"]).cells()
    found = recode(cells, [KAnonymity(3)])
    assert found.of_row.tolist() == [0, 0, 0]
    assert found.loss == pytest.approx(0.5)


def test_fewer_rows_than_k_are_refused():
    cells = la.table(pl.DataFrame({"x": [1, 2, 3]}), quasi=["x"]).cells()
    with pytest.raises(GuaranteeError, match="3"):
        recode(cells, [KAnonymity(4)])


def test_a_promise_that_no_classes_keep_is_refused():
    frame = pl.DataFrame({"x": [1, 2, 3, 4], "ill": list("aaab")})
    cells = la.table(frame, quasi=["x"], sensitive=["ill"]).cells()
    with pytest.raises(GuaranteeError):
        recode(cells, [LDiversity("ill", 1.9, kind="entropy")])


@pytest.mark.parametrize(
    ("options", "error"),
    [
        ({"weights": {"z": 1}}, ColumnError),
        ({"weights": {"x": -1}}, RequestError),
        ({"weights": {"x": 0}}, RequestError),
        ({"output": "boxes"}, RequestError),
    ],
)
def test_wrong_requests_are_refused(options, error):
    cells = la.table(pl.DataFrame({"x": [1, 2, 3]}), quasi=["x"]).cells()
    with pytest.raises(error):
        recode(cells, [KAnonymity(2)], **options)


@pytest.mark.parametrize(("output", "bar"), [("sets", 0.034), ("hierarchy", 0.0820)])
def test_adult_loses_less_than_the_best_published_tool(shared_data, output, bar):
    folder = shared_data / "adult_arx"
    frame = pl.read_csv(folder / "adult_arx.csv")
    cells = la.table(frame, quasi=frame.columns, hierarchies=folder / "hierarchies").cells()
    found = recode(cells, [KAnonymity(10)], output=output)
    assert np.bincount(found.of_row).min() >= 10
    assert found.loss < bar
