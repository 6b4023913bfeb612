"""`verify`: check a release against its certificate, by someone who never saw the original.

This is a reader of its own: it recounts every class and recomputes every promise from the released values with plain
definitions, and shares no counting code with what made the release.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import polars as pl

from lookalike.certificates import FORMAT, as_text, column_digest, label_digest, value_counts
from lookalike.definitions import NotKnown, by_size, by_values
from lookalike.errors import FileError, RequestError, amount
from lookalike.fca.definition import risks_by_definition
from lookalike.models import model_from_dict

_SHOWN = 5
_RISK = "largest basic semantic risk"


@dataclass(frozen=True)
class Finding:
    """One thing that was checked. `ok` is None where the release alone cannot tell."""

    check: str
    ok: bool | None
    message: str
    rows: tuple[int, ...] = ()  #: lines of the release concerned, the first row being 1; at most a few


@dataclass(frozen=True)
class Verification:
    """All that was checked; `ok` when nothing failed."""

    findings: tuple[Finding, ...]

    @property
    def ok(self) -> bool:
        """Nothing failed."""
        return all(finding.ok is not False for finding in self.findings)

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON values."""
        return {"ok": self.ok, "findings": [asdict(finding) for finding in self.findings]}

    def __str__(self) -> str:
        marks = {True: "holds  ", False: "FAILS  ", None: "unknown"}
        return "\n".join(f"{marks[f.ok]}  {f.check}: {f.message}" for f in self.findings)


def verify(
    release: str | Path, certificate: str | Path, *, recoding: str | Path | None = None
) -> Verification:
    """Recompute every guarantee of a saved release (csv or parquet) and compare it with its certificate.

    `recoding` is looked for beside the certificate; only promises about the order or the hierarchy of a sensitive
    column need it.
    """
    release, certificate = Path(release), Path(certificate)
    written = read_certificate(certificate)
    beside = Path(recoding) if recoding is not None else certificate.with_name("recoding.json")
    meanings = _meanings(beside, written) if beside.exists() or recoding is not None else {}
    rows = _read_rows(release)
    findings = [_same_file(release, written), *_same_columns(rows, written), *_same_values(rows, written)]
    gone = [name for name in written["quasi"] if name not in rows.columns]
    if gone:
        findings.append(Finding("promises", False, f"cannot be checked: column {gone[0]!r} is missing"))
        return Verification(tuple(findings))
    findings += _stars(rows, written)
    kept = _without_stars(rows, written)
    findings.append(_row_count(kept, written))
    findings += _numbers(kept, written)
    findings += [_promise(kept, model, written, meanings) for model in written["promise"]]
    findings += _semantic_risk(kept, written)
    if not written["promise"]:
        findings.append(Finding("promises", None, "the certificate makes none that can be recomputed"))
    return Verification(tuple(findings))


def _same_file(path: Path, written: Mapping[str, Any]) -> Finding:
    stated = written.get("release", {}).get("sha256")
    if stated is None:
        return Finding("file", None, "the certificate names no file; its bytes cannot be compared")
    same = hashlib.sha256(path.read_bytes()).hexdigest() == stated
    return Finding(
        "file", same, "is the file the certificate was made for" if same else "is not the certified file"
    )


def _same_columns(rows: pl.DataFrame, written: Mapping[str, Any]) -> list[Finding]:
    expected = [name for name, entry in written["columns"].items() if "digest" in entry]
    gone = [name for name in expected if name not in rows.columns]
    new = [name for name in rows.columns if name not in expected]
    if not gone and not new:
        return [Finding("columns", True, f"the {len(expected)} certified columns, and no others")]
    gone, new = gone[:_SHOWN], [name[:40] for name in new[:_SHOWN]]
    message = "; ".join(
        [*(f"column {n!r} is missing" for n in gone), *(f"column {n!r} is not certified" for n in new)]
    )
    return [Finding("columns", False, message)]


