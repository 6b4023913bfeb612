"""`--roles auto --quasi +zip,-year`: the roles that `inspect` proposes, but for the columns that are named.

Where people have several rows, they are counted and not their rows, as `inspect` proposes, too.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from lookalike.base.errors import RequestError, warn
from lookalike.tables.columns.roles import WORDS, Role, signed_name

if TYPE_CHECKING:
    from lookalike.tables.table import Table


def propose(people: Table, named: Mapping[str, Sequence[str]]) -> Table:
    """The table with proposed roles, changed where columns are named: `zip` or `+zip` gives the role, `-year` takes it.

    A column whose role is taken becomes other. What `inspect` does not know is refused, unless the columns are named;
    an empty `others` accepts them all, as it does elsewhere.
    """
    import lookalike as la
    from lookalike.recognition.units import whose_are_known

    found = la.inspect(people)
    roles = dict(found.roles)
    given = {name for name in (people.unit, people.weight) if name is not None}
    changed: dict[str, str] = {}
    for word, entries in named.items():
        for entry in entries:
            sign, name = signed_name(entry, people.names, word)
            if changed.setdefault(name, word) != word:
                raise RequestError(
                    f"column {name!r} is named in --{changed[name]} and in --{word}. Give it one role."
                )
            if sign == "+":
                roles[name] = WORDS[word]
            elif roles[name] is WORDS[word]:
                roles[name] = Role.OTHER
            else:
                raise RequestError(
                    f"--{word}: -{name} takes a role that was not proposed; {name!r} is {roles[name]}."
                )
    accepted = named.get("others") == []
    if not accepted and (unknown := found.unknown(besides={*changed, *given})):
        raise RequestError(
            f"--roles auto: {unknown}. Name each in --others to publish it as it is, in --quasi, --sensitive or "
            "--identifiers (left out); --others '' publishes them all."
        )
    out = people.with_roles(**{name: role for name, role in roles.items() if name not in given})
    if people.unit is None:
        whose = found.whose_rows()
        if whose.doubt:
            warn(f"{whose.doubt}.")
        elif whose.column is not None:
            warn(
                f"People have several rows: {whose.column} tells them apart, so they are counted. --unit says another."
            )
        out = out.with_unit(whose.column)
    return whose_are_known(out)
