"""What an explainer may be asked for, checked before anything is done."""

from __future__ import annotations

from collections.abc import Sequence

from lookalike.errors import unknown_column


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
