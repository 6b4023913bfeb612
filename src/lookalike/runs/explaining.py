"""What a recipe will do, in a few lines, so that somebody can agree to it."""

from __future__ import annotations

from lookalike.base.errors import amount, percent
from lookalike.releases.recipes.recipe import Recipe
from lookalike.runs.promises import MOST_DIVERSE
from lookalike.tables.columns.roles import Role
from lookalike.tables.meanings.reasons import Why

_SHOWN = 12  #: names in a line, and reasons below it


def explain(recipe: Recipe) -> str:
    """What a recipe will do, in a few lines."""
    doubts = [f"{doubt}." for doubt in recipe.doubts]
    return "\n".join(
        [*doubts, *_left_out(recipe), *_blurred(recipe), *_published(recipe), *_promised(recipe)]
    )


def _left_out(recipe: Recipe) -> list[str]:
    dropped = {name: column for name, column in recipe.columns.items() if column.drop}
    empty = [name for name, column in dropped.items() if column.because(Why.EMPTY)]
    rest = [name for name in dropped if name not in empty]
    lines = [f"left out: {_list(recipe.having(Role.IDENTIFIER) + rest)}"]
    if empty:
        lines.append(f"left out, since no row has a value: {_list(empty)}")
    return lines


def _blurred(recipe: Recipe) -> list[str]:
    """The quasi-identifiers, those that put a person's rows together, and those that nothing is known of."""
    quasi = recipe.having(Role.QUASI)
    unknown = [name for name in quasi if recipe.columns[name].unknown]
    lines = [f"blurred (quasi-identifiers): {_list([name for name in quasi if name not in unknown])}"]
    rejoining: dict[str, list[str]] = {}  # why -> columns
    for name in quasi:
        reason = recipe.columns[name].because(Why.REJOINS)
        if reason is not None:
            rejoining.setdefault(reason.text, []).append(name)
    lines += [
        f"  among them {_list(names)}: {'it' if len(names) == 1 else 'each'} {why}"
        for why, names in rejoining.items()
    ]
    if unknown:
        lines += [
            f"blurred before these, since nothing says what they are: {_list(unknown)}",
            "  if one of them must not be learnt, make it sensitive: nothing is promised about its values till then",
        ]
    return lines


def _published(recipe: Recipe) -> list[str]:
    """The sensitive columns with and without a promise, and what is published as it is or as what it gives away."""
    promised = {name for model in recipe.promises for name in model.columns}
    sensitive = recipe.having(Role.SENSITIVE)
    lines = [f"protected (sensitive): {_list([name for name in sensitive if name in promised])}"]
    if bare := [name for name in sensitive if name not in promised]:
        lines.append(
            f"sensitive, but nothing is promised about their values: {_list(bare)}\n  (rounded, very many values, "
            f"nearly all alike, or more than {MOST_DIVERSE} such columns; a [[promise]] in the recipe adds one)"
        )
    linked = [name for name, column in recipe.columns.items() if column.linked]
    kept = recipe.having(Role.OTHER) + recipe.having(Role.TARGET)
    lines.append(f"published as they are: {_list([name for name in kept if name not in linked])}")
    if linked:
        lines.append(f"blurred along with what they give away: {_list(linked)}")
        reasons = (recipe.columns[name].because(Why.FOLLOWS) for name in linked[:_SHOWN])
        lines += [f"  {reason.text}" for reason in reasons if reason is not None]
    return lines


def _promised(recipe: Recipe) -> list[str]:
    """How the table is read, and what is promised about the release."""
    lines = []
    if "unit" in recipe.source:
        lines.append(
            f"people may have several rows: different values of {recipe.source['unit']!r} are counted, not rows"
        )
    marked = [text for text in recipe.source.get("na", ()) if text != "?"]
    lines += recipe.notes or ([f"read as missing, in every column: {_list(marked)}"] if marked else [])
    for model in recipe.promises:
        why = recipe.reasons.get(model.about)
        lines.append(f"promised: {model.counting(recipe.source.get('unit'))}" + (f" {why}." if why else ""))
    lines.append(f"at most {percent(recipe.method.get('suppression', 0.05))} of the people left out")
    return lines


def _list(names: list[str]) -> str:
    shown = ", ".join(names[:_SHOWN])
    more = f" and {amount(len(names) - _SHOWN, 'other')}" if len(names) > _SHOWN else ""
    return (shown + more) or "none"
