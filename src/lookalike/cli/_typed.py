"""Lists and pairs typed as one argument."""

from __future__ import annotations

import csv
import math
from collections.abc import Callable, Iterable, Sequence
from typing import TypeVar

from lookalike.base.errors import RequestError

T = TypeVar("T")


def split_names(text: str | None) -> list[str]:
    """`a,b,"c, d"` -> ["a", "b", "c, d"]; nothing -> []."""
    if not text:
        return []
    return [
        name for name in (part.strip() for part in next(csv.reader([text], skipinitialspace=True))) if name
    ]


def names_or_none(text: str | None) -> list[str] | None:
    """As `split_names`; None where the option was not typed."""
    return None if text is None else split_names(text)


def join_names(names: Iterable[str]) -> str:
    """The names as one argument, which `split_names` reads back."""
    quoted = (f'"{name.replace(chr(34), chr(34) * 2)}"' if set(name) & set(',"') else name for name in names)
    return ",".join(quoted)


def split_pairs(text: str | None, *, option: str) -> dict[str, float]:
    """`x=1,y=2.5` -> {"x": 1.0, "y": 2.5}; the option is named when the text is something else."""
    return {name: number for name, (number, _) in split_marked(text, option=option).items()}


def split_marked(
    text: str | None, *, option: str, marks: Sequence[str] = ()
) -> dict[str, tuple[float, str | None]]:
    """`x=1,y=2.5:mark` -> {"x": (1.0, None), "y": (2.5, "mark")}; only these marks may follow a number."""
    found: dict[str, tuple[float, str | None]] = {}
    for part in split_names(text):
        name, equals, value = (piece.strip() for piece in part.rpartition("="))
        number, colon, mark = value.partition(":")
        try:
            known = float(number)
        except ValueError:
            known = math.nan
        if not equals or not name or not math.isfinite(known) or (colon and mark not in marks):
            form = f", with one of {', '.join(':' + one for one in marks)} where wanted" if marks else ""
            raise RequestError(
                f"{option}: expected name=number,name=number{form}; {part!r} is not of that form."
            )
        if name in found:
            raise RequestError(f"{option}: {name!r} is given twice.")
        found[name] = known, mark or None
    return found


def pairs(option: str) -> Callable[[str | None], dict[str, float]]:
    """What reads the names and numbers typed at an option."""
    return lambda text: split_pairs(text, option=option)


def split_levels(text: str | None) -> dict[str, int]:
    """`age=2,zip=1` typed at --levels: how far up its hierarchy each column goes."""
    typed = split_pairs(text, option="--levels")
    for name, level in typed.items():
        if level != int(level):
            raise RequestError(f"--levels: the level of {name!r} is a whole number, found {level:g}.")
    return {name: int(level) for name, level in typed.items()}


def split_each(typed: Iterable[str] | None, *, option: str, form: str, last: bool = False) -> dict[str, str]:
    """`["a=x", "b=y"]` -> {"a": "x", "b": "y"}: one pair of texts for each time the option was typed.

    form: how a pair looks, for whoever typed something else. last: the name itself may hold an equals sign.
    """
    out: dict[str, str] = {}
    for part in typed or ():
        name, equals, value = part.rpartition("=") if last else part.partition("=")
        name, value = name.strip(), value.strip()
        if not equals or not name or not value:
            raise RequestError(f"{option}: expected {form}; {part!r} is not of that form.")
        if name in out:
            raise RequestError(f"{option}: {name!r} is given twice.")
        out[name] = value
    return out
