"""`lookalike measure`: a set of columns by every metric whose needs are met."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from lookalike.base.errors import RequestError
from lookalike.base.printing import print_json
from lookalike.cli._drawing import save_chart
from lookalike.cli._options import File, Json, asks, option
from lookalike.cli._reading import FILE, KNOWN, PeopleOptions
from lookalike.cli._typed import split_names

if TYPE_CHECKING:
    from lookalike.recognition.metrics.graphs import Graph
    from lookalike.recognition.metrics.metric import Metric
    from lookalike.tables.table import Table

SHOWN = 20  #: classes on the terminal; JSON has all


def measure(
    file: File,
    table: Annotated[PeopleOptions, asks(*KNOWN, *FILE)],
    metric: list[str] = option(
        "Some metrics by name, your own by their entry points too; all that fit otherwise.",
        metavar="NAMES",
        parse=split_names,
    ),
    sensitive: str | None = option("The sensitive column, for t and l.", "-s", metavar="COLUMN"),
    target: str | None = option("The column a model predicts.", metavar="COLUMN"),
    treatment: str | None = option("The column of a treatment, for causal metrics.", metavar="COLUMN"),
    treated: str | None = option("Which value of it means treated.", metavar="VALUE"),
    graph: str | None = option(
        "A causal graph: pc or ges finds one, or a CSV file with a line of column names and a square of numbers.",
        metavar="pc|ges|FILE",
    ),
    classes: bool = option("Show the value of every class; these name your own records.", default=False),
    plot: Path | None = option("A folder for a picture of each metric, as SVG.", metavar="FOLDER"),
    json: Json = False,
) -> None:
    """Measure how well a set of columns tells people apart, and what it tells about them.

    lookalike measure people.csv --quasi age,sex,zip

    lookalike measure people.csv -q age,zip -s disease --metric separation,t_closeness --classes
    """
    import lookalike as la
    from lookalike.recognition.metrics import METRICS, definition_of

    people = replace(table, others=[]).read(file)
    given: dict[str, Any] = {"sensitive": sensitive, "target": target, "treatment": treatment}
    given["adjacency"] = None if graph is None else _graph(people, graph)
    met = {name for name, value in given.items() if value is not None}
    named = [definition_of(name).name for name in metric]
    wanted = named or [name for name, one in METRICS.items() if set(one.needs) <= met]
    options = {**given, "treated": treated}
    found = {name: la.measure(people, name, quasi=people.quasi, **options) for name in wanted}
    if plot is not None:
        _draw(found, plot)
    if json:
        print_json({name: one.to_dict() | (_vector(one) if classes else {}) for name, one in found.items()})
        return
    width = max(map(len, found))
    for name, one in found.items():
        what = f"{one.definition.aggregate} per {one.per}" if one.per != "set" else "of the whole set"
        typer.echo(f"{name:<{width}}  {one.value:>12.4f}  {one.domain}, {what}")
        if classes and one.per != "set":
            _show_vector(one)
    left = [name for name in METRICS if name not in found]
    if left and not named:
        typer.echo(f"\nnot measured, since they need a further column: {', '.join(left)}")


def _graph(people: Table, given: str) -> Graph:
    """A graph that a method finds, or one from a file."""
    import csv

    import lookalike as la
    from lookalike.recognition.metrics.graphs import as_graph

    if given in ("pc", "ges"):
        return la.discover_graph(people, method=given)
    file = Path(given)
    if not file.is_file():
        raise RequestError(f"--graph: {given} is no file; give one, or pc or ges to find a graph.")
    with file.open(encoding="utf-8", newline="") as lines:
        names, *rows = [[cell.strip() for cell in row] for row in csv.reader(lines) if row] or [[]]
    if unknown := [name for name in names if name not in people.names]:
        raise RequestError(f"--graph: the table has no column {unknown[0]!r}, which {given} names.")
    return as_graph(rows, names)


def _vector(one: Metric) -> dict[str, Any]:
    """The value of every class or attribute, with its label and how many records it has."""
    each = zip(one.labels, one.weights.tolist(), one.values.tolist(), strict=True)
    return {"classes": [{"label": label, "records": n, "value": value} for label, n, value in each]}


def _show_vector(one: Metric) -> None:
    rows = _vector(one)["classes"]
    for row in rows[:SHOWN]:
        label = row["label"]
        told = (
            ", ".join("missing" if x is None else str(x) for x in label) if one.per == "class" else str(label)
        )
        typer.echo(f"    {row['value']:>12.4f}  {row['records']:>8,}  {told}")
    if len(rows) > SHOWN:
        typer.echo(f"    … and {len(rows) - SHOWN:,} more; --json has all")


def _draw(found: dict[str, Metric], folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for name, one in found.items():
        if one.per != "set":
            save_chart(one.plot(), folder / f"{name}.svg")
