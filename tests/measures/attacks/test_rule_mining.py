"""Rules mined from a release: what they give away, and what they cannot."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import polars as pl
import pytest

import lookalike as la
from lookalike.base.intervals import wilson
from lookalike.measures.attacks import rule_mining
from lookalike.measures.attacks.rule_mining import best_rules, lower_end
from measures.attacks.releases import METHODS, covers, crowd, exposed, raw, starred, table


def linked(n: int, *, follows: float, seed: int = 0) -> pl.DataFrame:
    """People whose illness follows from their sex and age this often, and is drawn otherwise."""
    rng = np.random.default_rng(seed)
    frame = crowd(n, seed=seed)
    told = 2 * (frame["sex"].to_numpy() == "f") + (frame["age"].to_numpy() >= 44)
    ill = np.where(rng.random(n) < follows, told, rng.integers(0, 4, n))
    return frame.with_columns(illness=pl.Series([f"i{i}" for i in ill]))


def released(people: la.Table, k: int, method: str) -> la.Release:
    return la.anonymize(people, la.KAnonymity(k), method=method, linked={"illness": "accept"})


@pytest.mark.parametrize("method", METHODS)
def test_a_rule_of_the_table_gives_the_value_away(method: str) -> None:
    people = table(linked(1_000, follows=1.0))
    found = rule_mining.attack(exposed(people, released(people, 5, method)))[0]
    assert found.succeeds
    assert found.rate > 1.5 * found.baseline
    assert found.control is not None
    assert abs(found.details["privacy_loss"]) < 0.2, "what holds for anybody is no loss of privacy"


@pytest.mark.parametrize("method", METHODS)
def test_values_drawn_by_lot_are_not_told_by_large_classes(method: str) -> None:
    people = table(crowd(3_000, illness=2))
    found = rule_mining.attack(exposed(people, released(people, 400, method)))[0]
    assert found.low <= found.baseline + 0.02
    assert found.details["privacy_loss_low"] <= 0.02
    assert found.details["people_under_a_rule_of_0.9"] == 0


@pytest.mark.filterwarnings("ignore:illness determines:lookalike.LookalikeWarning")
def test_stars_leave_the_commonest_value() -> None:
    people = table(linked(400, follows=1.0))
    found = rule_mining.attack(exposed(people, starred(people)))[0]
    assert found.rate == pytest.approx(found.baseline)


def test_a_raw_table_tells_its_own_people_and_the_control_knows_it() -> None:
    people = table(crowd(1_500, towns=60))
    found = rule_mining.attack(exposed(people, raw(people)))[0]
    assert found.details["privacy_loss_low"] > 0
    assert found.control is not None
    assert abs(found.control - found.baseline) < 0.05


@pytest.mark.parametrize("n", [1, 2, 5])
@pytest.mark.parametrize("unit", [None, "name"])
def test_a_few_people_are_asked_about_as_well(n: int, unit: str | None) -> None:
    for seed in range(3):
        people = table(crowd(n, seed=seed, illness=2, missing=0.3), unit=unit)
        found = rule_mining.attack(exposed(people, raw(people)), seed=seed)[0]
        assert found.trials == n
        assert 0 <= found.rate <= 1


def test_the_rule_applied_is_the_surest_of_the_classes_that_fit() -> None:
    people = table(crowd(80, seed=3))
    exposure = exposed(people, released(people, 4, "local"))
    rank = np.random.default_rng(0).random(exposure.classes)
    codes = exposure.cells.codes[:, exposure.cells.of_row].T
    (told,) = rule_mining._told(exposure, codes, [rank])
    for row in np.flatnonzero(exposure.kept):
        fits = [c for c in range(exposure.classes) if covers(exposure, c, row)]
        assert told[row] == max(fits, key=lambda c: rank[c])


def test_a_second_run_and_the_order_of_the_rows_change_nothing() -> None:
    frame = linked(300, follows=0.5)
    runs = []
    for rows in (frame, frame, frame.reverse()):
        people = table(rows)
        runs.append(rule_mining.attack(exposed(people, released(people, 5, "mondrian")))[0].to_dict())
    assert runs[0] == runs[1] == runs[2]


def test_it_is_one_of_the_battery_and_needs_a_published_value() -> None:
    people = table(crowd(60), sensitive=[], others=["illness"])
    attacks = la.attack(people, raw(people), only=["rule-mining"])
    assert list(attacks.skipped) == ["rule-mining"]


def test_the_surest_rule_of_each_class_is_the_one_of_brute_force() -> None:
    rng = np.random.default_rng(0)
    for _ in range(100):
        labels = rng.integers(0, 3, (int(rng.integers(1, 7)), 3))
        counts = rng.integers(0, 9, (len(labels), 3))
        subsets = [some for size in range(4) for some in combinations(range(3), size)]
        premises = [
            np.unique(labels[:, list(some)], axis=0, return_inverse=True)[1].reshape(-1)
            if some
            else np.zeros(len(labels), np.int64)
            for some in subsets
        ]
        sure, value = best_rules(counts, premises)
        for c in range(len(labels)):
            rules = []
            for some in subsets:
                meet = [d for d in range(len(labels)) if all(labels[d, i] == labels[c, i] for i in some)]
                held = counts[meet].sum(axis=0)
                rules.append((wilson(int(held.max()), int(held.sum()))[0] if held.sum() else 0.0, held))
            best = max(low for low, _ in rules)
            assert sure[c] == pytest.approx(best)
            assert any(low == pytest.approx(best) and held[value[c]] == held.max() for low, held in rules)


def test_sureness_is_wilsons_lower_end() -> None:
    hits, total = np.array([0, 5, 900, 0]), np.array([7, 5, 1_000, 0])
    expected = [wilson(0, 7)[0], wilson(5, 5)[0], wilson(900, 1_000)[0], 0.0]
    assert lower_end(hits, total) == pytest.approx(expected, abs=1e-9)
