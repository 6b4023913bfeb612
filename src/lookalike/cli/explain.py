"""`lookalike explain`: why a model decided as it did, without handing out somebody else's record."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from lookalike.cli._common import Json, print_json, split_names
from lookalike.cli._reading import File, Identifiers, Quasi, Read, Sensitive, Types, reads_files
from lookalike.errors import RequestError


@reads_files
def explain(
    file: File,
    read: Read,
    model: Annotated[
        Path,
        typer.Option(
            "--model", "-m", help="The model: .skops, .onnx, or a trusted .joblib.", show_default=False
        ),
    ],
    quasi: Quasi,
    row: Annotated[
        list[int] | None,
        typer.Option("--row", min=1, help="Whose decision: a row of the table, the first being 1."),
    ] = None,
    rows: Annotated[
        Path | None,
        typer.Option("--rows", metavar="FILE", help="A file of people whose decisions to explain."),
    ] = None,
    features: Annotated[
        str | None,
        typer.Option(metavar="COLUMNS", help="What the model looks at; the model's own names otherwise."),
    ] = None,
    desired: Annotated[str, typer.Option(help="The outcome people hope for.")] = "1",
    k: Annotated[int, typer.Option("-k", min=1, help="So many people fit every explanation.")] = 10,
    sensitive: Sensitive = None,
    identifiers: Identifiers = None,
    types: Types = None,
    trust_model: Annotated[
        bool, typer.Option("--trust-model", help="Load a pickle: it runs whatever its author put inside.")
    ] = False,
    seed: Annotated[int, typer.Option(min=0, help="Same seed, same answer.")] = 0,
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
    people = read(file, quasi=quasi, sensitive=sensitive, identifiers=identifiers, types=types, others=[])
    if row is not None and max(row) > len(people):
        raise RequestError(f"--row: the table has {len(people):,} rows.")
    asked = people.rows[[n - 1 for n in row]] if row is not None else read(rows, types=types, others=[]).rows
    explainer = la.KAnonymousExplainer(
        loaded,
        people,
        desired=int(desired) if desired.lstrip("-").isdigit() else desired,
        k=k,
        features=None if features is None else split_names(features),
        seed=seed,
    )
    told = explainer.explain_many(asked, called=row, progress=not json)
    if json:
        print_json({"explanations": told})
        return
    for number, one in enumerate(told, 1):
        typer.echo(f"{f'{number}. ' if len(told) > 1 else ''}{one.text}")
