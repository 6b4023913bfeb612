"""Hierarchies as short texts, for the shell and for recipes: `intervals:5,10,20`, `mask`, `groups:north=Leeds+York`.

A text says all that the recipe of a hierarchy says, or there is none and a file must be written (`write_tree`).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from lookalike.base.errors import HierarchyError
from lookalike.tables.hierarchies.hierarchy import Hierarchy

_FORMS = (
    "intervals:5,10,20 · cuts:18,40,65 · quantiles:8,4,2 · dates:month,year · mask · mask:left · prefixes:3,1 · "
    "parts:- · groups:north=Leeds+York|south=Bath · ordering:low<mid<high · automatic"
)


def is_text(given: str) -> bool:
    """Whether this describes a hierarchy in words; else it is the name of a file."""
    return given.strip().partition(":")[0] in _READERS


def parse_hierarchy(text: str) -> Hierarchy:
    """The hierarchy a text describes."""
    how, _, rest = text.strip().partition(":")
    if how not in _READERS:
        raise HierarchyError(
            f"there is no hierarchy {how!r} in words. Such as these: {_FORMS}; or the file COLUMN.csv."
        )
    try:
        return _READERS[how](rest)
    except (ValueError, IndexError):
        raise HierarchyError(f"the hierarchy {text!r} cannot be read. Such as these: {_FORMS}.") from None


def write_hierarchy(hierarchy: Hierarchy) -> str | None:
    """The text of a hierarchy; None where there is none that says all of it."""
    options = dict(hierarchy.options)
    write = _WRITERS.get(hierarchy.how)
    text = None if write is None else write(options)
    if text is not None and hierarchy.is_grown:
        text = f"automatic:{text}"
    try:
        return text if text is not None and parse_hierarchy(text) == hierarchy else None
    except HierarchyError:
        return None


def _numbers(text: str) -> list[Any]:
    return [
        int(part) if part.strip().lstrip("-").isdigit() else _edge(part.strip()) for part in text.split(",")
    ]


def _edge(part: str) -> Any:
    if part.count("-") == 2 and len(part) == 10:  # a date
        return part
    return float(part)


def _intervals(text: str) -> Hierarchy:
    widths, edges = [], {}
    for part in filter(None, text.split(",")):
        name, equals, value = part.partition("=")
        if equals:
            if name.strip() not in ("start", "bottom", "top"):
                raise ValueError(name)
            edges[name.strip()] = _numbers(value)[0]
        else:
            widths.append(_numbers(part)[0])
    return Hierarchy.intervals(*widths, **edges)


def _mask(text: str) -> Hierarchy:
    return Hierarchy.mask(direction=text.strip() or "right")


def _groups(text: str) -> Hierarchy:
    groups: dict[str, list[str]] = {}
    for number, part in enumerate(text.split("|"), 1):
        label, equals, members = part.partition("=")
        values = [value.strip() for value in (members if equals else part).split("+")]
        groups[label.strip() if equals else f"group {number}"] = values
    return Hierarchy.groups(groups)


_READERS: dict[str, Callable[[str], Hierarchy]] = {
    "intervals": _intervals,
    "cuts": lambda text: Hierarchy.cuts(*(_numbers(level) for level in text.split("|"))),
    "quantiles": lambda text: Hierarchy.quantiles(*_numbers(text)),
    "dates": lambda text: Hierarchy.dates(*(part.strip() for part in text.split(",") if part.strip())),
    "mask": _mask,
    "prefixes": lambda text: Hierarchy.prefixes(*_numbers(text)),
    "parts": Hierarchy.parts,
    "groups": _groups,
    "ordering": lambda text: Hierarchy.ordering(
        [part.strip() for part in text.split("<")] if text.strip() else None
    ),
    "automatic": lambda rest: parse_hierarchy(rest).marked_as_grown() if rest else Hierarchy.automatic(),
}


def _joined(values: Any, mark: str = ",") -> str:
    return mark.join(str(value) for value in values)


def _write_intervals(options: dict[str, Any]) -> str:
    edges = [f"{name}={options[name]}" for name in ("start", "bottom", "top") if name in options]
    return "intervals:" + _joined([*options["widths"], *edges])


_WRITERS: dict[str, Callable[[dict[str, Any]], str]] = {
    "intervals": _write_intervals,
    "cuts": lambda o: "cuts:" + "|".join(_joined(level) for level in o["points"]),
    "quantiles": lambda o: "quantiles:" + _joined(o["groups"]),
    "dates": lambda o: "dates:" + _joined(o["levels"]),
    "mask": lambda o: "mask" + (f":{o['direction']}" if "direction" in o else ""),
    "prefixes": lambda o: "prefixes:" + _joined(o["lengths"]),
    "parts": lambda o: f"parts:{o['separator']}",
    "groups": lambda o: (
        "groups:" + "|".join(f"{label}={_joined(v, '+')}" for label, v in o["groups"].items())
    ),
    "ordering": lambda o: "ordering" + (":" + _joined(o["values"], "<") if "values" in o else ""),
    "automatic": lambda _: "automatic",
}
