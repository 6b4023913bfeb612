"""`lookalike measure`: a set of columns by every metric whose needs are met."""

from __future__ import annotations

from typing import Annotated

import typer

from lookalike.cli._common import Json, print_json, split_names
from lookalike.cli._reading import File, Quasi, Read, Types, reads_files


@reads_files
def measure(
    file: File,
    read: Read,
    quasi: Quasi,
    metric: Annotated[
        str | None, typer.Option(metavar="NAMES", help="Some metrics by name; all that fit otherwise.")
    ] = None,
    sensitive: Annotated[
        str | None,
        typer.Option("--sensitive", "-s", metavar="COLUMN", help="The sensitive column, for t and l."),
    ] = None,
    target: Annotated[str | None, typer.Option(metavar="COLUMN", help="The column a model predicts.")] = None,
    treatment: Annotated[
        str | None, typer.Option(metavar="COLUMN", help="The column of a treatment, for causal metrics.")
    ] = None,
    treated: Annotated[
        str | None, typer.Option(metavar="VALUE", help="Which value of it means treated.")
    ] = None,
    types: Types = None,
    json: Json = False,
) -> None:
    """Measure how well a set of columns tells people apart, and what it tells about them.

    lookalike measure people.csv --quasi age,sex,zip

    lookalike measure people.csv -q age,zip -s disease --metric separation,t_closeness
    """
    import lookalike as la
    from lookalike.recognition import METRICS
    from lookalike.recognition.metrics import definition_of

    people = read(file, quasi=quasi, others=[], types=types)
    given = {"sensitive": sensitive, "target": target, "treatment": treatment}
    met = {name for name, value in given.items() if value is not None}
    named = [definition_of(name).name for name in split_names(metric)]
    wanted = named or [name for name, one in METRICS.items() if set(one.needs) <= met]
    options = {**given, "treated": treated}
    found = {name: la.measure(people, name, quasi=people.quasi, **options) for name in wanted}
    if json:
        print_json(found)
        return
    width = max(map(len, found))
    for name, one in found.items():
        what = f"{one.definition.aggregate} per {one.per}" if one.per != "set" else "of the whole set"
        typer.echo(f"{name:<{width}}  {one.value:>12.4f}  {one.domain}, {what}")
    left = [name for name in METRICS if name not in found]
    if left and not named:
        typer.echo(f"\nnot measured, since they need a further column: {', '.join(left)}")
