"""Who is it? Linkage, partial knowledge, predicates, composition, pseudonyms, membership, extremes."""

from __future__ import annotations

import hashlib
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import lookalike as la
from lookalike.measures.attacks import (
    composition,
    extremes,
    intersection,
    linkage,
    membership,
    partial_knowledge,
    predicate_singling_out,
)
from lookalike.measures.attacks.exposure import Exposure
from lookalike.measures.attacks.results import Attacked
from measures.attacks.releases import METHODS, covers, crowd, exposed, raw, starred, table


def only(found: list[Attacked], name: str) -> Attacked:
    return next(one for one in found if one.name == name)


# linkage


@pytest.mark.parametrize("method", METHODS)
def test_linkage_counts_covers_and_keeps_the_bound_of_k(method: str) -> None:
    people = table(crowd(160, seed=4))
    release = la.anonymize(people, la.KAnonymity(5), method=method, suppression=0.1)
    truth = exposed(people, release)
    found = linkage.attack(truth)
    prosecutor, marketer = only(found, "prosecutor linkage"), only(found, "marketer linkage")
    fits = [[c for c in range(truth.classes) if covers(truth, c, row)] for row in range(len(people))]
    chance = [1 / truth.sizes[fits[row]].sum() for row in np.flatnonzero(truth.kept)]
    assert prosecutor.rate == pytest.approx(np.mean(chance))
    assert prosecutor.worst == pytest.approx(max(chance))
    covered = [sum(covers(truth, c, row) for row in range(len(people))) for c in range(truth.classes)]
    assert marketer.rate == pytest.approx(np.average(1 / np.array(covered), weights=truth.sizes))
    for one in (prosecutor, marketer):
        assert one.bound == 1 / 5
        assert not one.breaks_bound


def test_a_raw_table_is_linked_and_stars_are_not() -> None:
    people = table(crowd(200, towns=30))
    open_, closed = (linkage.attack(exposed(people, make(people)))[0] for make in (raw, starred))
    assert open_.rate > 0.8
    assert open_.worst == 1
    assert open_.succeeds
    assert (closed.rate, closed.baseline) == (pytest.approx(1 / 200), pytest.approx(1 / 200))
    assert not closed.succeeds


def test_stars_tell_nothing_of_people_with_several_rows_either() -> None:
    frame = crowd(600).with_columns(name=pl.Series([f"p{i % 60}" for i in range(600)]))
    truth = exposed(table(frame, unit="name"), starred(table(frame, unit="name")))
    for one in (linkage.attack(truth)[0], partial_knowledge.attack(truth)[0]):
        assert (one.rate, one.baseline) == (pytest.approx(1 / 60), pytest.approx(1 / 60))
        assert not one.succeeds


def test_the_journalist_searches_the_population() -> None:
    everybody = crowd(600, seed=8)
    people = table(everybody.head(150))
    release = la.anonymize(people, la.KAnonymity(5), method="local")
    truth = exposed(people, release, everybody)
    journalist = only(linkage.attack(truth), "journalist linkage")
    ages = everybody.select("age", "town", "sex")
    joined = table(pl.concat([people.rows.select(ages.columns), ages]), identifiers=[], sensitive=[])
    whole = [
        sum(
            all(
                side.inside[side.label[c], side.domain.find(joined.column(side.attribute.name).domain)[code]]
                for side, code in zip(truth.sides, codes, strict=True)
            )
            for codes in zip(
                *(joined.column(side.attribute.name).codes[150:] for side in truth.sides), strict=True
            )
        )
        for c in range(0, truth.classes, 5)
    ]
    assert truth.covered_cells(truth.cells.population)[::5].tolist() == whole  # type: ignore[arg-type]
    assert journalist.bound == 1 / 5
    assert not journalist.breaks_bound
    prosecutor = only(linkage.attack(truth), "prosecutor linkage")
    assert prosecutor.control is not None
    assert prosecutor.control > 0


def test_a_class_smaller_than_promised_is_a_defect() -> None:
    one = Attacked("x", "linkability", "", 100, 10.0, baseline=0.01, bound=0.1, worst=0.2)
    assert one.breaks_bound
    assert one.verdict.startswith("Beyond the promise (10.0%)")


