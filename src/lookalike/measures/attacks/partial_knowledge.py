"""Partial knowledge: the attacker knows some of the quasi-identifiers, or all of them and one more published column.

All subsets of m quasi-identifiers are tried, or a seeded sample where there are many. Knowing less, more records fit,
so the bound of k-anonymity holds for every subset; it does not hold for whoever also knows a column that is published
as it is. O(subsets x distinct tuples x classes / 64).
"""

from __future__ import annotations

from collections import defaultdict
from itertools import combinations
from math import comb

import numpy as np

from lookalike.measures.attacks.exposure import Exposure
from lookalike.measures.attacks.linkage import chances
from lookalike.measures.attacks.results import Attacked
from lookalike.tables.columns.grouping import first_of_each, group_codes, sum_by

SUBSETS = 24  #: tried for each number of known columns
LISTED = 10_000  #: sets that are listed to draw from them; of more, sets are drawn column by column
MOST_SIZES = 24  #: numbers of known columns that are tried


def attack(exposure: Exposure, *, seed: int = 0) -> list[Attacked]:
    """Linkage by some quasi-identifiers, and by all of them with one more column."""
    out = [_by_subsets(exposure, seed)] if len(exposure.sides) > 1 else []
    return [*out, *(_with_column(exposure, name) for name in exposure.published)]


def _by_subsets(exposure: Exposure, seed: int) -> Attacked:
    rng = np.random.default_rng(seed)
    names, widths = exposure.cells.names, exposure.cells.sizes
    found: dict[int, list[tuple[float, float]]] = defaultdict(list)
    trials = int(exposure.released.sum())
    sizes_of_sets = range(1, len(names))
    if len(sizes_of_sets) > MOST_SIZES:
        sizes_of_sets = np.unique(np.geomspace(1, len(names) - 1, MOST_SIZES).astype(int)).tolist()
    for m in sizes_of_sets:
        for where in _subsets(len(names), m, rng):
            known = [names[i] for i in where]
            codes, sizes = exposure.cells.codes[where], [widths[i] for i in where]
            label, n = group_codes(list(codes), sizes, len(exposure.cells))
            tuples = exposure.cells.codes[:, first_of_each(label, n)]
            weight = sum_by(label, exposure.released, n)
            successes, worst, _ = chances(weight, exposure.covering(tuples, known))
            found[m].append((successes, worst))
    worst = max(pair[0] for pairs in found.values() for pair in pairs)
    return Attacked(
        "partial knowledge",
        "linkability",
        "The attacker knows only some of the quasi-identifiers of somebody in the release and picks one of the records "
        "that fit them. The rate is that of the worst choice of columns.",
        trials,
        worst,
        baseline=1 / max(exposure.everybody, 1),
        bound=1 / exposure.k if exposure.k > 1 else None,
        worst=max(pair[1] for pairs in found.values() for pair in pairs),
        details={
            "by_number_of_columns": {
                m: {
                    "subsets": len(pairs),
                    "mean": float(np.mean([s for s, _ in pairs])) / max(trials, 1),
                    "worst": max(s for s, _ in pairs) / max(trials, 1),
                    "worst_person": max(w for _, w in pairs),
                }
                for m, pairs in found.items()
            }
        },
    )


def _subsets(n: int, m: int, rng: np.random.Generator) -> list[list[int]]:
    """Some of the sets of m out of n columns, or all of them where they are few."""
    if comb(n, m) <= LISTED:
        subsets = [list(one) for one in combinations(range(n), m)]
        if len(subsets) > SUBSETS:
            subsets = [subsets[i] for i in np.sort(rng.choice(len(subsets), SUBSETS, replace=False))]
        return subsets
    return [sorted(rng.choice(n, m, replace=False).tolist()) for _ in range(SUBSETS)]


def _with_column(exposure: Exposure, name: str) -> Attacked:
    from lookalike.kernels import attacks as kernels

    values = exposure.values(name)
    rows = np.flatnonzero(exposure.kept)
    value = values.codes[rows]
    keys, count = np.unique(
        exposure.cells.of_row[rows].astype(np.int64) * values.size + value, return_counts=True
    )
    cell, wanted = np.divmod(keys, values.size)
    fits = kernels.sharing(exposure.covers(exposure.cells.codes), cell, wanted, exposure.holders(values))
    successes, worst, trials = chances(count, fits)
    return Attacked(
        "linkage by a known column",
        "linkability",
        "The attacker knows all quasi-identifiers of somebody in the release and, from elsewhere, their value in this "
        "column, which is published as it is. k-anonymity promises nothing here.",
        trials,
        successes,
        baseline=_without_column(exposure),
        column=name,
        worst=worst,
        details={"alone": int(count[fits == 1].sum())},
    )


def _without_column(exposure: Exposure) -> float:
    """What linkage without the column reaches."""
    successes, _, trials = chances(exposure.released, exposure.candidates)
    return successes / max(trials, 1)
