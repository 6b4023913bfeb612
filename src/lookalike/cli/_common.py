"""What the commands share: JSON, a word on compiling, lists and pairs typed as one argument."""

from __future__ import annotations

import csv
import json
import math
import sys
from collections.abc import Sequence
from time import monotonic
from typing import Annotated, Any

import typer

from lookalike.errors import RequestError

Json = Annotated[bool, typer.Option("--json", help="Print the result as JSON, for machines.")]


def print_json(result: Any) -> None:
    """Print a result, or plain data, as JSON; escaped where the terminal does not know every letter."""
    typer.echo(to_json(result, ascii=not (sys.stdout.encoding or "").lower().startswith("utf")))


def to_json(result: Any, *, ascii: bool = False) -> str:
    """A result, or plain data, as JSON text; numbers JSON cannot hold become null."""
    return json.dumps(_plain(result), ensure_ascii=ascii, allow_nan=False, indent=2)


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


def announce_compiling() -> None:
    """Before the first use of a kernel: tell who is watching when kernels must be compiled, and how it goes on."""
    if sys.stderr.isatty():
        from lookalike.kernels.compiling import tell_compiling

        tell_compiling(Compiling())


class Compiling:
    """Says at the first kernel what goes on, and every few seconds how many there were."""

    def __init__(self) -> None:
        self.kernels, self.said = 0, 0.0

    def __call__(self, name: str) -> None:
        self.kernels += 1
        if self.kernels == 1:
            self._say("Compiling for this machine, on first use (`lookalike warm` does all of it at once) …")
        elif monotonic() > self.said + 2:
            self._say(f"  {self.kernels - 1} functions compiled …")

    def _say(self, line: str) -> None:
        # Looked up when told, and not typer.echo: a progress bar puts a stream of its own there and stays below.
        print(line, file=sys.stderr)
        self.said = monotonic()


def draw_bar(share: float, width: int) -> str:
    """A bar in eighths of a character."""
    eighths = round(share * width * 8)
    return "█" * (eighths // 8) + " ▏▎▍▌▋▊▉"[eighths % 8].strip()


def split_names(text: str | None) -> list[str]:
    """`a,b,"c, d"` -> ["a", "b", "c, d"]; nothing -> []."""
    if not text:
        return []
    return [name for name in (part.strip() for part in _split(text)) if name]


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


def _split(text: str) -> list[str]:
    return next(csv.reader([text], skipinitialspace=True))
