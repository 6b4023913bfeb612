"""Domains and brute-force answers that the tests of hierarchies share."""

from __future__ import annotations

from typing import Any

import numpy as np

from lookalike.tables.columns.domains import Domain, nominal
from lookalike.tables.columns.roles import Kind
from lookalike.tables.hierarchies import Hierarchy, Tree

__all__ = ["days", "decimals", "integers", "labels_of", "nominal", "same_tree"]


def integers(*values: int, missing: bool = False) -> Domain:
    return Domain(Kind.INTEGER, np.array(sorted(set(values)), dtype=np.int64), missing)


def decimals(*values: float, missing: bool = False) -> Domain:
    return Domain(Kind.DECIMAL, np.array(sorted(set(values)), dtype=np.float64), missing)


def days(*values: Any, missing: bool = False) -> Domain:
    return Domain(Kind.DATE, np.array(sorted({str(v) for v in values}), dtype="datetime64[D]"), missing)


def labels_of(tree: Tree, level: int) -> list[str | None]:
    """The label of each code on a level."""
    return [tree.labels[level][node] for node in tree.up[level].tolist()]


def same_tree(a: Tree, b: Tree) -> bool:
    return (
        a.labels == b.labels
        and all(np.array_equal(one, other) for one, other in zip(a.up, b.up, strict=True))
        and all(np.array_equal(one, other) for one, other in zip(a.leaves, b.leaves, strict=True))
    )


RECIPES: list[tuple[Hierarchy, Domain]] = [
    (Hierarchy.intervals(5, 10, 20, bottom=0, top=80), integers(3, 17, 18, 79, 80, 99, -4, missing=True)),
    (Hierarchy.intervals(0.1, 0.5), decimals(0.1, 0.3, 0.7)),
    (Hierarchy.intervals(7, 28, start="2024-01-01"), days("2024-01-01", "2024-01-08", "2023-12-31")),
    (Hierarchy.cuts([10, 20, 30], [20]), integers(5, 10, 20, 31)),
    (Hierarchy.quantiles(4, 2), integers(*range(20), missing=True)),
    (Hierarchy.top_bottom(bottom=10, top=90), integers(5, 50, 95)),
    (Hierarchy.dates("month", "year"), days("2024-01-31", "2024-12-01", "1999-05-05", missing=True)),
    (Hierarchy.mask(), nominal(["8010", "8020", "90"], missing=True)),
    (Hierarchy.mask(direction="left", character="#"), nominal(["8010", "8020"])),
    (Hierarchy.prefixes(3, 1), nominal(["E11.9", "E11.1", "I10", "E1"])),
    (Hierarchy.groups({"north": ["Leeds", "York"], "south": ["Bath"]}), nominal(["Bath", "Leeds", "York"])),
    (Hierarchy.groups({"north": ["Leeds"]}, others="keep"), nominal(["Bath", "Leeds", "York"])),
    (
        Hierarchy.groups({"Leeds": "north", "north": "UK", "Bath": "UK"}),
        nominal(["Bath", "Leeds"], missing=True),
    ),
    (Hierarchy.ordering(["low", "mid", "high"]), nominal(["high", "low", "mid"])),
    (
        Hierarchy.rows([["a", "x", "*"], ["b", "x", "*"], ["c", "*"], ["", "unknown", "*"]]),
        nominal(["a", "c"], missing=True),
    ),
    (Hierarchy.automatic(), nominal(list("abcdefghijk"), missing=True)),
    (Hierarchy.automatic(), nominal([f"{i:04d}" for i in range(30)])),
    (Hierarchy.automatic(), nominal([f"E{i}" for i in range(30)])),
    (Hierarchy.automatic(), integers(*range(100), missing=True)),
    (Hierarchy.automatic(), days("2024-01-01", "2024-06-01")),
    (Hierarchy.automatic(), nominal([], missing=True)),
    (Hierarchy.automatic(), integers(7)),
]
