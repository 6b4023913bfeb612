"""Write proposed roles as a TOML recipe: one line per column, the reasons beside it, ready to be edited."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING

from lookalike.columns.roles import Role

if TYPE_CHECKING:
    from lookalike.recognition.inspection import ColumnReport

_TITLES = {
    Role.IDENTIFIER: "removed, or replaced by pseudonyms",
    Role.QUASI: "known to outsiders: blurred until people look alike",
    Role.SENSITIVE: "what must not be learnt about a person",
    Role.OTHER: "published as it is",
}
_KEYS = {
    Role.IDENTIFIER: "identifiers",
    Role.QUASI: "quasi",
    Role.SENSITIVE: "sensitive",
    Role.OTHER: "others",
}


def write_roles(columns: Sequence[ColumnReport], source: str | None) -> str:
    """The recipe's text. Move a line to another list to change a column's role."""
    lines = [
        "# Proposed by `lookalike inspect`. Move a line to another list to change the role of a column.",
        "",
    ]
    lines += ["[table]"]
    if source is not None:
        lines += [f"path = {quote(source)}"]
    for role, key in _KEYS.items():
        lines += [f"{key} = [  # {_TITLES[role]}"]
        for column in columns:
            if column.role is role:
                lines.append(
                    f"    {quote(column.name)},  # {column.confidence:.0%}: {_comment(column.evidence[0])}"
                )
        lines += ["]"]
    return "\n".join(lines) + "\n"


def quote(text: str) -> str:
    """A TOML basic string; JSON's escapes are TOML's, but for the character 7F."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


def _comment(text: str) -> str:
    return " ".join("".join(c if c.isprintable() else " " for c in text).split())
