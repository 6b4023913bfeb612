"""Every model gives, for every class of thousands of small tables, what its definition gives row by row."""

from __future__ import annotations

import math
from itertools import combinations

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import lookalike as la
from lookalike.models import reference_of
from models import oracles as o

MANY = settings(max_examples=150, deadline=None)
SOME = settings(max_examples=70, deadline=None)

MODELS_OF_S: list[la.Model] = [
    la.LDiversity("s", 2),
    la.LDiversity("s", 2, kind="entropy"),
    la.LDiversity("s", 2, kind="recursive", c=1.0),
    la.LDiversity("s", 2, strict=True),
    la.AlphaK("s", 0.5, 2),
    la.TCloseness("s", 0.2),
    la.TCloseness("v", 0.2),
    la.TCloseness("s", 0.2, distance="hierarchical"),
    la.KLCloseness("s", 0.2),
    la.BetaLikeness("s", 1),
    la.DeltaDisclosure("s", 1),
]


def check(people: la.Table, model: la.Model, expected: dict[tuple[object, ...], float]) -> None:
    """Levels, flags and the achieved level agree with the expected level of each class."""
    classes = people.cells().classes()
    keys = o.key_of(classes)
    assert set(keys) == set(expected)
    wanted = np.array([expected[key] for key in keys], dtype=float)
    np.testing.assert_allclose(model.levels(classes), wanted, atol=1e-12)
    assert model.breaks(classes).tolist() == [not model.keeps(np.array([x]))[0] for x in wanted]
    worst = wanted.min() if model.larger_is_safer else wanted.max()
    assert model.achieved(classes) == pytest.approx(worst, abs=1e-12)


@MANY
@given(o.tables(units=True), st.integers(1, 5))
def test_k_counts_people(people: la.Table, k: int) -> None:
    check(people, la.KAnonymity(k), {key: o.people_in(rows) for key, rows in o.groups(people).items()})


@MANY
@given(o.tables(units=True), st.integers(1, 4), st.sampled_from("sv"))
def test_distinct_diversity_counts_different_values(people: la.Table, l: int, column: str) -> None:  # noqa: E741
    expected = {key: len({row[column] for row in rows}) for key, rows in o.groups(people).items()}
    check(people, la.LDiversity(column, l), expected)


@MANY
@given(o.tables(units=True), st.floats(1, 4))
def test_entropy_diversity_is_the_exponential_of_the_entropy(people: la.Table, l: float) -> None:  # noqa: E741
    expected = {
        key: math.exp(-sum(p * math.log(p) for p in o.distribution(rows, "s").values()))
        for key, rows in o.groups(people).items()
    }
    check(people, la.LDiversity("s", l, kind="entropy"), expected)


@MANY
@given(o.tables(units=True), st.integers(1, 4), st.sampled_from([0.3, 0.5, 1.0, 1.5, 2.0, 3.0]))
def test_recursive_diversity_takes_the_most_frequent_value_as_r1(people: la.Table, l: int, c: float) -> None:  # noqa: E741
    expected = {key: o.recursive_l(o.counts_of(rows, "s"), c) for key, rows in o.groups(people).items()}
    check(people, la.LDiversity("s", l, kind="recursive", c=c), expected)


@MANY
@given(o.tables(units=True), st.sampled_from([0.2, 0.34, 0.5, 0.75, 1.0]), st.integers(1, 4))
def test_alpha_k_limits_the_share_of_every_value(people: la.Table, alpha: float, k: int) -> None:
    model, classes = la.AlphaK("s", alpha, k), people.cells().classes()
    rows_of = o.groups(people)
    shares = [o.counts_of(rows_of[key], "s")[0] / o.people_in(rows_of[key]) for key in o.key_of(classes)]
    small = [o.people_in(rows_of[key]) < k for key in o.key_of(classes)]
    np.testing.assert_allclose(model.levels(classes), shares)
    assert model.breaks(classes).tolist() == [
        s > alpha + 1e-9 or few for s, few in zip(shares, small, strict=True)
    ]


@MANY
@given(o.tables(), st.floats(0, 1))
def test_closeness_with_equal_distance_is_total_variation(people: la.Table, t: float) -> None:
    q = o.distribution(list(people.rows.iter_rows(named=True)), "s")
    expected = {key: o.equal_distance(o.distribution(rows, "s"), q) for key, rows in o.groups(people).items()}
    check(people, la.TCloseness("s", t), expected)


