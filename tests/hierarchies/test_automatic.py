"""A hierarchy for columns without one: by kind, balanced, quick for large domains."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hierarchies.trees import days, integers, labels_of, nominal
from lookalike.columns.domains import Domain
from lookalike.columns.roles import Kind
from lookalike.hierarchies import Hierarchy


@pytest.mark.parametrize(
    ("domain", "how"),
    [
        (integers(*range(50)), "cuts"),
        (integers(1, 2), "cuts"),
        (days("2024-01-01", "2024-01-02"), "dates"),
        (nominal([f"{i:05d}" for i in range(50)]), "mask"),
        (nominal([f"E{i}.{i % 3}" for i in range(50)]), "prefixes"),
        (nominal([f"AB{i} 1XY" for i in range(50)]), "prefixes"),
        (nominal([f"{i} to {i + 9} years" for i in range(50)]), "rows"),
        (nominal([f"person {i}" for i in range(20_000)]), "prefixes"),
        (nominal(["a", "b", "c"]), "rows"),
        (nominal([]), "rows"),
        (Domain(Kind.ORDINAL, np.array(["low", "mid", "high"], dtype=object)), "ordering"),
    ],
)
def test_the_recipe_fits_the_kind_of_column(domain: Domain, how: str) -> None:
    tree = Hierarchy.automatic().grow(domain)
    assert tree.recipe.how == how
    assert len(tree.labels[-1]) == 1


def test_an_ordinal_column_keeps_its_order() -> None:
    tree = Hierarchy.automatic().grow(Domain(Kind.ORDINAL, np.array(["low", "mid", "high"], dtype=object)))
    assert labels_of(tree, 1) == ["[low, mid]", "[low, mid]", "high"]


@settings(deadline=None)
@given(st.lists(st.integers(1, 1000), min_size=3, max_size=40))
def test_frequent_values_stay_by_themselves_longest(counts: list[int]) -> None:
    domain = nominal([f"v{i:02d}" for i in range(len(counts))])
    tree = Hierarchy.automatic().grow(domain, np.array(counts))
    groups = [len(labels) for labels in tree.labels]
    assert all(b == (a + 1) // 2 for a, b in pairwise(groups) if a > 2)
    alone = np.array([tree.join(i, j) for i in range(len(counts)) for j in [(i + 1) % len(counts)]])
    assert (alone >= 1).all()
    merged = [code for code in range(len(counts)) if tree.leaves[1][tree.up[1][code]] > 1]
    single = [code for code in range(len(counts)) if tree.leaves[1][tree.up[1][code]] == 1]
    assert not single or max(counts[c] for c in single) >= max(counts[c] for c in merged)


def test_ten_thousand_words_grow_and_their_labels_stay_short() -> None:
    words = [f"word {i} of many" for i in range(10_000)]
    tree = Hierarchy.automatic().grow(nominal(words), np.arange(10_000))
    assert 1 < len(tree.labels[1]) <= 5_000
    assert tree.height >= 4
    assert max(len(label or "") for labels in tree.labels[1:] for label in labels) < 120
    assert tree.join(0, 9_999) > 0
