"""How results look in a notebook: one small panel of plain HTML, everything escaped, colours taken from the page."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from typing import Any

# Inherited colours and transparent lines: right on light and on dark pages.
_CELL = "text-align:left;padding:.15em .8em .15em 0;vertical-align:top;border-bottom:1px solid rgba(128,128,128,.25)"


def panel(
    title: str,
    *,
    heads: Sequence[str] = (),
    rows: Iterable[Sequence[Any]] = (),
    notes: Iterable[str] = (),
    text: str = "",
) -> str:
    """A title, notes as sentences, a table, and text as it would be printed."""
    parts = [f"<strong>{escape(title)}</strong>"]
    parts += [f"<p style='margin:.3em 0'>{escape(note)}</p>" for note in notes]
    lines = [_row("td", row) for row in rows]
    if lines:
        head = _row("th", heads) if heads else ""
        parts.append(
            "<table style='border-collapse:collapse;background:none;margin:.4em 0'>"
            f"<thead>{head}</thead><tbody>{''.join(lines)}</tbody></table>"
        )
    if text:
        parts.append(f"<pre style='background:none;color:inherit;margin:.4em 0'>{escape(text)}</pre>")
    return f"<div style='color:inherit;font-size:.95em'>{''.join(parts)}</div>"


def _row(tag: str, cells: Sequence[Any]) -> str:
    return "<tr>" + "".join(f"<{tag} style='{_CELL}'>{escape(str(cell))}</{tag}>" for cell in cells) + "</tr>"
