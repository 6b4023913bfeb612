"""Whose rows they are in invented tables of people x events: no promise counts anything but different people."""

from __future__ import annotations

import warnings
from collections import defaultdict

import numpy as np
import polars as pl
import pytest

import lookalike as la
from recognition.event_tables import EventTable, event_tables

TABLES = event_tables()
ASKED = {
    "visits of a number only",
    "claims of policies",
    "transactions of accounts",
    "listings of hosts",
    "firms",
    "plots of farms",
    "schools by year",
    "households and members in waves",
    "crops of households with their place",
}


def test_there_are_thirty_shapes_and_more() -> None:
    assert len({table.name for table in TABLES}) == len(TABLES) >= 30


@pytest.mark.parametrize("seed", [1, 2])
def test_a_key_of_people_beats_a_key_of_events(seed: int) -> None:
    for table in event_tables(seed):
        found = la.inspect(table.frame)
        whose = found.whose_rows()
        assert whose.column in table.units, (table.name, whose)
        assert bool(whose.doubt) == (table.name in ASKED), (table.name, whose)
        if whose.column is not None:
            assert found.roles[whose.column] == "identifier", table.name


@pytest.mark.parametrize("table", TABLES, ids=lambda table: table.name)
def test_a_promise_about_people_holds_of_people(table: EventTable) -> None:
    """Counted apart from all the rest: different people among the rows that are published alike."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", la.LookalikeWarning)
        recipe = la.prepare(table.frame)
        release = la.run(recipe.__class__(**{**vars(recipe), "attacks": {}}), source=table.frame).release
    k = next(model.k for model in recipe.promises if isinstance(model, la.KAnonymity))
    people: defaultdict[tuple[object, ...], set[int]] = defaultdict(set)
    kept = np.flatnonzero(release.of_row >= 0)
    published = release.recoding.apply(release.people).rows.select(release.recoding.quasi)
    assert published.height == len(kept)
    for row, shown in zip(kept.tolist(), published.rows(), strict=True):
        people[shown].add(int(table.whose[row]))
    assert people
    assert min(len(each) for each in people.values()) >= k
    words = recipe.promises[0].counting(recipe.source.get("unit"))
    assert (
        f"different values of {recipe.source['unit']!r}" in words
        if "unit" in recipe.source
        else "each row" in words
    )


@pytest.mark.parametrize("table", TABLES, ids=lambda table: table.name)
def test_no_key_is_published(table: EventTable) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", la.LookalikeWarning)
        recipe = la.prepare(table.frame)
    for name, column in recipe.columns.items():
        texts = table.frame[name].cast(pl.String)
        if "id" in name.lower().split("_") and texts.n_unique() > 60:
            assert column.drop or column.role == "identifier", name