@MANY
@given(o.tables(), st.floats(0, 1), st.sampled_from("sv"))
def test_closeness_with_ordered_distance_sums_cumulative_differences(
    people: la.Table, t: float, column: str
) -> None:
    q = o.distribution(list(people.rows.iter_rows(named=True)), column)
    expected = {
        key: o.ordered_distance(o.distribution(rows, column), q) for key, rows in o.groups(people).items()
    }
    check(people, la.TCloseness(column, t, distance="ordered"), expected)


@SOME
@given(o.tables(), st.sampled_from(["equal", "ordered", "hierarchical"]))
def test_closeness_is_the_cheapest_way_to_move_shares(people: la.Table, distance: str) -> None:
    classes = people.cells().classes()
    tree, domain = people.tree("s"), people.column("s").domain
    names = [*domain.values.tolist(), *([None] if domain.missing else [])]
    ground = {}
    for i, x in enumerate(names):
        for j, y in enumerate(names):
            far = {
                "equal": float(i != j),
                "ordered": abs(i - j) / max(len(names) - 1, 1),
                "hierarchical": tree.join(i, j) / tree.height,
            }
            ground[x, y] = far[distance]
    q = o.distribution(list(people.rows.iter_rows(named=True)), "s")
    rows_of = o.groups(people)
    wanted = [o.earth_mover(o.distribution(rows_of[key], "s"), q, ground) for key in o.key_of(classes)]
    np.testing.assert_allclose(la.TCloseness("s", 0.5, distance=distance).levels(classes), wanted, atol=1e-8)


@MANY
@given(o.tables(), st.floats(0, 2))
def test_kl_closeness_is_the_divergence_from_class_to_table(people: la.Table, t: float) -> None:
    q = o.distribution(list(people.rows.iter_rows(named=True)), "s")
    expected = {key: o.divergence(o.distribution(rows, "s"), q) for key, rows in o.groups(people).items()}
    check(people, la.KLCloseness("s", t), expected)


@MANY
@given(o.tables(), st.floats(0.01, 4), st.booleans())
def test_beta_likeness_limits_the_relative_gain(people: la.Table, beta: float, enhanced: bool) -> None:
    q = o.distribution(list(people.rows.iter_rows(named=True)), "s")
    expected = {
        key: o.gain(o.distribution(rows, "s"), q, enhanced=enhanced) for key, rows in o.groups(people).items()
    }
    check(people, la.BetaLikeness("s", beta, enhanced=enhanced), expected)


@MANY
@given(o.tables(), st.floats(0.01, 4))
def test_delta_disclosure_needs_every_value_in_every_class(people: la.Table, delta: float) -> None:
    q = o.distribution(list(people.rows.iter_rows(named=True)), "s")
    expected = {key: o.log_ratio(o.distribution(rows, "s"), q) for key, rows in o.groups(people).items()}
    check(people, la.DeltaDisclosure("s", delta), expected)


@MANY
@given(o.tables(units=True), st.sampled_from(o.VALUES[:-1]))
def test_directional_diversity_refuses_classes_where_everybody_is_harmed(
    people: la.Table, negative: str
) -> None:
    expected = {
        key: len({row["who"] for row in rows if row["s"] == negative}) / o.people_in(rows)
        for key, rows in o.groups(people).items()
    }
    check(people, la.DirectionalDiversity("s", negative), expected)


@SOME
@given(o.tables(), st.sampled_from([0.1, 0.25, 0.4, 0.5, 0.75]))
def test_average_risk_names_the_fewest_people_to_leave_out(people: la.Table, limit: float) -> None:
    model, classes = la.AverageRisk(limit), people.cells().classes()
    sizes = classes.counts.tolist()
    assert model.achieved(classes) == pytest.approx(len(sizes) / sum(sizes))
    costs = [
        sum(sizes[i] for i in gone)
        for n in range(len(sizes) + 1)
        for gone in combinations(range(len(sizes)), n)
        if len(sizes) - n <= (limit + 1e-9) * (sum(sizes) - sum(sizes[i] for i in gone))
    ]
    broken = model.breaks(classes)
    assert classes.counts[broken].sum() == min(costs)
    assert (~broken).sum() <= (limit + 1e-9) * classes.counts[~broken].sum()


