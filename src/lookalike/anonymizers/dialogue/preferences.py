"""Learn how much a person minds losing detail in each column, from choices between two ways of losing it.

Two rules. `Exponentiated` is one multiplicative step per answer (Kivinen and Warmuth 1997,
https://doi.org/10.1006/inco.1996.2612). `Posterior` keeps an ensemble of weight vectors distributed as belief after
all answers, moved by differential evolution (ter Braak 2006, https://doi.org/10.1007/s11222-006-8769-1), with
the person's error rate unknown and learnt as well. An answer costs O(members x answers x columns).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

Vector = NDArray[np.float64]
Matrix = NDArray[np.float64]

#: what a person may answer, and the sign of the choice
ANSWERS = {"A": 1, "B": -1, "can't say": 0}
FLOOR = 1e-3
ERRORS = np.array([0.005, 0.05, 0.15, 0.3])  #: shares of answers a person may get wrong, all held possible
_BELIEF_IN = np.log(np.array([0.4, 0.3, 0.2, 0.1]))
SHARPNESS = 100.0  #: a weighted loss difference of a few hundredths is where choices become sure
TIE = 0.05  #: "can't say" suggests a weighted loss difference about this small
OFFSET = 0.003  #: weights below this are as good as none
ENSEMBLE = 768
SWEEPS = 12  #: moves of each vector per answer, after as many
FRESH = 6  #: proposals drawn from the prior
_COMMITTEE = 3  #: every third member judges the worth of questions


class Beliefs(Protocol):
    """What a dialogue asks of a learning rule."""

    @property
    def weights(self) -> Vector:
        """The current estimate, summing to 1."""

    @property
    def spread(self) -> Vector | None:
        """How uncertain each weight is, where the rule knows."""

    def told(self, difference: Vector, answer: str) -> Beliefs:
        """Beliefs after an answer; `difference` is the loss per column by joining B minus that by joining A."""

    def tension(self, differences: Matrix) -> Vector:
        """How far from a tie each question is, in whatever the rule calls far."""

    def worth(self, differences: Matrix) -> Vector:
        """How much an answer to each question would teach; 0 where nothing."""


def prior_weights(names: Sequence[str], sliders: Sequence[float] | None) -> Vector:
    """Sliders as weights that sum to 1; none, or all at zero, mean equal weights."""
    given = np.zeros(len(names)) if sliders is None else np.asarray(sliders, dtype=float)
    total = given.sum()
    return given / total if total > 0 else np.full(len(names), 1 / len(names))


@dataclass(frozen=True, eq=False)
class Exponentiated:
    """Weights move by w_j exp(eta tau (1 - p) d_j), then sum to 1 again; a column the person refused to lose gains."""

    weights: Vector
    eta: float = 1.0
    tau: float = 1.0

    def told(self, difference: Vector, answer: str) -> Exponentiated:
        """One step towards the answer; "can't say" changes nothing."""
        sign = ANSWERS[answer]
        if sign == 0:
            return self
        toward = sign * difference
        surprise = 1 - _sigmoid(self.tau * (self.weights @ toward))
        step = np.minimum(self.eta * self.tau * surprise * toward, 500)  # beyond that exp overflows
        moved = np.maximum(self.weights * np.exp(step), FLOOR)
        return replace(self, weights=moved / moved.sum())

    def tension(self, differences: Matrix) -> Vector:
        """The weighted loss difference as a share of all that differs."""
        share: Vector = np.abs(differences @ self.weights) / np.abs(differences).sum(axis=1)
        return share

    def worth(self, differences: Matrix) -> Vector:
        """The length of the step that an answer would make, on average."""
        p = _sigmoid(self.tau * (differences @ self.weights))
        length: Vector = 2 * p * (1 - p) * np.abs(differences).sum(axis=1)
        return length

    @property
    def spread(self) -> None:
        """This rule knows no uncertainty."""


@dataclass(frozen=True, eq=False)
class Posterior:
    """Belief about the weights as an ensemble of vectors on the simplex, after all answers so far."""

    concentration: Vector  #: of the Dirichlet prior
    members: Matrix
    seed: tuple[int, ...]
    differences: Matrix
    signs: NDArray[np.int64]
    start: Vector

    @staticmethod
    def before(start: Vector, *, seed: int, trust: float) -> Posterior:
        """Belief before the first answer: uniform over the simplex, or gathered around the sliders' weights."""
        concentration = np.maximum(trust * len(start) * start, 0.3)
        rng = np.random.default_rng((seed, 0))
        members = rng.dirichlet(concentration, ENSEMBLE)
        none = np.empty((0, len(start)))
        return Posterior(concentration, members, (seed, 0), none, np.empty(0, dtype=np.int64), start)

    @cached_property
    def weights(self) -> Vector:
        """The centre of the belief: geometric means, summing to 1."""
        if not len(self.signs):
            return self.start
        centre = np.exp(np.log(np.maximum(self.members, 1e-6)).mean(axis=0))
        weights: Vector = centre / centre.sum()
        return weights

    @cached_property
    def spread(self) -> Vector:
        """The standard deviation of the belief about each weight."""
        deviation: Vector = self.members.std(axis=0)
        return deviation

    def told(self, difference: Vector, answer: str) -> Posterior:
        """Belief after one more answer: members are drawn again by how well they explain it, then spread out anew."""
        seed = (self.seed[0], self.seed[1] + 1)
        rng = np.random.default_rng(seed)
        differences = np.vstack([self.differences, difference])
        signs = np.append(self.signs, ANSWERS[answer])
        told = replace(self, seed=seed, differences=differences, signs=signs)
        gain = told._log_likelihood(self.members) - self._log_likelihood(self.members)
        share = np.exp(gain - gain.max())
        places = (rng.random() + np.arange(ENSEMBLE)) / ENSEMBLE
        drawn = np.searchsorted(np.cumsum(share / share.sum()), places).clip(max=ENSEMBLE - 1)
        return replace(told, members=told._moved(self.members[drawn], rng))

    def tension(self, differences: Matrix) -> Vector:
        """The weighted loss difference in standard deviations of the belief about it."""
        covariance = np.atleast_2d(np.cov(self.members, rowvar=False))
        doubt = np.sqrt(np.maximum(((differences @ covariance) * differences).sum(axis=1), 1e-12))
        tension: Vector = np.abs(differences @ self.weights) / doubt
        return tension

    def worth(self, differences: Matrix) -> Vector:
        """By how much an answer would shrink the expected squared error of the logarithms of the weights.

        A release depends on how many times more one column matters than another, so small weights count too.
        """
        from lookalike.kernels.dialogue.beliefs import judge_questions

        error = float(self._error_rates() @ ERRORS)
        members = self.members[::_COMMITTEE]
        gain: Vector = judge_questions(differences, members, np.log(members + OFFSET), error, SHARPNESS)
        return gain

    def _error_rates(self) -> Vector:
        """Belief about the person's error rate, over `ERRORS`."""
        likely = self._by_error(self.members) + _BELIEF_IN
        share = np.exp(likely - likely.max()).sum(axis=0)
        rates: Vector = share / share.sum()
        return rates

    def _by_error(self, members: Matrix) -> Matrix:
        """Log-likelihood of all answers: members x error rates."""
        from lookalike.kernels.dialogue.beliefs import explain_answers

        out: Matrix = explain_answers(members, self.differences, self.signs, ERRORS, SHARPNESS, TIE)
        return out

    def _log_likelihood(self, members: Matrix) -> Vector:
        likely = self._by_error(members) + _BELIEF_IN
        top = likely.max(axis=1)
        total: Vector = top + np.log(np.exp(likely - top[:, None]).sum(axis=1))
        return total

    def _log_belief(self, members: Matrix) -> Vector:
        prior = np.log(np.maximum(members, 1e-12)) @ (self.concentration - 1)
        return np.where((members >= 0).all(axis=1), prior + self._log_likelihood(np.abs(members)), -np.inf)

    def _moved(self, members: Matrix, rng: np.random.Generator) -> Matrix:
        """Fresh draws from the prior first, so that no early error locks belief in; then differential evolution."""
        members = members.copy()
        likely = self._log_likelihood(members)
        for _ in range(FRESH):
            drawn = rng.dirichlet(self.concentration, ENSEMBLE)
            new = self._log_likelihood(drawn)
            accepted = np.log(rng.random(ENSEMBLE)) < new - likely
            members[accepted], likely[accepted] = drawn[accepted], new[accepted]
        likely = self._log_belief(members)
        half = ENSEMBLE // 2
        for sweep in range(SWEEPS):
            for mine in (slice(None, half), slice(half, None)):
                other = members[half:] if mine.start is None else members[:half]
                a, b = rng.integers(0, len(other), (2, half))
                # now and then a full difference, which crosses from one mode of belief to another
                step = 1.0 if sweep % 6 == 5 else 1.2 / np.sqrt(members.shape[1])
                jitter = 1 + 0.2 * rng.standard_normal((half, 1))
                proposed = members[mine] + step * jitter * (other[a] - other[b])
                proposed += 1e-4 * rng.standard_normal(proposed.shape)
                proposed /= proposed.sum(axis=1, keepdims=True)  # rounding must not add up
                new = self._log_belief(proposed)
                accepted = np.log(rng.random(half)) < new - likely[mine]
                members[mine][accepted] = proposed[accepted]
                likely[mine][accepted] = new[accepted]
        return members


def _sigmoid(x: NDArray[np.float64]) -> NDArray[np.float64]:
    out: NDArray[np.float64] = 1 / (1 + np.exp(-np.clip(x, -500, 500)))
    return out
