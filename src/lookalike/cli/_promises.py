"""The options by which commands promise and say how, shared by `anonymize`, `choose-k` and `interact`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar, cast

from lookalike.base.errors import RequestError
from lookalike.cli._options import option
from lookalike.cli._typed import pairs, split_each, split_marked, split_names

if TYPE_CHECKING:
    from lookalike.models.model import Model
    from lookalike.tables.table import Table
else:  # annotations of bundles are read when a command is called
    Model = object

T = TypeVar("T")
how_option = partial(option, panel="How it is done")
_promise = partial(option, panel="What is promised")


@dataclass(frozen=True, kw_only=True)
class PromiseOptions:
    """What a release promises."""

    k: int | None = _promise("Everybody has at least k-1 lookalikes.", metavar="NUMBER")
    l: dict[str, float] = _promise(  # noqa: E741 - the letter the literature uses
        "l-diversity: at least so many values per class, disease=3; all=3 for every sensitive column.",
        metavar="COLUMN=NUMBER,…",
        parse=pairs("-l"),
    )
    t: dict[str, tuple[float, str | None]] = _promise(
        "t-closeness: at most so far from the table, disease=0.2; all=0.2 for every sensitive column. How far "
        "values are apart is chosen by the column's type, or said: disease=0.2:ordered, :equal or :hierarchical.",
        metavar="COLUMN=NUMBER,…",
        parse=partial(split_marked, option="-t", marks=("ordered", "equal", "hierarchical")),
    )

    promise: list[Model] = _promise(
        lambda: promise_help("A promise by any model, said once or several times"),
        metavar="NAME=VALUE of COLUMN",
        parse=lambda typed: read_promises(typed),
        several=True,
    )

    def __bool__(self) -> bool:
        return self.k is not None or bool(self.l or self.t or self.promise)

    def models(self, people: Table) -> list[Model]:
        """The privacy models that are asked for."""
        import lookalike as la

        promises: list[Model] = [] if self.k is None else [la.KAnonymity(self.k)]
        for name, least in _for_all(self.l, people, "-l").items():
            promises.append(la.LDiversity(name, int(least) if least == int(least) else least))
        for name, (far, distance) in _for_all(self.t, people, "-t").items():
            promises.append(la.TCloseness(name, far, cast(Any, distance)))
        return [*promises, *self.promise]


@dataclass(frozen=True, kw_only=True)
class HowOptions:
    """How much may be left out and lost, and what happens to single columns."""

    suppression: float = how_option(
        "Largest share of people who may be left out (of records where there is no --unit).", default=0.05
    )
    weights: dict[str, float] = how_option(
        "How much losing detail hurts: age=2,zip=1.", metavar="COLUMN=WEIGHT,…", parse=pairs("--weights")
    )
    drop: list[str] = how_option("Further columns to leave out.", metavar="COLUMNS", parse=split_names)
    linked: dict[str, str] = how_option(
        "What to do with a column that gives a quasi-identifier away: education-num=follow (as blurred), "
        "=quasi, =drop or =accept.",
        metavar="COLUMN=CHOICE,…",
        parse=lambda typed: _choices(typed),
        several=True,
    )


def promise_help(what: str) -> str:
    """What `--promise` takes: every model as it is typed."""
    from lookalike.models.registry import examples

    return f"{what}: {'; '.join(examples())}."


def read_promises(typed: list[str] | None) -> list[Model]:
    """The models that `l=3 of diagnosis` and the like spell out."""
    from lookalike.models.registry import parse_promise

    return [parse_promise(text) for text in typed or ()]


def _choices(typed: list[str] | None) -> dict[str, str]:
    """`a=follow,b=drop`, said once or several times, as choices by column."""
    parts = [part for one in typed or () for part in split_names(one)]
    return split_each(parts, option="--linked", form="column=choice,column=choice", last=True)


def _for_all(said: Mapping[str, T], people: Table, option: str) -> Mapping[str, T]:
    """`all=2` said of every sensitive column that is not named beside it; a column called so is meant itself."""
    if "all" not in said or "all" in people.names:
        return said
    if not people.sensitive:
        raise RequestError(f"{option} all=: the table has no sensitive columns. Name them with --sensitive.")
    rest = {name: said["all"] for name in people.sensitive if name not in said}
    return {**{name: value for name, value in said.items() if name != "all"}, **rest}
