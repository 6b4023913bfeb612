"""One HTML file: headings, sentences, tables, pictures; light, dark and print; no script, nothing from outside.

Everything given as text is escaped; only what `drawing` made goes in as it is (`Markup`).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from importlib.resources import files

# The policy makes a browser refuse what the file does not hold anyway: scripts and anything from the network.
_HEAD = (
    '<!doctype html><html lang="en"><head><meta charset="utf-8">'
    '<meta name="viewport" content="width=device-width, initial-scale=1">'
    "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">"
)
_STYLE = files("lookalike.releases.reports").joinpath("style.css").read_text(encoding="utf-8")


class Markup(str):
    """Text that is HTML already."""


def page(title: str, lead: str, parts: Iterable[str]) -> str:
    """A whole file."""
    return (
        f"{_HEAD}<title>{escape(title)}</title><style>{_STYLE}</style></head><body><main>"
        f'<h1>{escape(title)}</h1><p class="lead">{escape(lead)}</p>{"".join(parts)}</main></body></html>\n'
    )


def section(heading: str, *parts: str) -> Markup:
    """A heading with what stands under it; nothing where nothing stands under it."""
    body = "".join(block(part) for part in parts if part)
    return Markup(f"<section><h2>{escape(heading)}</h2>{body}</section>" if body else "")


def block(part: str) -> str:
    """Markup as it is, anything else as a paragraph."""
    return part if isinstance(part, Markup) else f"<p>{escape(part)}</p>"


def facts(pairs: Sequence[tuple[str, str]]) -> Markup:
    """A few large numbers with what they are."""
    items = "".join(f"<li><b>{escape(number)}</b><span>{escape(what)}</span></li>" for number, what in pairs)
    return Markup(f'<ul class="facts">{items}</ul>')


def table(header: Sequence[str], rows: Iterable[Sequence[str]], *, numbers: Sequence[int] = ()) -> Markup:
    """A table; the columns in `numbers` are set to the right."""

    def line(cells: Sequence[str], tag: str) -> str:
        kind = [' class="n"' if i in numbers else "" for i in range(len(cells))]
        return (
            "<tr>"
            + "".join(f"<{tag}{k}>{escape(cell)}</{tag}>" for k, cell in zip(kind, cells, strict=True))
            + "</tr>"
        )

    body = "".join(line(row, "td") for row in rows)
    return Markup(
        f'<div class="scroll"><table><thead>{line(header, "th")}</thead><tbody>{body}</tbody></table></div>'
    )


def subheading(words: str) -> Markup:
    """A heading inside a section."""
    return Markup(f"<h3>{escape(words)}</h3>")


def bullets(items: Iterable[str]) -> Markup:
    """A list."""
    return Markup("<ul>" + "".join(f"<li>{escape(item)}</li>" for item in items) + "</ul>")


def figure(caption: str, picture: str) -> Markup:
    """A picture with the sentence that says what to see in it."""
    return Markup(f"<figure><figcaption>{escape(caption)}</figcaption>{picture}</figure>")


def note(words: str, *, kind: str = "") -> Markup:
    """A sentence that must not be overlooked; kind is "", "good" or "bad"."""
    return Markup(f'<p class="note {kind}">{escape(words)}</p>')


def signatures(*places: str) -> Markup:
    """Where people sign."""
    return Markup(
        '<div class="sign">' + "".join(f"<div>{escape(place)}</div>" for place in places) + "</div>"
    )
