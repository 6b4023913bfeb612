"""Intersection: a person's rows are put together by what stays the same in them, and all must fit one person.

Linkability in the words of WP216: two records about one person are told to be that. Every row by itself is one of k;
whoever knows which rows belong together looks for the people whom each of them may be about, as intersection attacks on
several releases do (Ganta, Kasiviswanathan and Smith 2008, https://doi.org/10.1145/1401890.1401926). Only of tables
whose people have several rows. O(people asked about x their rows x (cells + records)).
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from lookalike.measures.attacks.exposure import Exposure
from lookalike.measures.attacks.results import Attacked
from lookalike.recodings.treatments import Pseudonymise
from lookalike.recognition.links.persons import places_of_numbers
from lookalike.recognition.links.trajectories import find_trajectories
from lookalike.tables.columns.grouping import group_codes

PEOPLE = 500  #: asked about at most


def attack(exposure: Exposure, *, seed: int = 0) -> list[Attacked]:
    """Put rows together by all published columns that stay the same, and see whom all of them fit."""
    people = exposure.people
    if people.unit is None:
        return []
    rows = np.flatnonzero(exposure.kept)
    whose, classes = people.column(people.unit).codes, exposure.of_row[rows]
    found = find_trajectories(
        _published(exposure, rows), whose[rows], places_of_numbers(people, exposure.published, rows)
    )
    if found is None:
        return []
    several = np.flatnonzero(np.bincount(whose[rows]) > 1)
    if len(several) > PEOPLE:
        several = np.sort(np.random.default_rng(seed).choice(several, PEOPLE, replace=False))
    by_person, by_group = _places(whose[rows]), _places(found.of_row)
    linked, alone = np.zeros(len(several)), np.zeros(len(several))
    for i, person in enumerate(several):
        own = by_person[person]
        alike = by_group[np.bincount(found.of_row[own]).argmax()]  # as most of their rows are
        fits = {c: _fits(exposure, c, whose) for c in {*classes[own].tolist(), *classes[alike].tolist()}}
        alone[i] = max(1 / fits[c].sum() for c in classes[own].tolist())
        all_fit = np.logical_and.reduce([fits[c] for c in set(classes[alike].tolist())])
        # where nobody fits them all, they are several people's: the attacker sees it, and is left with one row
        linked[i] = all_fit[person] / all_fit.sum() if all_fit.any() else alone[i]
    return [
        Attacked(
            "intersection",
            "linkability",
            "People have several rows. The attacker puts rows together that are alike in every column that is "
            "published as it is and stays the same for a person, or nearly, in all rows or in those of one kind, and "
            "looks for the one person of the table whom all of them fit. The baseline is the same with the one row "
            "that tells most, which is also what is left where nobody fits them all.",
            len(several),
            float(linked.sum()),
            baseline=float(alone.mean()),
            worst=float(linked.max()),
            details={
                "columns": list(found.columns),
                "kind_of_row": found.kind,
                "only_within_a_kind": list(found.within),
                "nearly": list(found.nearly),
                "people_with_several_rows": found.people,
                "people_whose_rows_are_told": found.told,
                "alone": int((linked == 1).sum()),
                "fewer_than_k_fit": int((linked > 1 / exposure.k).sum()),
            },
        )
    ]


def _published(exposure: Exposure, rows: NDArray[np.int64]) -> Mapping[str, NDArray[np.int64]]:
    """What rows show besides the quasi-identifiers; pseudonyms are as alike as what they are made of."""
    out = {name: exposure.values(name).codes[rows] for name in exposure.published}
    for name, treatment in exposure.recoding.columns.items():
        if isinstance(treatment, Pseudonymise):
            made_of = [exposure.people.column(field) for field in treatment.fields]
            codes, sizes = [one.codes[rows] for one in made_of], [one.domain.size for one in made_of]
            out[name] = group_codes(codes, sizes, len(rows))[0].astype(np.int64)
    return out


def _places(labels: NDArray[np.int32]) -> list[NDArray[np.int64]]:
    """The places of each label."""
    order = np.argsort(labels, kind="stable")
    return np.split(order, np.searchsorted(labels[order], np.arange(1, labels.max(initial=0) + 1)))


def _fits(exposure: Exposure, c: int, whose: NDArray[np.int32]) -> NDArray[np.bool_]:
    """Which people of the table have a row that a class may be about."""
    covered = np.arange(len(exposure.cells))
    for side, codes in zip(exposure.sides, exposure.cells.codes, strict=True):
        covered = covered[side.inside[side.label[c]][codes[covered]]]
    inside = np.zeros(len(exposure.cells), dtype=bool)
    inside[covered] = True
    out = np.zeros(int(whose.max()) + 1, dtype=bool)
    out[whose[inside[exposure.cells.of_row]]] = True
    return out