@pytest.mark.parametrize(
    ("successes", "words"),
    [(40, "Above"), (21, "At"), (20, "At"), (19, "No better than"), (0, "No better than")],
)
def test_a_verdict_says_on_which_side_of_the_baseline_the_rate_lies(successes: int, words: str) -> None:
    one = Attacked("x", "linkability", "", 100, successes, baseline=0.2)
    assert one.verdict.startswith(
        f"{words} the baseline: {successes}.0% of 100 attempts succeed, 20.0% without"
    )


# partial knowledge


def test_knowing_less_never_links_better() -> None:
    people = table(crowd(200, seed=6))
    truth = exposed(people, la.anonymize(people, la.KAnonymity(4), method="local"))
    found = partial_knowledge.attack(truth)
    part = found[0]
    full = linkage.attack(truth)[0]
    assert part.rate <= full.rate
    assert not part.breaks_bound
    by_m = part.details["by_number_of_columns"]
    assert by_m[1]["worst"] <= by_m[2]["worst"]
    assert by_m[1]["subsets"] == by_m[2]["subsets"] == 3


def test_a_raw_table_is_linked_by_two_columns_of_three() -> None:
    people = table(crowd(100, towns=60, seed=2))
    assert partial_knowledge.attack(exposed(people, raw(people)))[0].rate > 0.5
    assert not partial_knowledge.attack(exposed(people, starred(people)))[0].succeeds


def test_a_known_column_links_beyond_k_and_is_counted_right() -> None:
    frame = crowd(150, seed=7).with_columns(weight=pl.Series(np.random.default_rng(0).integers(0, 9, 150)))
    people = table(frame)
    truth = exposed(people, la.anonymize(people, la.KAnonymity(5), method="local"))
    found = next(one for one in partial_knowledge.attack(truth) if one.column == "weight")
    weight = frame["weight"].to_numpy()
    chance = []
    for row in range(150):
        fits = [c for c in range(truth.classes) if covers(truth, c, row)]
        chance.append(1 / (np.isin(truth.of_row, fits) & (weight == weight[row])).sum())
    assert found.rate == pytest.approx(np.mean(chance))
    assert found.rate > found.baseline
    assert found.bound is None


@pytest.mark.filterwarnings("ignore::lookalike.base.errors.LookalikeWarning")
@pytest.mark.parametrize("seed", range(6))
def test_of_people_with_several_rows_a_known_column_leaves_people_not_rows(seed: int) -> None:
    rng = np.random.default_rng(seed)
    frame = crowd(180, seed=seed, missing=0.1).with_columns(
        name=pl.Series(rng.integers(0, 60, 180)).cast(pl.String),
        study=pl.lit("s"),
        dose=pl.Series(rng.integers(0, 4, 180)),
    )
    people = table(frame, unit="name", sensitive=["dose"], others=["study", "illness"])
    method = METHODS[seed % len(METHODS)]
    truth = exposed(people, la.anonymize(people, la.KAnonymity(3), method=method, suppression=0.2))
    found = {one.column: one for one in partial_knowledge.attack(truth) if one.column is not None}
    whose = frame["name"].to_numpy()
    kept = np.flatnonzero(truth.kept)
    for name in ("study", "dose", "illness"):
        value = frame[name].to_numpy()
        chance = []
        for row in kept:
            fits = [c for c in range(truth.classes) if covers(truth, c, row)]
            chance.append(
                1 / len({whose[r] for r in kept if truth.of_row[r] in fits and value[r] == value[row]})
            )
        assert found[name].rate == pytest.approx(np.mean(chance))
        assert found[name].worst == pytest.approx(max(chance))
        assert found[name].details["alone"] == chance.count(1)
    prosecutor = only(
        linkage.attack(truth), "prosecutor linkage"
    )  # whom a constant neither helps nor hinders
    assert found["study"].rate == found["study"].baseline == prosecutor.rate
    assert found["study"].worst == prosecutor.worst


# predicate singling out


