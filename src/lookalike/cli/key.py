"""`lookalike key`: make a secret key, for pseudonyms or for signing."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from lookalike.base.printing import print_json
from lookalike.cli._options import Json, option


def key(
    file: Annotated[
        Path, typer.Argument(help="Where to write the key; must not exist yet.", show_default=False)
    ],
    signing: bool = option(
        "A key to sign certificates with; its public half goes to FILE.pub.", default=False
    ),
    json: Json = False,
) -> None:
    """Make a random 256-bit key in a file that only you can read.

    Whoever has a key for pseudonyms can link every pseudonym made with it. Keep it apart from the release, and destroy
    it when nobody needs to link any more. Whoever has a key for signing can sign in your name.

        lookalike key secret.key
        lookalike anonymize people.csv -q age,sex,zip -k 10 --pseudonym name --key secret.key -o out/
        lookalike key office.key --signing
    """
    import lookalike as la

    if signing:
        public = la.generate_signing_key(file)
        if json:
            print_json({"file": str(file), "public": str(public)})
        else:
            typer.echo(
                f"A new key is in {file}, readable by its owner only. Give {public} to whoever checks."
            )
        return
    la.Key.generate(file)
    if json:
        print_json({"file": str(file)})
    else:
        typer.echo(
            f"A new key is in {file}, readable by its owner only. It is never shown, and never overwritten."
        )
