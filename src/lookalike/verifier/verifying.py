"""`verify`: every check of a release against its certificate, one after the other."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from lookalike.base.checks import checked
from lookalike.recodings.files import RECODING
from lookalike.releases.signatures import is_signed_by, signer_of
from lookalike.tables.sources.documents import read_document
from lookalike.verifier.agreement import check_certificate, check_forms, open_recoding, stated
from lookalike.verifier.contents import (
    check_beside,
    check_columns,
    check_file,
    check_numbers,
    check_row_count,
    check_safe,
    check_stars,
    check_values,
    files_beside,
    made_plain,
    without_crowds,
    without_stars,
)
from lookalike.verifier.findings import UNSIGNED, Finding, Verification
from lookalike.verifier.linked import check_known
from lookalike.verifier.promises import check_promise, check_semantic_risk
from lookalike.verifier.reading import RISK, read_certificate, read_far_rows, read_rows


@checked
def verify(
    release: Any,
    certificate: str | Path,
    *,
    recoding: str | Path | None = None,
    signer: str | Path | None = None,
    allow_unknown: bool = False,
) -> Verification:
    """Recompute every guarantee of a saved release (csv or parquet) and compare it with its certificate.

    release: the file, or a Spark frame where Spark wrote the rows, which then counts them; or a relation of DuckDB.
    recoding: looked for in `private/` beside the certificate; who has it checks more of the certificate.
    signer: the public key of whoever should have signed the certificate; then every field of it is as signed.
    allow_unknown: a promise that the release alone cannot show to hold is no reason to fail.
    certificate: the file `certificate.json` of the release.

    Examples:
        >>> import lookalike as la
        >>> frame = la.datasets.population(200, seed=1).select("age", "gender", "income")
        >>> people = la.table(frame, quasi=["age", "gender"], sensitive=["income"])
        >>> release = la.anonymize(people, la.KAnonymity(5))
        >>> _ = release.save("out")
        >>> la.verify("out/release.csv", "out/certificate.json").ok
        True
    """
    certificate = Path(certificate)
    written = read_certificate(certificate)
    safe = written.get("release", {}).get("spreadsheet_safe", False)
    signature, findings = _signature(certificate, signer)
    if isinstance(release, str | Path):
        file = Path(release)
        rows = read_rows(file)
        findings += [check_file(file, written), check_certificate(written)]
        if safe:
            findings.append(check_safe(file, rows))
            rows = made_plain(rows)
    else:
        rows = read_far_rows(release, written)
        findings.append(check_certificate(written))
    findings += check_beside(certificate, written)
    beside = Path(recoding) if recoding is not None else certificate.parent / RECODING
    opened = recoding is not None or _is_there(beside)
    if opened:
        findings.append(open_recoding(read_document(beside, "recoding"), written))
    findings += check_columns(rows, written)
    rows = without_crowds(rows, written)
    findings += [*check_values(rows, written), *check_forms(rows, written)]
    needed = [*written["quasi"], *([] if written["unit"] is None else [written["unit"]])]
    gone = [name for name in needed if name not in rows.columns]
    if gone:
        findings.append(Finding("promises", False, f"cannot be checked: column {gone[0]!r} is missing"))
    else:
        findings += check_stars(rows, written)
        kept = without_stars(rows, written)
        findings.append(check_row_count(kept, written))
        findings += check_numbers(kept, written)
        findings += [check_promise(kept, model, written) for model in written["promise"]]
        findings += check_semantic_risk(kept, written)
        findings += check_known(kept, written)
        if not written["promise"] and RISK not in written["measured"]:
            findings.append(Finding("promises", None, "the certificate makes none that can be recomputed"))
    alone = len(files_beside(certificate, written)) < len(written.get("beside", {}))
    left = stated(written, opened=opened, alone=alone, findings=findings)
    return Verification(tuple(findings), left, signature, allow_unknown)


def _is_there(path: Path) -> bool:
    try:
        return path.exists()
    except PermissionError:  # private to somebody else
        return False


def _signature(certificate: Path, signer: str | Path | None) -> tuple[str, list[Finding]]:
    said = signer_of(certificate)
    if signer is None:
        told = (
            UNSIGNED
            if said is None
            else f"signed with the key {said[:16]}…, which was not checked: name the signer"
        )
        return told, []
    if is_signed_by(certificate, signer):
        return "signed: every field is as the signer wrote it", [
            Finding("signature", True, "is the signer's")
        ]
    why = (
        "the certificate is not signed"
        if said is None
        else "is not the signer's, or the certificate was changed"
    )
    return UNSIGNED if said is None else why, [Finding("signature", False, why)]
