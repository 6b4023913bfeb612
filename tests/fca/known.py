"""Contexts with known answers: the paper's cross tables, and brute force over all subsets for small random ones."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations

import numpy as np

from lookalike.fca import Context

DATES = ("Date:1935-55", "Date:1945-65", "Date:1955-75", "Date:1965-85", "Date:1975-95")
LETTERS = dict(zip("MFabcde", ("S:M", "S:F", *DATES), strict=True))

# record: sex and intervals (a 1935-55 ... e 1975-95), as printed in the paper's Figure 4
_FIGURE_4 = {
    1: "Mbc", 2: "Mcd", 3: "Fabc", 4: "Mbc", 5: "Fa", 6: "Fcd", 7: "Fcd", 8: "Fe", 9: "Mbc", 10: "Mcd", 11: "Mcd",
    12: "Fbc", 13: "Mcd", 14: "Mcd", 15: "Fcd", 16: "Fab", 17: "Mcd", 18: "Fbc", 19: "Fbc", 20: "Mde", 21: "Fcd",
    22: "Mcd", 23: "Mcd", 24: "Fab", 25: "Fde", 26: "Ma", 27: "Mcd",
}  # fmt: skip

SEX = "MMFMFFFFMMMFMMFFMFFMFMMFFMM"
YEARS = [
    1959, 1969, 1955, 1959, 1942, 1975, 1966, 1987, 1959, 1967, 1968, 1955, 1967, 1967,
    1966, 1955, 1967, 1956, 1956, 1978, 1966, 1967, 1971, 1954, 1977, 1944, 1965,
]  # fmt: skip


def names(letters: str) -> tuple[str, ...]:
    """Attribute names of the 27 x 7 context from their letters."""
    return tuple(LETTERS[x] for x in letters)


def figure_4() -> Context:
    return Context.of({i: names(row) for i, row in _FIGURE_4.items()}, attributes=list(LETTERS.values()))


def fish() -> Context:
    rows = {"eel": "CSR", "f2": "CR", "f3": "R", "f4": "CS", "f5": "CS"}
    full = {"C": "Coast", "S": "Sea", "R": "River"}
    return Context.of({k: [full[x] for x in row] for k, row in rows.items()}, attributes=list(full.values()))


def live_beings() -> Context:
    rows = {"Cat": "WML", "Leech": "WAM", "Frog": "WAML", "Corn": "W", "Fish": "WAM"}
    full = {"W": "Need Water", "A": "Aquatic", "M": "Mobility", "L": "Legs"}
    return Context.of({k: [full[x] for x in row] for k, row in rows.items()}, attributes=list(full.values()))


def random_context(seed: int, *, objects: int = 7, attributes: int = 5) -> Context:
    """A random context of up to this size, with repeated rows, empty and full rows now and then."""
    rng = np.random.default_rng(seed)
    n, m = int(rng.integers(0, objects + 1)), int(rng.integers(0, attributes + 1))
    matrix = rng.random((n, m)) < rng.uniform(0.1, 0.9)
    return Context.from_matrix(matrix[rng.integers(0, n, n)] if n and rng.random() < 0.5 else matrix)


def brute_concepts(context: Context) -> dict[frozenset[int], frozenset[int]]:
    """Extent -> intent of every concept, from all subsets of attributes."""
    matrix = context.to_matrix()
    n, m = matrix.shape
    found = {}
    for size in range(m + 1):
        for chosen in combinations(range(m), size):
            extent = frozenset(np.flatnonzero(matrix[:, chosen].all(axis=1)).tolist())
            members = matrix[sorted(extent)]
            intent = np.flatnonzero(members.all(axis=0)) if extent else range(m)
            found[extent] = frozenset(int(x) for x in intent)
    if not m:
        found[frozenset(range(n))] = frozenset()
    return found


def brute_covers(extents: set[frozenset[int]]) -> set[tuple[frozenset[int], frozenset[int]]]:
    """(upper, lower) pairs with nothing between."""
    return {(a, b) for a in extents for b in extents if b < a and not any(b < c < a for c in extents)}


def brute_basic_risk(context: Context) -> list[Fraction]:
    """r_BS of every object straight from the definition: over the lower neighbours of its concept."""
    concepts = brute_concepts(context)
    matrix = context.to_matrix()
    covers = brute_covers(set(concepts))
    out = []
    for row in matrix:
        extent = frozenset(np.flatnonzero((matrix >= row).all(axis=1)).tolist())
        below = [len(extent) - len(b) for a, b in covers if a == extent]
        out.append(Fraction(1, min(below) if below else len(extent)))
    return out
