"""Subtraction: what two releases of the same people leave when one is taken away from the other."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import lookalike as la
from lookalike.tables.coded import CodedRows
from measures.attacks.releases import crowd, table


def left_of(one: pl.DataFrame, other: pl.DataFrame) -> dict[tuple[object, ...], list[str]]:
    """The illnesses of each class of the rows that only one release has, in plain Python."""
    out: dict[tuple[object, ...], list[str]] = {}
    for row in (Counter(one.iter_rows()) - Counter(other.iter_rows())).elements():
        out.setdefault(row[:-1], []).append(row[-1])
    return out


def joined(k: int, least: int) -> tuple[la.Table, la.Release, la.Release]:
    """A release, and one in which newcomers stand beside its rows, at least so many in a class."""
    people = table(crowd(600))
    release = la.anonymize(people, la.KAnonymity(k), method="optimal")
    new = la.apply(release, crowd(150, seed=1), suppression=1.0) if least == k else None
    rows = (
        replace(release.recoding, models=()).apply(table(crowd(60, seed=1))).rows if new is None else new.rows
    )
    both = pl.concat([release.rows, rows.select(release.rows.columns)])
    return (
        people,
        release,
        replace(release, coded=CodedRows.of(both.sample(fraction=1, shuffle=True, seed=1))),
    )


def test_newcomers_are_what_is_left_when_the_earlier_release_is_taken_away() -> None:
    people, release, both = joined(5, least=1)
    found = la.attack(people, release, second=both, only=["subtraction"])
    linked, told = found
    classes = left_of(both.rows, release.rows)
    assert min(map(len, classes.values())) == 1
    assert linked.trials == told.trials == sum(map(len, classes.values())) == 60
    assert linked.successes == len(classes)
    assert linked.worst == 1
    assert linked.details["alone"] == sum(len(values) == 1 for values in classes.values())
    assert told.successes == sum(len(values) for values in classes.values() if len(set(values)) == 1)
    assert linked.low > 2 * linked.baseline
    assert linked in found.defects
    other_way = la.attack(people, both, second=release, only=["subtraction"])
    assert [one.to_dict() for one in other_way] == [one.to_dict() for one in found]


def test_newcomers_who_fill_classes_by_themselves_stay_hidden() -> None:
    people, release, both = joined(5, least=5)
    linked = la.attack(people, release, second=both, only=["subtraction"])["subtraction"]
    assert linked.bound == 1 / 5
    assert linked.worst is not None
    assert linked.worst <= 1 / 5
    assert not linked.breaks_bound


def test_rows_that_joined_by_apply_stand_the_subtraction(tmp_path: Path) -> None:
    people = table(crowd(600))
    release = la.anonymize(people, la.KAnonymity(4), la.LDiversity("illness", 2), method="optimal")
    both = la.apply(release, crowd(300, seed=1), joins=True, suppression=1.0)
    folders = release.save(tmp_path / "march"), both.save(tmp_path / "spring")
    found = la.attack(people, folders[0], second=folders[1], only=["subtraction"])
    assert found["subtraction"].trials == both.rows.height - both.joined
    assert len(found) == 2
    assert not found.defects


def test_people_who_left_are_what_is_left_the_other_way() -> None:
    people = table(crowd(600))
    release = la.anonymize(people, la.KAnonymity(5), method="optimal")
    corrected = replace(release, coded=CodedRows.of(release.rows.slice(3)))
    linked, _ = la.attack(people, release, second=corrected, only=["subtraction"])
    assert linked.trials == 3
    assert linked.worst == 1 / min(map(len, left_of(release.rows, corrected.rows).values()))


@pytest.mark.parametrize("n", [400, 4000, 20_000])
def test_releases_of_different_people_are_not_subtracted(n: int) -> None:
    people = table(crowd(n, illness=2), quasi=["town", "sex"], others=["age"])
    release = la.anonymize(
        people, la.KAnonymity(5), method="levels", levels={}, drop=["age"], suppression=1.0
    )
    later = la.apply(release, crowd(n, seed=9, illness=2), suppression=1.0)
    found = la.attack(people, release, second=later, only=["subtraction"])
    assert not len(found)
    assert "do not publish the same people alike" in found.skipped["subtraction"]


def test_the_same_release_twice_leaves_nobody() -> None:
    people = table(crowd(200))
    release = la.anonymize(people, la.KAnonymity(5))
    assert not len(la.attack(people, release, second=release, only=["subtraction"]))


def test_people_not_rows_are_left_where_a_unit_is_published() -> None:
    def visits(n: int, seed: int) -> pl.DataFrame:
        return crowd(n, seed=seed).with_columns(
            name=pl.format("{}-{}", pl.lit(seed), pl.int_range(pl.len()) // 3)
        )

    frame = visits(600, 1)
    roles: dict[str, Any] = {"identifiers": [], "others": ["name"], "quasi": ["town"], "unit": "name"}
    people = table(frame.drop("age", "sex"), **roles)
    asked: dict[str, Any] = {
        "method": "levels",
        "levels": {},
        "suppression": 1.0,
        "linked": {"name": "accept"},
    }
    release = la.anonymize(people, la.KAnonymity(2), **asked)
    rows = replace(release.recoding, models=()).apply(table(visits(6, 2).drop("age", "sex"), **roles)).rows
    both = replace(release, coded=CodedRows.of(pl.concat([release.rows, rows.select(release.rows.columns)])))
    linked = la.attack(people, release, second=both, only=["subtraction"])["subtraction"]
    towns: dict[object, set[object]] = {}
    for row in rows.iter_rows(named=True):
        towns.setdefault(row["town"], set()).add(row["name"])
    assert linked.trials == sum(map(len, towns.values()))
    assert linked.worst == 1 / min(map(len, towns.values()))
