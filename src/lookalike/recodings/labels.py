"""How generalised values are written, and read back: `[24, 27]`, `{Antwerp, Brussels}`, a hierarchy's own label.

    value        Antwerp            one value, as it is
    range        [24, 27]           closed: both ends included
    set          {Antwerp, Brussels}
    with missing [24, 27] | ∅       or {∅, Antwerp}; missing alone is an empty cell
    everything   *

A value that could be mistaken for something else is put in double quotes, with quotes inside doubled, so every label
reads back as what it was.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from lookalike.errors import RequestError

MISSING = "∅"
STAR = "*"
_SPECIAL = frozenset('{}[]",|∅*')


@dataclass(frozen=True)
class Range:
    """A closed range of numbers, dates or ranks, as texts; `missing` where missing values are among them."""

    lo: str
    hi: str
    missing: bool = False


@dataclass(frozen=True)
class ValueSet:
    """A set of values; None stands for missing."""

    values: frozenset[str | None]


def quote(value: str) -> str:
    """The value, quoted if it could be mistaken for the notation around it."""
    if value == "" or value != value.strip() or any(c in _SPECIAL for c in value):
        return '"' + value.replace('"', '""') + '"'
    return value


def write_range(lo: str, hi: str, *, missing: bool = False) -> str:
    """A range as text; a single value stays a value."""
    text = quote(lo) if lo == hi else f"[{quote(lo)}, {quote(hi)}]"
    return f"{text} | {MISSING}" if missing else text


def write_set(values: Iterable[str | None]) -> str | None:
    """A set as text, missing first, values in the given order; one value stays a value, missing alone is None."""
    listed = list(values)
    if listed == [None]:
        return None
    if len(listed) == 1:
        return quote(str(listed[0]))
    parts = [MISSING] if None in listed else []
    return "{" + ", ".join(parts + [quote(v) for v in listed if v is not None]) + "}"


def read_label(text: str | None) -> Range | ValueSet | None:
    """Read back a written range, set or single value (a set of one). `*` reads as None: everything."""
    if text is None:
        return ValueSet(frozenset([None]))
    if text == STAR:
        return None
    parts, opening = _tokens(text)
    if opening == "{":
        return ValueSet(
            frozenset(None if quoted is False and part == MISSING else part for part, quoted in parts)
        )
    missing = len(parts) > 1 and parts[-1] == (MISSING, False)
    values = [part for part, _ in (parts[:-1] if missing else parts)]
    if opening == "[":
        if len(values) != 2:
            raise RequestError("a range must have two ends.")
        return Range(values[0], values[1], missing)
    if missing:
        return Range(values[0], values[0], True)
    return ValueSet(frozenset(values))


def _tokens(text: str) -> tuple[list[tuple[str, bool]], str]:
    """The values in a label with whether they were quoted, and the bracket they stand in ('' for none)."""
    opening = text[0] if text[0] in "{[" else ""
    parts: list[tuple[str, bool]] = []
    i, current, quoted, bare = 0, "", False, True
    while i < len(text):
        c = text[i]
        if c == '"' and bare and current == "":
            i, current = _quoted(text, i)
            quoted = True
            continue
        if c in "{[" and i == 0:
            pass
        elif c in ",|" or (c in "}]" and opening):
            if quoted or current.strip():
                parts.append((current if quoted else current.strip(), quoted))
            current, quoted = "", False
        elif not quoted:
            current += "" if current == "" and c == " " else c
        i += 1
    if quoted or current.strip():
        parts.append((current if quoted else current.strip(), quoted))
    return parts, opening


def _quoted(text: str, start: int) -> tuple[int, str]:
    out, i = "", start + 1
    while i < len(text):
        if text[i] == '"':
            if text[i + 1 : i + 2] == '"':
                out += '"'
                i += 2
                continue
            return i + 1, out
        out += text[i]
        i += 1
    raise RequestError("a quotation mark in a label is never closed.")
