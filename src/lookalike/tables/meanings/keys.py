"""Could a column be a key: of people, of households, or of what is theirs? Then a set of its values names them.

Coordinates, towns and jobs repeat among strangers; a plate, a family's number or a contact is shared by a household
at most. Only counts and digits are looked at, so a rare word is doubted as well: it is asked for, never decided.
"""

from __future__ import annotations

from lookalike.tables.columns.coding import Column
from lookalike.tables.columns.roles import Kind
from lookalike.tables.meanings.plausible import facts_of

_VALUES = 20  # below so many values nobody is named by one
_HOUSEHOLD = 5  # rows that share a value of a key on average, at most
_RARE, _NEARLY = 4, 0.8  # of codes, so many values are had by so few rows, however often the rest comes
_DIGITS = 6  # whole numbers of so many digits each may be numbers given to somebody
_SAMPLE = 1000
_DAYS = (18_500_101, 21_001_231)  # days written as one number


def few_share(column: Column) -> bool:
    """Whether a value is shared by a household at most, on average."""
    facts = facts_of(column)
    return facts.distinct >= _VALUES and facts.records - facts.missing < _HOUSEHOLD * facts.distinct


def may_be_key(column: Column) -> bool:
    """Whether so few rows share a value that it may stand for a person or a household."""
    facts = facts_of(column)
    if facts.distinct < _VALUES or column.kind in (Kind.DECIMAL, Kind.DATE):
        return False
    shared = not few_share(column)
    if column.kind is Kind.INTEGER:
        first, last = column.domain.values[0], column.domain.values[-1]
        long = len(str(first)) == len(str(last)) >= _DIGITS and first > 0
        return bool(not shared and long and not _DAYS[0] <= first <= last <= _DAYS[1])
    if not shared:
        return True
    counts = column.counts[: len(column.domain.values)]
    counts = counts[counts > 0]
    return bool((counts <= _RARE).mean() >= _NEARLY) and _is_coded(column.domain.texts)


def _is_coded(texts: list[str]) -> bool:
    some = texts[:: max(len(texts) // _SAMPLE, 1)]
    return sum(any(map(str.isdigit, text)) for text in some) >= _NEARLY * len(some)
