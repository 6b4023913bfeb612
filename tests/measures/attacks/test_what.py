"""What about them? Homogeneity, skewness, models, deFinetti, minimality, downcoding, gaps."""

from __future__ import annotations

from itertools import permutations
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import lookalike as la
from lookalike.base.errors import percent
from lookalike.measures.attacks import (
    attribute_inference,
    definetti,
    downcoding,
    gap_inference,
    homogeneity,
    minimality,
    skewness,
)
from measures.attacks.releases import METHODS, covers, crowd, exposed, raw, starred, table

# people whose illness goes with their age are warned about: that is what these attacks are after
OF_THE_LINK = pytest.mark.filterwarnings("ignore:illness follows from age:lookalike.LookalikeWarning")


def paired(n: int = 600, *, strength: float = 0.95, seed: int = 0) -> pl.DataFrame:
    """People whose illness goes with their age, decade by decade, as strongly as asked."""
    rng = np.random.default_rng(seed)
    frame = crowd(n, seed=seed)
    decade = (frame["age"].to_numpy() // 10) % 4
    given = np.where(rng.random(n) < strength, decade, rng.integers(0, 4, n))
    return frame.with_columns(illness=pl.Series([f"i{i}" for i in given]))


# homogeneity and background knowledge


def test_homogeneous_classes_give_the_value_away() -> None:
    frame = pl.DataFrame(
        {"age": [20] * 4 + [30] * 4 + [40] * 4, "illness": ["a"] * 4 + ["a", "b"] * 2 + ["a", "b", "c", "c"]}
    )
    people = la.table(frame, quasi=["age"], sensitive=["illness"])
    sure, knowing = homogeneity.attack(exposed(people, la.anonymize(people, la.KAnonymity(4))))
    assert (sure.successes, sure.trials) == (4, 12)
    assert sure.succeeds
    assert knowing.successes == 8
    assert knowing.details["by_values_ruled_out"] == {1: 8 / 12, 2: 1.0, 3: 1.0}


@pytest.mark.parametrize("method", METHODS)
def test_l_diversity_leaves_nobody_in_a_homogeneous_class(method: str) -> None:
    people = table(crowd(300, seed=2))
    release = la.anonymize(
        people, la.KAnonymity(4), la.LDiversity("illness", 3), method=method, suppression=0.2
    )
    sure, knowing = homogeneity.attack(exposed(people, release))
    assert (sure.rate, sure.bound, sure.breaks_bound) == (0, 0, False)
    assert (knowing.rate, knowing.bound) == (0, 0)


def test_stars_leave_all_values_possible() -> None:
    people = table(crowd(100))
    sure, knowing = homogeneity.attack(exposed(people, starred(people)))
    assert sure.rate == sure.baseline == knowing.rate == knowing.baseline == 0


# skewness and similarity


@OF_THE_LINK
def test_skewness_guesses_the_commonest_value_around() -> None:
    people = table(paired())
    truth = exposed(people, la.anonymize(people, la.KAnonymity(5), method="local"))
    found = skewness.attack(truth)[0]
    codes = people.column("illness").codes
    right = 0
    for row in range(len(people)):
        fits = [c for c in range(truth.classes) if covers(truth, c, row)]
        right += np.bincount(codes[np.isin(truth.of_row, fits)], minlength=4).argmax() == codes[row]
    assert found.successes == right
    assert found.succeeds
    shares = [np.bincount(codes[truth.of_row == c]).max() / truth.sizes[c] for c in range(truth.classes)]
    assert found.details["largest_share"]["max"] == pytest.approx(max(shares))
    assert found.details["largest_share"]["mean"] == pytest.approx(np.average(shares, weights=truth.sizes))


@pytest.mark.parametrize("method", ["optimal", "mondrian", "local"])
def test_t_closeness_bounds_the_surest_guess(method: str) -> None:
    people = table(paired(strength=0.5))
    release = la.anonymize(
        people, la.KAnonymity(5), la.TCloseness("illness", 0.2), method=method, suppression=0.1
    )
    found = skewness.attack(exposed(people, release))[0]
    assert found.bound == pytest.approx(found.baseline + 0.2)
    assert not found.breaks_bound
    assert found.details["t_reached"]["max"] <= 0.2 + 1e-9
    assert found.details["gain_max"] <= found.details["t_reached"]["max"] + 1e-9


@OF_THE_LINK
def test_stars_leave_the_guess_at_the_baseline() -> None:
    people = table(paired())
    found = skewness.attack(exposed(people, starred(people)))[0]
    assert found.rate == pytest.approx(found.baseline)
    assert not found.succeeds


def test_values_under_one_parent_count_as_one() -> None:
    frame = pl.DataFrame(
        {"age": [20] * 4 + [30] * 4, "illness": ["a1", "a2", "a3", "a4", "a1", "b1", "b2", "b3"]}
    )
    levels = la.Hierarchy.groups({"A": ["a1", "a2", "a3", "a4"], "B": ["b1", "b2", "b3"]})
    people = la.table(frame, quasi=["age"], sensitive=["illness"], hierarchies={"illness": levels})
    truth = exposed(people, la.anonymize(people, la.KAnonymity(4)))
    assert homogeneity.attack(truth)[0].rate == 0
    found = next(one for one in skewness.attack(truth) if one.name == "similarity")
    assert found.details["all_alike"] == 4
    assert found.successes == 4 + 3


def test_numbers_in_one_narrow_interval_count_as_one() -> None:
    frame = pl.DataFrame({"age": [20] * 3 + [30] * 3, "pay": [1001, 1002, 1003, 0, 500, 2000]})
    people = la.table(frame, quasi=["age"], sensitive=["pay"])
    found = next(
        one
        for one in skewness.attack(exposed(people, la.anonymize(people, la.KAnonymity(3))))
        if one.name == "similarity"
    )
    assert found.details["all_alike"] == 3


# attribute inference by a model


def test_a_model_learns_a_strong_link_and_most_of_it_holds_for_anybody() -> None:
    people = table(paired(1500))
    release = la.anonymize(people, la.KAnonymity(5), method="local", linked={"illness": "accept"})
    found = attribute_inference.attack(exposed(people, release))[0]
    assert found.succeeds
    assert found.rate > 0.8
    assert found.control is not None
    assert found.control > 0.8
    assert abs(found.details["privacy_loss"]) < 0.1


def test_a_model_of_a_raw_table_knows_its_own_people_better_than_others() -> None:
    people = table(crowd(1500, towns=60))
    found = attribute_inference.attack(exposed(people, raw(people)))[0]
    assert found.details["privacy_loss_low"] > 0
    assert found.control is not None
    assert abs(found.control - found.baseline) < 0.05


def test_a_model_learns_nothing_from_large_classes_of_random_values() -> None:
    people = table(crowd(3000, illness=2))
    release = la.anonymize(people, la.KAnonymity(400), method="optimal")
    found = attribute_inference.attack(exposed(people, release))[0]
    assert found.low <= found.baseline + 0.02
    assert found.details["privacy_loss_low"] <= 0.02


@pytest.mark.parametrize("n", [2, 3, 5, 8])
@pytest.mark.parametrize("unit", [None, "name"])
def test_a_model_that_learnt_from_nobody_guesses_nothing(n: int, unit: str | None) -> None:
    """With a few people all may be in one fold, and nobody is left to learn from."""
    for seed in range(5):
        people = table(crowd(n, seed=seed, illness=2), unit=unit)
        found = attribute_inference.attack(exposed(people, raw(people)), seed=seed)[0]
        assert found.trials == n
        assert 0 <= found.rate <= 1
        assert found.control is not None
        assert 0 <= found.control <= 1


# deFinetti


def anatomised(frame: pl.DataFrame, size: int, seed: int = 0) -> tuple[la.Table, la.Release]:
    """Classes by lot: quasi-identifiers that say nothing about the class, so only the link can undo it."""
    rng = np.random.default_rng(seed)
    group = rng.permutation(np.arange(len(frame)) // size)
    with_group = frame.with_columns(group=pl.Series([f"g{i:03d}" for i in group]))
    people = table(with_group, quasi=["age", "town", "sex", "group"])
    levels = {name: people.tree(name).height for name in ("age", "town", "sex")}
    return people, la.anonymize(people, la.KAnonymity(size), method="levels", levels=levels)


@OF_THE_LINK
def test_a_strong_link_undoes_classes_made_by_lot() -> None:
    people, release = anatomised(paired(800), 4)
    found = definetti.attack(exposed(people, release))[0]
    assert found.baseline < 0.5
    assert found.rate > 0.7
    assert found.succeeds


def test_random_values_stay_at_what_chance_gives() -> None:
    people, release = anatomised(crowd(1200), 6)
    found = definetti.attack(exposed(people, release))[0]
    assert found.low <= found.baseline <= found.high


def test_each_class_hands_out_exactly_its_values() -> None:
    from lookalike.kernels.attacks import match

    rng = np.random.default_rng(0)
    owner = np.repeat(np.arange(5), 4)
    count = rng.integers(1, 4, 20)
    stock = np.stack([rng.multinomial(count[owner == c].sum(), [0.5, 0.3, 0.2]) for c in range(5)])
    order = np.argsort(rng.random(60))
    given = match(order, 3, owner, count.copy(), stock.copy())
    assert np.array_equal(given.sum(axis=1), count)
    assert np.array_equal(np.stack([given[owner == c].sum(axis=0) for c in range(5)]), stock)


# minimality


def test_eight_rows_where_minimality_reveals() -> None:
    frame = pl.DataFrame({"job": ["a"] * 3 + ["b"] * 5, "illness": ["h", "h", "h", "h", "f", "f", "g", "g"]})
    people = la.table(frame, quasi=["job"], sensitive=["illness"])
    release = la.anonymize(people, la.KAnonymity(3), la.LDiversity("illness", 2), method="optimal")
    assert release.classes == 1  # h is half of the values: 1/l, as promised
    found = minimality.attack(exposed(people, release))[0]
    # at "a" and "b" the table breaks l=2 only if all three of "a" have h: nothing else occurs thrice
    assert (found.successes, found.trials) == (3, 8)
    assert found.baseline == 0
    assert found.worst == pytest.approx(1.0)


def test_credibility_is_the_share_of_the_ways_that_are_left() -> None:
    values = ["h", "h", "f", "f", "g", "h"]
    frame = pl.DataFrame({"job": ["a"] * 2 + ["b"] * 4, "illness": values})
    people = la.table(frame, quasi=["job"], sensitive=["illness"])
    release = la.anonymize(people, la.KAnonymity(2), la.LDiversity("illness", 2), method="optimal")
    assert release.classes == 1
    found = minimality.attack(exposed(people, release))[0]
    left = [way for way in permutations(values) if len(set(way[:2])) < 2 or len(set(way[2:])) < 2]
    h = [sum(way[i] == "h" for way in left) / len(left) for i in range(6)]
    assert found.details["ways_left"] == len(set(left))
    assert found.worst == pytest.approx(max(h))
    assert found.successes == sum(share > 0.5 for share in h)


def test_minimality_tells_nothing_where_values_are_random_and_classes_large() -> None:
    people = table(crowd(600, illness=6))
    for method in ("optimal", "datafly", "mondrian"):
        release = la.anonymize(
            people, la.KAnonymity(10), la.LDiversity("illness", 2), method=method, suppression=0.05
        )
        found = minimality.attack(exposed(people, release))[0]
        assert found.low <= found.baseline <= found.high


def test_methods_that_do_not_look_at_values_are_left_alone() -> None:
    people = table(crowd(100))
    assert minimality.attack(exposed(people, la.anonymize(people, la.KAnonymity(4), method="optimal"))) == []


# downcoding


def test_six_rows_whose_finer_values_are_certain() -> None:
    towns = ["Gent", "Leuven", "Liège", "Namur", "Metz", "Nancy"]
    regions = {"Flanders": towns[:2], "Wallonia": towns[2:4], "Lorraine": towns[4:]}
    people = la.table(
        pl.DataFrame({"town": towns}), quasi=["town"], hierarchies={"town": la.Hierarchy.groups(regions)}
    )
    for options in ({"method": "sangreea"}, {"method": "local", "output": "hierarchy"}):
        release = la.anonymize(people, la.KAnonymity(2), **options)  # type: ignore[arg-type]
        assert set(release.rows["town"]) == set(regions)
        found = downcoding.attack(exposed(people, release))[0]
        assert (found.successes, found.trials) == (6, 6)
        assert found.details["classes_with_one_member_under_a_child"] == 3


def test_a_split_is_certain_exactly_where_all_splits_that_are_left_agree() -> None:
    for k in (2, 3):
        for m in range(k, 8):
            for children in (2, 3, 4):
                allowed = downcoding._unrefined(m, k)
                left = [
                    split
                    for split in np.ndindex(*[m + 1] * children)
                    if sum(split) == m and not any(n >= k and (m - n >= k or m == n) for n in split)
                ]
                least = min((min(split) for split in left), default=0)
                assert downcoding._least(m, children, allowed) == least
                ways = sum(_ways(split) for split in left)
                assert downcoding._chance(m, children, allowed) == pytest.approx(ways / children**m)


def _ways(split: tuple[int, ...]) -> int:
    from math import factorial, prod

    return factorial(sum(split)) // prod(factorial(n) for n in split)


def test_ends_of_ranges_and_members_of_sets_are_certain() -> None:
    frame = pl.DataFrame({"age": [20, 21, 24, 30, 35, 36], "town": ["a", "b", "a", "c", "c", "c"]})
    people = la.table(frame, quasi=["age", "town"])
    found = downcoding.attack(exposed(people, la.anonymize(people, la.KAnonymity(3), method="mondrian")))[0]
    assert (found.successes, found.trials) == (2 + 2 + 2, 3 + 3 + 3)


@pytest.mark.parametrize(
    "method",
    ["local", "local into nodes", "optimal", "mondrian", "datafly", "sangreea", "semantic", "levels"],
)
@pytest.mark.parametrize("suppressed", ["drop", "star"])
def test_every_release_says_how_much_of_it_can_be_downcoded(
    method: str, suppressed: str, tmp_path: Path
) -> None:
    people = table(crowd(150))
    options: dict[str, Any] = {
        "local into nodes": {"method": "local", "output": "hierarchy"},
        "semantic": {"method": "semantic", "threshold": 0.5},
        "levels": {"method": "levels", "levels": dict.fromkeys(people.quasi, 1)},
    }.get(method, {"method": method})
    release = la.anonymize(people, la.KAnonymity(3), suppression=0.9, suppressed=suppressed, **options)
    (found,) = la.attack(people, release, only=["downcoding"])
    assert release.downcoded == found.rate
    again = la.attack(people, release.save(tmp_path / "out"), only=["downcoding"])["downcoding"]
    assert again.rate == found.rate
    told = (tmp_path / "out" / "private" / "report-internal.html").read_text(encoding="utf-8")
    assert f"a finer value behind {percent(found.rate)} of the blurred ones" in told
    assert "downcoding" not in (tmp_path / "out" / "report.html").read_text(encoding="utf-8")


def test_of_rows_that_are_not_in_memory_downcoding_is_said_not_to_be_measured(tmp_path: Path) -> None:
    crowd(150).write_parquet(tmp_path / "people.parquet")
    roles: dict[str, Any] = {
        "quasi": ["age", "town", "sex"],
        "sensitive": ["illness"],
        "identifiers": ["name"],
    }
    people = la.read(tmp_path / "people.parquet", engine="streaming", **roles)
    release = la.anonymize(people, la.KAnonymity(3), method="optimal", suppression=0.9)
    assert release.downcoded is None
    told = release.report(tmp_path / "report.html").read_text(encoding="utf-8")
    assert "Downcoding was not measured" in told


def test_stars_betray_nothing_finer() -> None:
    people = table(crowd(200))
    assert downcoding.attack(exposed(people, starred(people)))[0].rate == 0


# gap inference


def test_a_hole_among_the_ill_is_ill() -> None:
    rows = [(area, age) for area in range(6) for age in range(6)]
    ill = {(area, age): age >= 3 for area, age in rows}
    frame = pl.DataFrame(
        [
            {"area": f"a{area}", "age": f"d{age}", "ill": "yes" if ill[area, age] else "no"}
            for area, age in rows
            for _ in range(2 if (area, age) in ((1, 4), (4, 5), (2, 1)) else 6)
        ]
    )
    people = la.table(frame, quasi=["area", "age"], sensitive=["ill"])
    release = la.anonymize(people, la.KAnonymity(5), method="levels", levels={})
    found = gap_inference.attack(exposed(people, release))[0]
    assert found.trials == 6
    assert found.details["absent_tuples"] == 3
    kept = frame.filter(pl.len().over("area", "age") >= 5)
    right = 0
    for area, age in ((1, 4), (4, 5), (2, 1)):
        beside = kept.filter((pl.col("area") == f"a{area}") != (pl.col("age") == f"d{age}"))
        right += 2 * (beside["ill"].mode()[0] == ("yes" if ill[area, age] else "no"))
    assert found.successes == right


def test_nothing_held_back_leaves_no_gap() -> None:
    people = table(crowd(100))
    assert gap_inference.attack(exposed(people, starred(people))) == []


def test_gaps_among_random_values_tell_nothing() -> None:
    people = table(crowd(2000, towns=40, seed=3))
    release = la.anonymize(
        people, la.KAnonymity(6), method="levels", levels={"age": 4, "town": 0, "sex": 0}, suppression=0.9
    )
    assert release.suppressed > 50
    found = gap_inference.attack(exposed(people, release))[0]
    assert found.low <= found.baseline <= found.high
