"""`lookalike search`: which set of columns tells people apart best, or every smallest set that does."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, cast

import typer

from lookalike.base.errors import RequestError
from lookalike.base.printing import print_json
from lookalike.cli._drawing import save_chart
from lookalike.cli._options import File, Json, asks, option
from lookalike.cli._reading import FILE, TableOptions
from lookalike.cli._typed import pairs, split_names

if TYPE_CHECKING:
    from lookalike.recognition.search import Candidate, QuasiSearch
    from lookalike.tables.table import Table

TERMS = ("fitness", "distinction", "separation", "uniqueness", "k_min", "k_mean")
_FITNESS, _METHOD = "What makes a set fit", "How it is searched"


def _settings(text: str | None) -> dict[str, Any]:
    """`population=50,risk=uniqueness` -> {"population": 50, "risk": "uniqueness"}."""
    found: dict[str, Any] = {}
    for part in split_names(text):
        name, equals, value = (piece.strip() for piece in part.partition("="))
        if not (name and equals and value):
            raise RequestError(f"--options: expected name=value,name=value; {part!r} is not of that form.")
        found[name] = _value(value)
    return found


def _value(text: str) -> Any:
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text


def search(
    file: File,
    table: Annotated[TableOptions, asks("identifiers", "types", *FILE)],
    columns: list[str] = option(
        "Where to look; all but the identifiers otherwise.", metavar="COLUMNS", parse=split_names
    ),
    method: str = option(
        "greedy, tabu, annealing, evolutionary, exhaustive (up to 20 columns) or nsga2.",
        default="greedy",
        panel=_METHOD,
    ),
    options: dict[str, Any] = option(
        "Of the method: population=50,generations=30 or tenure=7,iterations=100 or steps=300,cooling=0.95.",
        metavar="NAME=VALUE,…",
        parse=_settings,
        panel=_METHOD,
    ),
    weights: dict[str, float] = option(
        "Of the QID paper's fitness: distinction=5,separation=0.5,k_mean=0.4,alpha=5; the others stay.",
        metavar="NAME=NUMBER,…",
        parse=pairs("--weights"),
        panel=_FITNESS,
    ),
    sum_of: dict[str, float] = option(
        "Instead, a sum of any metrics by their weights: separation=1,k_anonymity.min=-0.1.",
        metavar="METRIC=NUMBER,…",
        parse=pairs("--sum-of"),
        panel=_FITNESS,
    ),
    fitness: str | None = option(
        "Instead, a function of your own, by its entry point in lookalike.fitness.",
        metavar="NAME",
        panel=_FITNESS,
    ),
    sensitive: str | None = option("The sensitive column, for metrics of --sum-of.", "-s", metavar="COLUMN"),
    target: str | None = option("The column a model predicts, for metrics of --sum-of.", metavar="COLUMN"),
    truth: list[str] = option(
        "The quasi-identifiers as you know them: scores the set found.", metavar="COLUMNS", parse=split_names
    ),
    minimal: float | None = option(
        "Instead, every smallest set that reaches this share: 0.9.", metavar="SHARE"
    ),
    by: str = option("With --minimal: separation, uniqueness or distinction.", default="separation"),
    top: int = option("How many sets to show.", default=10, min=1),
    plot: Path | None = option("Draw every term of the best set, step by step, as SVG.", metavar="FILE"),
    seed: int = option("Same seed, same answer.", default=0, min=0),
    json: Json = False,
) -> None:
    """Search the set of columns that tells people apart best: candidates for --quasi.

    lookalike search people.csv --identifiers name,id

    lookalike search people.csv --method evolutionary --options population=100 --weights k_mean=1 --plot path.svg

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
    context = {name: given for name, given in (("sensitive", sensitive), ("target", target)) if given}
    found = la.search_quasi(
        people,
        method=method,
        columns=columns or None,
        fitness=_fitness(people, weights, sum_of, fitness, context),
        seed=seed,
        top=top,
        progress=not json,
        **options,
    )
    scores = la.score_recognition(found.columns, truth, columns or people.names) if truth else None
    if plot is not None:
        save_chart(found.plot(), plot)
    if json:
        print_json(found.to_dict() | ({"scores": scores.to_dict()} if scores else {}))
        return
    _show([*TERMS, "columns"], [_terms(one) for one in found.ranking[:top]])
    if steps := _steps(found):
        typer.echo("\nHow it got there:")
        _show(["step", *TERMS, "columns"], [[f"{step:,}", *_terms(one)] for step, one in steps])
    if scores is not None:
        typer.echo(f"\nAgainst {', '.join(truth)}: {scores}")
    typer.echo(f"\n{found.measured:,} sets measured. Columns that outsiders may know belong into --quasi:")
    typer.echo(f"  lookalike risk {file} --quasi {','.join(found.columns)}")


def _fitness(
    people: Table,
    weights: dict[str, float],
    sum_of: dict[str, float],
    name: str | None,
    context: dict[str, str],
) -> Any:
    """The fitness that the options describe, or None for the default."""
    import lookalike as la
    from lookalike.recognition.own_fitness import registered_fitness

    given = [
        what for what, there in (("--weights", weights), ("--sum-of", sum_of), ("--fitness", name)) if there
    ]
    if len(given) > 1:
        raise RequestError(f"{' and '.join(given)} each say what makes a set fit: give one of them.")
    if name is not None:
        return registered_fitness(name)
    if sum_of:
        return la.LinearFitness(people, sum_of, context)
    known = [one.name for one in fields(la.Fitness)]
    if unknown := [one for one in weights if one not in known]:
        raise RequestError(f"--weights: the fitness has no {unknown[0]!r}; it has {', '.join(known)}.")
    return la.Fitness(**cast(Any, weights)) if weights else None


def _terms(one: Candidate) -> list[str]:
    numbers = [getattr(one, term) for term in TERMS]
    return [f"{value:,}" if isinstance(value, int) else f"{value:.4f}" for value in numbers] + [
        ", ".join(one.columns)
    ]


def _steps(found: QuasiSearch) -> list[tuple[int, Candidate]]:
    """The steps after which another set was the best."""
    path = list(enumerate(found.evolution, 1))
    return [
        (step, one) for i, (step, one) in enumerate(path) if i == 0 or one.columns != path[i - 1][1].columns
    ]


def _show(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    from rich.console import Console
    from rich.markup import escape
    from rich.table import Table

    table = Table(box=None, header_style="dim", pad_edge=False)
    for head in heads:
        table.add_column(
            head.strip().replace("_", " "), justify="left" if head == "columns" else "right", overflow="fold"
        )
    for row in rows:
        table.add_row(*map(escape, row))
    Console(highlight=False).print(table)
