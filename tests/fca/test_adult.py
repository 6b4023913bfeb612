"""Real data: the closed form and the lattice agree on Adult."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

import lookalike as la
from lookalike import fca

SCALES = {"age": "windows:20/10", "hours-per-week": "ordinal:20,40,60", "education-num": "interordinal:9,13"}
COLUMNS = ["age", "hours-per-week", "education-num", "sex", "race"]


@pytest.fixture(scope="module")
def adult(shared_data):
    return pl.read_csv(shared_data / "adult" / "adult.csv")


def test_closed_form_and_lattice_agree_on_overlapping_scales(adult):
    people = la.table(adult[COLUMNS][:3000], quasi=COLUMNS)
    context = fca.scale_table(people, scales=SCALES).context
    lattice = fca.concept_lattice(context)
    risk = fca.basic_risk(context)
    np.testing.assert_array_equal(risk.basic, fca.basic_risk_by_lattice(lattice))
    of_concepts = fca.chain_risk_of_concepts(lattice)
    np.testing.assert_array_equal(fca.semantic_chain_risk(context), of_concepts[lattice.object_concepts])
    assert (risk.basic < risk.classical).any()


def test_the_safe_set_needs_several_rounds_and_ends_safe(adult):
    people = la.table(adult[COLUMNS], quasi=COLUMNS)
    context = fca.scale_table(people, scales=SCALES).context
    safe = fca.safe_set(context, threshold=0.1)
    assert len(safe.rounds) > 1
    assert fca.basic_risk(context.keep(safe.keep)).basic.max() <= 0.1
