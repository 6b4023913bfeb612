"""`lookalike sign`: sign the certificate of a release."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from lookalike.base.errors import FileError, GuaranteeError
from lookalike.base.printing import print_json
from lookalike.cli._options import Json, option


def sign(
    folder: Annotated[Path, typer.Argument(help="The folder of the release.", show_default=False)],
    key: Path = option("Your secret key, as `lookalike key FILE --signing` makes it.", required=True),
    json: Json = False,
) -> None:
    """Sign a release's certificate, so that whoever has your public key finds every edit of it.

    The release is checked first: what fails its own certificate is not signed.

        lookalike key office.key --signing
        lookalike sign out/ --key office.key
        lookalike verify out/release.csv out/certificate.json --signer office.key.pub
    """
    import lookalike as la

    release = next((p for name in ("csv", "parquet") if (p := folder / f"release.{name}").is_file()), None)
    if release is None:
        raise FileError(f"{folder}: has no release.csv and no release.parquet.")
    result = la.verify(release, folder / "certificate.json", allow_unknown=True)
    if not result.ok:
        raise GuaranteeError(
            f"{folder}: the release fails its certificate, so it was not signed. See lookalike verify."
        )
    written = la.sign(folder, key=key)
    if json:
        print_json({"file": str(written)})
    else:
        typer.echo(
            f"Signed. Send {written} with the release, and your public key ({key}.pub) by another way."
        )
