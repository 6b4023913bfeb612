"""`verify`: every check of a release against its certificate, one after the other."""

from __future__ import annotations

from pathlib import Path

from lookalike.recodings.files import RECODING
from lookalike.verifier.contents import (
    check_columns,
    check_file,
    check_numbers,
    check_row_count,
    check_stars,
    check_values,
    without_stars,
)
from lookalike.verifier.findings import Finding, Verification
from lookalike.verifier.promises import check_promise, check_semantic_risk
from lookalike.verifier.reading import read_certificate, read_meanings, read_rows


def verify(
    release: str | Path, certificate: str | Path, *, recoding: str | Path | None = None
) -> Verification:
    """Recompute every guarantee of a saved release (csv or parquet) and compare it with its certificate.

    `recoding` is looked for in `private/` beside the certificate; only promises about the order or the hierarchy of
    a sensitive column need it.
    """
    release, certificate = Path(release), Path(certificate)
    written = read_certificate(certificate)
    beside = Path(recoding) if recoding is not None else certificate.parent / RECODING
    meanings = read_meanings(beside, written) if beside.exists() or recoding is not None else {}
    rows = read_rows(release)
    findings = [check_file(release, written), *check_columns(rows, written), *check_values(rows, written)]
    gone = [name for name in written["quasi"] if name not in rows.columns]
    if gone:
        findings.append(Finding("promises", False, f"cannot be checked: column {gone[0]!r} is missing"))
        return Verification(tuple(findings))
    findings += check_stars(rows, written)
    kept = without_stars(rows, written)
    findings.append(check_row_count(kept, written))
    findings += check_numbers(kept, written)
    findings += [check_promise(kept, model, written, meanings) for model in written["promise"]]
    findings += check_semantic_risk(kept, written)
    if not written["promise"]:
        findings.append(Finding("promises", None, "the certificate makes none that can be recomputed"))
    return Verification(tuple(findings))
