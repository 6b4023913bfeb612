"""A simulated person with weights of their own, so that a dialogue can be tested without people."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from lookalike.anonymizers.dialogue.questions import ClusterQuestion
from lookalike.base.errors import RequestError


@dataclass(frozen=True, eq=False)
class SimulatedPerson:
    """Answers by hidden weights; a share `noise` of the answers is the opposite of what was meant.

    `indifference`: weighted loss differences up to this are answered "can't say".
    """

    weights: Mapping[str, float]
    noise: float = 0.0
    indifference: float = 0.0
    seed: int = 0
    _rng: np.random.Generator = field(init=False, repr=False)

    def __post_init__(self) -> None:
        if not 0 <= self.noise <= 0.5:
            raise RequestError(f"noise is the share of wrong answers, 0 to 0.5; found {self.noise}.")
        object.__setattr__(self, "_rng", np.random.default_rng(self.seed))

    def answer(self, question: ClusterQuestion) -> str:
        """The cluster that costs this person less, ties going to A."""
        margin = sum(
            self.weights[name] * (question.b.cost[name] - question.a.cost[name]) for name in question.record
        )
        wrong = self._rng.random() < self.noise
        if abs(margin) <= self.indifference and self.indifference > 0:
            return "can't say"
        return "A" if (margin >= 0) != wrong else "B"
