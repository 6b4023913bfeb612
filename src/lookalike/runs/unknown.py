"""What a draft does about what nobody can be asked: columns that nothing is known of, and codes that mean "missing"."""

from __future__ import annotations

from collections.abc import Mapping

from lookalike.columns.roles import Role
from lookalike.recipes.recipe import ColumnRecipe
from lookalike.recognition.inspection import Inspection
from lookalike.tables.table import Table

_WEIGHT = 0.25  #: what all undecided columns together weigh, of what the quasi-identifiers weigh
_MOST = 20  #: undecided columns that are blurred; of more, those with the fewest values
_ALONE = 0.2  #: share of records alone with their text above which a column stays left out


def codes_for_missing(people: Table, seen: Inspection) -> list[str]:
    """Codes among numbers, such as -9, that mean "missing" in every column that has them: ranges must not hold them."""
    marked = {column.name: set(column.stand_ins) for column in seen.columns if column.stand_ins}
    texts = {column.name: set(people.column(column.name).domain.texts) for column in seen.columns}
    among_numbers = [
        marked[name]
        for name in marked
        if people.column(name).kind.ordered or all(_is_number(text) for text in texts[name] - marked[name])
    ]
    codes = sorted(set().union(*among_numbers))
    return [code for code in codes if all(code not in texts[n] or code in marked.get(n, ()) for n in texts)]


def _is_number(text: str) -> bool:
    try:
        float(text.replace(",", "."))
    except ValueError:
        return False
    return True


def blurred_first(
    people: Table, seen: Inspection, columns: Mapping[str, ColumnRecipe]
) -> dict[str, ColumnRecipe]:
    """Undecided columns as quasi-identifiers of little weight: the promise covers them, and they lose detail first.

    Texts that are nearly all different could be anything and stay left out.
    """
    found = [
        column
        for column in sorted(seen.columns, key=lambda one: one.distinct)
        if column.decide and (people.column(column.name).kind.numeric or column.unique <= _ALONE)
    ][:_MOST]
    known = sum(column.role is Role.QUASI for column in columns.values())
    weight = round(min(0.5, _WEIGHT * known / max(len(found), 1)), 3)
    why = (
        "nothing says what it is: blurred as if outsiders knew it, and before the others, until somebody says"
    )
    return {
        column.name: ColumnRecipe(
            Role.QUASI, f"{column.confidence:.0%} sure: {column.evidence[0]}; {why}", weight=weight
        )
        for column in found
    }
