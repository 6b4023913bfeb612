"""`lookalike anonymize`: a file in, a folder out that holds the release, its certificate and its recoding."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

import typer

from lookalike.cli._common import Json, print_json, split_names, split_pairs
from lookalike.cli._promises import (
    HOW,
    PROMISE,
    Close,
    Diverse,
    Dropped,
    LinkedChoices,
    read_choices,
    read_promises,
)
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
from lookalike.cli._semantic import SEMANTIC, Scales, Uncovered, parse_scales
from lookalike.errors import ColumnError, FileError, RequestError, amount, percent

if TYPE_CHECKING:
    from lookalike.models import Model
    from lookalike.releases.release import Release
    from lookalike.tables.table import Table

T = TypeVar("T")
_ONE = "Of single methods"
_MOST_SHOWN = 60  # columns; of more, only the first that were changed are listed


@reads_files
def anonymize(
    file: File,
    read: Read,
    quasi: Quasi,
    output: Annotated[
        Path, typer.Option("--output", "-o", help="Folder for the release; made whole or not at all.")
    ],
    k: Annotated[
        int | None,
        typer.Option(
            "-k", metavar="NUMBER", help="Everybody has at least k-1 lookalikes.", rich_help_panel=PROMISE
        ),
    ] = None,
    l: Diverse = None,  # noqa: E741 - the letter the literature uses
    t: Close = None,
    sensitive: Sensitive = None,
    identifiers: Identifiers = None,
    targets: Targets = None,
    others: Others = None,
    hierarchies: Hierarchies = None,
    types: Types = None,
    unit: Unit = None,
    method: Annotated[
        str,
        typer.Option(
            help="auto (local, or optimal where that cannot keep the promise), optimal (one rule for all rows), local, "
            "mondrian, datafly, sangreea, semantic or levels.",
            rich_help_panel=HOW,
        ),
    ] = "auto",
    suppression: Annotated[
        float,
        typer.Option(
            help="Largest share of people who may be left out (of records where there is no --unit).",
            rich_help_panel=HOW,
        ),
    ] = 0.05,
    weights: Annotated[
        str | None,
        typer.Option(
            metavar="COLUMN=WEIGHT,…", help="How much losing detail hurts: age=2,zip=1.", rich_help_panel=HOW
        ),
    ] = None,
    drop: Dropped = None,
    linked: LinkedChoices = None,
    pseudonym: Annotated[
        str | None,
        typer.Option(
            metavar="COLUMNS",
            help="Publish a pseudonym made from these columns in place of the first.",
            rich_help_panel=HOW,
        ),
    ] = None,
    key: Annotated[
        Path | None,
        typer.Option(help="Key file for pseudonyms; else the variable LOOKALIKE_KEY.", rich_help_panel=HOW),
    ] = None,
    stars: Annotated[
        bool, typer.Option("--stars", help="Keep suppressed records as stars.", rich_help_panel=HOW)
    ] = False,
    seed: Annotated[
        int, typer.Option(min=0, help="Same seed, same bytes (but for --seconds).", rich_help_panel=HOW)
    ] = 0,
    format: Annotated[str, typer.Option(help="csv or parquet.", rich_help_panel=HOW)] = "csv",
    spreadsheet_safe: Annotated[
        bool,
        typer.Option(
            "--spreadsheet-safe",
            help="An apostrophe before cells that a spreadsheet would run as formulas (csv).",
            rich_help_panel=HOW,
        ),
    ] = False,
    loss: Annotated[
        str | None,
        typer.Option(help="Optimal: what it minimises, loss, ncp, discernibility, …", rich_help_panel=_ONE),
    ] = None,
    seconds: Annotated[
        float | None, typer.Option(help="Optimal, local: time limit of the search.", rich_help_panel=_ONE)
    ] = None,
    relaxed: Annotated[
        bool,
        typer.Option("--relaxed", help="Mondrian: may part equal records.", rich_help_panel=_ONE),
    ] = False,
    publish: Annotated[
        str | None,
        typer.Option(
            "--publish",
            help="Local: meaning (ranges, values of one group or the group), sets (any values), hierarchy (nodes).",
            rich_help_panel=_ONE,
        ),
    ] = None,
    levels: Annotated[
        str | None,
        typer.Option(
            metavar="COLUMN=LEVEL,…",
            help="Levels: how far up its hierarchy each column goes, age=2,zip=1 (0 where not named).",
            rich_help_panel=_ONE,
        ),
    ] = None,
    scale: Scales = None,
    uncovered: Uncovered = None,
    semantic_threshold: Annotated[
        float | None,
        typer.Option(help="The largest semantic risk to release.", rich_help_panel=SEMANTIC),
    ] = None,
    forget: Annotated[
        int | None,
        typer.Option(
            min=0, help="Attributes to leave out, at most, before any record.", rich_help_panel=SEMANTIC
        ),
    ] = None,
    to: Annotated[
        str | None,
        typer.Option(
            metavar="ADDRESS",
            help="With --engine spark: where Spark writes the rows (parquet, or a new table if there is no slash).",
            rich_help_panel=HOW,
        ),
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Replace the output folder.")] = False,
    json: Json = False,
) -> None:
    """Make a release in which nobody stands out, losing as little as possible.

    The folder holds release.csv and certificate.json, which anybody can check with `lookalike verify`, and private/,
    which only you can read and which stays with you: its recoding.json recodes next month's rows the same way.

        lookalike anonymize people.csv --quasi age,sex,zip -k 10 -o out/
        lookalike anonymize people.csv -q age,sex,zip -s disease -k 10 -l disease=3 --drop name -o out/
        lookalike anonymize people.csv -q age,sex,zip -k 10 --method local --suppression 0 -o out/
        lookalike anonymize people.csv --roles auto --quasi=+zip,-year -k 10 -l all=2 -o out/
    """
    import lookalike as la
    from lookalike.releases.release import check_destination

    if output.exists() and not force:
        raise FileError(f"{output}: exists already. Choose another folder, or pass --force to replace it.")
    check_destination(output, format=format, overwrite=force)
    if key is not None and pseudonym is None:
        raise RequestError("--key is for pseudonyms: say with --pseudonym which columns they are made from.")
    options = _options(
        method,
        {
            "loss": ("--loss", loss),
            "seconds": ("--seconds", seconds),
            "strict": ("--relaxed", False if relaxed else None),
            "output": ("--publish", publish),
            "levels": ("--levels", _levels(levels)),
            "scales": ("--scale", parse_scales(scale) or None),
            "uncovered": ("--uncovered", uncovered),
            "threshold": ("--semantic-threshold", semantic_threshold),
            "forget": ("--forget", forget),
        },
    )
    if k is None and not l and not t and method != "semantic":
        raise RequestError("say what to promise: -k 10, -l disease=3, -t disease=0.2, or several of them.")
    dropped = split_names(drop)
    try:
        people = read(
            file,
            progress=not json,
            hold=True,
            quasi=quasi,
            sensitive=sensitive,
            identifiers=list(dict.fromkeys([*split_names(identifiers), *dropped])),
            others=others,
            targets=targets,
            types=types,
            unit=unit,
            hierarchies=hierarchies,
        )
    except ColumnError as problem:
        if any(str(problem).startswith(f"identifiers: there is no column {name!r}") for name in dropped):
            raise ColumnError(str(problem).replace("identifiers", "drop", 1)) from None
        raise
    # what is left out need not name anybody
    naming = (*split_names(identifiers), *split_names(pseudonym), people.unit)
    dropped = [name for name in dropped if name not in naming]
    release = la.anonymize(
        people.with_roles(**dict.fromkeys(dropped, "other")),
        *read_promises(people, k, l, t),
        method=method,
        suppression=suppression,
        weights=split_pairs(weights, option="--weights"),
        linked=read_choices(linked),
        pseudonyms=make_pseudonyms(people, split_names(pseudonym), key),
        drop=dropped,
        suppressed="star" if stars else "drop",
        seed=seed,
        progress=not json,
        **options,
    )
    release.save(output, format=format, overwrite=force, spreadsheet_safe=spreadsheet_safe, to=to)
    if json:
        print_json({**release.to_dict(), "output": str(output)})
    else:
        show_release(release, output, format, to=to)


def _options(method: str, typed: dict[str, tuple[str, Any]]) -> dict[str, Any]:
    """The method's options that were typed; an option of another method is refused."""
    from lookalike.anonymizers.methods import AUTO, METHODS

    given = {name: (option, value) for name, (option, value) in typed.items() if value is not None}
    for name, (option, _) in given.items():
        asked = AUTO if method == "auto" else (method,)
        if method in (*METHODS, "auto") and not any(name in METHODS[one].options for one in asked):
            fitting = [other for other, one in METHODS.items() if name in one.options]
            raise RequestError(f"{option} goes with --method {' or '.join(fitting)}, not with {method}.")
    if method == "levels" and "levels" not in given:
        raise RequestError("--method levels takes the levels from --levels, such as --levels age=2,zip=1.")
    return {name: value for name, (_, value) in given.items()}


