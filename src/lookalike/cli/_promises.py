"""The options by which commands promise and leave out, shared by `anonymize`, `choose-k` and `interact`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, TypeVar, cast

import typer

from lookalike.cli._common import split_marked, split_names, split_pairs
from lookalike.errors import RequestError

if TYPE_CHECKING:
    from lookalike.models.model import Model
    from lookalike.tables.table import Table

PROMISE, HOW = "What is promised", "How it is done"
T = TypeVar("T")

Diverse = Annotated[
    str | None,
    typer.Option(
        "-l",
        metavar="COLUMN=NUMBER,…",
        help="l-diversity: at least so many values per class, disease=3; all=3 for every sensitive column.",
        rich_help_panel=PROMISE,
    ),
]
Close = Annotated[
    str | None,
    typer.Option(
        "-t",
        metavar="COLUMN=NUMBER,…",
        help="t-closeness: at most so far from the table, disease=0.2; all=0.2 for every sensitive column. How far "
        "values are apart is chosen by the column's type, or said: disease=0.2:ordered, :equal or :hierarchical.",
        rich_help_panel=PROMISE,
    ),
]
Dropped = Annotated[
    str | None,
    typer.Option(metavar="COLUMNS", help="Further columns to leave out.", rich_help_panel=HOW),
]
LinkedChoices = Annotated[
    list[str] | None,
    typer.Option(
        metavar="COLUMN=CHOICE,…",
        help="What to do with a column that gives a quasi-identifier away: education-num=follow (as blurred), "
        "=quasi, =drop or =accept.",
        rich_help_panel=HOW,
    ),
]


def read_promises(people: Table, k: int | None, l: str | None, t: str | None) -> list[Model]:  # noqa: E741
    """The models that -k, -l and -t ask for."""
    import lookalike as la

    promises: list[Model] = [] if k is None else [la.KAnonymity(k)]
    for name, value in _for_all(split_pairs(l, option="-l"), people, "-l").items():
        promises.append(la.LDiversity(name, int(value) if value == int(value) else value))
    close = split_marked(t, option="-t", marks=("ordered", "equal", "hierarchical"))
    for name, (far, distance) in _for_all(close, people, "-t").items():
        promises.append(la.TCloseness(name, far, cast(Any, distance)))
    return promises


def read_choices(typed: list[str] | None) -> dict[str, str]:
    """`a=follow,b=drop`, said once or several times, as choices by column."""
    choices: dict[str, str] = {}
    for part in (part for one in typed or () for part in split_names(one)):
        name, equals, choice = (piece.strip() for piece in part.rpartition("="))
        if not equals or not name:
            raise RequestError(
                f"--linked: expected column=choice,column=choice; {part!r} is not of that form."
            )
        if name in choices:
            raise RequestError(f"--linked: {name!r} is given twice.")
        choices[name] = choice
    return choices


def _for_all(said: dict[str, T], people: Table, option: str) -> dict[str, T]:
    """`all=2` said of every sensitive column that is not named beside it; a column called so is meant itself."""
    if "all" not in said or "all" in people.names:
        return said
    if not people.sensitive:
        raise RequestError(f"{option} all=: the table has no sensitive columns. Name them with --sensitive.")
    rest = {name: said["all"] for name in people.sensitive if name not in said}
    return {**{name: value for name, value in said.items() if name != "all"}, **rest}
