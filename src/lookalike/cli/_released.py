"""A table read as the one that a saved release was made from: what nobody typed is taken from its recipe, and said."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from lookalike.cli._reading import TableOptions, as_typed

if TYPE_CHECKING:
    from lookalike.tables.table import Table

_ANY_FORMAT = ("na", "unit", "types")  #: matter whatever kind of file it is


def as_released(table: TableOptions, context: typer.Context, folder: Path, file: Path) -> TableOptions:
    """The options for a table such as a saved release was made from: as typed, else as its recipe says."""
    from lookalike.recodings.files import read_source

    source = read_source(folder)
    same = Path(source.get("file", "")).suffix.lower() == file.suffix.lower()
    if "header" in source:
        source["no_header"] = not source.pop("header")
    asked = {option.name for option in context.command.params}
    taken = {
        name: value
        for name, value in source.items()
        if name in asked - {"file"}
        and (same or name in _ANY_FORMAT)
        and not _was_typed(context, name)
        and value not in (None, {}, False, getattr(table, name))
    }
    if taken:
        words = " ".join(as_typed(name, value) for name, value in taken.items())
        typer.echo(f"read as the release was, unless said otherwise: {words}", err=True)
    return replace(table, **taken)


def read_as_released(table: TableOptions, context: typer.Context, folder: Path, file: Path) -> Table:
    """The table that a saved release was made from, with the roles that its recoding gives the columns."""
    from lookalike.recodings.files import read_recoding
    from lookalike.recognition.units import whose_are_known

    recoding = read_recoding(folder)
    described = as_released(table, context, folder, file)
    described = replace(described, quasi=list(recoding.quasi), sensitive=list(recoding.sensitive), others=[])
    return whose_are_known(described.read(file))


def _was_typed(context: typer.Context, option: str) -> bool:
    """Whether an option was typed, whatever its value."""
    source = context.get_parameter_source(option)
    return source is not None and source.name == "COMMANDLINE"
