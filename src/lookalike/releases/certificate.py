"""The certificate of a release: what is promised, what was measured, and digests by which a third party can check it.

It holds no value of the original. Labels are there as digests only, so that a checker who has the release can tell
which of its values do not belong to it.
"""

from __future__ import annotations

import hashlib
import platform
from collections.abc import Mapping, Sequence
from typing import Any

import polars as pl

import lookalike
from lookalike.columns.spelling import canonical_texts, is_nested
from lookalike.models.model import Model
from lookalike.recodings import Recoding, treatments
from lookalike.tables.table import Table

FORMAT = 1
_DIGITS = 16


def certify(
    people: Table,
    rows: pl.DataFrame,
    recoding: Recoding,
    *,
    models: Sequence[Model],
    achieved: Mapping[str, float],
    measured: Mapping[str, Any],
) -> dict[str, Any]:
    """The certificate of a release as plain JSON values."""
    columns = {}
    looked_at = {name for model in models for name in model.columns}
    for name, treatment in recoding.columns.items():
        entry: dict[str, Any] = {
            "role": str(people.roles[name]),
            "treatment": treatments.to_dict(treatment)["treatment"],
        }
        if name in rows.columns:
            counts = value_counts(rows[name])
            entry["digest"] = column_digest(counts)
            if name in looked_at:
                entry["kind"] = str(people.column(name).kind)
            if name in recoding.quasi:
                entry["labels"] = sorted(label_digest(name, value) for value, _ in counts)
                entry["star"] = "*" if rows.schema[name] == pl.String else None
        if name in recoding.levels:
            entry["level"] = recoding.levels[name]
        columns[name] = entry
    certificate = {
        "format": FORMAT,
        "promise": [model.to_dict() for model in models],
        "achieved": dict(achieved),
        "missing": "a missing value counts as a value of its own",
        "counted": "records" if people.unit is None else "people",
        "quasi": recoding.quasi,
        "sensitive": list(recoding.sensitive),
        "suppressed_rows": recoding.suppressed,
        "measured": {key: value for key, value in measured.items() if key != "attributes"},
        "columns": columns,
        "recoding": recoding_digest(recoding),
        "versions": {
            "lookalike": lookalike.__version__,
            "python": platform.python_version(),
            "polars": pl.__version__,
        },
    }
    if "attributes" in measured:
        certificate["attributes"] = {
            name: {label_digest(name, label): numbers for label, numbers in labels}
            for name, labels in measured["attributes"].items()
        }
    return certificate


def as_text(rows: pl.DataFrame) -> pl.DataFrame:
    """A frame as a reader of its csv file finds it: every value as text, missing as null."""
    nested = [canonical_texts(rows[name]) for name, kind in rows.schema.items() if is_nested(kind)]
    return pl.read_csv(rows.with_columns(nested).write_csv().encode(), infer_schema=False)


def value_counts(series: pl.Series) -> list[tuple[str | None, int]]:
    """The distinct values of a column as they stand in a csv file, with their counts, sorted, missing first."""
    if is_nested(series.dtype):
        series = canonical_texts(series)
    frame = pl.DataFrame({"value": series}).group_by("value").agg(pl.len().alias("times"))
    if frame.schema["value"] != pl.String:
        frame = frame.with_columns(as_text(frame.select("value", "times"))["value"])
        frame = frame.group_by("value").agg(pl.col("times").sum())
    frame = frame.sort("value", nulls_last=False)
    return list(zip(frame["value"].to_list(), frame["times"].to_list()))


def column_digest(counts: Sequence[tuple[str | None, int]]) -> str:
    """A digest of a column's values and how often each occurs, whatever their order."""
    digest = hashlib.sha256()
    for value, count in counts:
        text = b"\0" if value is None else b"\1" + value.encode()
        digest.update(len(text).to_bytes(8, "big") + text + int(count).to_bytes(8, "big"))
    return digest.hexdigest()


def label_digest(column: str, label: str | None) -> str:
    """A short digest of one label of a column."""
    text = b"\0" if label is None else b"\1" + label.encode()
    name = column.encode()
    return hashlib.sha256(len(name).to_bytes(4, "big") + name + text).hexdigest()[:_DIGITS]


def recoding_digest(recoding: Recoding) -> str:
    """A digest of the public part of a recoding."""
    import json

    return hashlib.sha256(
        json.dumps(recoding.to_dict(), sort_keys=True, ensure_ascii=False).encode()
    ).hexdigest()