def _same_values(rows: pl.DataFrame, written: Mapping[str, Any]) -> list[Finding]:
    findings = []
    changed = []
    for name, entry in written["columns"].items():
        if "digest" not in entry or name not in rows.columns:
            continue
        counts = value_counts(rows[name])
        if column_digest(counts) != entry["digest"]:
            changed.append(name)
        known = set(entry.get("labels", ()))
        strange = {value for value, _ in counts if known and label_digest(name, value) not in known}
        if strange:
            lines = [i for i, value in enumerate(rows[name].to_list(), start=1) if value in strange]
            findings.append(
                Finding(
                    f"values of {name}",
                    False,
                    f"{amount(len(lines), 'row')} with a value the recoding does not produce, first at row {lines[0]}",
                    tuple(lines[:_SHOWN]),
                )
            )
    if changed:
        message = f"values were changed, added or removed in: {', '.join(changed)}"
        findings.append(Finding("values", False, message))
    else:
        findings.append(
            Finding("values", True, "every column holds the certified values, as often as certified")
        )
    return findings


def _starred(rows: pl.DataFrame, written: Mapping[str, Any]) -> tuple[pl.Series, pl.Series]:
    """Which rows say nothing about their quasi-identifiers, and which of those also have no sensitive value."""
    blank = pl.all_horizontal(
        pl.col(name).eq_missing(pl.lit(written["columns"][name].get("star"), dtype=pl.String))
        for name in written["quasi"]
    )
    sensitive = [name for name in written["sensitive"] if name in rows.columns]
    empty = pl.all_horizontal(pl.col(sensitive).is_null()) if sensitive else pl.lit(True)
    found = rows.select(blank.alias("blank"), (blank & empty).alias("empty"))
    return found["blank"], found["empty"]


def _stars(rows: pl.DataFrame, written: Mapping[str, Any]) -> list[Finding]:
    suppressed = written["measured"]["suppressed"]
    if written["suppressed_rows"] != "star" or not suppressed:
        return []
    blank, empty = _starred(rows, written)
    findings = []
    if int(empty.sum()) < suppressed:
        findings.append(_count_finding("suppressed rows", int(empty.sum()), suppressed))
        restored = [i + 1 for i in (blank & ~empty).arg_true().to_list()]
        if restored:
            message = f"row {restored[0]} is starred but has a sensitive value"
            findings.append(Finding("suppressed rows", False, message, tuple(restored[:_SHOWN])))
    else:
        findings.append(_count_finding("suppressed rows", suppressed, suppressed))
    return findings


def _without_stars(rows: pl.DataFrame, written: Mapping[str, Any]) -> pl.DataFrame:
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


def _row_count(kept: pl.DataFrame, written: Mapping[str, Any]) -> Finding:
    measured = written["measured"]
    return _count_finding("rows", kept.height, measured["records"] - measured["suppressed"])


def _numbers(kept: pl.DataFrame, written: Mapping[str, Any]) -> list[Finding]:
    """Number of classes and size of the smallest, where they count records."""
    if written["counted"] != "records" or any(
        entry.get("star", "*") is None for entry in written["columns"].values()
    ):
        return []
    sizes = kept.group_by([f"column {name}" for name in written["quasi"]]).agg(pl.len().alias("people"))[
        "people"
    ]
    found = {"classes": len(sizes), "k": min(sizes.to_list(), default=0)}
    wrong = [
        f"{what} is {n:,}, certified {written['measured'][what]:,}"
        for what, n in found.items()
        if written["measured"][what] != n
    ]
    return [
        Finding(
            "numbers",
            not wrong,
            "; ".join(wrong) or f"{amount(len(sizes), 'class', 'classes')}, the smallest of {found['k']:,}",
        )
    ]


def _count_finding(check: str, found: int, expected: int) -> Finding:
    return Finding(
        check,
        found == expected,
        f"{found:,}" if found == expected else f"{found:,} where {expected:,} are certified",
    )


