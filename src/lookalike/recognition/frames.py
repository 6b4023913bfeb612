"""`takes_frames`: verbs about a table take a frame in its place, with what there is to say about its columns.

`la.risk(frame, quasi=["age", "zip"])` is `la.risk(la.table(frame, quasi=["age", "zip"]))`. A verb that looks at a
release reads the frame as the release was made. Where nobody names roles, `inspect` proposes, and a warning says what.
Verbs that look at single rows read those that are elsewhere into memory, and a warning says so.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from functools import wraps
from inspect import Parameter, signature
from pathlib import Path
from typing import Any, Concatenate, ParamSpec, Protocol, TypeVar, cast, overload

from lookalike.base.checks import checked
from lookalike.base.errors import RequestError, warn
from lookalike.recodings.files import read_recoding, read_source
from lookalike.recodings.taking import take_as
from lookalike.recognition.units import whose_are_known
from lookalike.tables.columns.coding import KindLike
from lookalike.tables.columns.roles import WORDS, Role
from lookalike.tables.hierarchies.files import Hierarchies
from lookalike.tables.intake import read, table
from lookalike.tables.sources.frames import Source, stays_there, take
from lookalike.tables.table import Table

#: what `la.table` is told about columns
SAID = (*WORDS, "hierarchies", "types", "unit", "weight", "na")
_ELSEWHERE = ("memory", "most")  # what else there is to say about rows that stay where they are
_NAMED = (*_ELSEWHERE, "table", "delimiter", "quote", "engine")  # and about those that are named
_THERE = ("risk", "anonymize", "pseudonymise", "attack")  # verbs that need not have all rows in memory
_CHOSEN = (*WORDS, "columns")  # whoever names any of these has looked at the columns
_PUBLISH = ("anonymize", "deidentify", "interact")  # a column without a role matters where it would go out

P = ParamSpec("P")
R = TypeVar("R", covariant=True)


class Verb(Protocol[P, R]):
    """Something done with a table, or with a frame and what is said about its columns.

    The first form has the verb's own arguments, the second besides what `la.table` takes, so that editors offer both.
    """

    @overload
    def __call__(self, people: Table | Source, /, *args: P.args, **kwargs: P.kwargs) -> R: ...
    @overload
    def __call__(
        self,
        people: Source,
        /,
        *args: Any,
        identifiers: Sequence[str] = ...,
        quasi: Sequence[str] = ...,
        sensitive: Sequence[str] = ...,
        targets: Sequence[str] = ...,
        others: Sequence[str] | None = ...,
        hierarchies: Hierarchies | None = ...,
        types: Mapping[str, KindLike] | None = ...,
        unit: str | None = ...,
        weight: str | None = ...,
        na: Collection[str] = ...,
        **kwargs: Any,
    ) -> R: ...


def takes_frames(verb: Callable[Concatenate[Table, P], R]) -> Verb[P, R]:
    """The same verb, for frames too."""
    verb = checked(verb)
    known = signature(verb).parameters
    first = next(iter(known))
    place = list(known).index("release") if "release" in known else None

    @wraps(verb)
    def call(*args: Any, **kwargs: Any) -> R:
        people, rest = (args[0], args[1:]) if args else (kwargs.pop(first, None), ())
        if isinstance(people, Table):
            _refuse_said(kwargs, known)
            return verb(_rows_for(verb.__name__, people), *rest, **kwargs)
        there = {name: kwargs.pop(name) for name in _how_to_open(verb.__name__, people) if name in kwargs}
        said = {name: kwargs.pop(name) for name in SAID if name in kwargs}
        own = {name: value for name, value in said.items() if name in known}
        release = kwargs.get("release", rest[place - 1] if place and len(rest) >= place else None)
        if release is not None:
            people = _as_released(people, release, said)
        elif any(name in said or name in kwargs for name in _CHOSEN):
            described = {name: value for name, value in said.items() if _is_said(name, value)}
            if verb.__name__ not in _PUBLISH:
                described.setdefault("others", [])
            people = _open(people, **there, **described)
        else:
            besides = kwargs.get("drop", ()) if verb.__name__ in _PUBLISH else None
            people = propose(people, publish=besides, **there, **said)
        return verb(_rows_for(verb.__name__, people), *rest, **kwargs, **own)

    call.__doc__ = (
        f"{(verb.__doc__ or '').rstrip()}\n\n    A frame will do in the table's place, with what `la.table` takes: "
        f"{', '.join(SAID)}.\n    "
    )
    return cast("Verb[P, R]", call)


def as_table(people: Any, said: Mapping[str, Any]) -> Table:
    """A table as it is, a frame as the table that is described, or that `inspect` proposes where no role is named."""
    if isinstance(people, Table):
        _refuse_said(said, {})
        return people
    if any(name in said for name in WORDS):
        return table(people, **{"others": [], **said})
    return propose(people, **said)


def _how_to_open(verb: str, people: Any) -> tuple[str, ...]:
    """The arguments about where rows are that a verb takes beside its own."""
    if isinstance(people, str | Path):
        return _NAMED if verb in _THERE else ()
    return _ELSEWHERE if stays_there(people) else ()


def _open(source: Any, **how: Any) -> Table:
    """The table in a frame; rows in files that are named stay where they are."""
    if isinstance(source, str | Path):
        return read(source, **{"engine": "streaming", **how})
    return table(source, **how)


def _rows_for(verb: str, people: Table) -> Table:
    """The table as a verb needs it: with its rows in memory, but for verbs that can do without."""
    if people.origin is None or verb in _THERE:
        return people
    out = people.read_rows()
    warn(
        f"`{verb}` looks at single rows, so {len(out):,} rows were read into memory from where they are "
        f"({people.origin.name})."
    )
    return out


def propose(frame: Any, *, publish: Collection[str] | None = None, **said: Any) -> Table:
    """The table in a frame with the roles that `inspect` proposes, said aloud; `said` is of `la.table`, roles aside.

    publish: refuse columns of which nothing is known, since they would go out; but for those named here.
    """
    from lookalike.recognition.inspecting import inspect

    people = _open(frame, others=[], **said)
    seen = inspect(people)
    people = seen.table if people.origin is None else people.described_as(seen.table)
    if publish is not None and (unknown := seen.unknown(besides=publish)):
        raise RequestError(
            f"no roles were given, and {unknown}. Decide about each before it is published: "
            f"la.inspect(frame).table.with_roles({seen.undecided[0]}='other'), or 'quasi', 'sensitive', 'identifier'."
        )
    found = [
        f"{word}=[{', '.join(map(repr, people.having(role)))}]"
        for word, role in WORDS.items()
        if people.having(role) and role is not Role.OTHER
    ]
    warn(
        "no roles were given, so `inspect` proposed them from names and values: "
        f"{', '.join(found) or 'none'}; all others are neither blurred nor protected. "
        + ("" if people.unit is None else f"People have several rows, told apart by unit={people.unit!r}. ")
        + "Look at la.inspect(frame), and name the roles yourself.",
    )
    return people


def _as_released(frame: Any, release: Any, said: Mapping[str, Any]) -> Table:
    """The frame read as the table that a release was made from; what is said besides goes before."""
    people = getattr(release, "people", None)
    if isinstance(people, Table) and people.origin is None:
        taken = take(frame)
        out = people.with_rows(taken.rows, taken.give_back)
    elif isinstance(release, str | Path):
        source, taken = read_source(release), take(frame)
        told = source.get("unit")  # the folder knows, where the frame has it
        unit = said.get("unit", told if told in taken.rows.columns else None)
        out = take_as(read_recoding(release), frame, unit=unit, na=said.get("na", source.get("na", ("?",))))
    else:
        return table(frame, others=[])  # the verb says what is wrong with its release
    roles = {
        name: role
        for word, role in WORDS.items()
        for name in (said.get(word) or ())
        if role is not Role.TARGET and not isinstance(said[word], str)
    }
    return whose_are_known(out.with_roles(**roles) if roles else out)


def _is_said(name: str, value: Any) -> bool:
    """Metrics take one sensitive column by its name, and no role of it."""
    return not (name in WORDS and isinstance(value, str) and name != "quasi")


def _refuse_said(kwargs: Mapping[str, Any], known: Mapping[str, Parameter]) -> None:
    for name in SAID:
        if name in kwargs and name not in known:
            raise RequestError(
                f"`{name}` is said when a table is made, and this one is made already. Make it with "
                f"la.table(frame, {name}=...), or change roles with people.with_roles(column='quasi')."
            )
