"""What the commands share: the --json option and its output, lists and pairs typed as one argument."""

from __future__ import annotations

import csv
import json
import math
from typing import Annotated, Any

import typer

from lookalike.errors import RequestError

Json = Annotated[bool, typer.Option("--json", help="Print the result as JSON, for machines.")]


def print_json(result: Any) -> None:
    """Print a result, or plain data, as JSON."""
    typer.echo(to_json(result))


def to_json(result: Any) -> str:
    """A result, or plain data, as JSON text; numbers JSON cannot hold become null."""
    return json.dumps(_plain(result), ensure_ascii=False, allow_nan=False, indent=2)


def _plain(value: Any) -> Any:
    if hasattr(value, "to_dict"):
        value = value.to_dict()
    elif hasattr(value, "tolist"):
        value = value.tolist()
    if isinstance(value, dict):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple | set | frozenset | range):
        return [_plain(item) for item in value]
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    return value if value is None or isinstance(value, bool | int | str) else str(value)


def split_names(text: str | None) -> list[str]:
    """`a,b,"c, d"` -> ["a", "b", "c, d"]; nothing -> []."""
    if not text:
        return []
    return [name for name in (part.strip() for part in _split(text)) if name]


def split_pairs(text: str | None, *, option: str) -> dict[str, float]:
    """`x=1,y=2.5` -> {"x": 1.0, "y": 2.5}; the option is named when the text is something else."""
    pairs: dict[str, float] = {}
    for part in split_names(text):
        name, equals, number = part.rpartition("=")
        try:
            value = float(number)
        except ValueError:
            value = math.nan
        if not equals or not name.strip() or math.isnan(value):
            raise RequestError(f"{option}: expected name=number,name=number; {part!r} is not of that form.")
        if name.strip() in pairs:
            raise RequestError(f"{option}: {name.strip()!r} is given twice.")
        pairs[name.strip()] = value
    return pairs


def _split(text: str) -> list[str]:
    return next(csv.reader([text], skipinitialspace=True))
