"""Rule mining: rules learned from the release, with confidence, applied to people whose quasi-identifiers are known.

Aranda-Corral, Borrego-Díaz and Galán-Páez 2023, section 5.2: confidence-based reasoning for re-identification. A
premise is what the release shows in some of its columns, a conclusion a sensitive value; every set of up to three
columns is tried, all of them together, and none. O(sets of columns x classes x values), then people asked x classes.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from lookalike.measures.attacks.exposure import Exposure, Integers
from lookalike.measures.attacks.results import Attacked
from lookalike.measures.attacks.targets import guessable, privacy_loss

FOLDS = 5
MOST = 5_000  #: people asked about: more would change the rate by less than its interval
MOST_COLUMNS = 3  #: of a premise, besides all of them together
CONFIDENT = 0.9  #: rules told in the details
_BLOCK = 1 << 24  #: pairs of a person and a class looked at together
_Z = 1.959963984540054
Floats = NDArray[np.float64]


def attack(exposure: Exposure, *, seed: int = 0) -> list[Attacked]:
    """The rules about every published sensitive column."""
    if not exposure.sensitive or not exposure.kept.any():
        return []
    premises = _premises([side.label for side in exposure.sides], exposure.classes)
    return [_column(exposure, name, premises, seed) for name in exposure.sensitive]


def _column(exposure: Exposure, name: str, premises: Sequence[Integers], seed: int) -> Attacked:
    rng = np.random.default_rng(seed)
    target = guessable(exposure, name).codes
    order = exposure.people.content_order()  # lots are drawn by what rows hold, not by where they stand
    rows = order[exposure.kept[order]]
    asked = rows if len(rows) <= MOST else rows[np.sort(rng.choice(len(rows), MOST, replace=False))]
    fold = rng.integers(0, FOLDS, _units(exposure).max(initial=0) + 1)[_units(exposure)]
    counts = np.zeros((exposure.classes, int(target.max(initial=0)) + 1), dtype=np.int64)
    np.add.at(counts, (exposure.of_row[rows], target[rows]), 1)
    learnt = [counts]
    for part in range(FOLDS):
        left = counts.copy()
        gone = rows[fold[rows] == part]
        np.subtract.at(left, (exposure.of_row[gone], target[gone]), 1)
        learnt.append(left)
    rules = [best_rules(one, premises) for one in learnt]
    told = _told(
        exposure, exposure.cells.codes[:, exposure.cells.of_row[asked]].T, [rank for rank, _ in rules]
    )
    guesses = np.array([value[classes] for (_, value), classes in zip(rules, told, strict=True)])
    inside = guesses[0] == target[asked]
    outside = guesses[1 + fold[asked], np.arange(len(asked))] == target[asked]
    every = counts.sum(axis=0)
    return Attacked(
        "rule mining",
        "inference",
        "The attacker mines the release for rules from what it shows in some columns to the sensitive value, and "
        "applies to a person the rule that is surest among those that their quasi-identifiers meet. The control asks "
        "about the same people by rules mined without them: what is learnt there holds for anybody.",
        len(asked),
        int(inside.sum()),
        baseline=float(every.max() / every.sum()),
        column=name,
        control=float(outside.mean()),
        details={
            **privacy_loss(inside, outside),
            "premises": sum(int(ids.max(initial=-1)) + 1 for ids in premises),
            f"people_under_a_rule_of_{CONFIDENT:g}": float((rules[0][0][told[0]] >= CONFIDENT).mean()),
        },
    )


def _units(exposure: Exposure) -> Integers:
    """Who each row belongs to; a person's rows stay together."""
    unit = exposure.people.unit
    if unit is not None:
        return exposure.people.column(unit).codes.astype(np.int64)
    place = np.empty(len(exposure.people), dtype=np.int64)
    place[exposure.people.content_order()] = np.arange(len(place))
    return place


def _premises(labels: Sequence[NDArray[np.int32]], classes: int) -> list[Integers]:
    """For each set of columns the premise that each class shows, numbered."""
    sizes = sorted({*range(min(MOST_COLUMNS, len(labels)) + 1), len(labels)})
    found = []
    for columns in (some for size in sizes for some in combinations(range(len(labels)), size)):
        shown = np.array([labels[i] for i in columns], dtype=np.int64).reshape(len(columns), classes).T
        ids = np.unique(shown, axis=0, return_inverse=True)[1] if columns else np.zeros(classes, np.int64)
        found.append(ids.reshape(-1).astype(np.int64))
    return found


def best_rules(counts: Integers, premises: Sequence[Integers]) -> tuple[Floats, Integers]:
    """For each class the surest rule about its records: how sure, and the value it concludes.

    Sure is the lower end of the 95 % interval of the confidence, so that a rule that three records meet by chance does
    not beat one that a thousand do.
    """
    surest, value = np.full(len(counts), -1.0), np.zeros(len(counts), dtype=np.int64)
    for ids in premises:
        merged = np.zeros((int(ids.max(initial=-1)) + 1, counts.shape[1]), dtype=np.int64)
        np.add.at(merged, ids, counts)
        total = merged.sum(axis=1)
        sure = lower_end(merged.max(axis=1), total)[ids]
        better = sure > surest
        surest[better], value[better] = sure[better], merged.argmax(axis=1)[ids][better]
    return surest, value


def lower_end(hits: Integers, total: Integers) -> Floats:
    """The lower end of Wilson's 95 % interval; 0 of nothing."""
    n = np.maximum(total, 1)
    share = hits / n
    middle = share + _Z**2 / (2 * n)
    half = _Z * np.sqrt(share * (1 - share) / n + _Z**2 / (4 * n**2))
    return np.where(total > 0, np.maximum((middle - half) / (1 + _Z**2 / n), 0.0), 0.0)


def _told(exposure: Exposure, codes: NDArray[np.int32], ranks: Sequence[Floats]) -> list[Integers]:
    """For each person, by each ranking, the class with the surest rule among those that could be theirs."""
    orders = [np.argsort(-rank, kind="stable") for rank in ranks]
    out = [np.zeros(len(codes), dtype=np.int64) for _ in ranks]
    step = max(1, _BLOCK // max(exposure.classes, 1))
    for start in range(0, len(codes), step):
        block = slice(start, start + step)
        fits = np.ones((len(codes[block]), exposure.classes), dtype=bool)
        for side, known in zip(exposure.sides, codes[block].T, strict=True):
            fits &= side.inside[:, known][side.label].T
        for told, order in zip(out, orders, strict=True):
            told[block] = order[fits[:, order].argmax(axis=1)]
    return out