def _promise(
    rows: pl.DataFrame, model: Mapping[str, Any], written: Mapping[str, Any], meanings: Mapping[str, Any]
) -> Finding:
    name = model["model"]
    column = model.get("column")
    check = f"{name} of {column}" if column is not None else str(name)
    if name in ("k-map", "delta-presence") and model.get("sampling_fraction") is None:
        return Finding(check, None, "speaks about a population that is not part of the release")
    if column is not None and f"column {column}" not in rows.columns:
        return Finding(check, False, f"column {column!r} is not in the release")
    by = [f"column {quasi}" for quasi in written["quasi"]]
    if model.get("strict"):
        others = [f"column {other}" for other in written["sensitive"] if other != column]
        by += [other for other in others if other in rows.columns]
    classes = rows.group_by(by, maintain_order=True).agg(pl.len().alias("people"), pl.col("row").first())
    sizes = classes["people"].to_list()
    if not sizes:
        return Finding(check, True, "the release is empty")
    first = classes["row"].to_list()
    try:
        if column is None:
            broken, level = by_size(model, sizes)
        else:
            histograms, overall = _histograms(rows, by, f"column {column}")
            broken, level = by_values(model, sizes, histograms, overall, written, meanings)
    except NotKnown as problem:
        return Finding(check, None, str(problem))
    people = written["counted"] == "people"
    note = " (the promise counts people; the release only shows records)" if people else ""
    if not broken:
        return Finding(
            check, None if people else True, f"kept by every class ({len(sizes):,}), level {level:.6g}{note}"
        )
    lines = tuple(sorted(first[i] for i in broken)[:_SHOWN])
    # Fewer records, or fewer values, than promised means fewer people too; anything else people may still keep.
    certain = not people or name == "k-anonymity" or (name == "l-diversity" and model["kind"] == "distinct")
    message = f"{len(broken):,} of {len(sizes):,} classes break it, one at row {lines[0]}{note}"
    return Finding(check, False if certain else None, message, lines)


def _semantic_risk(rows: pl.DataFrame, written: Mapping[str, Any]) -> list[Finding]:
    """The largest basic semantic risk, where the certificate states one.

    It never exceeds one over the size of the class, whatever the attributes; only smaller classes need them.
    """
    limit = written["measured"].get(_RISK)
    if limit is None:
        return []
    check, stated = "semantic risk", f"stated as at most {limit:g}, not checked"
    by = [f"column {name}" for name in written["quasi"]]
    classes = rows.group_by(by, maintain_order=True).agg(pl.len().alias("people"), pl.col("row").first())
    sizes = classes["people"].to_list()
    small = [i for i, size in enumerate(sizes) if 1 / size > limit]
    if not small:
        least = min(sizes, default=0)
        message = f"at most {limit:g} by class sizes alone: every class has {least:,} records or more"
        return [Finding(check, True, message)]
    held: list[list[int]] = [[] for _ in sizes]
    for name in written["quasi"]:
        known = written.get("attributes", {}).get(name, {})
        for i, label in enumerate(classes[f"column {name}"].to_list()):
            if (digest := label_digest(name, label)) not in known:
                reason = f"the certificate does not say which attributes the values of {name!r} have"
                return [Finding(check, None, f"{stated}: {reason}")]
            held[i] += known[digest]
    risks = risks_by_definition(held, sizes, small)
    broken = [i for i, risk in zip(small, risks) if risk > limit]
    if not broken:
        message = (
            f"{max(risks):.6g} at most among classes smaller than 1/{limit:g}, by the attributes certified"
        )
        return [Finding(check, True, message)]
    lines = tuple(sorted(classes["row"].to_list()[i] for i in broken)[:_SHOWN])
    message = f"above {limit:g} in {len(broken):,} of {len(sizes):,} classes, one at row {lines[0]}"
    return [Finding(check, False, message, lines)]


def _histograms(
    rows: pl.DataFrame, by: list[str], column: str
) -> tuple[list[dict[str | None, int]], dict[str | None, int]]:
    """The sensitive values of each class, classes in the order of their first row, and those of the whole release."""
    classes = rows.group_by(by, maintain_order=True).agg(
        pl.col(column).alias("value").value_counts(name="times")
    )
    out = []
    overall: dict[str | None, int] = {}
    for entries in classes["value"].to_list():
        histogram = {entry["value"]: int(entry["times"]) for entry in entries}
        out.append(histogram)
        for value, count in histogram.items():
            overall[value] = overall.get(value, 0) + count
    return out, overall


