"""Whether a release may be handed over: judged from its promises, the attacks and what was decided all the same.

A promise that is not kept, or an attack that reaches more than it allows, is no matter of taste; an attack that
succeeds far more often than guessing is none either. What a person may accept is listed for them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, get_args

from lookalike.base.errors import amount, percent
from lookalike.measures.attacks.results import Attacked, Attacks, Threat
from lookalike.releases.recipes.recipe import Recipe
from lookalike.releases.release import Release
from lookalike.tables.columns.roles import Role

_TOO_MUCH = 0.5  #: tries beyond guessing that succeed, from which a release is not handed over
_WORTH_A_WORD = 0.05  #: the same, from which somebody has to accept it


class Readiness(StrEnum):
    """What may be done with a release."""

    READY = "ready to hand over"
    IF_ACCEPTED = "ready if you accept"
    NOT_READY = "not ready"


class Issue(StrEnum):
    """What speaks against handing a release over, and the facts of each."""

    BEYOND_PROMISE = "beyond the promise"  #: attack, rate, bound
    ATTACK = "attack"  #: attack, rate, trials, baseline, others
    NOT_ATTACKED = "not attacked"
    WHOSE_ROWS = "whose rows"  #: doubt
    LINK_ACCEPTED = "link accepted"  #: columns, quasi
    NO_PROMISE = "no promise"  #: columns
    UNKNOWN = "unknown"  #: columns


@dataclass(frozen=True)
class Objection:
    """One thing that speaks against handing a release over."""

    issue: Issue
    facts: Mapping[str, Any] = field(default_factory=dict)
    blocks: bool = False  #: it is not for a person to accept

    @property
    def text(self) -> str:
        """The objection in words."""
        return _ENGLISH[self.issue](self.facts)

    def to_dict(self) -> dict[str, Any]:
        """As plain JSON values."""
        return {"issue": str(self.issue), "blocks": self.blocks, "text": self.text, "facts": dict(self.facts)}


@dataclass(frozen=True)
class ReleaseVerdict:
    """Whether a release may be handed over, and all that speaks against it."""

    objections: tuple[Objection, ...]

    @property
    def readiness(self) -> Readiness:
        """Not ready where an objection blocks; else ready, if the objections are accepted."""
        if any(objection.blocks for objection in self.objections):
            return Readiness.NOT_READY
        return Readiness.IF_ACCEPTED if self.objections else Readiness.READY

    @property
    def text(self) -> str:
        """The verdict in a sentence: what blocks the release, or else what has to be accepted."""
        blocked = self.readiness is Readiness.NOT_READY
        named = [objection.text for objection in self.objections if objection.blocks or not blocked]
        return f"{self.readiness}: {'; '.join(named)}." if named else f"{self.readiness}."

    def to_dict(self) -> dict[str, Any]:
        """As plain JSON values."""
        return {
            "readiness": str(self.readiness),
            "text": self.text,
            "objections": [objection.to_dict() for objection in self.objections],
        }


def judge(recipe: Recipe, release: Release, attacks: Attacks | None) -> ReleaseVerdict:
    """The verdict on a release that a recipe made, by the attacks that were tried on it."""
    return ReleaseVerdict((*_attacked(attacks), *_accepted(recipe, release)))


def _attacked(attacks: Attacks | None) -> Iterator[Objection]:
    if attacks is None or not attacks.results:
        yield Objection(Issue.NOT_ATTACKED)
        return
    for defect in attacks.defects:
        facts = {"attack": defect.title, "rate": defect.rate, "bound": defect.bound}
        yield Objection(Issue.BEYOND_PROMISE, facts, blocks=True)
    for threat in get_args(Threat):
        telling = [each for each in attacks if each.threat == threat and _gain(each) >= _WORTH_A_WORD]
        if telling:
            worst = max(telling, key=_gain)
            facts = {
                "attack": worst.title,
                "rate": worst.rate,
                "trials": worst.trials,
                "baseline": worst.baseline,
                "others": len(telling) - 1,
            }
            yield Objection(Issue.ATTACK, facts, blocks=_gain(worst) >= _TOO_MUCH)


def _gain(attacked: Attacked) -> float:
    """The share of tries that succeed beyond guessing; none where that may be chance."""
    return attacked.rate - attacked.baseline if attacked.succeeds else 0.0


def _accepted(recipe: Recipe, release: Release) -> Iterator[Objection]:
    """What was published all the same, or that nobody has decided about."""
    for doubt in recipe.doubts:
        yield Objection(Issue.WHOSE_ROWS, {"doubt": doubt}, blocks="unit" not in recipe.source)
    for link in release.linked:
        if link["choice"] == "accept" and link["quasi"]:
            yield Objection(Issue.LINK_ACCEPTED, {"columns": link["columns"], "quasi": link["quasi"]})
    promised = {name for model in recipe.promises for name in model.columns}
    if bare := [name for name in recipe.having(Role.SENSITIVE) if name not in promised]:
        yield Objection(Issue.NO_PROMISE, {"columns": bare})
    if unknown := [name for name in recipe.having(Role.QUASI) if recipe.columns[name].unknown]:
        yield Objection(Issue.UNKNOWN, {"columns": unknown})


def _listed(names: Sequence[str]) -> str:
    return ", ".join(names)


def _attack_in_words(facts: Mapping[str, Any]) -> str:
    others = f", and {amount(facts['others'], 'other attack')} of its kind as well" if facts["others"] else ""
    return (
        f"{facts['attack']} succeeds in {percent(facts['rate'])} of {amount(facts['trials'], 'try', 'tries')} "
        f"({percent(facts['baseline'])} by guessing){others}"
    )


_ENGLISH: Mapping[Issue, Callable[[Mapping[str, Any]], str]] = {
    Issue.BEYOND_PROMISE: lambda facts: (
        f"{facts['attack']} succeeds in {percent(facts['rate'])} of tries, more than the promise allows "
        f"({percent(facts['bound'])})"
    ),
    Issue.ATTACK: _attack_in_words,
    Issue.NOT_ATTACKED: lambda facts: "no attack was tried on it",
    Issue.WHOSE_ROWS: lambda facts: facts["doubt"],
    Issue.LINK_ACCEPTED: lambda facts: (
        f"{_listed(facts['columns'])} published though {_listed(facts['quasi'])} can be told from it"
    ),
    Issue.NO_PROMISE: lambda facts: f"no promise about the values of {_listed(facts['columns'])}",
    Issue.UNKNOWN: lambda facts: f"nobody has said what {_listed(facts['columns'])} holds",
}
