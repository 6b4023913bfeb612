"""Checks of what users pass: each returns the value where it is fine, else says what was found and what is allowed."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from functools import wraps
from inspect import Parameter, signature
from math import inf, isfinite
from numbers import Integral, Real
from os import PathLike
from typing import Any, ParamSpec, TypeVar

from lookalike.base.errors import ColumnError, RequestError

P = ParamSpec("P")
R = TypeVar("R")

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
    """The columns given to the argument `what`; a single name, or no list of names at all, is refused."""
    if isinstance(given, str):
        raise ColumnError(f"{what}: give a list of column names, such as [{given!r}].")
    if isinstance(given, Mapping | bytes) or not isinstance(given, Iterable):
        raise ColumnError(f"{what}: give a list of column names, found {type(given).__name__}.")
    names = list(given)
    for name in names:
        if not isinstance(name, str):
            raise ColumnError(f"{what}: give a list of column names, found {type(name).__name__} in it.")
    return names


def per_column(given: Mapping[str, Any] | None, what: str) -> Mapping[str, Any]:
    """What was given for each column; nothing is an empty mapping, anything else refused."""
    if given is None or isinstance(given, Mapping):
        return given or {}
    raise RequestError(f"`{what}` must be a mapping from columns, found {type(given).__name__}.")


def path(given: Any, what: str) -> Any:
    """The file or folder given to the argument `what`: a text or a path."""
    if isinstance(given, PathLike) or (isinstance(given, str) and given):
        return given
    raise _wrong(what, "the path of a file or folder", given)


def _text(given: Any, what: str) -> str:
    if isinstance(given, str):
        return given
    raise _wrong(what, "a text", given)


def _names(given: Any, what: str) -> Collection[str]:
    """A collection stays what it is; what can be looked at only once becomes a list."""
    names = column_names(given, what)
    return given if isinstance(given, Collection) else names


def _texts(given: Any, what: str) -> Any:
    if isinstance(given, str | bytes | Mapping) or not isinstance(given, Collection):
        raise _wrong(what, "a list of texts", given)
    return [_text(one, what) for one in given]


def _paths(given: Any, what: str) -> Any:
    if isinstance(given, str | bytes | Mapping) or not isinstance(given, Iterable):
        raise _wrong(what, "a list of paths", given)
    return [path(one, what) for one in given]


#: what an annotation, as it is written, asks of a value; where None is among its types, None is always fine.
#: Numbers are not among them: every one has bounds, which its own check tells.
_FORMS: dict[str, Callable[[Any, str], Any]] = {
    "str": _text,
    "str | Path": path,
    "Sequence[str]": _names,
    "Collection[str]": _texts,
    "Sequence[str | Path]": _paths,
}


def checked(verb: Callable[P, R]) -> Callable[P, R]:
    """The same function, which refuses in a sentence texts, paths, lists and mappings that are none."""
    known = signature(verb)
    asked = {name: form for name, one in known.parameters.items() if (form := _form(one)) is not None}

    @wraps(verb)
    def call(*args: P.args, **kwargs: P.kwargs) -> R:
        try:
            given = known.bind(*args, **kwargs)
        except TypeError:
            given = None
        if given is None:  # an argument is missing, or not known: Python says it best
            return verb(*args, **kwargs)
        for name, value in given.arguments.items():
            if name in asked:
                form, optional = asked[name]
                if not (optional and value is None):
                    given.arguments[name] = form(value, name)
        return verb(*given.args, **given.kwargs)

    return call


def _form(argument: Parameter) -> tuple[Callable[[Any, str], Any], bool] | None:
    written = str(argument.annotation)
    form = _FORMS.get(written.removesuffix(" | None"))
    if written.startswith("Mapping["):
        form = per_column
    single = argument.kind not in (Parameter.VAR_POSITIONAL, Parameter.VAR_KEYWORD)
    return (form, written.endswith(" | None")) if form is not None and single else None


def _wrong(what: str, allowed: str, value: Any, where: str = "") -> RequestError:
    return RequestError(f"{where}{': ' if where else ''}`{what}` must be {allowed}, found {shown(value)}.")


def shown(value: Any) -> str:
    """Numbers and short texts as they are, of anything else only what it is."""
    told = repr(value) if value is None or isinstance(value, bool | Real | str) else type(value).__name__
    return told if len(told) <= 60 else told[:59] + "…"
