"""The public data sets the papers' scripts read: where they are looked for, how they are laid out, which are missing.

A set is FOLDER/NAME/NAME.csv: commas, a header row, UTF-8. None of them is shipped; each keeps its own licence.
"""

from __future__ import annotations

import csv
import os
import tomllib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path

from lookalike.base.errors import FileError
from lookalike.base.printing import print_json
from lookalike.papers.comparison import NOT_RUN, Line


@dataclass(frozen=True)
class DataSet:
    """One public data set: its size, the papers that use it, where to get it, and what to do to the file."""

    name: str
    rows: int
    columns: tuple[str, ...]  #: that the scripts ask for, under these names
    papers: tuple[str, ...]
    source: str
    layout: str

    def file(self, folder: Path) -> Path:
        """Where the set lies in a folder of data sets."""
        return folder / self.name / f"{self.name}.csv"

    def problem(self, folder: Path | None) -> str:
        """Why the set cannot be used from this folder; nothing where it can."""
        if folder is None:
            return "no folder of data sets: name one with --data or LOOKALIKE_DATA"
        file = self.file(folder)
        if not file.is_file():
            return f"{self.name}/{self.name}.csv is not in {folder}"
        with file.open(encoding="utf-8", newline="") as lines:
            header = next(csv.reader(lines), [])
        absent = [name for name in self.columns if name not in header]
        return f"{self.name}.csv lacks the columns {', '.join(absent)}" if absent else ""


def _listed() -> dict[str, DataSet]:
    written = tomllib.loads(files(__package__).joinpath("data_sets.toml").read_text(encoding="utf-8"))
    return {
        name: DataSet(
            name,
            about["rows"],
            tuple(about["columns"]),
            tuple(about["papers"]),
            about["source"],
            about["layout"],
        )
        for name, about in written.items()
    }


DATA_SETS = _listed()


def data_folder(named: Path | None = None) -> Path | None:
    """The folder given, else the one in LOOKALIKE_DATA, else none."""
    asked = named or os.environ.get("LOOKALIKE_DATA")
    if not asked:
        return None
    if not Path(asked).is_dir():
        origin = "--data" if named else "LOOKALIKE_DATA"
        raise FileError(f"{asked}: {origin} names a folder that is not there.")
    return Path(asked)


def missing(
    where: str, what: str, names: Iterable[str], folder: Path | None, printed: str = ""
) -> list[Line]:
    """A line for every set that cannot be used, so that no table is silently shorter."""
    problems = {name: DATA_SETS[name].problem(folder) for name in names}
    return [
        Line(where, what or name, printed, "", NOT_RUN, f"{problem}; see `lookalike paper data`")
        for name, problem in problems.items()
        if problem
    ]


def run(*, folder: Path | None, json: bool) -> None:
    """Say of every set whether it is there, where it comes from and how it is laid out."""
    found = [(one, one.problem(folder)) for one in DATA_SETS.values()]
    if json:
        told = [
            {
                "name": one.name,
                "file": f"{one.name}/{one.name}.csv",
                "usable": not problem,
                "problem": problem,
                "rows": one.rows,
                "columns": one.columns,
                "papers": one.papers,
                "source": one.source,
                "layout": one.layout,
            }
            for one, problem in found
        ]
        print_json({"folder": None if folder is None else str(folder), "sets": told})
        return
    _show(found, folder)


def _show(found: Sequence[tuple[DataSet, str]], folder: Path | None) -> None:
    from rich.console import Console
    from rich.markup import escape
    from rich.table import Table

    table = Table(title=f"Data sets of the papers, in {folder or 'no folder'}", show_lines=True)
    for head in ("set", "used by", "where it comes from and how it is laid out", "here"):
        table.add_column(head, overflow="fold")
    for one, problem in found:
        file = f"{one.name}/{one.name}.csv"
        table.add_row(
            f"[bold]{file}[/]\n{one.rows:,} rows",
            ", ".join(one.papers),
            f"{escape(one.source)}\n[dim]{escape(one.layout)}[/]",
            f"[red]{escape(problem)}[/]" if problem else "[green]yes[/]",
        )
    Console().print(table)
    lacking = sum(bool(problem) for _, problem in found)
    print(
        f"{len(found) - lacking} of {len(found)} can be used. Looked for in --data, else in LOOKALIKE_DATA."
    )
