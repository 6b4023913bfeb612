"""Attribute inference by a model: what the release teaches about its own people beyond what it teaches about anybody.

A classifier is trained on the release and asked about people in it; the same is done with releases that leave these
people out, fold by fold. Only the difference is a loss of privacy: what holds for everybody is the point of data
(Giomi, Boenisch, Wehmeyer and Tasnádi 2023, https://doi.org/10.56553/popets-2023-0055). The release without a fold is
this one, made by the same recoding, without the records of the fold's people.
Cost: that of training one model more than there are folds.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from lookalike.base.errors import MissingExtra
from lookalike.measures.attacks.exposure import CoveredColumn, Exposure
from lookalike.measures.attacks.results import Attacked
from lookalike.measures.attacks.targets import guessable, privacy_loss

FOLDS = 5
MOST = 20_000  #: people asked about, and records trained on: more would change the rate by less than its interval
Features = NDArray[np.float32]
_LARGEST = 1e30  #: a number that models can read
_COMMON = 40  #: nominal values told apart


def attack(exposure: Exposure, *, seed: int = 0) -> list[Attacked]:
    """One model for every published sensitive column."""
    known, published = _encode(exposure)
    return [_column(exposure, name, known, published, seed) for name in exposure.sensitive]


def _column(exposure: Exposure, name: str, known: Features, published: Features, seed: int) -> Attacked:
    rng = np.random.default_rng(seed)
    target = guessable(exposure, name).codes
    order = exposure.people.content_order()  # lots are drawn by what rows hold, not by where they stand
    rows = order[exposure.kept[order]]
    asked = _some(rows, rng)
    fold = _folds(exposure, order, rng)
    inside = _predict(published[asked], target[asked], known[asked], seed) == target[asked]
    outside = np.zeros(len(asked), dtype=bool)
    for part in range(FOLDS):
        there = fold[asked] == part
        train = _some(rows[fold[rows] != part], rng)
        outside[there] = (
            _predict(published[train], target[train], known[asked[there]], seed) == target[asked[there]]
        )
    a, b = float(inside.mean()), float(outside.mean())
    counts = np.bincount(target[rows])
    return Attacked(
        "attribute inference",
        "inference",
        "The attacker trains a model on the release to tell the sensitive value from the quasi-identifiers and asks it "
        "about people in the release. The control asks the same about them of models trained without them: what is "
        "learnt there holds for anybody, and only the difference is a loss of privacy.",
        len(asked),
        int(inside.sum()),
        baseline=float(counts.max() / counts.sum()),
        column=name,
        control=b,
        details={
            **privacy_loss(inside, outside),
            "privacy_loss_normalised": (a - b) / (1 - b) if b < 1 else 0.0,
            "classes_predicted": int((counts > 0).sum()),
        },
    )


def _some(rows: NDArray[np.int64], rng: np.random.Generator) -> NDArray[np.int64]:
    """All of these rows, or as many of them as are needed, in their order."""
    if len(rows) <= MOST:
        return rows
    return rows[np.sort(rng.choice(len(rows), MOST, replace=False))]


def _folds(exposure: Exposure, order: NDArray[np.int64], rng: np.random.Generator) -> NDArray[np.int64]:
    """The fold of each row; a person's rows stay together."""
    unit = exposure.people.unit
    if unit is None:
        fold = np.empty(len(order), dtype=np.int64)
        fold[order] = rng.integers(0, FOLDS, len(order))
        return fold
    column = exposure.people.column(unit)
    return np.asarray(rng.integers(0, FOLDS, column.domain.size)[column.codes])


def _predict(train: Features, target: NDArray[np.int64], asked: Features, seed: int) -> NDArray[np.int64]:
    model = _classifier(seed, len(train))
    if not len(train) or not len(asked):  # whoever learnt from nobody guesses nothing
        return np.full(len(asked), -1)
    if len(np.unique(target)) == 1 or not train.shape[1]:
        values, counts = np.unique(target, return_counts=True)
        return np.full(len(asked), values[counts.argmax()])
    return np.asarray(model.fit(train, target).predict(asked))


def _classifier(seed: int, n: int) -> Any:
    try:
        from sklearn.tree import DecisionTreeClassifier
    except ImportError:
        raise MissingExtra("scikit-learn", "ml", "The attribute inference attack") from None
    return DecisionTreeClassifier(min_samples_leaf=max(5, int(n**0.5 / 2)), random_state=seed)


def _encode(exposure: Exposure) -> tuple[Features, Features]:
    """Features of what the attacker knows about each row's person, and of what is published about them."""
    known, published = [], []
    for side, codes in zip(exposure.sides, exposure.cells.codes, strict=True):
        exact, blurred = _features(side, codes[exposure.cells.of_row])
        known.append(exact[codes[exposure.cells.of_row]])
        labels = np.append(blurred[side.label], np.zeros((1, blurred.shape[1]), np.float32), axis=0)
        published.append(labels[exposure.of_row])
    return np.hstack(known), np.hstack(published)


def _features(side: CoveredColumn, codes: NDArray[np.int32]) -> tuple[Features, Features]:
    """Features of each code, and the mean over what it covers of each label, weighted by how often codes occur."""
    counts = np.bincount(codes, minlength=side.domain.size).astype(float)
    if side.domain.kind.ordered:
        numbers = np.clip(side.domain.numbers, -_LARGEST, _LARGEST)
        exact = np.stack([np.nan_to_num(numbers), np.isnan(numbers)], axis=1)
    else:
        common = np.argsort(-counts, kind="stable")[:_COMMON]
        exact = np.eye(side.domain.size)[:, np.sort(common)]
    mass = side.inside * counts
    mass /= np.maximum(mass.sum(axis=1, keepdims=True), 1e-12)
    return exact.astype(np.float32), (mass @ exact).astype(np.float32)