def test_no_k_prevents_a_predicate_from_isolating_somebody() -> None:
    rng = np.random.default_rng(0)
    wide = {f"q{i}": rng.integers(0, 50, 6000) for i in range(8)}
    frame = pl.DataFrame({**wide, "name": [str(i) for i in range(6000)]})
    people = la.table(frame.head(2000), identifiers=["name"], quasi=list(wide))
    release = la.anonymize(people, la.KAnonymity(5), method="local")
    found = predicate_singling_out.attack(exposed(people, release, frame))[0]
    assert found.low < (1 - 1 / 5) ** 4 < found.high + 0.05
    assert found.succeeds


def test_stars_isolate_no_better_than_a_blind_description() -> None:
    people = table(crowd(300))
    found = predicate_singling_out.attack(exposed(people, starred(people)))[0]
    assert found.trials == 1
    assert found.baseline == pytest.approx((1 - 1 / 300) ** 299)
    assert not found.succeeds


# intersection


def visits(n: int = 200, *, seed: int = 0) -> pl.DataFrame:
    """Three rows per person; the weight stays the same, the ward and the illness do not."""
    rng = np.random.default_rng(seed)
    who = np.repeat(np.arange(n), 3)
    return pl.DataFrame(
        {
            "name": who,
            "age": rng.integers(18, 70, n)[who],
            "town": rng.choice(["a", "b", "c"], n)[who],
            "ward": rng.choice(["u", "v", "w"], len(who)),
            "weight": rng.permutation(n)[who],
        }
    )


def rows_of(people: la.Table, truth: Exposure, person: int) -> list[int]:
    return [row for row in np.flatnonzero(truth.kept) if people.column("name").codes[row] == person]


@pytest.mark.filterwarnings("ignore::lookalike.base.errors.LookalikeWarning")
def test_rows_put_together_fit_fewer_people_than_each_alone() -> None:
    people = la.table(visits(), identifiers=["name"], quasi=["age", "town", "ward"], unit="name", others=[])
    truth = exposed(people, la.anonymize(people, la.KAnonymity(5), method="local"))
    found = only(intersection.attack(truth), "intersection")
    fits = {
        person: [
            {c for c in range(truth.classes) if covers(truth, c, row)}
            for row in rows_of(people, truth, person)
        ]
        for person in range(200)
    }
    may_be = {person: set().union(*each) for person, each in fits.items()}
    chances = []
    for person in range(200):
        classes = {int(truth.of_row[row]) for row in rows_of(people, truth, person)}
        chances.append(1 / sum(classes <= may_be[other] for other in range(200)))
    assert found.trials == 200
    assert found.rate == pytest.approx(np.mean(chances))
    assert found.details["columns"] == ["weight"]
    assert found.succeeds


def paid(n: int = 120, *, seed: int = 0) -> pl.DataFrame:
    """Four rows of base pay per person, the same each month, and two of overtime, which is not."""
    rng = np.random.default_rng(seed)
    who = np.repeat(np.arange(n), 6)
    base = np.tile([True, True, True, True, False, False], n)
    return pl.DataFrame(
        {
            "name": who,
            "age": rng.integers(18, 70, n)[who],
            "town": rng.choice(["a", "b", "c"], n)[who],
            "ward": rng.choice(["u", "v", "w"], len(who)),
            "item": np.where(base, "base", "overtime"),
            "amount": np.where(base, rng.integers(0, 2 * n, n)[who], rng.integers(0, 2 * n, len(who))),
        }
    )


