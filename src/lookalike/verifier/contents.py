"""Whether a release holds what its certificate describes: the file, columns, values and numbers of rows and classes."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from lookalike.base.errors import amount
from lookalike.releases.certificate import column_digest, label_digest
from lookalike.tables.sources.spreadsheets import holds_formulas, unescape
from lookalike.verifier.findings import SHOWN, Finding, compare
from lookalike.verifier.released import Released, RowGroups

MOST_NEW = 100  #: columns that nobody certified are looked at


def check_file(path: Path, written: Mapping[str, Any]) -> Finding:
    """Whether these are the bytes that were certified."""
    stated = written.get("release", {}).get("sha256")
    if stated is None:
        return Finding("file", None, "the certificate names no file; its bytes cannot be compared")
    with path.open("rb") as file:
        same = hashlib.file_digest(file, "sha256").hexdigest() == stated
    return Finding(
        "file", same, "is the file the certificate was made for" if same else "is not the certified file"
    )


def files_beside(certificate: Path, written: Mapping[str, Any]) -> dict[Path, str]:
    """The files that a certificate names, as far as they lie beside it, and the digest of each."""
    found = {}
    for name, digest in written.get("beside", {}).items():
        with suppress(OSError):  # no file can have such a name
            if (path := certificate.with_name(name)).is_file():
                found[path] = digest
    return found


def check_beside(certificate: Path, written: Mapping[str, Any]) -> list[Finding]:
    """Whether the dictionary, the report and the like are as they were certified; what was not sent is not missed."""
    there = files_beside(certificate, written)
    changed = [
        path.name for path, digest in there.items() if hashlib.sha256(path.read_bytes()).hexdigest() != digest
    ]
    if changed:
        return [Finding("files beside it", False, f"not as certified: {', '.join(changed[:SHOWN])}")]
    told = ", ".join(path.name for path in there)
    return [Finding("files beside it", True, f"as certified: {told}")] if there else []


def check_safe(path: Path, rows: Released) -> Finding:
    """Whether a csv file that is said to be safe for spreadsheets holds no cell that one would run."""
    if path.suffix != ".csv":
        return Finding("spreadsheets", False, "only csv files are made safe for them")
    names = pl.DataFrame(schema=dict.fromkeys(rows.columns, pl.String))
    risky = holds_formulas(names) or any(holds_formulas(c.texts.to_frame("_")) for c in rows.columns.values())
    message = "a cell begins as a formula does" if risky else "no cell begins as a formula does"
    return Finding("spreadsheets", not risky, message)


def made_plain(rows: Released) -> Released:
    """The rows as they were before cells and names were made safe for spreadsheets."""
    columns = {}
    for name, column in rows.columns.items():
        plain = unescape(column.texts.to_frame(name))
        columns[plain.columns[0]] = column.renamed(plain.to_series())
    return Released.of(columns)


def check_columns(rows: Released, written: Mapping[str, Any]) -> list[Finding]:
    """Whether all certified columns are there, and no others."""
    expected = [name for name, entry in written["columns"].items() if "digest" in entry]
    there, known = set(rows.columns), set(expected)
    gone = [name for name in expected if name not in there]
    new = [name for name in rows.columns if name not in known]
    if not gone and not new:
        return [Finding("columns", True, f"the {len(expected)} certified columns, and no others")]
    gone, new = gone[:SHOWN], [name[:40] for name in new[:SHOWN]]
    message = "; ".join(
        [*(f"column {n!r} is missing" for n in gone), *(f"column {n!r} is not certified" for n in new)]
    )
    return [Finding("columns", False, message)]


def without_crowds(rows: Released, written: Mapping[str, Any]) -> Released:
    """The rows with at most some columns that nobody certified: a file of thousands of them has failed already."""
    new = [name for name in rows.columns if name not in written["columns"]]
    left_out = set(new[MOST_NEW:])
    return rows.select(name for name in rows.columns if name not in left_out)


def check_values(rows: Released, written: Mapping[str, Any]) -> list[Finding]:
    """Whether every column holds the certified values as often as certified; else where it does not."""
    findings = []
    changed = []
    for name, entry in written["columns"].items():
        if "digest" not in entry or name not in rows.columns:
            continue
        column = rows.columns[name]
        counts = column.counts
        if column_digest(counts) != entry["digest"]:
            changed.append(name)
        if name not in written["quasi"]:
            continue
        known = set(entry.get("labels", ()))
        digests = {label_digest(name, value): value for value in counts.values}
        strange = [value for digest, value in digests.items() if digest not in known]
        if not known <= set(digests):
            findings.append(Finding(f"values of {name}", False, "a certified value does not occur"))
        if strange:
            found = np.logical_or.reduce([column.says(value) for value in strange])
            where, lines = rows.at(np.flatnonzero(found))
            told = f"{amount(rows.take(found).height, 'row')} with a value the recoding does not produce"
            findings.append(Finding(f"values of {name}", False, told + (where and f", first{where}"), lines))
    if changed:
        more = f" and {len(changed) - SHOWN:,} others" if len(changed) > SHOWN else ""
        message = f"values were changed, added or removed in: {', '.join(changed[:SHOWN])}{more}"
        findings.append(Finding("values", False, message))
    else:
        findings.append(
            Finding("values", True, "every column holds the certified values, as often as certified")
        )
    return findings


def _starred(rows: Released, written: Mapping[str, Any]) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Which rows say nothing about their quasi-identifiers, and which of those say nothing else either."""
    blank = starred(rows, written)
    empty = blank.copy()
    for name, column in rows.columns.items():
        if name not in written["quasi"]:
            empty &= column.places == 0
    return blank, empty


