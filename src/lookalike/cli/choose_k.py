"""`lookalike choose-k`: the largest k up to which a release still answers the questions asked of it."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from lookalike.cli._common import Json, print_json, split_names, split_pairs
from lookalike.cli._promises import Close, Diverse, Dropped, LinkedChoices, read_choices, read_promises
from lookalike.cli._reading import (
    File,
    Hierarchies,
    Identifiers,
    Others,
    Quasi,
    Read,
    Sensitive,
    Targets,
    Types,
    Unit,
    reads_files,
)
from lookalike.errors import RequestError


@reads_files
def choose_k(
    file: File,
    read: Read,
    quasi: Quasi,
    questions: Annotated[
        Path | None,
        typer.Option("--questions", metavar="FILE", help="A TOML file of questions to ask of every release."),
    ] = None,
    ks: Annotated[
        str, typer.Option("--ks", metavar="NUMBERS", help="What to try: 2-11, or 2,5,10.")
    ] = "2-11",
    l: Diverse = None,  # noqa: E741
    t: Close = None,
    sensitive: Sensitive = None,
    identifiers: Identifiers = None,
    targets: Targets = None,
    others: Others = None,
    hierarchies: Hierarchies = None,
    types: Types = None,
    unit: Unit = None,
    method: Annotated[str, typer.Option(help="As of `lookalike anonymize`.")] = "auto",
    suppression: Annotated[
        float,
        typer.Option(
            help="Largest share of people who may be left out (of records where there is no --unit)."
        ),
    ] = 0.05,
    drop: Dropped = None,
    linked: LinkedChoices = None,
    weights: Annotated[
        str | None, typer.Option(metavar="COLUMN=WEIGHT,…", help="How much losing detail hurts: age=2,zip=1.")
    ] = None,
    picture: Annotated[
        Path | None, typer.Option("--picture", help="Where to draw the curve over k: k.svg, k.png or k.html.")
    ] = None,
    seed: Annotated[int, typer.Option(min=0, help="Same seed, same releases.")] = 0,
    json: Json = False,
) -> None:
    """Make a release for every k, ask the questions of each, and say up to which k no answer changes.

    The table shows for every k the records left out, the detail lost, the risk that is left, and the questions with a
    significant impact, by the rule of each question.

        lookalike choose-k people.csv --quasi age,sex,zip --questions questions.toml --picture k.svg
    """
    import lookalike as la

    if questions is None:
        raise RequestError(
            "say what the release should still answer: --questions questions.toml, a text file with a line "
            '[[question]] and below it lines such as kind = "share", of = { retired = "yes" } and by = "town".'
        )
    asked = la.read_questions(questions)
    people = read(
        file,
        quasi=quasi,
        sensitive=sensitive,
        identifiers=list(dict.fromkeys([*split_names(identifiers), *split_names(drop)])),
        others=others,
        targets=targets,
        types=types,
        unit=unit,
        hierarchies=hierarchies,
    )
    given: dict[str, Any] = {"weights": split_pairs(weights, option="--weights")} if weights else {}
    found = la.choose_k(
        people,
        *read_promises(people, None, l, t),
        ks=parse_ks(ks),
        questions=asked,
        method=method,
        suppression=suppression,
        linked=read_choices(linked),
        seed=seed,
        progress=not json,
        **given,
    )
    if picture is not None:
        found.save(picture)
    if json:
        print_json(found)
    else:
        typer.echo(str(found))


def parse_ks(text: str) -> list[int]:
    """`2-5,10` -> [2, 3, 4, 5, 10]."""
    out: list[int] = []
    for part in split_names(text):
        first, dash, last = part.partition("-")
        if not first.isdecimal() or (dash and not last.isdecimal()):
            raise RequestError(f"--ks: give numbers such as 2-11 or 2,5,10; {part!r} is not of that form.")
        out += range(int(first), int(last if dash else first) + 1)
    return out
