"""Predicate singling out: a description so rare that it should fit nobody fits exactly one person of the table.

Cohen and Nissim 2020, https://doi.org/10.1073/pnas.1914598117. Take a class of m records; whoever its published values
cover, conjoined with a hash of the whole record that holds once in m times, is isolated with probability about
(1 - 1/m)^(m-1), at least 37 %. No size of classes stops it. O(classes tried x cells).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from lookalike.measures.attacks.exposure import Exposure
from lookalike.measures.attacks.results import Attacked
from lookalike.tables.columns.grouping import group_codes

CLASSES = 1000  #: tried, each with a hash of its own


def attack(exposure: Exposure, *, seed: int = 0) -> list[Attacked]:
    """One predicate for each class, or for a seeded sample of them."""
    rng = np.random.default_rng(seed)
    chosen = np.arange(exposure.classes)
    if exposure.classes > CLASSES:
        chosen = np.sort(rng.choice(exposure.classes, CLASSES, replace=False))
    cell, alone = _contents(exposure)
    n = len(exposure.people)
    isolated, covered = 0, np.zeros(len(chosen))
    for i, c in enumerate(chosen):
        fits = np.ones(len(exposure.cells), dtype=bool)
        for side, codes in zip(exposure.sides, exposure.cells.codes, strict=True):
            fits &= side.inside[side.label[c]][codes]
        inside = fits[cell]
        covered[i] = exposure.cells.records[fits].sum()
        holds = rng.random(int(inside.sum())) < 1 / exposure.sizes[c]
        isolated += bool(holds.sum() == 1 and alone[inside][holds][0])
    size = exposure.sizes[chosen]
    weight = _weights(exposure, chosen) / size
    return [
        Attacked(
            "predicate singling out",
            "singling out",
            "The attacker takes the values that a class publishes and adds a hash that holds for one record in m, m "
            "being the size of the class. Success is a description that fits exactly one person of the table. No k "
            "prevents this; only noise (differential privacy) or fewer, wider classes make it as hopeless as a "
            "description drawn blindly, the baseline.",
            len(chosen),
            isolated,
            baseline=float(np.mean(_blind(weight, n))),
            details={
                "weight_median": float(np.median(weight)),
                "weight_from": "population" if exposure.outsiders is not None else "independent columns",
                "baseline_at_weight_in_table": float(np.mean(_blind(covered / n / size, n))),
            },
        )
    ]


def _contents(exposure: Exposure) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """The cell of each distinct record of the table, and whether one row only has it: a hash cannot part equal rows."""
    people = exposure.people
    columns = [people.column(name) for name in people.names]
    label, n = group_codes([c.codes for c in columns], [c.domain.size for c in columns], len(people))
    cell = np.empty(n, dtype=np.int64)
    cell[label] = exposure.cells.of_row
    return cell, np.bincount(label, minlength=n) == 1


def _weights(exposure: Exposure, chosen: NDArray[np.int64]) -> NDArray[np.float64]:
    """Share of the population that each class's published values cover; as if columns were independent without one."""
    if exposure.cells.population is not None:
        share = exposure.covered_cells(exposure.cells.population) / max(exposure.cells.population.sum(), 1)
        return np.asarray(share[chosen])
    out = np.ones(len(chosen))
    for side, codes in zip(exposure.sides, exposure.cells.codes, strict=True):
        counts = np.bincount(codes, weights=exposure.cells.records, minlength=side.domain.size)
        out *= (side.inside @ counts / counts.sum())[side.label[chosen]]
    return out


def _blind(weight: NDArray[np.float64], n: int) -> NDArray[np.float64]:
    """The chance that a predicate of at most this weight, chosen without the release, fits exactly one of n people."""
    weight = np.minimum(weight, 1 / n)
    return np.asarray(n * weight * (1 - weight) ** (n - 1))
