"""`lookalike explain`: why a model decided as it did, without handing out somebody else's record."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from lookalike.base.errors import RequestError
from lookalike.base.printing import print_json, show
from lookalike.cli._options import File, Json, asks, option
from lookalike.cli._reading import FILE, KNOWN, PeopleOptions
from lookalike.cli._typed import names_or_none

if TYPE_CHECKING:
    from lookalike.tables.table import Table

_SEARCH = "How explanations are searched for"


@dataclass(frozen=True, kw_only=True)
class SearchOptions:
    """The parameters of CF-K."""

    values: str = option(
        "What is shown: shared (k people share all of it), or exact (as in the paper: one person's own values "
        "of columns that are not quasi-identifiers).",
        default="shared",
        panel=_SEARCH,
    )
    alpha: int = option("So many near records are drawn from.", default=20, min=1, panel=_SEARCH)
    iterations: int = option("Searches for each explanation.", default=3, min=1, panel=_SEARCH)
    effort: float | None = option("Further searches where much is lost.", min=0, panel=_SEARCH)
    objective: str = option(
        "What is better: weighted, lex_ncp or lex_pureness.", default="weighted", panel=_SEARCH
    )
    floor: float = option("How often an explanation must hold, 0 to 1.", default=0.0, panel=_SEARCH)
    l: int = option(  # noqa: E741
        "So many distinct private values among those who fit.", "--l", default=1, min=1, panel=_SEARCH
    )
    count: str = option("Who counts towards k: all, or desired.", default="all", panel=_SEARCH)
    choices: int | None = option("So many nearest records to choose from.", min=1, panel=_SEARCH)
    immutable: list[str] | None = option(
        "Columns that must stay; those that people cannot change otherwise.",
        metavar="COLUMNS",
        parse=names_or_none,
        panel=_SEARCH,
    )
    seed: int = option("Same seed, same answer.", default=0, min=0, panel=_SEARCH)

    def typed(self) -> dict[str, Any]:
        """The options as an explainer takes them; what was not typed is left to it."""
        return {name: value for name, value in vars(self).items() if value is not None}


def explain(
    file: File,
    table: Annotated[PeopleOptions, asks(*KNOWN, "sensitive", "identifiers", *FILE)],
    search: SearchOptions,
    model: Path | None = option("The model: .skops, .onnx, or a trusted .joblib.", "-m", show_default=False),
    target: str | None = option("Train a model of this column, where there is none.", metavar="COLUMN"),
    row: list[int] | None = option("Whose decision: a row of the table, the first being 1.", min=1),
    rows: Path | None = option("A file of people whose decisions to explain.", metavar="FILE"),
    experiment: bool = option(
        "Explain everybody refused in a part that is held out, in every way, and measure it.", default=False
    ),
    group: str | None = option("With --experiment: compare the groups of a column.", metavar="COLUMN"),
    features: list[str] | None = option(
        "What the model looks at; the model's own names otherwise.", metavar="COLUMNS", parse=names_or_none
    ),
    desired: str = option("The outcome people hope for.", default="1"),
    k: int = option("So many people fit every explanation.", default=10, min=1),
    alternatives: int = option("Up to so many explanations that differ, for one row.", default=1, min=1),
    attack: bool = option("Attack the explanations too, with the training table.", default=False),
    trust_model: bool = option("Load a pickle: it runs whatever its author put inside.", default=False),
    json: Json = False,
) -> None:
    """Say what would have to be different for another decision, in words that at least k people share.

    The table is the model's training data. An explanation starts from somebody in it who was decided otherwise, and
    blurs everything that is shown until k people share it. Rows that cannot be explained are named with the reason.

        lookalike explain train.csv --model credit.skops --quasi age,sex,city --row 17

        lookalike explain train.csv -m credit.skops -q age,sex,city --rows refused.csv -k 20 --attack --json

        lookalike explain people.csv --target income --desired high -q age,sex,city --experiment --group sex
    """
    import lookalike as la
    from lookalike.explanations.files import read_model
    from lookalike.explanations.trained import train_model

    if (row is not None) + (rows is not None) + experiment != 1:
        raise RequestError(
            "say whose decision: --row 17 for a row of the table, --rows FILE, or --experiment for all."
        )
    if (model is None) == (target is None):
        raise RequestError("say which model: --model FILE, or --target COLUMN to train one of it.")
    people = replace(table, others=[]).read(file)
    loaded = None if model is None else read_model(model, trusted=trust_model)
    wished: Any = int(desired) if target is None and desired.lstrip("-").isdigit() else desired
    options = {"desired": wished, "features": features, **search.typed()}
    if experiment:
        found = la.study_explanations(
            people, model=loaded, target=target, k=k, group=group, progress=not json, **options
        )
        show(found, json=json)
        return
    if target is not None:
        loaded = train_model(people, target, seed=search.seed)
        options |= {"features": loaded.feature_names_in_, "justified": False}
    asked, called = _asked(people, table, row, rows)
    explainer = la.KAnonymousExplainer(loaded, people, k=k, **options)
    if alternatives > 1:
        if asked.height != 1:
            raise RequestError("--alternatives explains one row; name one with --row.")
        several = explainer.explain_in_several_ways(asked, alternatives=alternatives)
        told, unexplained = dict(enumerate(several, 1)), {}
    else:
        answer = explainer.explain_each(asked, called=called, progress=not json)
        told, unexplained = answer.explanations, answer.unexplained
    attacked = la.attack_explanations(list(told.values()), people) if attack and told else None
    if json:
        print_json(
            {
                "explanations": list(told.values()),
                "rows": list(told),
                "unexplained": unexplained,
                "attack": attacked,
            }
        )
    else:
        for number, one in told.items():
            typer.echo(f"{f'{number}. ' if len(told) > 1 else ''}{one.text}")
        for number, why in unexplained.items():
            typer.echo(f"row {number}: {why}", err=True)
        if attacked is not None:
            typer.echo("\n" + "\n".join(map(str, attacked.rates)))
            typer.echo(
                f"Fewest people left: {attacked.k_min}; after matching all of them: {attacked.k_min_matched}."
            )
    if not told:
        raise typer.Exit(1)


def _asked(
    people: Table, table: PeopleOptions, row: list[int] | None, rows: Path | None
) -> tuple[Any, list[int] | None]:
    """The rows whose decisions are asked about, and their numbers."""
    if rows is not None:
        return replace(table.only_file(), types=table.types, others=[]).read(rows).rows, None
    if max(row or ()) > len(people):
        raise RequestError(f"--row: the table has {len(people):,} rows.")
    return people.rows[[number - 1 for number in row or ()]], row
