"""Columns that say the same, and columns that lie below others."""

from __future__ import annotations

import numpy as np
import polars as pl

import lookalike as la
from lookalike.links.nesting import lies_below, most_common_above, say_the_same


def places() -> la.Table:
    rng = np.random.default_rng(0)
    district = rng.integers(0, 12, 600)
    frame = pl.DataFrame(
        {
            "district": [f"d{d:02d}" for d in district],
            "district_id": district + 500,
            "region": [f"r{d // 4}" for d in district],
            "sex": rng.choice(["f", "m"], 600),
            "visit": [f"v{i}" for i in range(600)],
        }
    )
    return la.table(frame, others=[])


def test_a_code_says_the_same_as_its_description_and_the_words_stay() -> None:
    assert say_the_same(places(), ["district_id", "district", "region", "sex"]) == {"district_id": "district"}


def test_a_district_lies_below_its_region_and_nothing_else() -> None:
    people = places()
    assert lies_below(people, "district", ["region", "sex", "district_id"]) == "region"
    assert lies_below(people, "region", ["sex"]) is None
    above = most_common_above(people, "district", "region")
    assert [people.column("region").domain.texts[i] for i in above] == [f"r{d // 4}" for d in range(12)]


def test_a_column_of_single_values_lies_below_nothing_by_chance() -> None:
    assert lies_below(places(), "visit", ["region", "sex"]) is None


def test_a_prepared_run_blurs_districts_by_regions() -> None:
    people = places()
    frame = people.rows.select("district", "district_id", "region", "sex")
    recipe = la.prepare(frame)
    tree = recipe.hierarchy_of("district").grow(people.column("district").domain)
    assert set(tree.labels[1]) == {"region: r0", "region: r1", "region: r2"}
