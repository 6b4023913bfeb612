"""What a draft promises: groups as large as offices ask for at this size, and diversity where it costs little."""

from __future__ import annotations

from collections.abc import Mapping

from lookalike.models import KAnonymity, LDiversity
from lookalike.recognition.inspection import ColumnReport, Inspection
from lookalike.releases.recipes.recipe import ColumnRecipe
from lookalike.tables.columns.roles import Role
from lookalike.tables.table import Table

_MANY_PEOPLE = 5_000  #: from so many on, larger groups cost little detail
#: smallest groups: as usual, of many people, and where there are not even five
_GROUP, _LARGE_GROUP, _LEAST = 5, 11, 3
MOST_DIVERSE = 3  #: sensitive columns that get a promise of their own, the surest first
#: share of records without the commonest value below which diversity costs more than it is worth
_FEWEST_OTHERS = 0.1


def smallest_group(everybody: int, what: str) -> tuple[int, str]:
    """How many have to look alike, and why."""
    if everybody >= _MANY_PEOPLE:
        many = f"from {_MANY_PEOPLE:,} {what} on it costs little detail"
        return (
            _LARGE_GROUP,
            f"Groups of {_LARGE_GROUP}: the larger of the two sizes that offices use, since {many}",
        )
    if everybody >= _GROUP:
        few = f"there are fewer than {_MANY_PEOPLE:,} {what}; take {_LARGE_GROUP} where much is at stake"
        return _GROUP, f"Groups of {_GROUP}: the smaller of the two sizes that offices use, since {few}"
    return _LEAST, f"Groups of {_LEAST}: there are fewer than {_GROUP} {what}"


def promise(
    people: Table, inspection: Inspection, columns: Mapping[str, ColumnRecipe], k: KAnonymity
) -> list[KAnonymity | LDiversity]:
    """Groups of k, and two values in each of what must not be learnt, for the surest such columns."""
    surest = sorted(inspection.columns, key=lambda column: -column.confidence)
    diverse = [column.name for column in surest if _can_be_diverse(people, column, columns[column.name])]
    return [k, *(LDiversity(name, 2) for name in diverse[:MOST_DIVERSE])]


def _can_be_diverse(people: Table, report: ColumnReport, column: ColumnRecipe) -> bool:
    """Whether a sensitive column is published as it is, and has few enough values that are not nearly all alike."""
    changed = column.drop or column.linked or column.round is not None
    if column.role is not Role.SENSITIVE or changed or not 2 <= report.distinct <= 50:
        return False
    counts = people.column(report.name).counts
    return bool(counts.sum() - counts.max() >= _FEWEST_OTHERS * len(people))
