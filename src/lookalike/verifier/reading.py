"""Read a release, its certificate and its recoding; what is not as it should be is refused in a sentence."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import polars as pl

from lookalike.errors import FileError, RequestError
from lookalike.models import model_from_dict
from lookalike.releases.certificate import FORMAT, as_text

RISK = "largest basic semantic risk"  #: where the certificate of a semantic release states it


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
    limit = written["measured"].get(RISK, 1)
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


def read_rows(path: Path) -> pl.DataFrame:
    """The released table as text."""
    if not path.is_file():
        raise FileError(f"{path}: no such file.")
    try:
        if path.suffix == ".parquet":
            return as_text(pl.read_parquet(path, glob=False))
        return pl.read_csv(path, infer_schema=False, glob=False)
    except (pl.exceptions.PolarsError, OSError) as problem:
        raise FileError(f"{path}: cannot be read as a release ({type(problem).__name__}).") from None


def read_meanings(path: Path, written: Mapping[str, Any]) -> dict[str, Any]:
    """The orders and hierarchies of sensitive columns, from the recoding the certificate was made with."""
    recoding = _read_json(path, "recoding")
    digest = hashlib.sha256(json.dumps(recoding, sort_keys=True, ensure_ascii=False).encode()).hexdigest()
    if digest != written["recoding"]:
        raise FileError(f"{path}: is not the recoding this certificate was made with.")
    return dict(recoding.get("meanings", {}))
