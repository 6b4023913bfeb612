"""Checks of what users pass: each returns the value where it is fine, else says what was found and what is allowed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from math import inf, isfinite
from numbers import Integral, Real
from typing import Any

from lookalike.errors import ColumnError, RequestError

_LARGEST = 2**63 - 1


def is_number(value: Any) -> bool:
    """Whether this is a finite number; True and False are none."""
    try:
        return isinstance(value, Real) and not isinstance(value, bool) and isfinite(value)
    except OverflowError:  # a whole number beyond all floats
        return False


def whole_number(value: Any, what: str, *, least: int = 0, most: int = _LARGEST, where: str = "") -> int:
    """The value of the argument `what`, where it is a whole number within bounds; True and False are none."""
    if isinstance(value, Integral) and not isinstance(value, bool) and least <= int(value) <= most:
        return int(value)
    bounds = f"from {least:,} on" if most == _LARGEST else f"from {least:,} to {most:,}"
    raise _wrong(what, f"a whole number {bounds}", value, where)


def whole_numbers(given: Any, what: str, *, least: int = 0) -> list[int]:
    """The values of the argument `what`, where it is a list of such numbers."""
    if isinstance(given, str) or not isinstance(given, Iterable):
        raise _wrong(what, "a list of whole numbers", given)
    return [whole_number(one, what, least=least) for one in given]


def number(
    value: Any, what: str, *, least: float = -inf, most: float = inf, above: bool = False, where: str = ""
) -> float:
    """The value of the argument `what`, where it is a finite number within bounds; `above`: not the least itself."""
    if is_number(value) and least <= value <= most and not (above and value == least):
        return float(value)
    allowed = "a number"
    if least > -inf:
        allowed += f" above {least:g}" if above else f" from {least:g}" + (" on" if most == inf else "")
    if most < inf:
        allowed += f" and at most {most:g}" if above else f" to {most:g}"
    raise _wrong(what, allowed, value, where)


def share(value: Any, what: str, *, above: bool = False, where: str = "") -> float:
    """The value of the argument `what`, where it lies between 0 and 1; `above`: not 0 itself."""
    return number(value, what, least=0, most=1, above=above, where=where)


def choice(value: Any, what: str, allowed: Iterable[Any], *, where: str = "") -> None:
    """Refuse a value of the argument `what` that is not one of those allowed."""
    allowed = list(allowed)
    if not any(type(value) is type(one) and value == one for one in allowed):
        raise _wrong(what, f"one of {', '.join(map(repr, allowed))}", value, where)


def column_name(given: Any, what: str, *, where: str = "") -> str:
    """The column given to the argument `what`: the name of one."""
    if isinstance(given, str):
        return given
    raise _wrong(what, "the name of a column", given, where)


def column_names(given: Any, what: str) -> list[str]:
    """The columns given to the argument `what`; a single name, or no list at all, is refused."""
    if isinstance(given, str) or not isinstance(given, Iterable):
        such = f"such as [{given!r}]" if isinstance(given, str) else f"found {type(given).__name__}"
        raise ColumnError(f"{what}: give a list of column names, {such}.")
    return list(given)


def per_column(given: Mapping[str, Any] | None, what: str) -> Mapping[str, Any]:
    """What was given for each column; nothing is an empty mapping, anything else refused."""
    if given is None or isinstance(given, Mapping):
        return given or {}
    raise RequestError(f"`{what}` must be a mapping from columns, found {type(given).__name__}.")


def _wrong(what: str, allowed: str, value: Any, where: str = "") -> RequestError:
    """Numbers and short texts are shown as they are, of anything else only what it is."""
    shown = repr(value) if value is None or isinstance(value, bool | Real | str) else type(value).__name__
    shown = shown if len(shown) <= 60 else shown[:59] + "…"
    return RequestError(f"{where}{': ' if where else ''}`{what}` must be {allowed}, found {shown}.")
