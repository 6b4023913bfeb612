"""For `make docs`: the reference page lists every public name, room by room, so none is ever forgotten."""

from __future__ import annotations

from typing import Any

import lookalike as la


def on_page_markdown(markdown: str, *, page: Any, **_: Any) -> str:
    """Append every public name to the page `reference.md`, for mkdocstrings to fill in."""
    if page.file.src_uri != "reference.md":
        return markdown
    lines = [markdown]
    for room, names in sorted(la._ROOMS.items()):
        lines += [f"## lookalike.{room}", ""]
        for name in names:
            thing = getattr(la, name)
            lines += [f"::: {thing.__module__}.{thing.__qualname__}", ""]
    return "\n".join([*lines, "## lookalike.datasets", "", "::: lookalike.datasets.people.population", ""])
