"""What an explainer may be asked for, in the groups that belong together, checked before anything is done."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields
from difflib import get_close_matches
from typing import Any, Literal

from lookalike.base.checks import choice, whole_number
from lookalike.base.errors import RequestError, unknown_column
from lookalike.explanations.cfk import Moves, Objective, Rules
from lookalike.explanations.space import Penalty
from lookalike.recognition.frames import SAID
from lookalike.tables.intake import Said
from lookalike.tables.table import Table

_EFFORT = 10.0  # a box over all columns loses more and costs more to search for
_CHOICES = 10  # nearest records to look at for one whose description leads to the outcome
#: what columns are about that nobody can change
_UNCHANGING = ("sex", "race", "nationality", "birth_date", "birth_year", "birth_part")


@dataclass(frozen=True)
class Nearness:
    """What makes records near, and what blurring a column costs."""

    distance_on: Literal["qi", "all"] = "qi"  #: the columns that make training records near in CF-K
    p: Literal[1, 2] = 1  #: 1 adds differences (HEOM), 2 is Euclid's
    unknown: Literal["error", "differs"] = "error"  #: what a name is that the training table never had
    weights: Mapping[str, float] | None = None  #: of the columns in NCP
    ncp: Penalty = "share"

    def __post_init__(self) -> None:
        choice(self.distance_on, "distance_on", ("qi", "all"))
        choice(self.p, "p", (1, 2))
        choice(self.unknown, "unknown", ("error", "differs"))
        choice(self.ncp, "ncp", ("share", "steps"))


@dataclass(frozen=True)
class Eligible:
    """What is shown of a record, whose an explanation may start from, and who counts towards k."""

    values: Literal["shared", "exact"] = "shared"
    count: Literal["all", "desired"] = "all"
    choices: int | None = None
    justified: bool | None = None
    immutable: Sequence[str] | None = None
    actionable: Sequence[str] | None = None
    native: Callable[[Any], Sequence[int]] | None = None

    def __post_init__(self) -> None:
        choice(self.values, "values", ("shared", "exact"))
        choice(self.count, "count", ("all", "desired"))
        if self.choices is not None:
            whole_number(self.choices, "choices", least=1)

    @property
    def shared(self) -> bool:
        """Must k people share everything that is shown?"""
        return self.values == "shared"

    @property
    def looks(self) -> int:
        """How many of the nearest records are looked at."""
        return self.choices or (_CHOICES if self.shared else 1)

    def fixed(self, people: Table, features: Sequence[str]) -> list[str]:
        """The columns that must stay as they are; where nobody says, those that people cannot change."""
        for where, names in (("immutable", self.immutable or ()), ("actionable", self.actionable or ())):
            for name in names:
                if name not in features:
                    raise unknown_column(name, features, where)
        immutable = self.immutable or ()
        if self.immutable is None and self.actionable is None and self.shared:
            immutable = [name for name in features if _is_about(people, name, _UNCHANGING)]
        if self.actionable is None:
            return list(immutable)
        return [name for name in features if name in immutable or name not in self.actionable]

    def rising(self, people: Table, features: Sequence[str]) -> list[str]:
        """The columns that only rise with time, where nobody says what may change."""
        if not self.shared or self.immutable is not None or self.actionable is not None:
            return []
        return [
            name
            for name in features
            if people.column(name).kind.numeric and _is_about(people, name, ("age",))
        ]


def _is_about(people: Table, name: str, concepts: Sequence[str]) -> bool:
    return people.meaning(people.column(name)).concept.name in concepts


class Options(Said, total=False):
    """The words of all groups as they are typed, and those of `la.table` for a frame."""

    alpha: int
    iterations: int
    objective: Objective
    mu: float
    floor: float
    l: int  # noqa: E741
    combinations: int
    effort: float
    moves: Moves
    seed: int
    distance_on: Literal["qi", "all"]
    p: Literal[1, 2]
    unknown: Literal["error", "differs"]
    weights: Mapping[str, float] | None
    ncp: Penalty
    values: Literal["shared", "exact"]
    count: Literal["all", "desired"]
    choices: int | None
    justified: bool | None
    immutable: Sequence[str] | None
    actionable: Sequence[str] | None
    native: Callable[[Any], Sequence[int]] | None


def sort_out(k: int, options: Options) -> tuple[Rules, Nearness, Eligible, dict[str, Any]]:
    """Each option in its group; last what is said about the columns of a frame."""
    left: dict[str, Any] = dict(options)
    words = [field.name for group in (Rules, Nearness, Eligible) for field in fields(group)]
    for name in left:
        if name not in words and name not in SAID:
            close = get_close_matches(name, words, n=1)
            hint = f" Did you mean `{close[0]}`?" if close else ""
            raise RequestError(f"an explainer has no option `{name}`.{hint} It has: {', '.join(words)}.")

    def of(group: type) -> dict[str, Any]:
        return {field.name: left.pop(field.name) for field in fields(group) if field.name in left}

    eligible = Eligible(**of(Eligible))
    if eligible.shared:
        left.setdefault("effort", _EFFORT)
    return Rules(k=k, **of(Rules)), Nearness(**of(Nearness)), eligible, left
