"""Lattices beside those of the library `concepts`."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

import lookalike as la
from lookalike import fca
from lookalike.fca import Context

concepts = pytest.importorskip("concepts")

FIVE = ["workclass", "marital-status", "occupation", "native-country", "income"]


@pytest.fixture(scope="module")
def adult(shared_data):
    return pl.read_csv(shared_data / "adult" / "adult.csv")


@pytest.mark.parametrize("seed", range(25))
def test_the_library_concepts_finds_the_same_lattice(seed):
    rng = np.random.default_rng(seed)
    matrix = rng.random((int(rng.integers(1, 40)), int(rng.integers(1, 14)))) < rng.uniform(0.1, 0.7)
    objects = [f"o{i}" for i in range(len(matrix))]
    attributes = [f"m{j}" for j in range(matrix.shape[1])]
    peer = concepts.Context(objects, attributes, [tuple(map(bool, row)) for row in matrix]).lattice
    mine = fca.concept_lattice(Context.from_matrix(matrix, objects=objects, attributes=attributes))
    assert {(c.extent, c.intent) for c in mine} == {(tuple(c.extent), tuple(c.intent)) for c in peer}
    edges = {
        (mine.concept(a).extent, mine.concept(b).extent) for a, b in zip(mine.upper, mine.lower, strict=True)
    }
    assert edges == {(tuple(c.extent), tuple(d.extent)) for c in peer for d in c.lower_neighbors}


def test_the_lattice_of_100_rows_is_the_one_of_the_library_concepts(adult):
    people = la.table(adult[FIVE][:100], quasi=FIVE)
    context = fca.scale_table(people, scales=dict.fromkeys(FIVE, "nominal")).context
    crosses = [tuple(map(bool, row)) for row in context.to_matrix()]
    objects = [str(i) for i in context.objects]
    peer = concepts.Context(objects, list(context.attributes), crosses).lattice
    mine = fca.concept_lattice(context)
    assert {c.intent for c in mine} == {tuple(c.intent) for c in peer}
    assert mine.edges == sum(len(c.lower_neighbors) for c in peer)
