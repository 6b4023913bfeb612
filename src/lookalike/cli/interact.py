"""`lookalike interact`: a dialogue in the terminal that learns how much losing each column's detail hurts."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from lookalike.base.errors import FileError, RequestError, amount
from lookalike.base.printing import print_json
from lookalike.cli._interrupts import interrupting_at_once
from lookalike.cli._options import File, Json, asks, option
from lookalike.cli._promises import HowOptions, PromiseOptions
from lookalike.cli._reading import FILE, HIERARCHIES, KNOWN, PeopleOptions
from lookalike.cli._saving import show_release
from lookalike.cli._typed import pairs

if TYPE_CHECKING:
    from rich.console import Console

    from lookalike.anonymizers.dialogue.interaction import Dialogue
    from lookalike.anonymizers.dialogue.questions import ClusterQuestion

_TALK = "The dialogue"
METHODS = ("sangreea", "local", "optimal", "mondrian")  # that make use of weights
KEYS = {"a": "A", "b": "B", "?": "can't say"}


def interact(
    file: File,
    table: Annotated[
        PeopleOptions, asks(*KNOWN, "sensitive", "identifiers", "others", "unit", *HIERARCHIES, *FILE)
    ],
    promise: Annotated[PromiseOptions, asks("l", "t", "promise")],
    how: Annotated[HowOptions, asks("drop", "linked")],
    k: int | None = option("Size of the smallest group; 10 unless given.", panel=_TALK),
    rule: str | None = option("How answers are learnt from: bayes (unless given) or eg.", panel=_TALK),
    sliders: dict[str, float] = option(
        "What you know already: age=3,zip=1 (1 where not named).",
        metavar="COLUMN=WEIGHT,…",
        panel=_TALK,
        parse=pairs("--sliders"),
    ),
    answers: int = option("Stop after so many answers in this sitting.", default=20, min=1, panel=_TALK),
    session: Path | None = option(
        "Keep the dialogue in this file, and take it up again if it is there.", panel=_TALK
    ),
    output: Path | None = option("At the end, make a release in this folder.", "-o"),
    method: str = option(f"Of the release: {', '.join(METHODS)}.", default="sangreea"),
    seed: int | None = option("Same seed, same questions; 0 unless given.", min=0),
    json: Json = False,
) -> None:
    """Say which of two groups should take a record, and Lookalike learns what matters to you.

    Each answer changes the weights the anonymisation uses. Type a or b, ? if you can't say, u to take the last answer
    back, q to stop. Questions show real records: the dialogue is for people who may see the table.

        lookalike interact people.csv --quasi age,sex,zip
        lookalike interact people.csv --quasi age,sex,zip -k 10 --session choices.json -o out/
    """
    import lookalike as la
    from lookalike.releases.release import check_destination

    if output is not None:
        if output.exists():
            raise FileError(f"{output}: exists already. Choose another folder.")
        check_destination(output)
    if method not in METHODS:
        raise RequestError(f"there is no method {method!r} here; choose from {', '.join(METHODS)}.")
    people = table.read(file)
    dialogue = la.interact(
        people,
        k=k,
        rule=rule,
        sliders=sliders or None,
        seed=seed,
        resume=session if session is not None and session.exists() else None,
    )
    _talk(dialogue, answers, session)
    release = None
    if output is not None:
        release = dialogue.release(
            *promise.models(people),
            method=method,
            drop=how.drop,
            linked=how.linked,
            progress=not json,
        )
        release.save(output)
    if json:
        print_json(
            {
                "answers": len(dialogue),
                "weights": dialogue.weights,
                "uncertainty": dialogue.uncertainty,
                "release": None if release is None else {**release.to_dict(), "output": str(output)},
            }
        )
        return
    from rich.console import Console

    console = Console()
    _show_weights(console, dialogue)
    if release is not None and output is not None:
        show_release(release, output, "csv")


def _talk(dialogue: Dialogue, wanted: int, session: Path | None) -> None:
    """Ask until enough is answered, nothing is left to ask, or the person stops; the session is saved all along.

    Everything said goes to stderr, so that --json stays alone on stdout.
    """
    from rich.console import Console

    console = Console(stderr=True, highlight=False)
    done = 0
    if session is not None:
        dialogue.save(session)  # where it cannot be kept, nobody should answer first
    while done < wanted:
        question = dialogue.ask()
        if question is None:
            console.print("No question left that would teach anything.")
            return
        _show_question(console, question)
        typed = _ask()
        if typed in ("q", "quit"):
            return
        if typed in ("u", "undo"):
            try:
                dialogue.undo()
                done = max(done - 1, 0)
            except RequestError as problem:
                console.print(f"[yellow]{problem}[/]")
        elif typed in KEYS:
            dialogue.answer(question, KEYS[typed])
            done += 1
        else:
            console.print("[yellow]Type a, b, ?, u or q.[/]")
        if session is not None:
            dialogue.save(session)


def _ask() -> str:
    """What the person types; the end of the input stops as q does."""
    typer.echo("a, b, ?, u(ndo), q(uit): ", nl=False, err=True)
    with interrupting_at_once():
        line = sys.stdin.readline()
    return line.strip().lower() if line else "q"


def _show_question(console: Console, question: ClusterQuestion) -> None:
    from rich.table import Table as Grid
    from rich.text import Text

    grid = Grid(
        title=f"Question {question.number}: which group should take the record?", title_justify="left"
    )
    for heading in ("", "the record", f"A ({question.a.size})", f"B ({question.b.size})"):
        grid.add_column(heading)
    for name, value in question.record.items():
        cells = [Text(name), Text(_shown(value))]
        for side in (question.a, question.b):
            now, then = side.now[name], side.then[name]
            change = () if now == then else (" → ", (_shown(then), "bold"))
            cells.append(Text.assemble(_shown(now), *change))
        grid.add_row(*cells)
    console.print(grid)


def _shown(label: str | None) -> str:
    return "(missing)" if label is None else label


def _show_weights(console: Console, dialogue: Dialogue) -> None:
    from rich.text import Text

    console.print(f"\nWeights after {amount(len(dialogue), 'answer')}:", highlight=False)
    spread = dialogue.uncertainty
    width = max(map(len, dialogue.weights))
    for name, weight in sorted(dialogue.weights.items(), key=lambda item: -item[1]):
        bar = "█" * round(40 * weight)
        sure = "" if spread is None else f" ± {spread[name]:.2f}"
        console.print(Text(f"  {name.ljust(width)}  {weight:.2f}{sure}  {bar}"))
