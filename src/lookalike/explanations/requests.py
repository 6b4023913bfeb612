"""What an explainer may be asked for, checked before anything is done."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from lookalike.errors import RequestError, unknown_column


def find_fixed(
    features: Sequence[str], immutable: Sequence[str], actionable: Sequence[str] | None
) -> list[str]:
    """The columns that must stay as they are."""
    for where, names in (("immutable", immutable), ("actionable", actionable or ())):
        for name in names:
            if name not in features:
                raise unknown_column(name, features, where)
    if actionable is None:
        return list(immutable)
    return [name for name in features if name in immutable or name not in actionable]


def check_choice(**given: tuple[Any, tuple[Any, ...]]) -> None:
    """Refuse an option that is not one of those allowed."""
    for name, (value, allowed) in given.items():
        if value not in allowed:
            raise RequestError(f"{name} is {value!r}; it must be one of {', '.join(map(repr, allowed))}.")


def check_whole(**given: int) -> None:
    """Refuse what is no whole number of at least 1."""
    for name, value in given.items():
        if isinstance(value, bool) or value != int(value) or value < 1:
            raise RequestError(f"{name} is {value!r}; it must be a whole number of at least 1.")