def _meanings(path: Path, written: Mapping[str, Any]) -> dict[str, Any]:
    recoding = _read_json(path, "recoding")
    digest = hashlib.sha256(json.dumps(recoding, sort_keys=True, ensure_ascii=False).encode()).hexdigest()
    if digest != written["recoding"]:
        raise FileError(f"{path}: is not the recoding this certificate was made with.")
    return dict(recoding.get("meanings", {}))


def read_certificate(path: Path) -> dict[str, Any]:
    """A certificate whose every part has the form it should have."""
    written = _read_json(path, "certificate")
    if written.get("format") != FORMAT:
        raise FileError(f"{path}: is not a certificate of format {FORMAT}.")

    def require(fine: bool, part: str) -> None:
        if not fine:
            raise FileError(f"{path}: is not a certificate as Lookalike writes them (see {part!r}).")

    def names(value: Any) -> bool:
        return isinstance(value, list) and all(isinstance(name, str) for name in value)

    def counts(value: Any) -> bool:
        keys = ("records", "suppressed", "classes", "k")
        return isinstance(value, dict) and all(
            type(value.get(key)) is int and value[key] >= 0 for key in keys
        )

    columns = written.get("columns")
    require(
        isinstance(columns, dict) and all(isinstance(entry, dict) for entry in columns.values()), "columns"
    )
    require(names(written.get("quasi")) and bool(written["quasi"]), "quasi")
    require(set(written["quasi"]) <= set(columns or {}), "quasi")
    require(names(written.get("sensitive")), "sensitive")
    require(all(names(entry.get("labels", [])) for entry in (columns or {}).values()), "labels")
    require(counts(written.get("measured")), "measured")
    require(written.get("suppressed_rows") in ("drop", "star"), "suppressed_rows")
    require(written.get("counted") in ("records", "people"), "counted")
    require(isinstance(written.get("recoding"), str), "recoding")
    require(isinstance(written.get("release", {}), dict), "release")
    limit = written["measured"].get(_RISK, 1)
    require(type(limit) in (int, float) and 0 < limit <= 1, "measured")
    require(_are_attributes(written.get("attributes", {})), "attributes")
    promises = written.get("promise")
    require(isinstance(promises, list) and all(isinstance(promise, dict) for promise in promises), "promise")
    for promise in promises or []:
        numbers = [value for value in promise.values() if isinstance(value, float)]
        require(all(math.isfinite(value) for value in numbers), "promise")
        try:
            model_from_dict(promise)
        except (RequestError, TypeError, ValueError, OverflowError, AttributeError):
            require(False, "promise")
    return written


def _are_attributes(value: Any) -> bool:
    """Column -> digest of a label -> numbers."""
    return isinstance(value, dict) and all(
        isinstance(labels, dict)
        and all(
            isinstance(numbers, list) and all(type(n) is int for n in numbers) for numbers in labels.values()
        )
        for labels in value.values()
    )


def _read_json(path: Path, what: str) -> dict[str, Any]:
    try:
        written = json.loads(path.read_text(encoding="utf-8"))
    except OSError:
        raise FileError(f"{path}: the {what} cannot be read.") from None
    except ValueError:
        raise FileError(f"{path}: is not a {what} (not JSON).") from None
    if not isinstance(written, dict):
        raise FileError(f"{path}: is not a {what}.")
    return written


def _read_rows(path: Path) -> pl.DataFrame:
    if not path.is_file():
        raise FileError(f"{path}: no such file.")
    try:
        if path.suffix == ".parquet":
            return as_text(pl.read_parquet(path, glob=False))
        return pl.read_csv(path, infer_schema=False, glob=False)
    except (pl.exceptions.PolarsError, OSError) as problem:
        raise FileError(f"{path}: cannot be read as a release ({type(problem).__name__}).") from None