def test_rows_of_one_kind_are_put_together_by_what_stays_the_same_in_them() -> None:
    frame = paid()
    people = la.table(frame, identifiers=["name"], quasi=["age", "town", "ward"], unit="name", others=[])
    with pytest.warns(la.LookalikeWarning, match=r"as it is: amount in rows that are alike in item\. What"):
        truth = exposed(people, la.anonymize(people, la.KAnonymity(5), method="local"))
    found = only(intersection.attack(truth), "intersection")
    may_be: dict[int, set[int]] = {
        person: {
            c for row in rows_of(people, truth, person) for c in range(truth.classes) if covers(truth, c, row)
        }
        for person in range(120)
    }
    item, amount = frame["item"].to_list(), frame["amount"].to_list()
    linked, alone = [], []
    for person in range(120):
        own = rows_of(people, truth, person)
        alone.append(max(1 / sum(int(truth.of_row[row]) in may_be[p] for p in range(120)) for row in own))
        pay = next(amount[row] for row in own if item[row] == "base")
        alike = {int(truth.of_row[r]) for r in range(720) if item[r] == "base" and amount[r] == pay}
        fit = [p for p in range(120) if alike <= may_be[p]]
        linked.append((person in fit) / len(fit) if fit else alone[-1])
    assert found.rate == pytest.approx(np.mean(linked))
    assert found.baseline == pytest.approx(np.mean(alone))
    assert found.details["columns"] == found.details["only_within_a_kind"] == ["amount"]
    assert found.details["kind_of_row"] == "item"
    assert found.details["alone"] == linked.count(1)
    assert found.succeeds


def test_rows_are_put_together_by_what_stays_nearly_the_same() -> None:
    rng = np.random.default_rng(5)
    lengths = {name: rng.normal(100, 20, 200)[np.repeat(np.arange(200), 3)] for name in ("arm", "leg")}
    noisy = [pl.Series(name, (at + rng.normal(0, 0.2, 600)).round(1)) for name, at in lengths.items()]
    frame = visits().drop("weight").with_columns(noisy)
    people = la.table(frame, identifiers=["name"], quasi=["age", "town", "ward"], unit="name", others=[])
    with pytest.warns(la.LookalikeWarning, match=r"as it is: arm \(nearly\), leg \(nearly\)\. What"):
        release = la.anonymize(people, la.KAnonymity(5), method="local")
    found = only(intersection.attack(exposed(people, release)), "intersection")
    assert found.details["nearly"] == ["arm", "leg"]
    assert found.succeeds


def test_rows_of_several_people_that_nobody_fits_leave_the_attacker_with_one_row() -> None:
    frame = visits().with_columns(weight=pl.col("weight") % 4)  # a group is a quarter of all people
    people = la.table(frame, identifiers=["name"], quasi=["age", "town", "ward"], unit="name", others=[])
    found = only(intersection.attack(exposed(people, la.anonymize(people, la.KAnonymity(5)))), "intersection")
    assert found.rate == found.baseline


def test_rows_that_nothing_puts_together_are_not_intersected() -> None:
    frame = visits().with_columns(weight=pl.Series(np.random.default_rng(1).permutation(600) % 200))
    people = la.table(frame, identifiers=["name"], quasi=["age", "town", "ward"], unit="name", others=[])
    release = la.anonymize(people, la.KAnonymity(5), method="local")
    assert intersection.attack(exposed(people, release)) == []
    assert "intersection" in la.attack(people, release, only=["intersection"]).skipped


@pytest.mark.filterwarnings("ignore::lookalike.base.errors.LookalikeWarning")
def test_a_pseudonym_puts_rows_together(tmp_path: Path) -> None:
    people = la.table(
        visits().drop("weight"), identifiers=["name"], quasi=["age", "town", "ward"], unit="name", others=[]
    )
    made = la.pseudonymise(people, ["name"], key=la.Key.generate(tmp_path / "key"))
    release = la.anonymize(people, la.KAnonymity(5), method="local", pseudonyms={"name": made})
    found = only(intersection.attack(exposed(people, release)), "intersection")
    assert found.details["columns"] == ["name"]
    assert found.details["people_whose_rows_are_told"] == 200


# composition


def test_two_shifted_releases_reveal_what_each_hides() -> None:
    frame = crowd(400, seed=3, illness=40).with_columns(pl.col("age").cast(pl.Float64))
    people = table(frame, quasi=["age", "town"], others=["sex"])
    releases = [
        la.anonymize(people, la.KAnonymity(3), method="mondrian", weights={"age": a, "town": b})
        for a, b in ((8, 1), (1, 8))
    ]
    first, second = (exposed(people, one) for one in releases)
    values, rows = composition.attack(first, second)
    assert values.baseline < 0.05
    assert values.succeeds
    assert values.rate > 0.05
    assert rows.low > 1.3 * rows.baseline
    codes = people.column("illness").codes
    for at in range(0, 400, 40):
        around = [
            {int(codes[r]) for r in range(400) if covers(e, int(e.of_row[r]), at)} for e in (first, second)
        ]
        assert int(codes[at]) in around[0] & around[1]
    sure = [
        len(
            {int(codes[r]) for r in range(400) if covers(first, int(first.of_row[r]), at)}
            & {int(codes[r]) for r in range(400) if covers(second, int(second.of_row[r]), at)}
        )
        == 1
        for at in range(400)
    ]
    assert values.successes == sum(sure)


