"""Decisions on the page and recipes: what was decided as the recipe `la.run` carries out, and a draft as decisions.

So the workbench has no way of its own to make a release: it makes the one its recipe describes.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from lookalike.models import model_from_dict
from lookalike.releases.recipes import ColumnRecipe, Recipe
from lookalike.tables.columns.roles import Role
from lookalike.tables.hierarchies import Hierarchy
from lookalike.tables.meanings.reasons import written_by_hand
from lookalike.tables.table import Table
from lookalike.web.state import rounded

Decisions = Mapping[str, Any]


def recipe_of(decisions: Decisions, names: Iterable[str]) -> Recipe:
    """The recipe that the decisions describe, for a table of these columns; what no longer applies is left out."""
    columns = {name: _column(decisions, name) for name in names}
    source = decisions["source"]
    unit = {} if decisions["unit"] is None else {"unit": decisions["unit"]}
    method = {"name": decisions["method"], "suppression": decisions["suppression"], "seed": decisions["seed"]}
    return Recipe(
        columns=columns,
        promises=tuple(model_from_dict(one) for one in decisions["promises"]),
        source={"file": Path(source["path"]).name, **decisions["reading"], **unit},
        method=method | ({"options": decisions["options"]} if decisions["options"] else {}),
        questions=tuple(decisions["questions"]),
        attacks={"run": True} if decisions["attacks"] else {},
        hierarchies={
            name: Hierarchy.from_dict(how)
            for name, how in decisions["hierarchies"].items()
            if name in columns and columns[name].role is Role.QUASI and not columns[name].drop
        },
        folder=Path(source["path"]).parent,
    )


def _column(decisions: Decisions, name: str) -> ColumnRecipe:
    role, drop = Role(decisions["roles"].get(name, Role.OTHER)), name in decisions["drop"]
    known, shown = role is Role.QUASI and not drop, role not in (Role.QUASI, Role.IDENTIFIER) and not drop
    return ColumnRecipe(
        role,
        written_by_hand(decisions["reasons"].get(name, "")),
        type=decisions["types"].get(name),
        weight=decisions["weights"].get(name) if known else None,
        linked=decisions["linked"].get(name) if shown else None,
        round=rounded(decisions).get(name),
        drop=drop,
    )


def decisions_of(draft: Recipe, people: Table) -> dict[str, Any]:
    """A drafted recipe as decisions; hierarchies that would be grown just so are not decided."""
    columns = draft.columns
    return {
        "unit": draft.source.get("unit"),
        "roles": {name: str(one.role) for name, one in columns.items()},
        "reasons": {name: one.reason for name, one in columns.items()},
        "drop": [name for name, one in columns.items() if one.drop],
        "linked": {name: one.linked for name, one in columns.items() if one.linked is not None},
        "weights": {name: one.weight for name, one in columns.items() if one.weight is not None},
        "rounding": {name: one.round for name, one in columns.items() if one.round is not None},
        "hierarchies": {
            name: hierarchy.to_dict()
            for name, hierarchy in draft.hierarchies.items()
            if hierarchy != people.tree(name).recipe
        },
        "promises": [model.to_dict() for model in draft.promises],
    }
