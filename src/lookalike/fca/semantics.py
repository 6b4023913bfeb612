"""Semantic risk of the objects of a context: basic risk without a lattice, chain risk, three-way regions, safe set.

Aranda-Corral, Borrego-Díaz and Galán-Páez (2023), with these results of our own, proved and tested: r_BS(e) is one over
the smallest number of objects that have all attributes of e and lack some further one; it never falls when other
objects go and never rises when attributes go, so the fixpoint below is the greatest safe set; and it lies between
1/|extent of e| and the classical 1/|objects with exactly e's row|. Cost: see `kernels.fca.risk`.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from lookalike.base.checks import is_number, shown
from lookalike.base.errors import RequestError
from lookalike.fca.contexts import Context, Counts
from lookalike.fca.lattices import CONCEPT_LIMIT, Lattice, concept_lattice, walk

if TYPE_CHECKING:
    from lookalike.kernels.fca.risk import Gaps

Risks = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class BasicRisk:
    """What the closed form finds for each distinct row of a context; `of_objects` spreads it over the objects.

    An attacker here knows attributes a person has, never ones the person lacks. The classical risk, where both are
    known, is always given beside it. Where people have several rows, `gap`, `extent` and `having` count people.
    """

    context: Context
    gap: Counts  #: objects left of a row's extent when its largest sub-concept is taken away
    extent: Counts  #: objects that have all attributes of the row
    witness: (
        Counts  #: attribute the row lacks and most of its extent has; -1 where nobody has more than the row
    )
    having: Counts  #: objects with exactly this row

    @cached_property
    def basic(self) -> Risks:
        """r_BS of each distinct row."""
        return 1.0 / self.gap

    @cached_property
    def classical(self) -> Risks:
        """One over the number of objects with exactly this row, for each distinct row."""
        return 1.0 / self.having

    def of_objects(self, values: NDArray[Any]) -> NDArray[Any]:
        """Values per distinct row as values per object."""
        return values[self.context.number]

    def mean(self, values: Risks) -> float:
        """Mean over objects of values per distinct row; 0 for an empty context."""
        return float((values * self.context.weights).sum() / max(self.context.size, 1))

    def __repr__(self) -> str:
        top = float(self.basic.max(initial=0.0))
        return (
            f"BasicRisk({self.context.size:,} objects: maximum {top:.3g}, mean {self.mean(self.basic):.3g})"
        )


def basic_risk(context: Context) -> BasicRisk:
    """r_BS of every object by the closed form; no lattice is built."""
    found = _gaps(context, collect=False)
    return BasicRisk(context, found.gap, found.extent, found.witness, context.weights)


def _gaps(context: Context, *, collect: bool) -> Gaps:
    from lookalike.kernels.fca.risk import gaps

    rare_first = np.argsort(context.supports, kind="stable")
    return gaps(context.rows, context.weights, rare_first, collect)[0]


def basic_risk_by_lattice(lattice: Lattice) -> Risks:
    """r_BS of every distinct row from the neighbours of its concept: the definition, as an oracle for `basic_risk`."""
    out = np.empty(len(lattice.context.rows))
    for row, concept in enumerate(lattice.object_concepts):
        below = lattice.lower_of(concept)
        gaps = lattice.supports[concept] - lattice.supports[below]
        out[row] = 1.0 / (gaps.min() if len(gaps) else lattice.supports[concept])
    return out


def chain_risk_of_concepts(lattice: Lattice) -> Risks:
    """r_L of every concept: the largest product of 1/(objects added) over chains up from a smallest extent."""
    from lookalike.kernels.fca.lattice import chain_risk

    risks: Risks = chain_risk(lattice.supports, lattice.lower_starts, lattice.lower)
    return risks


def semantic_chain_risk(context: Context, *, limit: int = CONCEPT_LIMIT) -> Risks:
    """r_S of every distinct row, from the concepts below object concepts only.

    A product of probabilities, not a guarantee: it can lie below the classical risk and fall when records go.
    """
    found = _gaps(context, collect=True)
    lattice, origin = walk(context, found.starts, found.members, 0, limit)
    return chain_risk_of_concepts(lattice)[origin]


@dataclass(frozen=True, eq=False)
class ThreeWay:
    """Objects to discard (risk >= beta), to keep (risk <= alpha), and to look at (between), as positions."""

    discard: Counts
    look: Counts
    keep: Counts
    alpha: float
    beta: float

    def to_dict(self) -> dict[str, Any]:
        """Counts and thresholds."""
        return {
            "alpha": self.alpha,
            "beta": self.beta,
            "discard": len(self.discard),
            "look": len(self.look),
            "keep": len(self.keep),
        }

    def __repr__(self) -> str:
        return f"ThreeWay(discard {len(self.discard):,}, look at {len(self.look):,}, keep {len(self.keep):,})"


def three_way(risks: Risks, *, alpha: float, beta: float) -> ThreeWay:
    """The three regions of a risk per object."""
    if not (is_number(alpha) and is_number(beta) and 0 <= alpha < beta <= 1):
        raise RequestError(
            f"three-way decisions need 0 <= alpha < beta <= 1, not alpha={shown(alpha)}, beta={shown(beta)}."
        )
    discard, keep = risks >= beta, risks <= alpha
    look = ~discard & ~keep
    return ThreeWay(np.flatnonzero(discard), np.flatnonzero(look), np.flatnonzero(keep), alpha, beta)


@dataclass(frozen=True, eq=False)
class SafeSet:
    """The greatest set of objects that can be kept with every basic risk at most the threshold; it may be empty."""

    context: Context
    threshold: float
    rounds: tuple[Counts, ...]  #: distinct rows dropped in each round
    rows: NDArray[np.bool_]  #: which distinct rows stay

    @cached_property
    def keep(self) -> NDArray[np.bool_]:
        """Which objects stay."""
        return self.rows[self.context.number]

    @property
    def kept(self) -> int:
        """Number of objects that stay."""
        return int(self.context.weights[self.rows].sum())

    @property
    def cost(self) -> int:
        """Number of objects that go."""
        return self.context.size - self.kept

    def to_dict(self) -> dict[str, Any]:
        """Counts."""
        gone = [int(self.context.weights[rows].sum()) for rows in self.rounds]
        return {"threshold": self.threshold, "kept": self.kept, "cost": self.cost, "removed_per_round": gone}

    def __repr__(self) -> str:
        return f"SafeSet({self.kept:,} objects stay, {self.cost:,} go, {len(self.rounds)} rounds)"


def check_threshold(threshold: float) -> None:
    """Refuse what is no probability."""
    if not is_number(threshold) or not 0 < threshold <= 1:
        raise RequestError(f"threshold is a probability above 0 and at most 1, not {shown(threshold)}.")


def safe_set(context: Context, *, threshold: float, start: BasicRisk | None = None) -> SafeSet:
    """G*: drop every object above the threshold, look again, until all that is left is safe.

    Equal rows have equal risk, so whole rows come and go.
    """
    check_threshold(threshold)
    from lookalike.kernels.fca.risk import gaps, take_away

    rare_first = np.argsort(context.supports, kind="stable")
    left = np.arange(len(context.rows))
    rounds: list[Counts] = []
    if start is not None:
        risky = 1.0 / start.gap > threshold
        if not risky.any():
            return SafeSet(context, threshold, (), np.ones(len(left), dtype=bool))
        rounds.append(left[risky])
        left = left[~risky]
    while True:
        rows, weights = context.rows[left], context.weights[left]
        found, compared = gaps(rows, weights, rare_first, False)
        alive = np.ones(len(left), dtype=bool)
        while True:
            risky = alive & (1.0 / found.gap > threshold)
            if not risky.any():
                stay = np.zeros(len(context.rows), dtype=bool)
                stay[left[alive]] = True
                return SafeSet(context, threshold, tuple(rounds), stay)
            rounds.append(left[risky])
            alive &= ~risky
            if int(risky.sum()) * int(alive.sum()) > compared:
                break  # so many go that counting afresh is cheaper than taking them away one by one
            take_away(rows, weights, alive, np.flatnonzero(risky), found)
        left = left[alive]


@dataclass(frozen=True)
class Deletion:
    """The state after deleting one more object (None: before any)."""

    removed: Hashable | None
    concepts: int
    edges: int
    unique: tuple[Hashable, ...]  #: objects whose concept holds nobody else
    certain: tuple[Hashable, ...]  #: objects with basic risk 1

    def to_dict(self) -> dict[str, Any]:
        """Plain values."""
        return {
            "removed": self.removed,
            "concepts": self.concepts,
            "edges": self.edges,
            "unique": list(self.unique),
            "certain": list(self.certain),
        }


def delete_in_turn(
    context: Context, objects: Iterable[Hashable], *, limit: int = CONCEPT_LIMIT
) -> tuple[Deletion, ...]:
    """Delete objects one after the other and watch who becomes unique next."""
    states = [_state(context, None, limit)]
    for label in objects:
        context = context.without_objects([label])
        states.append(_state(context, label, limit))
    return tuple(states)


def _state(context: Context, removed: Hashable | None, limit: int) -> Deletion:
    risk, lattice = basic_risk(context), concept_lattice(context, limit=limit)
    return Deletion(
        removed, len(lattice), lattice.edges, context.labels(risk.extent == 1), context.labels(risk.gap == 1)
    )


@dataclass(frozen=True)
class Bound:
    """How confident a rule can be given the risk of the objects that break it."""

    confidence: float
    bound: float | None  #: None for an exact rule: risk says nothing about these

    @property
    def controlled(self) -> bool:
        """Whether the basic risk limits the confidence of this rule."""
        return self.bound is not None


def confidence_bound(risk: BasicRisk, premise: Sequence[str], conclusion: Sequence[str]) -> Bound:
    """The corrected Theorem 5.3: conf = 1, or conf <= 1 - 1/(rho t); the paper's principles PDC and PLC in numbers.

    t objects have the premise, and rho is the smallest basic risk among those of them that lack the conclusion. A
    premise that nobody has counts as exact. Low risk keeps inexact rules from being confident, high risk lets the bound
    come near 1: what the paper calls PDC and PLC. Neither says anything about exact rules.
    """
    context = risk.context
    having = context.rows_with(context.encode(premise))
    breaking = having & ~context.rows_with(context.encode([*premise, *conclusion]))
    if not breaking.any():
        return Bound(1.0, None)
    total = int(context.weights[having].sum())
    confidence = 1.0 - int(context.weights[breaking].sum()) / total
    return Bound(confidence, 1.0 - 1.0 / (float(risk.basic[breaking].min()) * total))
