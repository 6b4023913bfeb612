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
    """Whose record an explanation may start from, and who counts towards k."""

    count: Literal["all", "desired"] = "all"
    choices: int = 1
    justified: bool | None = None
    immutable: Sequence[str] = ()
    actionable: Sequence[str] | None = None
    native: Callable[[Any], Sequence[int]] | None = None

    def __post_init__(self) -> None:
        choice(self.count, "count", ("all", "desired"))
        whole_number(self.choices, "choices", least=1)

    def fixed(self, features: Sequence[str]) -> list[str]:
        """The columns that must stay as they are."""
        for where, names in (("immutable", self.immutable), ("actionable", self.actionable or ())):
            for name in names:
                if name not in features:
                    raise unknown_column(name, features, where)
        if self.actionable is None:
            return list(self.immutable)
        return [name for name in features if name in self.immutable or name not in self.actionable]


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
    count: Literal["all", "desired"]
    choices: int
    justified: bool | None
    immutable: Sequence[str]
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

    return Rules(k=k, **of(Rules)), Nearness(**of(Nearness)), Eligible(**of(Eligible)), left
