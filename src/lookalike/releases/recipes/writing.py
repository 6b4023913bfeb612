"""The recipe of what was asked of `anonymize`, so that every release can say how to make it again."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from lookalike.models.model import Model
from lookalike.releases.recipes.recipe import ColumnRecipe, Recipe
from lookalike.releases.recipes.toml import write_value
from lookalike.tables.columns.roles import Role
from lookalike.tables.meanings.reasons import Reason, Why
from lookalike.tables.table import Table


def write_down(
    people: Table,
    models: Sequence[Model],
    *,
    method: Mapping[str, Any],
    per_column: Mapping[str, Mapping[str, Any]],
    drop: Sequence[str],
    pseudonyms: Sequence[str],
) -> Recipe | None:
    """A recipe out of the arguments of `anonymize`; `per_column` holds weights, numbers, rounding and linked columns.

    None where an option is an object of its own, which no text can hold. A recipe never holds a key, so a column that
    was published as a pseudonym is left out when it is run again.
    """
    try:
        write_value({key: value for key, value in method.items() if value is not None})
    except TypeError:
        return None
    columns = {}
    for name, role in people.roles.items():
        kind = people.kinds.get(name)
        columns[name] = ColumnRecipe(
            Role.IDENTIFIER if name in pseudonyms else role,
            (Reason(Why.PSEUDONYM),) if name in pseudonyms else (),
            type=None if kind is None else kind if isinstance(kind, str) else list(kind),
            drop=name in drop,
            **{key: values[name] for key, values in per_column.items() if name in values},
        )
    source: dict[str, Any] = {"na": list(people.na)}
    source |= {key: value for key in ("unit", "weight") if (value := getattr(people, key)) is not None}
    quasi = [name for name, role in people.roles.items() if role is Role.QUASI]
    return Recipe(
        columns=columns,
        promises=tuple(models),
        source=source,
        method={key: value for key, value in method.items() if value not in ({}, None)},
        hierarchies={
            name: people.tree(name).recipe
            for name in quasi
            if name in people.hierarchies or not _by_ranges(people, name, method)
        },
    )


def _by_ranges(people: Table, name: str, method: Mapping[str, Any]) -> bool:
    """Whether the method blurs a column by ranges unless it is given a hierarchy: then none must be written down."""
    return method["name"] == "sangreea" and people.column(name).kind.numeric
