"""`lookalike hierarchy`: how a column is blurred, level by level, shown or written to a file one can edit."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from lookalike.base.errors import FileError, RequestError, amount, unknown_column
from lookalike.base.printing import print_json
from lookalike.cli._bars import draw_bar
from lookalike.cli._options import File, Json, asks, option
from lookalike.cli._reading import FILE, HIERARCHIES, TableOptions

if TYPE_CHECKING:
    from lookalike.tables.hierarchies.tree import Tree

_SHOWN = 12  #: groups of a level, the largest first


def hierarchy(
    file: File,
    table: Annotated[TableOptions, asks("types", *HIERARCHIES, *FILE)],
    column: str = option("The column to look at.", "-c", required=True, metavar="COLUMN"),
    output: Path | None = option("Write it as COLUMN.csv: one row per value, leaf first, ; between.", "-o"),
    json: Json = False,
) -> None:
    """Show how a column is blurred: its levels, their groups, and how many records are in each.

    The file that -o writes can be edited and used again: --hierarchy zip=zip.csv, or --hierarchies and its folder.

        lookalike hierarchy people.csv --column zip

        lookalike hierarchy people.csv --column age --hierarchy age=intervals:5,10,20

        lookalike hierarchy people.csv --column zip -o hierarchies/zip.csv
    """
    from lookalike.tables.hierarchies.texts import write_hierarchy

    people = replace(table, others=[]).read(file)
    if column not in people.names:
        raise unknown_column(column, people.names, "--column")
    tree = people.tree(column)
    text = write_hierarchy(tree.recipe)
    levels = count_levels(tree, people.column(column).counts)
    if output is not None:
        if output.exists():
            raise FileError(f"{output}: exists already, perhaps edited. Choose another name with -o.")
        if output.suffix.lower() != ".csv":
            raise RequestError(f"{output}: call it COLUMN.csv, so that it is known for a hierarchy.")
        output.parent.mkdir(parents=True, exist_ok=True)
        tree.write(output)
    if json:
        written = None if output is None else str(output)
        print_json({"column": column, "text": text, "levels": levels, "output": written})
        return
    _show(column, levels, text)
    if output is not None:
        typer.echo(f"\nwritten to {output}: edit it, then pass --hierarchy {column}={output}")


def count_levels(tree: Tree, counts: Any) -> list[list[dict[str, Any]]]:
    """Per level the label of each group and its records, the largest group first; empty groups are left out."""
    import numpy as np

    out = []
    for level, up in enumerate(tree.up):
        labels = tree.published(level)
        records = np.bincount(up, weights=counts, minlength=len(labels)).astype(int)
        found = [(label, int(n)) for label, n in zip(labels, records, strict=True) if n]
        found.sort(key=lambda one: -one[1])
        out.append([{"label": label, "records": n} for label, n in found])
    return out


def _show(column: str, levels: list[list[dict[str, Any]]], text: str | None) -> None:
    from rich.console import Console
    from rich.markup import escape
    from rich.table import Table

    console = Console(highlight=False)
    console.print(f"\n[bold]{escape(column)}[/]" + (f": {escape(text)}" if text else ""))
    for level, groups in enumerate(levels):
        total = sum(group["records"] for group in groups)
        console.print(
            f"\nlevel {level}, {amount(len(groups), 'group')} of {groups[-1]['records']:,} to "
            f"{groups[0]['records']:,} records"
        )
        grid = Table(box=None, show_header=False, pad_edge=False)
        for group in groups[:_SHOWN]:
            label = "(missing)" if group["label"] is None else escape(str(group["label"]))
            grid.add_row("  ", label, f"{group['records']:,}", draw_bar(group["records"] / total, 20))
        console.print(grid)
        if len(groups) > _SHOWN:
            console.print(f"   … {len(groups) - _SHOWN:,} more")
