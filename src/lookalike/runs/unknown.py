"""What a draft does about what nobody can be asked: columns that nothing is known of, and codes that mean "missing"."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from lookalike.base.errors import amount
from lookalike.recognition.inspection import Inspection, MissingCode
from lookalike.releases.recipes.recipe import ColumnRecipe
from lookalike.runs.columns import proposal
from lookalike.tables.columns.roles import Role
from lookalike.tables.meanings.keys import may_be_key
from lookalike.tables.meanings.missing import is_known
from lookalike.tables.meanings.reasons import Reason, Why
from lookalike.tables.table import Table

_WEIGHT = 0.25  #: what all undecided columns together weigh, of what the quasi-identifiers weigh
_MOST = 20  #: undecided columns that are blurred; of more, those with the fewest values
_ALONE = 0.2  #: share of records alone with their text above which a column stays left out
_NAMED = 4  #: columns and codes that are named one by one


def codes_for_missing(seen: Inspection) -> list[str]:
    """Codes that can hardly be values, such as an age of -9, that no column has as one: ranges must not hold them.

    A number has to be sure in every column that has it; a known word means the same in all of them.
    """
    sure = {code.text for code in seen.codes if code.sure and not code.elsewhere}
    doubted = {code.text for code in seen.codes if not code.sure and not is_known(code.text)}
    return sorted(sure - doubted)


def told_about_codes(seen: Inspection, applied: Collection[str]) -> list[str]:
    """What was read as missing without asking, and what may be missing but was left; for the plan and the recipe."""
    read: dict[str, list[MissingCode]] = {}
    left: dict[str, list[MissingCode]] = {}
    for code in seen.codes:
        (read if code.text in applied else left).setdefault(code.text, []).append(code)
    lines = []
    if read:
        lines.append(f"read as missing, in every column: {_some([_where(codes) for codes in read.values()])}")
    if left:
        named = [
            _where(codes) + (f", a value of {_some(codes[0].elsewhere)}" if codes[0].elsewhere else "")
            for codes in left.values()
        ]
        lines.append(f"left as values, though they may mean missing (`na` says so): {_some(named)}")
    return lines


def _where(codes: Sequence[MissingCode]) -> str:
    """A code, how many records have it, and in which columns."""
    records = amount(sum(code.records for code in codes), "record")
    return f"{codes[0].text} ({records} of {_some([code.column for code in codes])})"


def _some(named: Sequence[str]) -> str:
    more = f" and {len(named) - _NAMED:,} more" if len(named) > _NAMED else ""
    return ", ".join(named[:_NAMED]) + more


def blurred_first(
    people: Table, seen: Inspection, columns: Mapping[str, ColumnRecipe]
) -> dict[str, ColumnRecipe]:
    """Undecided columns as quasi-identifiers of little weight: the promise covers them, and they lose detail first.

    Texts that are nearly all different could be anything, and what so few share may be a household's key: both stay
    left out.
    """
    undecided = [
        column
        for column in sorted(seen.columns, key=lambda column: column.distinct)
        if column.decide
        and column.missing < 1
        and not may_be_key(people.column(column.name))
        and (people.column(column.name).kind.numeric or column.unique <= _ALONE)
    ][:_MOST]
    known = sum(column.role is Role.QUASI for column in columns.values())
    weight = round(min(0.5, _WEIGHT * known / max(len(undecided), 1)), 3)
    return {
        column.name: ColumnRecipe(Role.QUASI, (proposal(column), Reason(Why.BLURRED_FIRST)), weight=weight)
        for column in undecided
    }