def test_the_same_release_twice_reveals_nothing_new() -> None:
    people = table(crowd(200))
    release = la.anonymize(people, la.KAnonymity(8), method="local")
    truth = exposed(people, release)
    values, rows = composition.attack(truth, truth)
    assert values.rate == values.baseline
    assert values.trials == 200
    assert not values.succeeds
    assert rows.rate == pytest.approx(rows.baseline)


def test_releases_of_different_months_are_about_the_people_in_both() -> None:
    everybody = crowd(260, seed=1, towns=40)
    people, later = table(everybody.head(200)), table(everybody.tail(160))
    first, second = (
        exposed(one, la.anonymize(one, la.KAnonymity(4), method="mondrian")) for one in (people, later)
    )
    found = composition.attack(first, second)[0]
    assert found.trials >= 100  # rows 100 to 199 are in both
    keys = [one.rows.select("age", "town", "sex", "illness") for one in (people, later)]
    assert found.trials <= len(keys[0].join(keys[1].unique(), on=keys[0].columns))


def test_one_key_for_two_releases_links_their_rows() -> None:
    people = table(crowd(150))
    made = la.pseudonymise(people, ["name"], key=la.Key(bytes(range(32))))
    with pytest.warns(la.LookalikeWarning, match="keeps a pseudonym"):
        first, second = (
            exposed(people, la.anonymize(people, la.KAnonymity(5), method=m, pseudonyms={"name": made}))
            for m in ("mondrian", "optimal")
        )
    rows = next(one for one in composition.attack(first, second) if one.name == "composition of rows")
    assert "name" in rows.details["unchanged"]
    alone = exposed(people, la.anonymize(people, la.KAnonymity(5), method="mondrian"))
    apart = next(one for one in composition.attack(alone, second) if one.name == "composition of rows")
    assert rows.rate > apart.rate


def test_releases_with_other_quasi_identifiers_are_not_put_together() -> None:
    frame = crowd(100)
    one, other = table(frame), table(frame, quasi=["age", "town"], others=["sex"])
    first, second = (exposed(people, la.anonymize(people, la.KAnonymity(5))) for people in (one, other))
    with pytest.raises(la.RequestError, match="different quasi-identifiers"):
        composition.attack(first, second)


# pseudonyms


def hashed(how: str) -> la.Attacks:
    frame = crowd(80)
    values = {
        "unkeyed": [
            hashlib.sha3_256((n + t + "salt").encode()).hexdigest() for n, t in frame["name", "town"].rows()
        ],
        "keyed": la.pseudonymise(table(frame), ["name", "town"], key=la.Key(bytes(range(32)))).values,
        "random": la.pseudonymise(table(frame), ["name"]).values,
    }[how]
    made = la.Pseudonyms(how, ("name", "town"), 0, values)
    people = table(frame)
    with pytest.warns(la.LookalikeWarning, match="keeps a pseudonym"):
        release = la.anonymize(people, la.KAnonymity(4), method="local", pseudonyms={"name": made})
    return la.attack(people, release, only=["pseudonym-recomputation"])


def test_an_unkeyed_pseudonym_is_made_again() -> None:
    found = hashed("unkeyed")["pseudonym recomputation"]
    assert found.rate == 1
    assert found.breaks_bound
    assert found.details["recipes_that_hit"] >= 1


@pytest.mark.parametrize("how", ["keyed", "random"])
def test_a_keyed_or_random_pseudonym_is_not(how: str) -> None:
    found = hashed(how)["pseudonym recomputation"]
    assert found.rate == 0
    assert found.details["recipes_tried"] > 1000
    assert not found.breaks_bound


