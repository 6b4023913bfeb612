"""`lookalike measure`: a set of columns by every metric whose needs are met."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated

import typer

from lookalike.base.printing import print_json
from lookalike.cli._options import File, Json, asks, option
from lookalike.cli._reading import FILE, KNOWN, PeopleOptions
from lookalike.cli._typed import split_names


def measure(
    file: File,
    table: Annotated[PeopleOptions, asks(*KNOWN, *FILE)],
    metric: list[str] = option(
        "Some metrics by name; all that fit otherwise.", metavar="NAMES", parse=split_names
    ),
    sensitive: str | None = option("The sensitive column, for t and l.", "-s", metavar="COLUMN"),
    target: str | None = option("The column a model predicts.", metavar="COLUMN"),
    treatment: str | None = option("The column of a treatment, for causal metrics.", metavar="COLUMN"),
    treated: str | None = option("Which value of it means treated.", metavar="VALUE"),
    json: Json = False,
) -> None:
    """Measure how well a set of columns tells people apart, and what it tells about them.

    lookalike measure people.csv --quasi age,sex,zip

    lookalike measure people.csv -q age,zip -s disease --metric separation,t_closeness
    """
    import lookalike as la
    from lookalike.recognition.metrics import METRICS, definition_of

    people = replace(table, others=[]).read(file)
    given = {"sensitive": sensitive, "target": target, "treatment": treatment}
    met = {name for name, value in given.items() if value is not None}
    named = [definition_of(name).name for name in metric]
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
