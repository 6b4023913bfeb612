"""Membership from explanations alone: was a known person among those the model was trained on?

The attacker has a set of explanations and no access to the model. A native counterfactual repeats a training record, so
people of the training table lie nearer to what is shown than others of the same kind do. A person's score is Gower's
distance (1971, https://doi.org/10.2307/2528823) to the nearest explanation, 0 inside its box, over all columns that it
shows; of equal ones, who lies in more boxes is called first. The distance attack of Houssiau et al. 2022 on synthetic
data, https://doi.org/10.48550/arXiv.2211.06550, aimed at explanations. O(explanations x people x columns).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt
from statistics import NormalDist
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lookalike.base.checks import checked, number
from lookalike.base.errors import RequestError
from lookalike.base.intervals import wilson
from lookalike.measures.attacks.explanation_linkage import ShownExplanation
from lookalike.tables.columns.coding import Column
from lookalike.tables.table import Table

MOST = 2000  #: people tried on each side
FALSE_ALARMS = 0.01  #: share of others who may be called members


@dataclass(frozen=True)
class ExplanationMembership:
    """How well explanations tell people of the training table from others of the same kind."""

    auc: float  #: chance that a member is called before another person; .5 is guessing
    auc_low: float
    auc_high: float
    rate: float  #: share of members called while 1 % of the others are
    rate_low: float
    rate_high: float
    members: int  #: people tried
    others: int
    explanations: int

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON values."""
        return dict(vars(self))

    def __repr__(self) -> str:
        return (
            f"ExplanationMembership(AUC {self.auc:.3f} ({self.auc_low:.3f} to {self.auc_high:.3f}), {self.rate:.1%} of "
            f"members at {FALSE_ALARMS:.0%} of others ({self.rate_low:.1%} to {self.rate_high:.1%}))"
        )


@checked
def attack_membership(
    explanations: Sequence[ShownExplanation],
    people: Table,
    trained: Sequence[bool],
    *,
    confidence: float = 0.95,
    seed: int = 0,
) -> ExplanationMembership:
    """Attack a set of explanations: who of some people was the model trained on?

    explanations: what was told. people: whom the attacker asks about, with the columns that the explanations show.
    trained: for each of these people, whether they were in the training table (the truth; the attacker does not know).
    confidence: of the intervals. seed: draws up to 2,000 people of each side.

    Examples:
        >>> import lookalike as la
        >>> frame = la.datasets.population(400, seed=1).select("age", "gender", "income")
        >>> trained = [i < 200 for i in range(400)]
        >>> model = lambda rows: (rows["income"] > 25_000).cast(int)
        >>> explainer = la.KAnonymousExplainer(model, frame[:200], quasi=["age", "gender"], others=[], k=10)
        >>> found = explainer.explain_each(frame[:200].filter(frame[:200]["income"] < 20_000))
        >>> people = la.table(frame, quasi=["age", "gender"], others=[])
        >>> attacked = la.attack_membership(list(found.explanations.values()), people, trained)
        >>> attacked.auc_low < 0.6
        True
    """
    number(confidence, "confidence", least=0, most=1)
    inside = np.asarray(trained, dtype=bool)
    if len(inside) != len(people):
        raise RequestError(
            f"`trained` has {len(inside)} entries for {len(people)} people; give one for each."
        )
    if not explanations:
        raise RequestError("there are no explanations to attack.")
    if inside.all() or not inside.any():
        raise RequestError("`trained` must name people of both kinds: in the training table, and not in it.")
    rng = np.random.default_rng(seed)
    ours, theirs = (_draw(np.flatnonzero(side), rng) for side in (inside, ~inside))
    far, boxes = nearness(explanations, people, np.concatenate([ours, theirs]))
    score = -far + boxes / (boxes.max() + 1) * 1e-9  # boxes decide between equals only
    one, other = score[: len(ours)], score[len(ours) :]
    auc = _auc(one, other)
    half = _deviation(auc, len(one), len(other)) * NormalDist().inv_cdf(0.5 + confidence / 2)
    called = _called(one, other)
    low, high = wilson(called * len(one), len(one), confidence=confidence)
    return ExplanationMembership(
        auc, max(0.0, auc - half), min(1.0, auc + half), called, low, high, len(one), len(other), len(explanations)
    )  # fmt: skip


