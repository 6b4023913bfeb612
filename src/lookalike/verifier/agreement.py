"""Whether the fields of a certificate agree with each other, with the release, and with the recoding if it is at hand.

What no such comparison can tell is named: those fields are stated, and only a signature keeps them from being edited.
"""

from __future__ import annotations

import hmac
from collections.abc import Iterator, Mapping
from typing import Any

import polars as pl

from lookalike.base.errors import FileError
from lookalike.releases.certificate import MISSING, checksum, commit
from lookalike.releases.fields import FIELDS, field_of, paths
from lookalike.verifier.contents import as_numbers
from lookalike.verifier.findings import SHOWN, Finding
from lookalike.verifier.released import Released

GENERALISED = ("generalise", "box")
TREATMENTS = (*GENERALISED, "keep", "drop", "round", "pseudonymise", "follow")
OPENED = ("promise", "suppressed_rows", "columns.*.treatment", "columns.*.level", "recoding")


def check_certificate(written: Mapping[str, Any]) -> Finding:
    """Whether every field is one that certificates have, says what other fields say, and was left as written."""
    wrong = list(_disagreements(written))
    if written["checksum"] != checksum(written):
        wrong.append("it was changed after it was written")
    if not wrong:
        return Finding("certificate", True, "its fields agree with each other")
    return Finding("certificate", False, "; ".join(wrong[:SHOWN]))


def _disagreements(written: Mapping[str, Any]) -> Iterator[str]:
    for path in paths(written):
        if field_of(path) is None:
            yield f"{path!r} is not a field of this format"
    columns, measured = written["columns"], written["measured"]
    if written.get("missing") != MISSING:
        yield "'missing' is not as this format counts missing values"
    for name in columns:
        yield from _disagreements_of_column(written, name)
    levels = {name: entry["level"] for name, entry in columns.items() if "level" in entry}
    if measured.get("levels", levels) != levels:
        yield "the levels in 'measured' are not those of the columns"
    if len({columns[name].get("treatment") for name in written["quasi"]}) > 1:
        yield "quasi-identifiers have different treatments"
    if measured.get("proven_optimal") and measured.get("method") != "optimal":
        yield "only the optimal search proves anything"
    unit = written.get("unit")
    if unit is not None and written["counted"] != "people":
        yield "'unit' and 'counted' say different things"
    if set(written["achieved"]) != {_told(promise) for promise in written["promise"]}:
        yield "'achieved' and 'promise' speak of different promises"


def _disagreements_of_column(written: Mapping[str, Any], name: str) -> Iterator[str]:
    entry = written["columns"][name]
    role, treatment = entry.get("role"), entry.get("treatment")
    if treatment not in TREATMENTS:
        yield f"column {name!r} has a treatment that there is not"
    if (treatment == "drop") == ("digest" in entry):
        yield f"column {name!r} is released or left out, but not both"
    for part, named, means in (
        ("quasi", role == "quasi", treatment in GENERALISED),
        ("sensitive", role == "sensitive", None),
    ):
        listed = name in written[part]
        if listed != named or (means is not None and listed != means):
            yield f"column {name!r}: role, treatment and {part!r} say different things"
    if role == "identifier" and treatment not in ("drop", "pseudonymise"):
        yield f"column {name!r} is an identifier, and yet released"
    if (treatment == "generalise") != ("level" in entry):
        yield f"column {name!r}: its treatment and its level say different things"


def _told(promise: Mapping[str, Any]) -> str:
    """The name under which a certificate says what was achieved."""
    return " ".join(part for part in (promise["model"], promise.get("column")) if part is not None)


def check_forms(rows: Released, written: Mapping[str, Any]) -> list[Finding]:
    """Whether columns look like what was done to them: pseudonyms like pseudonyms, rounded numbers like numbers."""
    wrong = []
    for name, entry in written["columns"].items():
        if name not in rows.columns or entry["treatment"] not in ("pseudonymise", "round"):
            continue
        texts = rows.columns[name].texts
        if entry["treatment"] == "pseudonymise" and not texts.str.contains(r"^[0-9a-f]{32,64}$").all():
            wrong.append(f"{name!r} holds other values than pseudonyms")
        if entry["treatment"] == "round" and texts.cast(pl.Float64, strict=False).null_count():
            wrong.append(f"{name!r} holds other values than numbers")
    return [Finding("treatments", False, "; ".join(wrong[:SHOWN]))] if wrong else []


def open_recoding(recoding: Mapping[str, Any], written: Mapping[str, Any]) -> Finding:
    """Whether this is the recoding the certificate commits to, and says what the certificate says."""
    rest = {name: value for name, value in recoding.items() if name != "salt"}
    try:
        salt = bytes.fromhex(recoding["salt"])
    except (KeyError, TypeError, ValueError):
        raise FileError(
            "the recoding has lost its salt, so the certificate's commitment cannot be opened."
        ) from None
    if not hmac.compare_digest(commit(rest, salt), written["recoding"]):
        return Finding(
            "recoding", False, "is not the recoding this certificate was made with, or was changed"
        )
    columns, promises = rest.get("columns", {}), []
    # of files that somebody may have changed: a promise too many in either is found below
    for promise, model in zip(written["promise"], rest.get("models", []), strict=False):
        promises.append({**promise, "distance": model["distance"]} if "distance" in model else promise)
    certified = {name: (entry["treatment"], entry.get("level")) for name, entry in written["columns"].items()}
    agree = {
        "promise": promises == rest.get("models") and len(promises) == len(written["promise"]),
        "columns": certified == {name: (one["treatment"], one.get("level")) for name, one in columns.items()},
        "suppressed_rows": rest.get("suppressed") == written["suppressed_rows"],
        "sensitive": rest.get("sensitive") == written["sensitive"],
    }
    wrong = [name for name, same in agree.items() if not same]
    message = (
        f"says otherwise in: {', '.join(wrong)}" if wrong else "is the one committed to, and says the same"
    )
    return Finding("recoding", not wrong, message)


def stated(
    written: Mapping[str, Any], *, opened: bool, alone: bool, findings: list[Finding]
) -> tuple[str, ...]:
    """What this certificate says that was not checked, in the order of `FIELDS`; `alone`: files lack beside it.

    Where a field that need not be there is missing, this says something, too.
    """
    there = {name for name, field in FIELDS.items() if field.optional} | {
        field for path in paths(written) if (field := field_of(path)) is not None
    }
    unknown = {name for name, field in FIELDS.items() if field.checked == "stated"} | {"promise"}
    if alone:
        unknown.add("beside.*")
    if not written["measured"]["suppressed"]:
        unknown.add("suppressed_rows")
    if written["suppressed_rows"] == "drop":
        unknown |= {"measured.records", "measured.suppressed"}
    if any(finding.ok is None for finding in findings):
        unknown.add("achieved.*")
    if as_numbers(written):  # at least so good, but not whether exactly so
        unknown |= {"achieved.*", "measured.classes", "measured.k"}
    return tuple(name for name in FIELDS if name in there & unknown and not (opened and name in OPENED))
