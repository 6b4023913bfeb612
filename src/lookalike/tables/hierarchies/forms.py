"""The options each kind of hierarchy has, and the form of their values, against which every recipe is held.

Whether the values fit a column and each other is for the builders to say, when the tree is grown.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal, InvalidOperation
from typing import Any

from lookalike.base.checks import is_number
from lookalike.base.errors import HierarchyError

LARGEST = 1_000_000  #: of whole numbers
WIDEST = 300  #: digits of a width, before or after the point
DEEPEST = 64  #: groups within groups
LETTERS = "letters"  #: parts end where letters turn into digits, or digits into letters

Form = tuple[Callable[[Any], bool], str]


def check_options(how: Any, options: Mapping[str, Any]) -> None:
    """Refuse a kind of hierarchy that there is not, and options that it has not, lacks, or has in another form."""
    if not isinstance(how, str) or how not in FORMS:
        raise HierarchyError(f"unknown kind of hierarchy {how!r}; known are {', '.join(FORMS)}.")
    forms = FORMS[how]
    if how in NEEDS and NEEDS[how] not in options:
        raise HierarchyError(f"a hierarchy of kind {how!r} needs {NEEDS[how]!r}.")
    for name, value in options.items():
        if name not in forms:
            known = ", ".join(forms) or "none"
            raise HierarchyError(f"a hierarchy of kind {how!r} has no option {name!r}; it has: {known}.")
        fits, form = forms[name]
        if not fits(value):
            raise HierarchyError(f"a hierarchy of kind {how!r}: {name!r} must be {form}.")


def _is_text(value: Any) -> bool:
    return isinstance(value, str)


def _is_whole(value: Any) -> bool:
    return is_number(value) and value == int(value) and abs(value) <= LARGEST


def _is_width(value: Any) -> bool:
    try:
        width = Decimal(str(value))
    except InvalidOperation:
        return False
    if isinstance(value, bool):
        return False
    return not width.is_finite() or not width or abs(width.adjusted()) <= WIDEST


def _is_edge(value: Any) -> bool:
    return isinstance(value, str) or is_number(value)


def _list_of(one: Callable[[Any], bool], least: int = 0) -> Callable[[Any], bool]:
    return lambda value: (
        isinstance(value, Sequence)
        and not isinstance(value, str)
        and len(value) >= least
        and all(map(one, value))
    )


def _is_groups(value: Any, deepest: int = DEEPEST) -> bool:
    return (
        isinstance(value, Mapping)
        and deepest > 0
        and all(
            _is_text(label)
            and (_is_text(below) or _is_groups(below, deepest - 1) or _list_of(_is_text)(below))
            for label, below in value.items()
        )
    )


_TEXT: Form = (_is_text, "text")
_WHOLE: Form = (_is_whole, f"a whole number of at most {LARGEST:,}")
_EDGE: Form = (_is_edge, "a number or a date")
_WHOLES: Form = (_list_of(_is_whole), f"a list of whole numbers of at most {LARGEST:,}")
_TEXTS: Form = (_list_of(_is_text), "a list of texts")

FORMS: dict[str, dict[str, Form]] = {
    "intervals": {
        "widths": (_list_of(_is_width), "a list of numbers"),
        "start": _EDGE,
        "bottom": _EDGE,
        "top": _EDGE,
    },
    "cuts": {
        "points": (_list_of(_list_of(_is_edge)), "a list of numbers or dates for each level"),
        "source": _TEXT,
    },
    "quantiles": {"groups": _WHOLES},
    "dates": {"levels": _TEXTS},
    "mask": {"character": _TEXT, "direction": _TEXT, "length": _WHOLE},
    "prefixes": {"lengths": _WHOLES},
    "parts": {
        "separator": (
            lambda value: _is_text(value) and (len(value) == 1 or value == LETTERS),
            f"one character, or {LETTERS!r}",
        )
    },
    "groups": {
        "groups": (
            _is_groups,
            f"labels with their values, labels below them (at most {DEEPEST} deep), or parents",
        ),
        "others": _TEXT,
    },
    "rows": {
        "rows": (_list_of(_list_of(_is_text, 1)), "a list of texts for each value, leaf first"),
        "source": _TEXT,
    },
    "ordering": {"values": _TEXTS, "fanout": _WHOLE, "source": _TEXT},
    "automatic": {"concept": _TEXT},
}
NEEDS = {
    "cuts": "points",
    "quantiles": "groups",
    "dates": "levels",
    "prefixes": "lengths",
    "parts": "separator",
    "groups": "groups",
    "rows": "rows",
}