def nearness(
    explanations: Sequence[ShownExplanation], people: Table, rows: NDArray[np.int64]
) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """For some rows: the distance to the nearest explanation, and in how many boxes they lie."""
    distinct = list({(*one.box.items(), *one.values.items()): one for one in explanations}.values())
    names = list(dict.fromkeys(name for one in distinct for name in (*one.box, *one.values)))
    total, shown = np.zeros((len(rows), len(distinct))), np.zeros(len(distinct))
    for name in names:
        column = people.column(name)
        sides = [one.box.get(name, one.values.get(name, _NOTHING)) for one in distinct]
        place = {side: i for i, side in enumerate(dict.fromkeys(sides))}
        each = np.stack([_from_side(side, column) for side in place], axis=1)
        total += each[column.codes[rows]][:, [place[side] for side in sides]]
        shown += [side is not _NOTHING for side in sides]
    far = total / np.maximum(shown, 1)
    return far.min(axis=1), (far == 0).sum(axis=1)


_NOTHING = object()  # a column that an explanation does not show


def _from_side(side: Any, column: Column) -> NDArray[np.float64]:
    """How far each value of a column is from what an explanation shows of it, 0 to 1."""
    domain = column.domain
    if side is _NOTHING:
        return np.zeros(domain.size)
    if hasattr(side, "matches"):
        held = side.matches(domain)
    else:
        held = np.zeros(domain.size, dtype=bool)
        held[: len(domain.values)] = [text == str(side) or _alike(text, side) for text in domain.texts]
        if side is None and domain.missing:
            held[-1] = True
    out = np.where(held, 0.0, 1.0)
    numbers = domain.places
    known = held & ~np.isnan(numbers)
    if domain.kind.ordered and known.any():
        width = float(np.nanmax(numbers) - np.nanmin(numbers)) or 1.0
        low, high = numbers[known].min(), numbers[known].max()
        if hasattr(side, "lo"):  # a range may end between values
            low, high = (domain.number(end) / domain.measure for end in (side.lo, side.hi))
        apart = np.maximum(np.maximum(low - numbers, numbers - high), 0) / width
        out = np.where(held, 0.0, np.where(np.isnan(numbers), 1.0, apart))
    return out


def _alike(text: str, value: Any) -> bool:
    try:
        return float(text) == float(value)
    except (TypeError, ValueError):
        return False


def _draw(rows: NDArray[np.int64], rng: np.random.Generator) -> NDArray[np.int64]:
    return rows if len(rows) <= MOST else rng.choice(rows, MOST, replace=False)


def _auc(ours: NDArray[np.float64], theirs: NDArray[np.float64]) -> float:
    """The chance that one of ours is called before one of theirs, ties counting half."""
    ordered = np.sort(theirs)
    below = np.searchsorted(ordered, ours, side="left")
    ties = np.searchsorted(ordered, ours, side="right") - below
    return float((below + ties / 2).mean() / len(theirs))


def _deviation(auc: float, ours: int, theirs: int) -> float:
    """The standard error of an AUC (Hanley and McNeil 1982, https://doi.org/10.1148/radiology.143.1.7063747)."""
    first, second = auc / (2 - auc), 2 * auc**2 / (1 + auc)
    spread = auc * (1 - auc) + (ours - 1) * (first - auc**2) + (theirs - 1) * (second - auc**2)
    return sqrt(max(spread, 0.0) / (ours * theirs))


def _called(ours: NDArray[np.float64], theirs: NDArray[np.float64]) -> float:
    """The share of ours called while so few of theirs are; equals are called by lot."""
    allowed = FALSE_ALARMS * len(theirs)
    ordered = np.sort(theirs)[::-1]
    limit = ordered[min(int(allowed), len(ordered) - 1)]
    above, at = float((theirs > limit).sum()), float((theirs == limit).sum())
    part = (allowed - above) / at
    return float((ours > limit).mean() + part * (ours == limit).mean())