def test_a_published_column_of_hashes_is_tried_too() -> None:
    frame = crowd(60, towns=2)
    frame = frame.with_columns(code=pl.Series([hashlib.md5(n.encode()).hexdigest() for n in frame["name"]]))
    people = table(frame)
    found = la.attack(people, la.anonymize(people, la.KAnonymity(4)), only=["pseudonym-recomputation"])
    assert found["pseudonym recomputation of code"].rate == 1


# membership


def test_a_raw_table_tells_who_is_in_it() -> None:
    everybody = crowd(800, towns=40, seed=5)
    people = table(everybody.head(400))
    found = membership.attack(exposed(people, raw(people), everybody))[0]
    assert found.details["auc"] > 0.8
    assert found.rate > 0.6
    assert found.succeeds


def test_people_like_those_released_cannot_be_told_from_them() -> None:
    everybody = crowd(3000, towns=3, seed=6)
    people = table(everybody.head(1500))
    release = la.anonymize(people, la.KAnonymity(50), method="optimal")
    found = membership.attack(exposed(people, release, everybody))[0]
    assert found.low <= found.baseline <= found.high
    assert abs(found.details["auc"] - 0.5) < 0.05


def test_the_distance_is_that_to_the_nearest_published_record() -> None:
    people = table(crowd(60, missing=0.1))
    truth = exposed(people, raw(people))
    assert membership.distances(truth, np.arange(len(truth.cells))) == pytest.approx(0)
    blurred = exposed(people, la.anonymize(people, la.KAnonymity(5), method="local"))
    assert (membership.distances(blurred, np.arange(len(blurred.cells))) >= 0).all()


# extremes and exact statistics


def test_an_outlier_ends_a_range_and_rounded_ends_hide_it() -> None:
    ages = np.append(np.repeat(np.arange(20, 60), 10), 103)
    frame = pl.DataFrame({"age": ages, "town": ["t"] * len(ages)})
    people = la.table(frame, quasi=["age", "town"])
    exact = la.anonymize(people, la.KAnonymity(5), method="mondrian", ends=0)
    found = extremes.attack(exposed(people, exact))[0]
    assert found.successes == 1
    assert found.baseline < 0.01
    moved = la.anonymize(people, la.KAnonymity(5), method="mondrian")
    assert extremes.attack(exposed(people, moved))[0].successes == 0
    rounded = la.table(frame, quasi=["age", "town"], hierarchies={"age": la.Hierarchy.intervals(10, 50, 100)})
    safe = la.anonymize(rounded, la.KAnonymity(5), method="optimal", suppression=0.05)
    assert extremes.attack(exposed(rounded, safe)) == []


@pytest.mark.parametrize("several", [1, 3])
def test_extremes_are_the_ends_that_are_published_and_one_person_has(several: int) -> None:
    # scores of one person each, among people without one; a person's rows hold the same score
    ids = np.repeat(np.arange(200), several)
    scores = [1003 + 17 * int(i) if i % 5 == 0 else None for i in ids]
    frame = pl.DataFrame({"id": ids, "town": [f"t{i // 5}" for i in ids], "score": scores})
    people = la.table(frame, identifiers=["id"], quasi=["town", "score"], unit="id")
    exact = la.anonymize(people, la.KAnonymity(5), method="local", suppression=0.0, ends=0)
    found = extremes.attack(exposed(people, exact))[0]
    assert found.successes == found.trials >= 39
    moved = la.anonymize(people, la.KAnonymity(5), method="local", suppression=0.0)
    found = extremes.attack(exposed(people, moved))[0]
    labels = {text for text in moved.rows["score"] if text is not None}
    ends = {text: [float(end) for end in text.strip("[] |∅").split(", ")] for text in labels}
    assert found.trials >= len(labels)
    assert found.successes == sum(any(end in scores for end in both) for both in ends.values()) == 0


def test_a_published_mean_and_all_values_but_one_give_the_last() -> None:
    people = table(crowd(100))
    release = la.anonymize(people, la.KAnonymity(5), method="mondrian", numbers={"age": "mean"})
    found = next(one for one in extremes.attack(exposed(people, release)) if one.name == "exact statistics")
    assert found.rate == 1
