"""Linkage with covering: whose record is it? Prosecutor, journalist and marketer.

The attacker compares what is known about people with what the release publishes; a published value fits when it covers
the known one. Boxes of local recodings overlap, so whoever fits is counted, not who shares a class. Prosecutor and
journalist: Elliot and Dale 1999; marketer: El Emam and Dankar 2008, https://doi.org/10.1197/jamia.M2716.
O(cells x classes / 64) per attribute.
"""

from __future__ import annotations

import numpy as np

from lookalike.measures.attacks.exposure import Exposure, Integers
from lookalike.measures.attacks.results import Attacked


def attack(exposure: Exposure) -> list[Attacked]:
    """The three linkages; the journalist needs a population."""
    out = [_prosecutor(exposure)]
    if exposure.cells.population is not None:
        out.append(_journalist(exposure, exposure.cells.population))
    return [*out, _marketer(exposure)]


def chances(weight: Integers, candidates: Integers) -> tuple[float, float, int]:
    """Expected right guesses among equals, the best single chance, and the attempts."""
    tried = weight > 0
    chance = np.where(candidates[tried] > 0, 1 / np.maximum(candidates[tried], 1), 0.0)
    return float(weight[tried] @ chance), float(chance.max(initial=0.0)), int(weight.sum())


def _prosecutor(exposure: Exposure) -> Attacked:
    successes, worst, trials = chances(exposure.released, exposure.candidates)
    control = None
    outside = exposure.held_back + (0 if exposure.outsiders is None else exposure.outsiders)
    if outside.any():
        wrong, _, tried = chances(outside, exposure.candidates)
        control = wrong / tried
    return Attacked(
        "prosecutor linkage",
        "linkability",
        "The attacker knows somebody is in the release, knows all their quasi-identifiers exactly, and picks one of "
        "the records that fit. The control is how sure the same attacker would be, wrongly, about people who are not "
        "in it.",
        trials,
        successes,
        baseline=1 / max(exposure.everybody, 1),
        control=control,
        bound=1 / exposure.k if exposure.k > 1 else None,
        worst=worst,
        details={
            "fewest_candidates": int(exposure.candidates[exposure.released > 0].min(initial=trials)),
            "alone": int(exposure.released[exposure.candidates == 1].sum()),
        },
    )


def _journalist(exposure: Exposure, population: Integers) -> Attacked:
    covered = exposure.covered_cells(population)
    chance = 1 / np.maximum(covered, 1)
    k = max([1, *(model.smallest_population_class for model in exposure.models)])
    return Attacked(
        "journalist linkage",
        "linkability",
        "The attacker holds a register of the population, takes a record of the release, and picks one of the people "
        "in the register whom it fits.",
        int(exposure.sizes.sum()),
        float(exposure.sizes @ chance),
        baseline=1 / max(int(population.sum()), 1),
        bound=1 / k if k > 1 else None,
        worst=float(chance.max(initial=0.0)),
        details={"fewest_people": int(covered.min(initial=int(population.sum())))},
    )


def _marketer(exposure: Exposure) -> Attacked:
    everybody = exposure.cells.population if exposure.cells.population is not None else exposure.cells.counts
    covered = exposure.covered_cells(everybody)
    limit = min([1.0, *(model.largest_average_risk for model in exposure.models)])
    return Attacked(
        "marketer linkage",
        "linkability",
        "The attacker links every record of the release to somebody in a register of the people it may be about, and "
        "is content with a share of right links.",
        int(exposure.sizes.sum()),
        float(exposure.sizes @ (1 / np.maximum(covered, 1))),
        baseline=1 / max(int(everybody.sum()), 1),
        bound=limit if limit < 1 else None,
        details={"register": "population" if exposure.cells.population is not None else "the table itself"},
    )
