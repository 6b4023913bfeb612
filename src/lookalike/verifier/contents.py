"""Whether a release holds what its certificate describes: the file, columns, values and numbers of rows and classes."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from lookalike.columns.texts import FEW
from lookalike.errors import amount
from lookalike.releases.certificate import column_digest, label_digest
from lookalike.sources.spreadsheets import holds_formulas
from lookalike.tables.coded import ValueCounts
from lookalike.tables.ordering import order_values
from lookalike.verifier.findings import SHOWN, Finding, compare

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


def check_safe(path: Path, stated: bool) -> list[Finding]:
    """Whether a csv file that is said to be safe for spreadsheets holds no cell that one would run."""
    if not stated:
        return []
    if path.suffix != ".csv":
        return [Finding("spreadsheets", False, "only csv files are made safe for them")]
    risky = holds_formulas(pl.read_csv(path, infer_schema=False, glob=False))
    message = "a cell begins as a formula does" if risky else "no cell begins as a formula does"
    return [Finding("spreadsheets", not risky, message)]


def check_columns(rows: pl.DataFrame, written: Mapping[str, Any]) -> list[Finding]:
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


def without_crowds(rows: pl.DataFrame, written: Mapping[str, Any]) -> pl.DataFrame:
    """The rows with at most some columns that nobody certified: a file of thousands of them has failed already."""
    certified = [name for name in rows.columns if name in written["columns"]]
    return rows.select(
        certified + [name for name in rows.columns if name not in written["columns"]][:MOST_NEW]
    )


def check_values(rows: pl.DataFrame, written: Mapping[str, Any]) -> list[Finding]:
    """Whether every column holds the certified values as often as certified; else where it does not."""
    findings = []
    changed = []
    there = set(rows.columns)
    for name, entry in written["columns"].items():
        if "digest" not in entry or name not in there:
            continue
        counts = value_counts(rows[name])
        if column_digest(counts) != entry["digest"]:
            changed.append(name)
        if name not in written["quasi"]:
            continue
        known = set(entry.get("labels", ()))
        digests = {label_digest(name, value): value for value in counts.values}
        strange = {value for digest, value in digests.items() if digest not in known}
        if not known <= set(digests):
            findings.append(Finding(f"values of {name}", False, "a certified value does not occur"))
        if strange:
            lines = [i for i, value in enumerate(rows[name].to_list(), start=1) if value in strange]
            findings.append(
                Finding(
                    f"values of {name}",
                    False,
                    f"{amount(len(lines), 'row')} with a value the recoding does not produce, first at row {lines[0]}",
                    tuple(lines[:SHOWN]),
                )
            )
    if changed:
        more = f" and {len(changed) - SHOWN:,} others" if len(changed) > SHOWN else ""
        message = f"values were changed, added or removed in: {', '.join(changed[:SHOWN])}{more}"
        findings.append(Finding("values", False, message))
    else:
        findings.append(
            Finding("values", True, "every column holds the certified values, as often as certified")
        )
    return findings


def value_counts(texts: pl.Series) -> ValueCounts:
    """The distinct texts of a column, sorted, missing first, and how often each occurs."""
    if len(texts) <= FEW:
        few = Counter(texts.cast(pl.String).to_list())
        values = [*([None] if None in few else []), *sorted(value for value in few if value is not None)]
        times = np.array([few[value] for value in values], dtype=np.int64)
        return ValueCounts(pl.Series(values, dtype=pl.String), times)
    missing, known = texts.null_count(), texts.cast(pl.Categorical).drop_nulls()
    codes = known.to_physical().to_numpy()
    often = np.bincount(codes)
    row = np.empty(len(often), dtype=np.int64)
    row[codes] = np.arange(len(codes))
    found = np.flatnonzero(often)
    there = known.gather(row[found]).cast(pl.String)
    order = order_values(there)
    there, often = there.gather(order), often[found][order]
    if missing:
        nothing = pl.Series(there.name, [None], dtype=pl.String)
        there, often = pl.concat([nothing, there]), np.append(missing, often)
    return ValueCounts(there, often)


def _starred(rows: pl.DataFrame, written: Mapping[str, Any]) -> tuple[pl.Series, pl.Series]:
    """Which rows say nothing about their quasi-identifiers, and which of those say nothing else either."""
    blank = pl.all_horizontal(
        pl.col(name).eq_missing(pl.lit(written["columns"][name].get("star"), dtype=pl.String))
        for name in written["quasi"]
    )
    others = [name for name in rows.columns if name not in written["quasi"]]
    empty = pl.all_horizontal(pl.col(others).is_null()) if others else pl.lit(True)
    found = rows.select(blank.alias("blank"), (blank & empty).alias("empty"))
    return found["blank"], found["empty"]


def check_stars(rows: pl.DataFrame, written: Mapping[str, Any]) -> list[Finding]:
    """Whether as many rows are starred as were suppressed, and none of them says anything else."""
    suppressed = written["measured"]["suppressed"]
    if written["suppressed_rows"] != "star" or not suppressed:
        return []
    blank, empty = _starred(rows, written)
    findings = []
    if int(empty.sum()) < suppressed:
        findings.append(compare("suppressed rows", int(empty.sum()), suppressed))
        restored = [i + 1 for i in (blank & ~empty).arg_true().to_list()]
        if restored:
            message = f"row {restored[0]} is starred but not blank in all other columns"
            findings.append(Finding("suppressed rows", False, message, tuple(restored[:SHOWN])))
    else:
        findings.append(compare("suppressed rows", suppressed, suppressed))
    return findings


def without_stars(rows: pl.DataFrame, written: Mapping[str, Any]) -> pl.DataFrame:
    """The rows that belong to classes, with their line numbers, under names that no column of theirs can have."""
    numbered = rows.select(
        pl.int_range(1, pl.len() + 1).alias("row"),
        *(pl.col(name).alias(f"column {name}") for name in rows.columns),
    )
    suppressed = written["measured"]["suppressed"]
    if written["suppressed_rows"] != "star" or not suppressed:
        return numbered
    starred = _starred(rows, written)[1].arg_true().to_list()[:suppressed]
    return numbered.filter(~pl.col("row").is_in([i + 1 for i in starred]))


def check_row_count(kept: pl.DataFrame, written: Mapping[str, Any]) -> Finding:
    """Whether there are as many rows as were released."""
    measured = written["measured"]
    return compare("rows", kept.height, measured["records"] - measured["suppressed"])


def check_numbers(kept: pl.DataFrame, written: Mapping[str, Any]) -> list[Finding]:
    """Number of classes and size of the smallest, where the release shows what they count."""
    counted = counting(written)
    if counted is None:
        return []
    by = [f"column {name}" for name in written["quasi"]]
    sizes = kept.group_by(by).agg(counted.alias("people"))["people"].to_list()
    classes, k = len(sizes), min(sizes, default=0)
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


def counting(written: Mapping[str, Any]) -> pl.Expr | None:
    """How the people of a class are counted; None where they have several rows and nothing tells them apart."""
    if written["counted"] == "records":
        return pl.len()
    return None if written.get("unit") is None else pl.col(f"column {written['unit']}").n_unique()
