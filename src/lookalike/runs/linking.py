"""What a draft decides about columns that would give a blurred one away, so that what it proposes can be carried out.

Looked for among the quasi-identifiers that the draft ends with, as `anonymize` will. O(columns x quasi x n).
"""

from __future__ import annotations

from collections.abc import Mapping

from lookalike.recognition.links import Link, linked_columns
from lookalike.releases.recipes.recipe import ColumnRecipe
from lookalike.tables.columns.roles import Role
from lookalike.tables.meanings.reasons import Why
from lookalike.tables.table import Table

_BOTH_WAYS = ("one to one", "in step with", "holds", "adds up")
_TELLS = (*_BOTH_WAYS, "determines")


def decide_links(people: Table, columns: Mapping[str, ColumnRecipe]) -> dict[str, ColumnRecipe]:
    """The columns with a decision about each that gives a quasi-identifier away, and the reason.

    Such a column follows its quasi-identifier, or is left out where it cannot: what was left out itself cannot be
    followed. Where a sensitive column says the same as one that nothing is known of,
    the unknown one goes.
    """
    out = dict(columns)
    gone = [name for name, column in out.items() if column.role is Role.QUASI and column.drop]
    while True:
        decided = _decide(people, out, gone)
        dropped = {name: column for name, column in decided.items() if column.drop}
        if not dropped:
            return out | decided
        out |= dropped  # fewer columns may be linked in other ways, so they are looked at once more


def _decide(people: Table, columns: Mapping[str, ColumnRecipe], gone: list[str]) -> dict[str, ColumnRecipe]:
    quasi = [name for name, column in columns.items() if column.role is Role.QUASI and not column.drop]
    links = _links(people, columns, quasi)
    linked = {name for link in links for name in link.columns}
    out: dict[str, ColumnRecipe] = {}
    for link in links:
        out |= _about_kept({**columns, **out}, link)
    for link in _links(people, columns, gone):
        name = link.columns[-1]
        tells = _BOTH_WAYS if columns[name].role is Role.SENSITIVE else _TELLS
        alone = len(link.deciding) == 1  # one of many that add up to it tells next to nothing
        if alone and link.how in tells and not linked.intersection(link.columns):
            out[name] = _left_out(columns[name], link)
    return out


def _links(people: Table, columns: Mapping[str, ColumnRecipe], quasi: list[str]) -> tuple[Link, ...]:
    """The links to these quasi-identifiers of the columns that would be published beside them."""
    roles = {name: Role.IDENTIFIER if column.drop else column.role for name, column in columns.items()}
    if people.unit is not None:
        people.column(people.unit)  # coded here, and not again by each table with other roles
    described = people.with_roles(**{**roles, **dict.fromkeys(quasi, Role.QUASI)})
    shown = [name for name, role in roles.items() if role not in (Role.IDENTIFIER, Role.QUASI)]
    return linked_columns(described, quasi=quasi, columns=shown) if quasi and shown else ()


def _about_kept(columns: Mapping[str, ColumnRecipe], link: Link) -> dict[str, ColumnRecipe]:
    """What becomes of columns that give one away which is published."""
    decided = [bool(columns[name].linked or columns[name].drop) for name in link.columns]
    if all(decided) or (len(link.deciding) == 1 and any(decided)):
        return {}  # of two that tell together, one is enough
    if any(columns[name].role is Role.SENSITIVE for name in link.columns):
        if link.how not in _BOTH_WAYS:
            return {}  # published by design, and told when it is
        known = link.quasi[0]
        if columns[known].unknown:
            return {known: _left_out(columns[known], link)}
    free = [name for name in link.deciding if not columns[name].linked]
    return {name: columns[name].with_reason(Why.FOLLOWS, {"link": link}, linked="follow") for name in free}


def _left_out(column: ColumnRecipe, link: Link) -> ColumnRecipe:
    return column.with_reason(Why.LEFT_OUT_LINKED, {"link": link}, drop=True, linked=None)
