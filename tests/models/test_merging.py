"""The flags that let a search prune are true: what merging classes does to each promise."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import lookalike as la
from lookalike.tables.cells import Classes
from models import oracles as o

MODELS = [
    *(la.KAnonymity(k) for k in (1, 2, 4)),
    *(la.LDiversity("s", k) for k in (1, 2, 3)),
    *(la.LDiversity("s", k, kind="entropy") for k in (1.3, 2.0)),
    *(la.LDiversity("s", 2, kind="recursive", c=c) for c in (0.8, 1.5, 3.0)),
    *(la.AlphaK("s", alpha, 2) for alpha in (0.4, 0.7)),
    la.DirectionalDiversity("s", "flu"),
    *(la.TCloseness("s", t, distance=d) for t in (0.2, 0.5) for d in ("equal", "ordered", "hierarchical")),
    *(la.KLCloseness("s", t) for t in (0.2, 0.8)),
    *(la.BetaLikeness("s", b, enhanced=e) for b in (0.5, 2.0) for e in (True, False)),
    *(la.DeltaDisclosure("s", d) for d in (0.5, 1.5)),
    *(la.AverageRisk(r) for r in (0.3, 0.5)),
    *(la.SampleUniqueness(r) for r in (0.0, 0.2)),
    la.KMap(3, sampling_fraction=0.2),
    la.LDiversity("s", 2, strict=True),
    la.TCloseness("s", 0.5, strict=True),
    la.DirectionalDiversity("s", "flu", strict=True),
]


def mergers(classes: Classes) -> Iterator[tuple[tuple[int, int], int, Classes]]:
    """Every way to merge two classes: the pair, the number of the merged class, and the classes after."""
    for i, j in combinations(range(len(classes)), 2):
        of_cell = np.where(classes.of_cell == j, i, classes.of_cell)
        of_cell = np.where(of_cell > j, of_cell - 1, of_cell).astype(np.int32)
        yield (i, j), i, classes.cells.merge(of_cell, len(classes) - 1)


@pytest.mark.parametrize("model", MODELS, ids=str)
@settings(max_examples=25, deadline=None)
@given(o.tables())
def test_merging_classes_that_keep_the_promise_keeps_it(model: la.Model, people: la.Table) -> None:
    assert model.monotone
    classes = people.cells().classes()
    before = model.breaks(classes)
    for (i, j), merged, after in mergers(classes):
        if not before[i] and not before[j]:
            assert not model.breaks(after)[merged]


@pytest.mark.parametrize("model", [m for m in MODELS if m.absorbing], ids=str)
@settings(max_examples=25, deadline=None)
@given(o.tables())
def test_an_absorbing_promise_survives_any_merger(model: la.Model, people: la.Table) -> None:
    classes = people.cells().classes()
    before = model.breaks(classes)
    lost = classes.counts[before].sum()
    for (i, j), merged, after in mergers(classes):
        now = model.breaks(after)
        if not (before[i] and before[j]):
            assert not now[merged]
        assert after.counts[now].sum() <= lost


@pytest.mark.parametrize("model", [m for m in MODELS if m.holds_for_units], ids=str)
@settings(max_examples=25, deadline=None)
@given(o.tables(units=True))
def test_flags_hold_for_people_with_several_rows_where_they_say_so(model: la.Model, people: la.Table) -> None:
    assert model.prunes(people.cells())
    classes = people.cells().classes()
    before = model.breaks(classes)
    for (i, j), merged, after in mergers(classes):
        if not (before[i] or before[j]) or (model.absorbing and not (before[i] and before[j])):
            assert not model.breaks(after)[merged]


def test_shares_of_people_with_several_rows_may_break_by_merging_and_the_model_says_so() -> None:
    rows = [("left", 1, "x"), ("left", 2, "y"), ("right", 3, "x"), ("right", 2, "y")]
    people = la.table(
        pl.DataFrame(rows, schema=["side", "who", "s"], orient="row"),
        quasi=["side"],
        sensitive=["s"],
        unit="who",
    )
    model, cells = la.AlphaK("s", 0.5, 1), people.cells()
    assert not model.breaks(cells.classes()).any()
    assert model.breaks(cells.merge(np.zeros(2, dtype=np.int32), 1)).all()
    assert not model.prunes(cells)


def test_balance_is_not_absorbing_and_the_model_says_so() -> None:
    people = la.table(
        pl.DataFrame({"a": [0, 0, 1, 1, 1, 1, 1, 1], "s": list("xyxxxxxx")}), quasi=["a"], sensitive=["s"]
    )
    model, cells = la.LDiversity("s", 2, kind="entropy"), people.cells()
    assert not model.absorbing
    assert model.breaks(cells.classes()).tolist() == [False, True]
    assert model.breaks(cells.merge(np.zeros(2, dtype=np.int32), 1)).all()


def test_leaving_a_class_out_can_break_a_relative_promise() -> None:
    people = la.table(
        pl.DataFrame({"a": [0, 0, 1, 1, 2, 2], "s": list("xyxxyy")}), quasi=["a"], sensitive=["s"]
    )
    model = la.TCloseness("s", 0.0)
    classes = people.cells().classes()
    assert model.relative
    assert not model.breaks(classes)[0]
    fewer = people.filter(np.array([True, True, True, True, False, False])).cells().classes()
    assert model.breaks(fewer)[0]


@settings(max_examples=60, deadline=None)
@given(o.tables(), st.sampled_from([m for m in MODELS if not m.relative and not isinstance(m, la.KMap)]))
def test_leaving_a_class_out_never_breaks_another_promise(people: la.Table, model: la.Model) -> None:
    classes = people.cells().classes()
    before = dict(zip(o.key_of(classes), model.breaks(classes).tolist(), strict=True))
    for gone in range(len(classes)):
        keep = classes.of_cell[people.cells().of_row] != gone
        if keep.any():
            left = people.filter(keep).cells().classes()
            try:
                after = model.breaks(left).tolist()
            except la.RequestError:
                continue  # the named value is gone
            assert all(before[key] == now for key, now in zip(o.key_of(left), after, strict=True))
