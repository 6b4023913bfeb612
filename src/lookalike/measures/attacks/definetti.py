"""deFinetti: the link between quasi-identifiers and sensitive values, learnt from all classes, undoes each of them.

Kifer 2009, https://doi.org/10.1145/1559845.1559861. Within a class the values are known, but not whose they are. Start
with every member equally likely to have each; learn a naive Bayes model over all classes; hand the class's values out
again by what it says, keeping their counts (a few rounds of iterative proportional fitting); repeat until it
settles. The attacker is granted the exact quasi-identifiers of each class's members, as in an anatomised release, so
the rate is an upper end. O(rounds x members x (attributes + 1) x values).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from lookalike.measures.attacks.exposure import Exposure, PublishedCodes
from lookalike.measures.attacks.results import Attacked
from lookalike.measures.attacks.targets import guessable
from lookalike.tables.columns.grouping import group_keys

ROUNDS = 30
_SETTLED = 1e-4  #: mean change of a probability at which the rounds end
_FITTING = 4

Shares = NDArray[np.float64]


def attack(exposure: Exposure, *, seed: int = 0) -> list[Attacked]:
    """Every published sensitive column."""
    return [_column(exposure, name, seed) for name in exposure.sensitive]


def _column(exposure: Exposure, name: str, seed: int) -> Attacked:
    from lookalike.kernels import attacks as kernels

    values = guessable(exposure, name)
    members = _Members(exposure, values)
    belief, rounds = _learn(members)
    jitter = (
        np.random.default_rng(seed).random(belief.shape) * 1e-9
    )  # parts equals by lot, not by their order
    order = np.argsort(-(belief + jitter), axis=None, kind="stable")
    given = kernels.match(order, members.size, members.owner, members.count.copy(), members.stock.copy())
    right = float((given * members.true / members.count[:, None]).sum())
    share = members.stock / members.stock.sum(axis=1, keepdims=True)
    return Attacked(
        "deFinetti",
        "inference",
        "The attacker knows who is in each class, with their exact quasi-identifiers, learns from all classes together "
        "how these go with the sensitive value, and hands the values of each class out to its members accordingly. The "
        "baseline hands them out by lot; the control uses a model learnt from the other classes only.",
        int(members.count.sum()),
        right,
        baseline=float((share**2 * members.stock.sum(axis=1, keepdims=True)).sum() / members.count.sum()),
        column=name,
        control=_others(members, seed),
        details={"rounds": rounds, "values": members.size},
    )


class _Members:
    """The members of each class, equal ones together: codes, how many, their true values, and the class's values."""

    def __init__(self, exposure: Exposure, values: PublishedCodes) -> None:
        rows = np.flatnonzero(exposure.kept)
        cells = len(exposure.cells)
        keys = exposure.of_row[rows].astype(np.int64) * cells + exposure.cells.of_row[rows]
        label, distinct = group_keys(keys, exposure.classes * cells)
        self.owner, cell = np.divmod(distinct, cells)
        self.size = values.size
        self.codes = exposure.cells.codes[:, cell]
        self.sizes = exposure.cells.sizes
        self.true = _count(label, values.codes[rows], len(distinct), self.size)
        self.count = self.true.sum(axis=1)
        self.stock = _count(exposure.of_row[rows], values.codes[rows], exposure.classes, self.size)
        self.spread = self.stock / self.stock.sum(axis=1, keepdims=True)


def _count(rows: NDArray[np.integer], values: NDArray[np.int64], n: int, size: int) -> NDArray[np.int64]:
    return np.bincount(rows.astype(np.int64) * size + values, minlength=n * size).reshape(n, size)


def _learn(members: _Members) -> tuple[Shares, int]:
    """How likely each member has each value, by expectation and maximisation."""
    belief = members.spread[members.owner]
    rounds, moved = 0, 1.0
    while moved >= _SETTLED and rounds < ROUNDS:
        likelihood = _naive_bayes(members, belief * members.count[:, None])
        fresh = _fit(members, likelihood)
        moved = float(np.abs(fresh - belief).mean())
        belief, rounds = fresh, rounds + 1
    return belief, rounds


def _naive_bayes(members: _Members, weight: Shares) -> Shares:
    """Likelihood of each member's tuple given each value, from weighted members; Laplace's rule for what is rare."""
    total = weight.sum(axis=0)
    out = np.zeros((len(weight), members.size))
    for codes, size in zip(members.codes, members.sizes, strict=True):
        table = _sum(codes, weight, size)
        out += np.log(table[codes] + 1) - np.log(total + size)
    return np.asarray(np.exp(out - out.max(axis=1, keepdims=True)))


def _sum(groups: NDArray[np.integer], weight: Shares, n: int) -> Shares:
    """The weights of each value, added up within every group."""
    return np.stack([np.bincount(groups, column, minlength=n) for column in weight.T], axis=1)


def _fit(members: _Members, likelihood: Shares) -> Shares:
    """Each member has one value, and the class's values keep their counts."""
    belief = likelihood * members.spread[members.owner] + 1e-300
    classes = len(members.stock)
    for _ in range(_FITTING):
        belief /= belief.sum(axis=1, keepdims=True)
        held = _sum(members.owner, belief * members.count[:, None], classes)
        belief *= (members.stock / np.maximum(held, 1e-300))[members.owner]
    return np.asarray(belief / belief.sum(axis=1, keepdims=True))


def _others(members: _Members, seed: int) -> float:
    """Right guesses of a model that saw the published shares of other classes only, two halves in turn."""
    half = np.random.default_rng(seed).integers(0, 2, len(members.stock))[members.owner]
    spread = members.spread[members.owner] * members.count[:, None]
    right = 0.0
    for part in (0, 1):
        train = np.where((half == part)[:, None], 0.0, spread)
        if not train.any():
            continue
        likelihood = _naive_bayes(members, train) * train.sum(axis=0)
        guess = likelihood.argmax(axis=1)
        tested = half == part
        right += float(members.true[tested, guess[tested]].sum())
    return right / max(int(members.count.sum()), 1)