def starred(rows: Released, written: Mapping[str, Any]) -> NDArray[np.bool_]:
    """Which rows say nothing about their quasi-identifiers."""
    blank = np.ones(rows.height, dtype=bool)
    for name in written["quasi"]:
        blank &= rows.columns[name].says(written["columns"][name].get("star"))
    return blank


def check_stars(rows: Released, written: Mapping[str, Any]) -> list[Finding]:
    """Whether as many rows are starred as were suppressed, and none of them says anything else."""
    suppressed = written["measured"]["suppressed"]
    if written["suppressed_rows"] != "star" or not suppressed:
        return []
    blank, empty = _starred(rows, written)
    findings = []
    if int(empty.sum()) < suppressed:
        findings.append(compare("suppressed rows", int(empty.sum()), suppressed))
        restored = rows.lines[blank & ~empty].tolist()
        if restored:
            message = f"row {restored[0]} is starred but not blank in all other columns"
            findings.append(Finding("suppressed rows", False, message, tuple(restored[:SHOWN])))
    else:
        findings.append(compare("suppressed rows", suppressed, suppressed))
    return findings


def without_stars(rows: Released, written: Mapping[str, Any]) -> Released:
    """The rows that belong to classes."""
    suppressed = written["measured"]["suppressed"]
    if written["suppressed_rows"] != "star" or not suppressed:
        return rows
    stays = np.ones(rows.height, dtype=bool)
    stays[np.flatnonzero(_starred(rows, written)[1])[:suppressed]] = False
    return rows.take(stays)


def check_row_count(kept: Released, written: Mapping[str, Any]) -> Finding:
    """Whether there are as many rows as were released."""
    measured = written["measured"]
    return compare("rows", kept.height, measured["records"] - measured["suppressed"])


def check_numbers(kept: Released, written: Mapping[str, Any]) -> list[Finding]:
    """Number of classes and size of the smallest, where the release shows what they count."""
    sizes = count_people(kept, kept.classes(written["quasi"]), written)
    if sizes is None:
        return []
    classes, k = len(sizes), min(sizes.tolist(), default=0)
    said = written["measured"]
    fine = (classes, k) == (said["classes"], said["k"])
    if as_numbers(written):
        fine = classes <= said["classes"] and k >= said["k"]
    if fine:
        return [Finding("numbers", True, f"{amount(classes, 'class', 'classes')}, the smallest of {k:,}")]
    message = f"classes: {classes:,} where {said['classes']:,} are certified; k: {k:,} where {said['k']:,} is"
    return [Finding("numbers", False, message)]


def as_numbers(written: Mapping[str, Any]) -> bool:
    """Whether classes are published as numbers, which they may share: a reader then sees fewer and larger ones."""
    return any("numbers" in written["columns"][name] for name in written["quasi"])


def count_people(rows: Released, classes: RowGroups, written: Mapping[str, Any]) -> NDArray[np.int64] | None:
    """How many people each class has; None where they have several rows and nothing tells them apart."""
    if written["counted"] == "records":
        return classes.sizes
    if written.get("unit") is None:
        return None
    of_person, _, _ = classes.with_values(rows.columns[written["unit"]])
    return np.bincount(of_person, minlength=len(classes.sizes))
