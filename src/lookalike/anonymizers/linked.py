"""What becomes of linked columns in a release: those that would undo its promise are refused until somebody decides.

A column may `follow` its quasi-identifier (published as blurred), be treated as a `quasi`-identifier, be left out
(`drop`), or be published all the same (`accept`). Sensitive columns are published by design: they are refused only
where they are one to one, or in step, with a quasi-identifier, and else warned about.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from lookalike.base.checks import choice as one_of
from lookalike.base.checks import per_column
from lookalike.base.errors import (
    LinkedColumnError,
    NothingToFollow,
    RequestError,
    amount,
    unknown_column,
    warn,
)
from lookalike.models.model import Model
from lookalike.recodings.recoding import Recoding
from lookalike.recodings.treatments import Drop, Follow, Keep, Pseudonymise, Round, Treatment
from lookalike.recognition.links import Link, linked_columns
from lookalike.recognition.links.persons import keys_of, places_of_numbers
from lookalike.recognition.links.trajectories import find_trajectories
from lookalike.tables.columns.roles import Role
from lookalike.tables.table import Table

CHOICES = {
    "follow": "published as blurred as its quasi-identifier",
    "quasi": "treated as a quasi-identifier",
    "drop": "left out",
    "accept": "published all the same",
}
#: what a link of a sensitive column means, by its direction
_BY_DESIGN = {
    "determines": "Whoever knows or guesses such a sensitive value of somebody, or reads it in a row, knows what is "
    "blurred beside it.",
    "follows from": "Whoever knows the quasi-identifier knows such a sensitive value anyway, and finds people by it.",
}


def what_choices_mean() -> str:
    """The choices in words."""
    return "; ".join(f"{choice}: {meaning}" for choice, meaning in CHOICES.items())


@dataclass(frozen=True)
class Decided:
    """The links among the columns of a release, and what was decided about each column."""

    choices: Mapping[str, str]
    links: tuple[Link, ...]

    def of(self, link: Link) -> str | None:
        """What was decided about the columns of a link; None where nobody decided."""
        if len(link.deciding) > 1 and not self.choices.keys() >= set(link.deciding):
            return None
        return next((self.choices[name] for name in link.columns if name in self.choices), None)

    def to_dict(self) -> list[dict[str, Any]]:
        """One entry per link, and one per choice without a link, as plain JSON values."""
        linked = [
            {
                "columns": list(link.columns),
                "quasi": list(link.quasi),
                "how": link.how,
                "choice": self.of(link),
            }
            for link in self.links
        ]
        named = {name for link in self.links for name in link.columns}
        rest = [
            {"columns": [name], "quasi": [], "how": None, "choice": choice}
            for name, choice in self.choices.items()
            if name not in named
        ]
        return [*linked, *rest]


def read_choices(people: Table, models: Sequence[Model], linked: Mapping[str, str] | None) -> dict[str, str]:
    """What was decided about each column; refused where it does not fit the table."""
    choices = dict(per_column(linked, "linked"))
    for name, choice in choices.items():
        if name not in people.names:
            raise unknown_column(name, people.names, "linked")
        one_of(choice, name, CHOICES, where="linked")
        if people.roles[name] in (Role.QUASI, Role.IDENTIFIER):
            raise RequestError(
                f"linked: column {name!r} is {people.roles[name]} already; nothing is to decide."
            )
        if choice != "accept" and any(name in model.columns for model in models):
            raise RequestError(
                f"linked: a promise is made about column {name!r}, so it is published as it is. Accept it, or promise "
                "something else."
            )
    return choices


def decide(
    people: Table, columns: Mapping[str, Treatment], choices: Mapping[str, str]
) -> tuple[Decided, dict[str, Treatment]]:
    """Find the links among the columns to be published, and treat those that follow as such."""
    shown = [name for name, how in columns.items() if not isinstance(how, Drop | Pseudonymise)]
    decided = Decided(choices, linked_columns(people, columns=shown))
    treated = dict(columns)
    for name in (name for name, choice in choices.items() if choice == "follow"):
        given = [quasi for link in decided.links if name in link.columns for quasi in link.quasi]
        if not given:
            raise NothingToFollow(
                f"linked: column {name!r} is not linked to a quasi-identifier, so there is none to follow. Say "
                "drop, accept or quasi instead of follow.",
                name,
            )
        treated[name] = Follow(tuple(dict.fromkeys(given)))
    return decided, treated


def warn_of_trajectories(people: Table, recoding: Recoding, choices: Mapping[str, str]) -> None:
    """Where people have several rows: say which columns tell that rows are one person's, but those accepted."""
    if people.unit is None or all(model.smallest_class < 2 for model in recoding.models):
        return
    rows = people.in_sight()
    whose = keys_of(rows.column(people.unit))
    known = whose >= 0
    shown = [
        n
        for n, how in recoding.columns.items()
        if isinstance(how, Keep | Round) and choices.get(n) != "accept"
    ]
    published = recoding.other_columns(rows, {}, but=[n for n in recoding.columns if n not in shown])
    found = find_trajectories(
        {name: column.codes[known] + 1 for name, column in published.items()},
        whose[known],
        places_of_numbers(rows, shown, known),
    )
    if found is not None and found.many:
        warn(
            f"people have several rows, and those of {found.told:,} of {found.people:,} such people can be put "
            f"together by what stays the same in them and is published as it is: {found.text}. What is blurred in one "
            "row may then be told by another. Make these columns quasi-identifiers, round them (`rounding`) or leave "
            "them out (`drop`); the attack 'intersection' says what they give away.",
        )


def judge_links(
    people: Table,
    models: Sequence[Model],
    k: int,
    known_with: Callable[[tuple[str, ...], int], tuple[int, int]],
    decided: Decided,
) -> Decided:
    """Refuse columns that would undo the promise. `known_with`: the smallest class when some columns are known besides,
    and the records in classes smaller than a number."""
    promised = max((model.smallest_class for model in models), default=1)
    promised = promised if promised > 1 else k
    links, lines = [], []
    warned: dict[str, list[str]] = {}
    refused: dict[str, str] = {}
    about = {name for model in models for name in model.columns}
    for link in decided.links:
        known, below = known_with(link.columns, promised)
        links.append(replace(link, k=k, known=known))
        if known >= promised or decided.of(link) is not None:
            continue
        fall = f"k {k:,} would be {known:,} ({amount(below, 'record')} in classes below {promised:,})"
        by_design = any(people.roles[name] is Role.SENSITIVE for name in link.columns)
        if by_design and link.how in ("determines", "follows from"):
            warned.setdefault(link.how, []).append(f"{link.text}: {fall}")
        else:
            lines.append(f"{link.text}: published, {fall}")
            refused |= {name: "accept" if name in about else "follow" for name in link.deciding}
    if refused:
        found = f"the release would be undone by its own columns. {'. '.join(lines)}."
        name, choice = next(iter(refused.items()))
        raise LinkedColumnError(
            f"{found} Say in `linked` what to do with each, such as {name}={choice} ({what_choices_mean()}).",
            found,
            refused,
        )
    if warned:
        told = [f"{'. '.join(found)}. {_BY_DESIGN[how]}" for how, found in warned.items()]
        warn(
            f"{' '.join(told)} Sensitive columns are published by design. Name them in `linked` to decide otherwise."
        )
    return Decided(decided.choices, tuple(links))
