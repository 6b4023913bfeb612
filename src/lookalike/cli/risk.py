"""`lookalike risk`: how easily the people of a file are told apart, in numbers, in a picture and in words; a gate."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, cast

import typer

from lookalike.base.errors import RequestError, amount, percent
from lookalike.base.printing import print_json
from lookalike.base.progress import track
from lookalike.cli._bars import draw_bar
from lookalike.cli._options import File, Json, asks, option
from lookalike.cli._reading import COUNTED, FILE, KNOWN, PeopleOptions
from lookalike.cli._semantic import SemanticOptions, show
from lookalike.cli._typed import split_names, split_pairs

if TYPE_CHECKING:
    from rich.console import Console

    from lookalike.measures.risks.classical import Risk

SIZES = ((1, 1), (2, 2), (3, 4), (5, 10), (11, 19), (20, None))
AT_LEAST = ("k", "k_mean", "l")
AT_MOST = ("max", "average", "above", "uniques", "journalist", "marketer", "population", "t")
_POPULATION, _GATE = "What is known of the population", "How the numbers are read"


def _parse_requirements(text: str | None) -> dict[str, float]:
    required = split_pairs(text, option="--require")
    for name in required:
        if name not in AT_LEAST + AT_MOST:
            raise RequestError(
                f"--require: {name!r} is not a number of this report. There are {', '.join(AT_LEAST + AT_MOST)}."
            )
    return required


def risk(
    file: File,
    table: Annotated[PeopleOptions, asks(*KNOWN, "sensitive", "unit", "weight", *FILE, *COUNTED)],
    semantic: SemanticOptions,
    population: Path | None = option("A file of everybody, with the same columns.", panel=_POPULATION),
    sampling_fraction: float | None = option(
        "People in the table over people in the population.", panel=_POPULATION
    ),
    threshold: float = option("Count people whose risk is above this.", default=0.2, panel=_GATE),
    regime: list[str] = option(
        "Read against thresholds in use: cms, ema, practice-5, … (a wrong name lists all).",
        metavar="NAMES",
        panel=_GATE,
        parse=split_names,
    ),
    require: dict[str, float] = option(
        "Exit with 1 unless met: k=5,average=0.05. "
        f"At least: {', '.join(AT_LEAST)}; at most: {', '.join(AT_MOST)}.",
        metavar="NAME=NUMBER,…",
        panel=_GATE,
        parse=_parse_requirements,
    ),
    missing: str = option(
        "value: missing and * match only themselves; wildcard: they match everything.",
        default="value",
        panel=_GATE,
    ),
    special: bool = option(
        "Show which few columns single people out.", "--special/--no-special", default=True, panel=_GATE
    ),
    json: Json = False,
) -> None:
    """How easily are people told apart by what others may know of them?

    Counts for every person how many share their quasi-identifiers, and says what that means for somebody who looks for
    them. With --require the command is a gate for pipelines.

        lookalike risk people.csv --quasi age,sex,zip
        lookalike risk people.csv -q age,sex,zip -s disease --require k=5,average=0.05
        lookalike risk sample.csv -q age,sex,zip --sampling-fraction 0.01 --regime cms
    """
    import lookalike as la

    with track(not json, "Reading and counting") as advance:
        people = replace(table, others=[]).read(file)
        people.take_tuples(progress=lambda share: advance(share / 2))
        everyone = None if population is None else table.only_file().read(population)
        advance(0.5)
        measured = la.risk(
            people,
            threshold=threshold,
            population=everyone,
            sampling_fraction=sampling_fraction,
            regime=regime or None,
            missing=cast(Any, missing),
        )
        if special and measured.uniques:
            _ = measured.special
        _ = measured.linked
    by_concepts = semantic.assess(people, quiet=json)
    checks = [_check(measured, name, asked) for name, asked in require.items()]
    met = all(check["met"] for check in checks)
    if json:
        told = measured.to_dict()
        if special:
            told["special"] = measured.special.to_dict()
        told["linked"] = [link.to_dict() for link in measured.linked]
        if by_concepts is not None:
            told["semantic"] = by_concepts.to_dict()
        if checks:
            told |= {"required": checks, "ok": met}
        print_json(told)
    else:
        _show(measured, people.names, file, special=special)
        if by_concepts is not None:
            show(by_concepts)
        _show_checks(checks)
    if not met:
        raise typer.Exit(1)


def _check(measured: Risk, name: str, asked: float) -> dict[str, Any]:
    value = _value(measured, name)
    # Shares are compared as they are; only what rounding adds to a fraction such as 1/5 is forgiven.
    met = value >= asked if name in AT_LEAST else value <= asked * (1 + 1e-9)
    return {"name": name, "asked": asked, "found": value, "met": bool(met)}


def _value(measured: Risk, name: str) -> float:
    if name in ("l", "t"):
        if not measured.attributes:
            raise RequestError(f"--require {name}: name the sensitive columns with --sensitive.")
        return (
            min(a.l_min for a in measured.attributes)
            if name == "l"
            else max(a.t_max for a in measured.attributes)
        )
    if name in ("journalist", "population"):
        if measured.journalist is None or measured.population is None:
            raise RequestError(f"--require {name}: this needs --population, --sampling-fraction or --weight.")
        return measured.journalist.max if name == "journalist" else measured.population.dankar
    return float(getattr(measured, name))


def _show(measured: Risk, names: list[str], file: Path, *, special: bool) -> None:
    from rich.console import Console

    from lookalike.measures.risks.words import DISCLAIMER, sentences

    console = Console(highlight=False)
    console.print(f"\n[bold]{file.name}[/]\n")
    for sentence in sentences(measured):
        _say(console, sentence)
    console.print("\n[bold]People by the number who look like them[/] (themselves included)\n")
    _draw_histogram(console, measured)
    _show_attackers(console, measured)
    if special and measured.uniques:
        _show_special(console, measured)
    if measured.linked:
        console.print("\n[bold]Columns that give others away[/]\n")
        for link in measured.linked:
            _say(console, f"{link}.")
    console.print("\n[bold]Thresholds in use[/]\n")
    for reading in measured.readings:
        _say(console, f"{reading.regime}: {reading.text}")
        _say(console, f"source: {reading.source}", style="dim")
    looked_at = {*measured.quasi, *(one.column for one in measured.attributes)}
    rest = [name for name in names if name not in looked_at]
    if rest:
        shown = ", ".join(rest[:8]) + (", …" if len(rest) > 8 else "")
        console.print()
        _say(console, f"Not looked at: {shown}. Columns that others may know belong into --quasi.")
    console.print()
    _say(console, DISCLAIMER)
    console.print()


def _say(console: Console, text: str, style: str = "") -> None:
    """A paragraph, indented as a whole."""
    from rich.padding import Padding
    from rich.text import Text

    console.print(Padding.indent(Text(text, style=style), 2))


def _draw_histogram(console: Console, measured: Risk) -> None:
    import numpy as np
    from rich.table import Table

    table = Table(box=None, header_style="dim", pad_edge=False)
    table.add_column("  alike", justify="right")
    table.add_column("people", width=40)
    table.add_column("groups", justify="right")
    people = measured.cells.counts[measured.cells.counts > 0]
    for low, high in SIZES:
        inside = (measured.sizes >= low) & (measured.sizes <= (high or measured.sizes.max()))
        share = float(np.average(inside, weights=people))
        colour = "red" if low < 5 else "yellow" if low < 11 else "green"
        label = f"{low}+" if high is None else str(low) if low == high else f"{low}-{high}"
        table.add_row(label, f"[{colour}]{draw_bar(share, 28)}[/] {percent(share)}", f"{int(inside.sum()):,}")
    console.print(table)


def _show_attackers(console: Console, measured: Risk) -> None:
    from rich.table import Table

    table = Table(box=None, header_style="dim", pad_edge=False)
    for heading in ("  looking for", "at worst", "on average", f"people above {measured.threshold:g}"):
        table.add_column(heading, justify="left" if heading.startswith(" ") else "right")
    rows = [
        ("somebody in the table (prosecutor)", measured.prosecutor),
        ("anybody (journalist)", measured.journalist),
    ]
    for who, one in rows:
        if one is None:
            table.add_row(f"  {who}", "-", "-", "[dim]needs a population[/]")
        else:
            table.add_row(f"  {who}", f"{one.max:.3f}", f"{one.average:.3f}", percent(one.above))
    table.add_row("  everybody (marketer)", "", f"{measured.marketer:.3f}", "")
    console.print("\n[bold]Chance to pick the right record[/]\n")
    console.print(table)


def _show_special(console: Console, measured: Risk) -> None:
    from rich.table import Table

    special = measured.special
    table = Table(box=None, header_style="dim", pad_edge=False)
    table.add_column("  people", justify="right")
    table.add_column("are unique by these columns, and by no fewer")
    for columns, people in list(zip(special.sets, special.people, strict=True))[:5]:
        table.add_row(f"{people:,}", ", ".join(columns))
    console.print(
        f"\n[bold]What singles people out[/] ({amount(len(special.sets), 'set')} of up to "
        f"{amount(special.max_size, 'column')})\n"
    )
    console.print(table)
    ranked = sorted(special.contributions.items(), key=lambda pair: -pair[1])[:5]
    told = ", ".join(f"{name} {percent(share)}" for name, share in ranked)
    console.print()
    _say(console, f"Columns by their part in it: {told}.")


def _show_checks(checks: list[dict[str, Any]]) -> None:
    for check in checks:
        sign = ">=" if check["name"] in AT_LEAST else "<="
        state = ("met", typer.colors.GREEN) if check["met"] else ("missed", typer.colors.RED)
        typer.echo(
            f"{typer.style(state[0], fg=state[1], bold=True)}: {check['name']} {sign} {check['asked']:g}, "
            f"found {check['found']:.4g}",
            err=not check["met"],
        )