def _levels(text: str | None) -> dict[str, int] | None:
    levels = split_pairs(text, option="--levels")
    for name, level in levels.items():
        if level != int(level):
            raise RequestError(f"--levels: the level of {name!r} is a whole number, found {level:g}.")
    return {name: int(level) for name, level in levels.items()} or None


def make_pseudonyms(people: Table, fields: list[str], key: Path | None) -> dict[str, Any]:
    """A pseudonym from some columns in place of the first, by the key in a file or in the environment."""
    import lookalike as la

    if not fields:
        return {}
    secret = la.Key.read(key) if key is not None else la.Key.from_environment()
    return {fields[0]: la.pseudonymise(people, fields, key=secret)}


def _remark(release: Release, model: Model) -> str:
    """What a model takes for granted about its columns, a line for each."""
    columns = {name: release.people.column(name) for name in model.columns}
    remarks = [model.remark(column.kind) for column in columns.values()]
    remarks += [
        f"{name!r} being missing counts as a value"
        for name, column in columns.items()
        if column.domain.missing and model.name in ("l-diversity", "t-closeness")
    ]
    return "".join(f"\n    where {remark}" for remark in remarks if remark)


def show_release(release: Release, output: Path, format: str, *, to: str | None = None) -> None:
    """What was reached and what it cost, and where it is."""
    from rich.console import Console
    from rich.markup import escape
    from rich.table import Table as Grid

    from lookalike.columns.notation import MISSING, MISSING_EXPLAINED
    from lookalike.recodings.files import PRIVATE
    from lookalike.releases.outcomes import AS_IT_IS

    console = Console()
    kept = release.records - release.suppressed
    console.print(
        f"\n[bold]{kept:,}[/] of {amount(release.records, 'record')} released in "
        f"[bold]{amount(release.classes, 'class', 'classes')}[/]; "
        f"the smallest has [bold]{amount(release.k, 'person', 'people')}[/]. "
        f"{amount(release.suppressed, 'record')} left out ({percent(release.suppressed / release.records)})."
    )
    for model, level in zip(release.models, release.achieved.values()):
        console.print(f"  promised {escape(str(model))}, reached {level:.4g}{_remark(release, model)}")
    if (risk := release.measured.get("largest basic semantic risk")) is not None:
        console.print(f"  promised a semantic risk of at most {risk:g} for every record")
    lost, weighted = percent(release.detail_lost), percent(release.loss)
    by_weight = "" if lost == weighted else f"; {weighted} by the weights of the columns"
    console.print(f"  detail lost: {lost} on average (0% nothing, 100% everything){by_weight}\n")
    grid = Grid("column", "what happened to it", box=None, header_style="bold")
    changed = [outcome for outcome in release.outcomes if outcome.what != AS_IT_IS]
    shown = list(release.outcomes) if len(release.outcomes) <= _MOST_SHOWN else changed[:_MOST_SHOWN]
    for outcome in shown:
        grid.add_row(escape(outcome.column), escape(outcome.text.removeprefix(f"{outcome.column}: ")))
    if len(shown) < len(release.outcomes):
        rest = amount(len(release.outcomes) - len(shown), "column")
        grid.add_row("…", f"{rest} {'as they are' if shown == changed else 'more: see dictionary.md'}")
    console.print(grid)
    if any(MISSING in (outcome.example or "") for outcome in shown):
        console.print(f"  [dim]{escape(MISSING_EXPLAINED)}[/]")
    note = (
        "proven to be the best of its kind"
        if release.proven_optimal
        else "not proven to be the best of its kind"
    )
    console.print(f"\nmethod {release.method}, {note}; {release.seconds:.1f} s")
    told = release.evidence.original or {}
    for words in (words for who in told.get("who_pays", ()) for words in who["warnings"]):
        console.print(f"[yellow]who pays:[/] {escape(words)}")
    folder = escape(str(output))
    sent = sorted(f"{folder}/{escape(path.name)}" for path in output.iterdir() if path.name != PRIVATE)
    console.print(
        f"\nSend: {' '.join(sent)}. Keep: {folder}/{PRIVATE}/, which only you can read; it says more than the release."
    )
    where, spark = (f"{folder}/release.{format}", "") if to is None else (escape(to), " --engine spark")
    check = f"Check it: lookalike verify {where} {folder}/certificate.json{spark}"
    if release.people.unit is None:
        console.print(check)
    else:  # the release does not say whose rows are whose
        console.print(f"{check} --allow-unknown (who counts its rows cannot count its people)")
