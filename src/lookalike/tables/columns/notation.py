"""How published values are written: `[24, 27]`, `{Antwerp, Brussels}`, a value as it is.

    value        Antwerp            one value, as it is
    range        [24, 27]           closed: both ends included
    set          {Antwerp, Brussels}
    with missing [24, 27] | ∅       or {∅, Antwerp}; missing alone is an empty cell
    and others   {Antwerp, …}       one of these, or a value that no label of the column names
    everything   *

A value that could be mistaken for something else is put in double quotes, with quotes inside doubled, so every label
reads back as what it was (`recodings.labels`).
"""

from __future__ import annotations

from collections.abc import Iterable

MISSING = "∅"
STAR = "*"
OTHERS = "…"
_SPECIAL = frozenset('{}[]",|∅*')
_OR_MISSING = f" | {MISSING}"
#: for whoever meets the sign
MISSING_EXPLAINED = (
    f"{MISSING} stands for missing: 30{_OR_MISSING} is 30 or missing, {{{MISSING}, a}} is missing or a"
)


def write_value(value: str) -> str:
    """One value by itself: quoted only where it would read as a range, a set, missing or everything."""
    odd = not value.strip() or value in (STAR, MISSING)
    return _quoted(value) if odd or value[0] in '{["' or value.endswith(_OR_MISSING) else value


def write_range(lo: str, hi: str, *, missing: bool = False) -> str:
    """A range as text; a single value stays a value."""
    if lo == hi:
        return _inside(lo) + _OR_MISSING if missing else write_value(lo)
    return f"[{_inside(lo)}, {_inside(hi)}]" + (_OR_MISSING if missing else "")


def write_set(values: Iterable[str | None], *, others: bool = False) -> str | None:
    """A set as text, missing first, values in the given order; one value stays a value, missing alone is None.

    others: values that are not named belong to it, too.
    """
    listed = list(values)
    if len(listed) == 1 and not others:
        return None if listed[0] is None else write_value(listed[0])
    parts = [MISSING] if None in listed else []
    parts += [_inside(v) for v in listed if v is not None]
    return "{" + ", ".join([*parts, *([OTHERS] if others else [])]) + "}"


def _inside(value: str) -> str:
    """A value beside others: quoted where it holds a sign of the notation."""
    odd = value in ("", OTHERS) or value != value.strip() or any(sign in _SPECIAL for sign in value)
    return _quoted(value) if odd else value


def _quoted(value: str) -> str:
    return '"' + value.replace('"', '""') + '"'
