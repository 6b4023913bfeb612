"""`lookalike search`: which set of columns tells people apart best, or every smallest set that does."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated, Any

import typer

from lookalike.base.printing import print_json
from lookalike.cli._options import File, Json, asks, option
from lookalike.cli._reading import FILE, TableOptions
from lookalike.cli._typed import split_names


def search(
    file: File,
    table: Annotated[TableOptions, asks("identifiers", "types", *FILE)],
    columns: list[str] = option(
        "Where to look; all but the identifiers otherwise.", metavar="COLUMNS", parse=split_names
    ),
    method: str = option(
        "greedy, tabu, annealing, evolutionary, exhaustive (up to 20 columns) or nsga2.", default="greedy"
    ),
    minimal: float | None = option(
        "Instead, every smallest set that reaches this share: 0.9.", metavar="SHARE"
    ),
    by: str = option("With --minimal: separation, uniqueness or distinction.", default="separation"),
    top: int = option("How many sets to show.", default=10, min=1),
    seed: int = option("Same seed, same answer.", default=0, min=0),
    json: Json = False,
) -> None:
    """Search the set of columns that tells people apart best: candidates for --quasi.

    lookalike search people.csv --identifiers name,id

    lookalike search people.csv --minimal 0.9 --by separation
    """
    import lookalike as la

    people = replace(table, others=[]).read(file)
    if minimal is not None:
        sets = la.minimal_quasi(
            people, threshold=minimal, measure=by, columns=columns or None, progress=not json
        )
        if json:
            print_json(sets)
            return
        typer.echo(f"{len(sets)} smallest sets with {by} of at least {minimal:g}:")
        _show(
            [f"{by:>12}", "columns"],
            [[f"{v:.4f}", ", ".join(s)] for s, v in zip(sets.sets, sets.values, strict=True)][:top],
        )
        return
    found = la.search_quasi(
        people, method=method, columns=columns or None, seed=seed, top=top, progress=not json
    )
    if json:
        print_json(found)
        return
    heads = ["fitness", "distinction", "separation", "uniqueness", "smallest class", "columns"]
    _show(
        heads,
        [
            [
                f"{one.fitness:.4f}",
                f"{one.distinction:.4f}",
                f"{one.separation:.4f}",
                f"{one.uniqueness:.4f}",
                f"{one.k_min:,}",
                ", ".join(one.columns),
            ]
            for one in found.ranking[:top]
        ],
    )
    typer.echo(f"\n{found.measured:,} sets measured. Columns that outsiders may know belong into --quasi:")
    typer.echo(f"  lookalike risk {file} --quasi {','.join(found.columns)}")


def _show(heads: list[str], rows: list[list[Any]]) -> None:
    from rich.console import Console
    from rich.markup import escape
    from rich.table import Table

    table = Table(box=None, header_style="dim", pad_edge=False)
    for head in heads:
        table.add_column(head.strip(), justify="left" if head == "columns" else "right", overflow="fold")
    for row in rows:
        table.add_row(*map(escape, row))
    Console(highlight=False).print(table)
