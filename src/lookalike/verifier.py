"""`verify`: check a release against its certificate, by someone who never saw the original.

This is a reader of its own: it recounts every class and recomputes every promise from the released values with plain
definitions, and shares no counting code with what made the release.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import polars as pl

from lookalike.certificates import FORMAT, column_digest, label_digest, value_counts
from lookalike.definitions import NotKnown, by_size, by_values
from lookalike.errors import FileError

_SHOWN = 5


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
    written = _read_json(certificate, "certificate")
    if written.get("format") != FORMAT or "promise" not in written:
        raise FileError(f"{certificate}: is not a certificate of format {FORMAT}.")
    beside = Path(recoding) if recoding is not None else certificate.with_name("recoding.json")
    meanings = _meanings(beside, written) if beside.exists() or recoding is not None else {}
    rows = _read_rows(release)
    findings = [_same_file(release, written), *_same_columns(rows, written)]
    if all(name in rows.columns for name in [*written["quasi"], *_looked_at(written)]):
        findings += _same_values(rows, written)
        findings += _stars(rows, written)
        kept = _without_stars(rows, written)
        findings.append(_row_count(rows, kept, written))
        findings += [_promise(kept, model, written, meanings) for model in written["promise"]]
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
        strange = [value for value, _ in counts if known and label_digest(name, value) not in known]
        if strange:
            where = rows.select(
                (pl.col(name).is_in(strange) | (pl.col(name).is_null() & (None in strange))).arg_true()
            )
            lines = [i + 1 for i in where.to_series().to_list()]
            findings.append(
                Finding(
                    f"values of {name}",
                    False,
                    f"{len(lines)} row(s) hold a value the recoding does not produce, first at row {lines[0]}",
                    tuple(lines[:_SHOWN]),
                )
            )
    if changed:
        findings.append(
            Finding("values", False, f"values were changed, added or removed in: {', '.join(changed)}")
        )
    else:
        findings.append(
            Finding("values", True, "every column holds the certified values, as often as certified")
        )
    return findings


def _stars(rows: pl.DataFrame, written: Mapping[str, Any]) -> list[Finding]:
    suppressed = int(written["measured"]["suppressed"])
    if written["suppressed_rows"] != "star":
        return []
    blank = rows.select(_blank(rows, written["quasi"]).arg_true()).to_series()
    sensitive = [name for name in written["sensitive"] if name in rows.columns]
    if not sensitive:
        return [_count_finding("suppressed rows", len(blank), suppressed)]
    empty = rows[blank.to_list()].select(pl.all_horizontal(pl.col(sensitive).is_null())).to_series()
    findings = [_count_finding("suppressed rows", int(empty.sum()), suppressed)]
    restored = [int(i) + 1 for i, clean in zip(blank.to_list(), empty.to_list()) if not clean]
    if restored and int(empty.sum()) < suppressed:
        findings.append(
            Finding(
                "suppressed rows",
                False,
                f"row {restored[0]} is starred but has a sensitive value",
                tuple(restored[:_SHOWN]),
            )
        )
    return findings


def _row_count(rows: pl.DataFrame, kept: pl.DataFrame, written: Mapping[str, Any]) -> Finding:
    expected = int(written["measured"]["records"]) - int(written["measured"]["suppressed"])
    return _count_finding("rows", kept.height, expected)


def _count_finding(check: str, found: int, expected: int) -> Finding:
    return Finding(
        check,
        found == expected,
        f"{found:,}" if found == expected else f"{found:,} where {expected:,} are certified",
    )


def _blank(rows: pl.DataFrame, quasi: Sequence[str]) -> pl.Expr:
    return pl.all_horizontal(
        *(
            (pl.col(name) == "*") if rows[name].dtype == pl.String else pl.col(name).is_null()
            for name in quasi
        )
    ).fill_null(False)


def _without_stars(rows: pl.DataFrame, written: Mapping[str, Any]) -> pl.DataFrame:
    if written["suppressed_rows"] != "star" or not written["measured"]["suppressed"]:
        return rows.with_row_index("row number", offset=1)
    sensitive = [name for name in written["sensitive"] if name in rows.columns]
    empty = pl.all_horizontal(pl.col(sensitive).is_null()) if sensitive else pl.lit(True)
    return rows.with_row_index("row number", offset=1).filter(~(_blank(rows, written["quasi"]) & empty))


def _promise(
    rows: pl.DataFrame, model: Mapping[str, Any], written: Mapping[str, Any], meanings: Mapping[str, Any]
) -> Finding:
    name = model["model"]
    check = f"{name} of {model['column']}" if "column" in model else str(name)
    if name in ("k-map", "delta-presence") and model.get("sampling_fraction") is None:
        return Finding(check, None, "speaks about a population that is not part of the release")
    by = list(written["quasi"])
    if model.get("strict"):
        by += [other for other in _looked_at(written) if other != model["column"]]
    classes = rows.group_by(by, maintain_order=True).agg(
        pl.len().alias("people"), pl.col("row number").first()
    )
    sizes = classes["people"].to_list()
    if not sizes:
        return Finding(check, True, "the release is empty")
    first = classes["row number"].to_list()
    if "column" not in model:
        broken, level = by_size(model, sizes)
    else:
        histograms, overall = _histograms(rows, by, model["column"])
        try:
            broken, level = by_values(model, sizes, histograms, overall, written, meanings)
        except NotKnown as problem:
            return Finding(check, None, str(problem))
    unit = written["counted"] == "people"
    note = " (the promise counts people; the release only shows records)" if unit else ""
    if broken:
        lines = tuple(sorted(first[i] for i in broken)[:_SHOWN])
        return Finding(
            check,
            False,
            f"{len(broken)} of {len(sizes):,} classes break it, one at row {lines[0]}{note}",
            lines,
        )
    return Finding(
        check, None if unit else True, f"kept by all {len(sizes):,} classes, level {level:.6g}{note}"
    )


def _histograms(
    rows: pl.DataFrame, by: list[str], column: str
) -> tuple[list[dict[str | None, int]], dict[str | None, int]]:
    """The sensitive values of each class, classes in the order of their first row, and those of the whole release."""
    text = pl.col(column).cast(pl.String)
    classes = rows.group_by(by, maintain_order=True).agg(text.value_counts().alias("values"))
    out = []
    overall: dict[str | None, int] = {}
    for entries in classes["values"].to_list():
        histogram = {entry[column]: int(entry["count"]) for entry in entries}
        out.append(histogram)
        for value, count in histogram.items():
            overall[value] = overall.get(value, 0) + count
    return out, overall


def _looked_at(written: Mapping[str, Any]) -> list[str]:
    return list(dict.fromkeys(model["column"] for model in written["promise"] if "column" in model))


def _meanings(path: Path, written: Mapping[str, Any]) -> dict[str, Any]:
    recoding = _read_json(path, "recoding")
    digest = hashlib.sha256(json.dumps(recoding, sort_keys=True, ensure_ascii=False).encode()).hexdigest()
    if digest != written["recoding"]:
        raise FileError(f"{path}: is not the recoding this certificate was made with.")
    return dict(recoding.get("meanings", {}))


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
            return pl.read_parquet(path)
        return pl.read_csv(path, infer_schema=False)
    except pl.exceptions.PolarsError as problem:
        raise FileError(f"{path}: cannot be read as a release ({type(problem).__name__}).") from None
