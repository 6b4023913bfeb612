"""`lookalike choose-k`: the largest k up to which a release still answers the questions asked of it."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from lookalike.base.errors import RequestError
from lookalike.base.printing import show
from lookalike.cli._options import File, Json, asks, option
from lookalike.cli._promises import HowOptions, PromiseOptions
from lookalike.cli._reading import FILE, HIERARCHIES, KNOWN, PeopleOptions
from lookalike.cli._typed import split_names


def parse_ks(text: str) -> list[int]:
    """`2-5,10` -> [2, 3, 4, 5, 10]."""
    out: list[int] = []
    for part in split_names(text):
        first, dash, last = part.partition("-")
        if not first.isdecimal() or (dash and not last.isdecimal()):
            raise RequestError(f"--ks: give numbers such as 2-11 or 2,5,10; {part!r} is not of that form.")
        out += range(int(first), int(last if dash else first) + 1)
    return out


def choose_k(
    file: File,
    table: Annotated[
        PeopleOptions,
        asks(*KNOWN, "sensitive", "identifiers", "targets", "others", "unit", *HIERARCHIES, *FILE),
    ],
    promise: Annotated[PromiseOptions, asks("l", "t", "promise")],
    how: HowOptions,
    questions: Path | None = option("A TOML file of questions to ask of every release.", metavar="FILE"),
    ks: list[int] = option(
        "What to try: 2-11, or 2,5,10.", default="2-11", metavar="NUMBERS", parse=parse_ks
    ),
    method: str = option("As of `lookalike anonymize`.", default="auto"),
    picture: Path | None = option("Where to draw the curve over k: k.svg, k.png or k.html."),
    seed: int = option("Same seed, same releases.", default=0, min=0),
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
    people = table.read(file, dropped=how.drop)
    found = la.choose_k(
        people,
        *promise.models(people),
        ks=ks,
        questions=asked,
        method=method,
        suppression=how.suppression,
        weights=how.weights,
        linked=how.linked,
        seed=seed,
        progress=not json,
    )
    if picture is not None:
        found.save(picture)
    show(found, json=json)
