"""What a column is for (its role) and how its values relate to each other (its kind)."""

from __future__ import annotations

from enum import StrEnum


class Role(StrEnum):
    """What a column is for."""

    IDENTIFIER = "identifier"  #: names a person outright; removed or replaced by a pseudonym
    QUASI = "quasi"  #: known to outsiders, and identifying in combination
    SENSITIVE = "sensitive"  #: what must not be learnt about a person
    TARGET = "target"  #: what a model predicts; published as it is
    OTHER = "other"  #: nobody said; published as it is, with a warning


class Kind(StrEnum):
    """How the values of a column relate to each other."""

    INTEGER = "integer"
    DECIMAL = "decimal"
    DATE = "date"
    ORDINAL = "ordinal"
    NOMINAL = "nominal"

    @property
    def numeric(self) -> bool:
        """Distances between values mean something (dates count in days)."""
        return self in (Kind.INTEGER, Kind.DECIMAL, Kind.DATE)

    @property
    def ordered(self) -> bool:
        """The sorted domain has a meaning."""
        return self is not Kind.NOMINAL
