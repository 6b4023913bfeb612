"""What a recipe says that does not go together: told with the section to change, or passed over where it is void."""

from __future__ import annotations

from lookalike.base.errors import RequestError, unknown_column, warn
from lookalike.releases.recipes.recipe import ColumnRecipe, Recipe
from lookalike.releases.recipes.toml import write_key
from lookalike.tables.columns.roles import Role

_BESIDE = (Role.SENSITIVE, Role.TARGET, Role.OTHER)
#: what may be said of a column -> the roles that it is for
MEANT_FOR = {"weight": (Role.QUASI,), "numbers": (Role.QUASI,), "linked": _BESIDE, "round": _BESIDE}


def said_of(column: ColumnRecipe, key: str) -> bool:
    """Whether something is said of a column that a column of its role is asked; of one left out, nothing is."""
    return getattr(column, key) is not None and not column.drop and column.role in MEANT_FOR[key]


def refuse_contradictions(recipe: Recipe) -> None:
    """Refuse promises that the roles do not allow, and warn of what a role makes void, before anything is read."""
    if not recipe.having(Role.QUASI):
        raise RequestError(
            'the recipe has no quasi-identifiers: give role = "quasi" to the columns that outsiders may know.'
        )
    if not recipe.promises and recipe.method.get("name") != "semantic":
        raise RequestError(
            'the recipe promises nothing: add a section [[promise]] with model = "k-anonymity" and k = 5.'
        )
    for model in recipe.promises:
        for name in model.columns:
            _refuse_promise(recipe, model.name, name)
    void = [
        f"`{key}` of column {name!r}, which is {column.role}"
        for name, column in recipe.columns.items()
        for key in MEANT_FOR
        if getattr(column, key) is not None and not column.drop and not said_of(column, key)
    ]
    if void:
        warn(f"the recipe says what its roles make void, and it is passed over: {'; '.join(void)}.")


def _refuse_promise(recipe: Recipe, model: str, name: str) -> None:
    column = recipe.columns.get(name)
    if column is None:
        raise unknown_column(name, recipe.columns, f"the promise of {model}")
    place = f"[columns.{write_key(name)}]"
    promise = f"the section [[promise]] of {model} with column = {name!r}"
    if column.drop:
        raise RequestError(
            f"column {name!r} is left out, so {promise} has to be taken out of the recipe, too."
        )
    if column.role is not Role.SENSITIVE:
        raise RequestError(
            f'a promise is made about column {name!r}, which is {column.role}: write role = "sensitive" under {place}, '
            f"or take out {promise}."
        )
    if column.round is not None or column.linked not in (None, "accept"):
        line = "round" if column.round is not None else "linked"
        raise RequestError(
            f"a promise is made about column {name!r}, so it is published as it is: take `{line}` out from under "
            f"{place}, or take out {promise}."
        )
