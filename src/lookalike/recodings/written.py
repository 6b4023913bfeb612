"""The form of a written recoding, part by part: one that others have edited is refused in a sentence, not half read.

Levels, boxes and runs of rows are held within bounds, so that no number in it makes reading or applying it run away.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, get_args

from lookalike.base.checks import is_number
from lookalike.base.errors import RequestError
from lookalike.recodings.boxes import Style
from lookalike.recodings.covering import NAMED_BY_VALUES
from lookalike.tables.columns.roles import Kind
from lookalike.tables.hierarchies import Hierarchy

MOST_ROWS = 2**31  #: that an assignment may speak of
_NUMBERS = ("range", "midpoint", "mean")


def check_written(written: Mapping[str, Any]) -> None:
    """Refuse what is not a recoding as `Recoding.to_dict` writes it."""
    for part, fits in _PARTS.items():
        if part not in written or not fits(written[part]):
            raise RequestError(f"this is not a recoding as Lookalike writes them (see {part!r}).")
    if "assignment" in written and not _is_assignment(written["assignment"]):
        raise RequestError("this is not a recoding as Lookalike writes them (see 'assignment').")
    blurred = {name for name, how in written["columns"].items() if how["treatment"] in ("generalise", "box")}
    followed = [how["of"] for how in written["columns"].values() if how["treatment"] == "follow"]
    if not all(of and set(of) <= blurred for of in followed):
        raise RequestError("this is not a recoding as Lookalike writes them (see 'columns').")
    boxed = {name for name, how in written["columns"].items() if how["treatment"] == "box"}
    sizes = {len(side["texts"]) for side in written["boxes"].values()}
    if set(written["boxes"]) != boxed or len(sizes) > 1:
        raise RequestError("this is not a recoding as Lookalike writes them (see 'boxes').")


def _is_text(value: Any) -> bool:
    return isinstance(value, str)


def _is_count(value: Any) -> bool:
    return type(value) is int and 0 <= value < MOST_ROWS


def _texts(value: Any) -> bool:
    return isinstance(value, list) and all(map(_is_text, value))


def _is_hierarchy(value: Any) -> bool:
    Hierarchy.from_dict(value)  # refuses in a sentence of its own
    return True


_OPTIONS: dict[str, dict[str, Callable[[Any], bool]]] = {
    "keep": {},
    "drop": {},
    "generalise": {
        "level": _is_count,
        "hierarchy": _is_hierarchy,
        "numbers": _NUMBERS.__contains__,
        "published": _is_hierarchy,
    },
    "box": {
        "style": get_args(Style).__contains__,
        "hierarchy": _is_hierarchy,
        "numbers": _NUMBERS.__contains__,
    },
    "round": {"to": lambda value: is_number(value) and value > 0},
    "pseudonymise": {"how": _is_text, "fields": _texts},
    "follow": {"of": _texts},
}


_MAY_LACK = {"published"}


def _are_columns(value: Any) -> bool:
    if not isinstance(value, Mapping) or not value:
        return False
    for how in value.values():
        if not isinstance(how, Mapping) or not _is_text(how.get("treatment")):
            return False
        options = _OPTIONS.get(how["treatment"])
        if options is None:
            known = ", ".join(_OPTIONS)
            raise RequestError(f"unknown treatment {how['treatment']!r} in a recoding; known are {known}.")
        if not {"treatment", *options} - _MAY_LACK <= set(how) <= {"treatment", *options}:
            return False
        if not all(options[name](one) for name, one in how.items() if name != "treatment"):
            return False
    return True


def _are_boxes(value: Any) -> bool:
    return isinstance(value, Mapping) and all(map(_is_side, value.values()))


def _is_side(value: Any) -> bool:
    if not isinstance(value, Mapping) or set(value) != {"style", "texts", "labels", "levels"}:
        return False
    texts, labels, levels = value["texts"], value["labels"], value["levels"]
    if value["style"] not in get_args(Style) or not isinstance(texts, list):
        return False
    if not isinstance(labels, list) or not all(one is None or _is_text(one) for one in labels):
        return False
    if not all(one is None or _is_text(one) or is_number(one) for one in texts):
        return False
    by_values = () if value["style"] == "node" else (NAMED_BY_VALUES,)
    leveled = isinstance(levels, list) and all(_is_count(one) or one in by_values for one in levels)
    leveled = leveled and len(levels) == len(texts)
    return len(labels) == len(texts) and (
        leveled if value["style"] in ("node", "siblings") else levels is None
    )


def _is_assignment(value: Any) -> bool:
    if not isinstance(value, Mapping) or set(value) != {"label", "length", "fingerprint"}:
        return False
    label, length = value["label"], value["length"]
    return (
        isinstance(label, list)
        and isinstance(length, list)
        and len(label) == len(length)
        and all(type(one) is int and -1 <= one < MOST_ROWS for one in label)
        and all(map(_is_count, length))
        and sum(length) < MOST_ROWS
        and _is_text(value["fingerprint"])
    )


def _is_meaning(value: Any) -> bool:
    """How a column was read: its kind, and where they matter its order and its hierarchy."""
    fits: dict[str, Callable[[Any], bool]] = {
        "kind": lambda one: _is_text(one) and one in list(Kind),
        "order": _texts,
        "hierarchy": _is_hierarchy,
    }
    return isinstance(value, Mapping) and all(name in fits and fits[name](one) for name, one in value.items())


_PARTS: dict[str, Callable[[Any], bool]] = {
    "columns": _are_columns,
    "models": lambda value: isinstance(value, list) and all(isinstance(one, Mapping) for one in value),
    "suppressed": ("drop", "star").__contains__,
    "sensitive": _texts,
    "boxes": _are_boxes,
    "meanings": lambda value: isinstance(value, Mapping) and all(map(_is_meaning, value.values())),
}
