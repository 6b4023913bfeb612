"""What the papers' scripts share: a line of printed beside computed, and how such lines are told."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import polars as pl

from lookalike.errors import FileError

_COLOURS = {"yes": "green", "better": "green", "no": "red", "partly": "yellow", "-": "dim"}


@dataclass(frozen=True)
class Line:
    """One comparison: where in the paper, what, as printed, as computed, and a remark."""

    where: str
    what: str
    printed: str
    computed: str
    agrees: str  #: yes, better, partly, no, or - where there is nothing to compare
    remark: str = ""


def tell(lines: Sequence[Line], *, paper: str, title: str, output: Path | None, json: bool) -> None:
    """Write the lines as CSV where a folder is given, and print them as JSON or as a table."""
    if output is not None:
        output.mkdir(parents=True, exist_ok=True)
        pl.DataFrame([asdict(line) for line in lines]).write_csv(output / f"{paper}.csv")
    if json:
        from lookalike.cli._common import print_json

        print_json({"paper": paper, "lines": [asdict(line) for line in lines]})
        return
    show(lines, title)
    if output is not None:
        print(f"\nThe results are in {output}.")


def show(lines: Sequence[Line], title: str) -> None:
    """Print the lines as a table."""
    from rich.console import Console
    from rich.markup import escape
    from rich.table import Table

    table = Table(title=f"{title}: printed and computed", show_lines=True)
    for head in ("", "printed", "computed", "agrees"):
        table.add_column(head, overflow="fold")
    for line in lines:
        remark = f"\n[dim]{escape(line.remark)}[/]" if line.remark else ""
        table.add_row(
            f"[bold]{escape(line.where)}[/] {escape(line.what)}",
            escape(line.printed),
            escape(line.computed) + remark,
            f"[{_COLOURS[line.agrees]}]{line.agrees}[/]",
        )
    Console().print(table)


def data_folder() -> Path | None:
    """Where the public data sets are, if LOOKALIKE_DATA says so."""
    named = os.environ.get("LOOKALIKE_DATA")
    if named is None:
        return None
    if not Path(named).is_dir():
        raise FileError(f"{named}: LOOKALIKE_DATA names a folder that is not there.")
    return Path(named)