@SOME
@given(o.tables(), st.sampled_from([0.0, 0.1, 0.25, 0.5, 1.0]))
def test_sample_uniqueness_names_the_fewest_unique_people(people: la.Table, limit: float) -> None:
    model, classes = la.SampleUniqueness(limit), people.cells().classes()
    alone, everyone = int((classes.counts == 1).sum()), int(classes.counts.sum())
    assert model.achieved(classes) == alone / everyone
    fewest = next(m for m in range(alone + 1) if alone - m <= (limit + 1e-9) * (everyone - m))
    broken = model.breaks(classes)
    assert broken.sum() == fewest
    assert (classes.counts[broken] == 1).all()


@SOME
@given(o.tables(units=True))
def test_strict_models_treat_the_other_sensitive_columns_as_known(people: la.Table) -> None:
    classes = people.cells().classes()
    parts = o.groups(people, ("a", "b", "v"))
    worst = {}
    for (a, b, _), rows in parts.items():
        worst[a, b] = min(worst.get((a, b), 99), len({row["s"] for row in rows}))
    found = la.LDiversity("s", 2, strict=True).levels(classes)
    assert found.tolist() == [worst[key] for key in o.key_of(classes)]
    together = people.cells().merge(np.zeros(len(people.cells()), dtype=np.int32), 1)
    by_v = o.groups(people, ("v",))
    assert la.LDiversity("s", 2, strict=True).achieved(together) == min(
        len({row["s"] for row in rows}) for rows in by_v.values()
    )


@SOME
@given(o.tables(), st.data())
def test_a_reference_replaces_the_table_that_classes_are_compared_with(
    people: la.Table, data: st.DataObject
) -> None:
    classes = people.cells().classes()
    kept = np.array(data.draw(st.lists(st.booleans(), min_size=len(classes), max_size=len(classes))))
    rows_of = o.groups(people)
    left = [row for key, keep in zip(o.key_of(classes), kept, strict=True) if keep for row in rows_of[key]]
    if not left:
        return
    q = o.distribution(left, "s")
    levels = la.TCloseness("s", 0.3).levels(classes, reference=reference_of(classes, kept=kept))
    for key, level, keep in zip(o.key_of(classes), levels, kept, strict=True):
        if keep:
            assert level == pytest.approx(o.equal_distance(o.distribution(rows_of[key], "s"), q))
    whole = reference_of(classes)
    assert la.TCloseness("s", 0.3).achieved(classes, reference=whole) == la.TCloseness("s", 0.3).achieved(
        classes
    )


@SOME
@given(o.tables(), st.randoms(use_true_random=False))
def test_reordered_rows_give_the_same_levels(people: la.Table, chance: object) -> None:
    order = list(range(len(people)))
    chance.shuffle(order)  # type: ignore[attr-defined]
    again = la.table(
        people.rows[order],
        quasi=["a", "b"],
        sensitive=["s", "v"],
        types={"a": "integer", "b": "nominal", "s": "nominal", "v": "integer"},
    )
    one, other = people.cells().classes(), again.cells().classes()
    for model in (la.TCloseness("v", 0.1), la.LDiversity("s", 2, kind="entropy"), la.BetaLikeness("s", 1)):
        np.testing.assert_array_equal(model.levels(one), model.levels(other))


def test_a_single_row_and_unicode_values_are_fine() -> None:
    people = la.table(
        pl.DataFrame({"ort": ["Łódź"], "krankheit": ["🤒"]}), quasi=["ort"], sensitive=["krankheit"]
    )
    classes = people.cells().classes()
    assert la.LDiversity("krankheit", 1).achieved(classes) == 1
    assert la.TCloseness("krankheit", 0).achieved(classes) == 0
    assert la.DeltaDisclosure("krankheit", 1).achieved(classes) == 0
    assert la.TCloseness("krankheit", 0, distance="hierarchical").achieved(classes) == 0


@SOME
@given(o.tables(), st.sampled_from([MODELS_OF_S, []]))
def test_classes_of_the_population_without_anybody_break_no_promise(
    people: la.Table, models: list[la.Model]
) -> None:
    elsewhere = pl.DataFrame({"a": [77, 77], "b": ["x", "z"]})
    everyone = pl.concat([people.rows.select("a", "b"), elsewhere])
    alone, among = people.cells().classes(), la.with_population(people, everyone).classes()
    empty = among.counts == 0
    assert empty.sum() == 2
    for model in models or [la.KAnonymity(3), la.AverageRisk(0.3), la.SampleUniqueness(0.1)]:
        assert not model.breaks(among)[empty].any()
        assert model.achieved(among) == pytest.approx(model.achieved(alone))
        assert sorted(model.breaks(among)[~empty]) == sorted(model.breaks(alone))
