"""A table read as the one that a saved release was made from: what nobody typed is taken from its recipe, and said."""

from __future__ import annotations

import shlex
from functools import partial
from pathlib import Path
from typing import Any

import typer

from lookalike.cli._reading import Read

_ANY_FORMAT = ("na", "unit", "types")  #: matter whatever kind of file it is


def as_released(
    read: Read, context: typer.Context, folder: Path, file: Path, **asked: Any
) -> tuple[Read, dict[str, Any]]:
    """`read` for a table such as a saved release was made from, and `unit` and `types` as asked for or taken."""
    from lookalike.recodings.files import read_source

    source = read_source(folder)
    same = Path(source.get("file", "")).suffix.lower() == file.suffix.lower()
    if "header" in source:
        source["no_header"] = not source.pop("header")
    usual = getattr(read, "keywords", {})
    taken = {
        name: value
        for name, value in source.items()
        if (name in usual or name in asked)
        and (same or name in _ANY_FORMAT)
        and not _was_typed(context, name)
        and value not in (None, {}, False, [usual.get(name)], usual.get(name))
    }
    if taken:
        words = " ".join(_as_typed(name, value) for name, value in taken.items())
        typer.echo(f"read as the release was, unless said otherwise: {words}", err=True)
    how = {name: value for name, value in taken.items() if name in usual}
    return partial(read, **how), {name: taken.get(name, value) for name, value in asked.items()}


def _was_typed(context: typer.Context, option: str) -> bool:
    """Whether an option was typed, whatever its value."""
    source = context.get_parameter_source(option)
    return source is not None and source.name == "COMMANDLINE"


def _as_typed(name: str, value: Any) -> str:
    """An option as it could be typed."""
    option = f"--{name.replace('_', '-')}"
    if value is True:
        return option
    if isinstance(value, dict):
        value = [f"{n}={kind if isinstance(kind, str) else '<'.join(kind)}" for n, kind in value.items()]
    return f"{option}={shlex.quote(','.join(value) if isinstance(value, list) else str(value))}"
