"""`lookalike explain`: why a model decided as it did, without handing out somebody else's record."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from lookalike.base.errors import RequestError
from lookalike.base.printing import print_json
from lookalike.cli._options import File, Json, asks, option
from lookalike.cli._reading import FILE, KNOWN, PeopleOptions
from lookalike.cli._typed import names_or_none


def explain(
    file: File,
    table: Annotated[PeopleOptions, asks(*KNOWN, "sensitive", "identifiers", *FILE)],
    model: Path = option(
        "The model: .skops, .onnx, or a trusted .joblib.", "-m", required=True, show_default=False
    ),
    row: list[int] | None = option("Whose decision: a row of the table, the first being 1.", min=1),
    rows: Path | None = option("A file of people whose decisions to explain.", metavar="FILE"),
    features: list[str] | None = option(
        "What the model looks at; the model's own names otherwise.", metavar="COLUMNS", parse=names_or_none
    ),
    desired: str = option("The outcome people hope for.", default="1"),
    k: int = option("So many people fit every explanation.", default=10, min=1),
    trust_model: bool = option("Load a pickle: it runs whatever its author put inside.", default=False),
    seed: int = option("Same seed, same answer.", default=0, min=0),
    json: Json = False,
) -> None:
    """Say what would have to be different for another decision, in words that at least k people fit.

    The table is the model's training data. An explanation starts from somebody in it who was decided otherwise, and
    blurs what outsiders could recognise that person by.

        lookalike explain train.csv --model credit.skops --quasi age,sex,city --row 17

        lookalike explain train.csv -m credit.skops -q age,sex,city --rows refused.csv -k 20 --json
    """
    import lookalike as la
    from lookalike.explanations.files import read_model

    if (row is None) == (rows is None):
        raise RequestError("say whose decision: --row 17 for a row of the table, or --rows FILE.")
    loaded = read_model(model, trusted=trust_model)
    people = replace(table, others=[]).read(file)
    if rows is not None:
        asked = replace(table.only_file(), types=table.types, others=[]).read(rows).rows
    elif max(row or ()) <= len(people):
        asked = people.rows[[n - 1 for n in row or ()]]
    else:
        raise RequestError(f"--row: the table has {len(people):,} rows.")
    explainer = la.KAnonymousExplainer(
        loaded,
        people,
        desired=int(desired) if desired.lstrip("-").isdigit() else desired,
        k=k,
        features=features,
        seed=seed,
    )
    told = explainer.explain_many(asked, called=row, progress=not json)
    if json:
        print_json({"explanations": told})
        return
    for number, one in enumerate(told, 1):
        typer.echo(f"{f'{number}. ' if len(told) > 1 else ''}{one.text}")
