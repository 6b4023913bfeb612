"""What a column is for (its role) and how its values relate to each other (its kind)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import StrEnum

from lookalike.base.checks import column_names
from lookalike.base.errors import ColumnError, amount, unknown_column, warn


class Role(StrEnum):
    """What a column is for.

    Examples:
        >>> import lookalike as la
        >>> la.Role("quasi") is la.Role.QUASI
        True
        >>> [role.value for role in la.Role]
        ['identifier', 'quasi', 'sensitive', 'target', 'other']
    """

    IDENTIFIER = "identifier"  #: names a person outright; removed or replaced by a pseudonym
    QUASI = "quasi"  #: known to outsiders, and identifying in combination
    SENSITIVE = "sensitive"  #: what must not be learnt about a person
    TARGET = "target"  #: what a model predicts; published as it is
    OTHER = "other"  #: nobody said; published as it is, with a warning


class Kind(StrEnum):
    """How the values of a column relate to each other.

    Examples:
        >>> import lookalike as la
        >>> la.Kind.DATE.numeric, la.Kind.ORDINAL.numeric
        (True, False)
        >>> [kind.value for kind in la.Kind if kind.ordered]
        ['integer', 'decimal', 'date', 'ordinal']
    """

    INTEGER = "integer"  #: whole numbers
    DECIMAL = "decimal"  #: numbers with decimals
    DATE = "date"  #: days, or moments
    ORDINAL = "ordinal"  #: words in an order
    NOMINAL = "nominal"  #: names without an order

    @property
    def numeric(self) -> bool:
        """Distances between values mean something (dates count in days)."""
        return self in (Kind.INTEGER, Kind.DECIMAL, Kind.DATE)

    @property
    def ordered(self) -> bool:
        """The sorted domain has a meaning."""
        return self is not Kind.NOMINAL


#: Where a person says the type of a column; commands show the option instead of the argument.
SAY_TYPE = " (`types`, or `type` in a recipe)"

#: The words callers use for the roles.
WORDS = {
    "identifiers": Role.IDENTIFIER,
    "quasi": Role.QUASI,
    "sensitive": Role.SENSITIVE,
    "targets": Role.TARGET,
    "others": Role.OTHER,
}


def signed_name(entry: str, names: Sequence[str], word: str) -> tuple[str, str]:
    """The sign of `zip`, `+zip` or `-year` and its column; a column that is called so is meant as it is."""
    if entry in names or entry[:1] not in ("+", "-"):
        sign, name = "+", entry
    else:
        sign, name = entry[0], entry[1:].strip()
    if name not in names:
        raise unknown_column(name, names, word)
    return sign, name


def assign_roles(
    columns: Sequence[str],
    named: Mapping[str, Sequence[str] | None],
    *,
    unit: str | None,
    weight: str | None,
) -> dict[str, Role]:
    """One role for each column; `named` has a list of columns per word, None for `others` where nobody gave it.

    Columns nobody named get the role *other*, with a warning unless `others` was given.
    """
    roles: dict[str, Role] = {}
    there = set(columns)
    for word, names in named.items():
        for name in column_names(() if names is None else names, word):
            if name not in there:
                raise unknown_column(name, columns, word)
            if name in roles:
                raise ColumnError(
                    f"column {name!r} is named twice ({roles[name]} and {WORDS[word]}). Give it one role."
                )
            roles[name] = WORDS[word]
    for what, column, role in (("unit", unit, Role.IDENTIFIER), ("weight", weight, Role.OTHER)):
        if column is not None:
            if column not in columns:
                raise unknown_column(column, columns, what)
            roles.setdefault(column, role)
    unnamed = [name for name in columns if name not in roles]
    if unnamed and named["others"] is None and any(named.values()):
        shown = ", ".join(unnamed[:8]) + (", …" if len(unnamed) > 8 else "")
        warn(
            f"no role was given to {amount(len(unnamed), 'column')}, taken as 'other' and published as is: {shown}. "
            "Name them in `others` if that is meant; an empty `others` accepts all.",
        )
    return {name: roles.get(name, Role.OTHER) for name in columns}
