"""Releases, scales and noise count people where a table names a unit, as brute force over all people does."""

from __future__ import annotations

import json
from itertools import combinations, product
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import lookalike as la
from fca.test_people import SCALES, by_definition, visits
from lookalike import fca
from lookalike.verifier.semantic_definition import risks_of_people

LADDERS = {"age": ["ordinal:40", "ordinal:20,40"], "city": ["nominal"]}


def many_visits(seed: int, people: int = 30) -> la.Table:
    """Enough people for something to stay, a few of them alone in what they have."""
    rng = np.random.default_rng(seed)
    n = 3 * people
    who = np.r_[np.arange(people), rng.integers(0, people, n - people)]
    frame = pl.DataFrame(
        {
            "who": [f"né {w}" for w in who],
            "age": rng.choice([10, 30, 50], n),
            "city": rng.choice(list("AB"), n),
        }
    )
    return la.table(frame, quasi=["age", "city"], unit="who")


def release(people: la.Table, threshold: float, **options: Any) -> la.Release:
    return la.anonymize(
        people, la.KAnonymity(1), method="semantic", scales=SCALES, threshold=threshold, suppression=1.0, shuffle=False,
        **options,
    )  # fmt: skip


def test_a_release_keeps_the_greatest_set_of_whole_people() -> None:
    kept = 0
    for seed, threshold in product(range(10), (0.34, 0.5)):
        people = visits(seed)
        found = la.semantic_risk(people, scales=SCALES, threshold=threshold)
        matrix, who = found.context.to_matrix(), found.person
        assert who is not None
        greatest: set[int] = set()
        for size in range(1, 7):
            for some in combinations(range(6), size):
                here = np.isin(who, some)
                if max(by_definition(matrix[here], who[here])) <= threshold:
                    greatest |= set(some)
        if not greatest:
            with pytest.raises(la.GuaranteeError, match="no record can be released"):
                release(people, threshold)
            continue
        kept += 1
        made = release(people, threshold)
        assert made.rows.height == np.isin(who, list(greatest)).sum()
        assert made.suppressed == (~np.isin(who, list(greatest))).sum()
    assert kept > 4


def test_what_is_allowed_to_go_is_a_share_of_the_people() -> None:
    frame = pl.DataFrame({"who": ["a"] * 9 + ["b", "c"], "city": ["X"] * 9 + ["Y", "Y"]})
    people = la.table(frame, quasi=["city"], unit="who")
    made = la.anonymize(people, la.KAnonymity(1), method="semantic", threshold=0.5, suppression=0.4)
    assert made.rows.height == 2, "nine of eleven records go, but only one of three people"
    with pytest.raises(la.GuaranteeError, match="1 of 3 people would have to be left out"):
        la.anonymize(people, la.KAnonymity(1), method="semantic", threshold=0.5, suppression=0.3)


@pytest.mark.filterwarnings("ignore:.*pseudonym")
def test_other_promises_hold_beside_the_risk_of_people() -> None:
    for seed in range(8):
        people = many_visits(seed)
        made = la.anonymize(
            people, la.KAnonymity(4), method="semantic", scales=SCALES, threshold=0.3, suppression=1.0,
            pseudonyms={"who": la.pseudonymise(people, ["who"])}, shuffle=False,
        )  # fmt: skip
        counted = made.frame.group_by("age", "city").agg(pl.col("who").n_unique())["who"]
        assert counted.min() >= 4


@pytest.mark.filterwarnings("ignore:.*pseudonym")
@pytest.mark.parametrize("named", [True, False])
def test_the_checker_counts_people_or_says_that_it_cannot(tmp_path: Path, named: bool) -> None:
    people = many_visits(1)
    treated = {"pseudonyms": {"who": la.pseudonymise(people, ["who"])}} if named else {}
    folder = release(people, 0.2, **treated).save(tmp_path / "out")

    def checked() -> object:
        findings = la.verify(folder / "release.csv", folder / "certificate.json").findings
        return next(one for one in findings if one.check == "semantic risk").ok

    assert checked() is (True if named else None)
    path = folder / "certificate.json"
    written = json.loads(path.read_text())
    path.write_text(
        json.dumps({**written, "measured": {**written["measured"], "largest basic semantic risk": 0.01}})
    )
    assert checked() is False, "more than one in a hundred, even by records"


def test_the_checkers_own_count_of_people_is_the_definition() -> None:
    for seed in range(60):
        found = la.semantic_risk(visits(seed), scales=SCALES)
        assert found.person is not None
        context = found.context
        rows = [np.flatnonzero(row).tolist() for row in fca.contexts.unpack(context.rows, 64)]
        people = [found.person[context.number == row].tolist() for row in range(len(rows))]
        counted = risks_of_people(rows, people, range(len(rows)))
        assert np.array(counted)[context.number] == pytest.approx(
            by_definition(context.to_matrix(), found.person)
        )


def test_finest_scales_are_those_brute_force_over_people_finds() -> None:
    several = 0
    for seed in range(12):
        people = many_visits(seed, people=9)
        who = people.rows["who"].to_numpy()
        for threshold, outliers in ((0.34, 0.0), (0.5, 0.25)):
            safe = {}
            for age, city in product(range(3), range(2)):
                scales = {"age": ["windows:1000/1000", *LADDERS["age"]][age], "city": "nominal"}
                kept = [n for n, rung in (("age", age), ("city", city)) if rung]
                if not kept:
                    risks = np.full(len(people), 1 / len(set(who)))
                else:
                    alone = la.table(people.rows.select("who", *kept), quasi=kept, unit="who")
                    context = fca.scaling.scale_records(alone, scales={n: scales[n] for n in kept}).context
                    risks = np.array(by_definition(context.to_matrix(), who))
                above = len(set(who[risks > threshold + 1e-9])) / len(set(who))
                safe[age, city] = above <= outliers
            finest = {
                here
                for here, good in safe.items()
                if good and not any(safe.get(up) for up in ((here[0] + 1, here[1]), (here[0], here[1] + 1)))
            }
            found = fca.finest_scales(people, ladders=LADDERS, threshold=threshold, outliers=outliers)
            assert {tuple(one.rungs.values()) for one in found} == finest
            several += len(finest) > 1
    assert several


def test_noise_judges_people_and_counts_who_is_found_as_a_person() -> None:
    for seed in range(8):
        people = many_visits(seed, people=8)
        found = fca.add_noise(people, scales=SCALES, threshold=0.3, seed=seed)
        true = fca.scaling.scale_records(people, scales=SCALES).context.to_matrix()
        who, shown = people.rows["who"].to_numpy(), found.context.to_matrix()
        assert found.rounds[0] == sum(risk > 0.3 for risk in by_definition(true, who))
        assert found.rounds[-1] == sum(risk > 0.3 for risk in by_definition(shown, who))
        if found.keep.any():
            assert max(by_definition(shown[found.keep], who[found.keep])) <= 0.3
        assert not set(who[found.keep]) & set(who[~found.keep]), "a person stays with all records or goes"
        chances = []
        for row, person in zip(true, who, strict=True):
            matching = set(who[(shown | ~row).all(axis=1)])
            chances.append((person in matching) / max(len(matching), 1))
        assert found.found[1] == pytest.approx(np.mean(chances))
