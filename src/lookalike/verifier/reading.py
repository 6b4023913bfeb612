"""Read a release and its certificate; what is not as it should be is refused in a sentence."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from itertools import count, takewhile
from pathlib import Path
from typing import Any

import polars as pl

from lookalike.base.errors import FileError, RequestError
from lookalike.models import MODELS, model_from_dict
from lookalike.releases.certificate import FORMAT
from lookalike.releases.dictionary import DESCRIBED
from lookalike.tables.columns.naming import named
from lookalike.tables.engines.opening import open_engine
from lookalike.tables.engines.spark.frames import Spark
from lookalike.tables.sources.documents import read_document
from lookalike.tables.sources.files import UNREADABLE, scan_text
from lookalike.tables.sources.frames import stays_there
from lookalike.verifier.counted import count_released
from lookalike.verifier.released import NewColumn, Released

_AT_ONCE = 1 << 19  # rows
_SMALL = 1 << 20  # bytes of text that may be read as a whole
REPORT = "report.html"
RISK = "largest basic semantic risk"  #: where the certificate of a semantic release states it
READ_BY = {1: "0.1.0 before its first release"}  #: formats of old, and the version that reads them


def read_certificate(path: Path) -> dict[str, Any]:
    """A certificate whose every part has the form it should have."""
    written = read_document(path, "certificate")
    if written.get("format") != FORMAT:
        old = READ_BY.get(written.get("format", 0)) if isinstance(written.get("format"), int) else None
        hint = f" Lookalike {old} reads format {written['format']}." if old else ""
        raise FileError(f"{path}: is not a certificate of format {FORMAT}.{hint}")

    def require(fine: bool, part: str) -> None:
        if not fine:
            raise FileError(f"{path}: is not a certificate as Lookalike writes them (see {part!r}).")

    def names(value: Any) -> bool:
        return isinstance(value, list) and all(isinstance(name, str) for name in value)

    def distinct(value: Any) -> bool:
        return names(value) and len(set(value)) == len(value)

    def counts(value: Any) -> bool:
        keys = ("records", "suppressed", "classes", "k")
        return isinstance(value, dict) and all(
            type(value.get(key)) is int and 0 <= value[key] < 2**63 for key in keys
        )

    columns = written.get("columns")
    require(
        isinstance(columns, dict) and all(isinstance(entry, dict) for entry in columns.values()), "columns"
    )
    columns = columns or {}
    for entry in columns.values():
        labels = entry.get("labels", [])
        require(distinct(labels) and labels == sorted(labels), "labels")
        require(isinstance(entry.get("role"), str) and isinstance(entry.get("treatment"), str), "columns")
        require(isinstance(entry.get("digest", ""), str), "digest")
        require(entry.get("star") in (None, "*"), "star")
        require("level" not in entry or (type(entry["level"]) is int and entry["level"] >= 0), "level")
    require(distinct(written.get("quasi")) and bool(written["quasi"]), "quasi")
    require(set(written["quasi"]) <= set(columns), "quasi")
    require(distinct(written.get("sensitive")), "sensitive")
    require(counts(written.get("measured")), "measured")
    require(written["measured"]["suppressed"] <= written["measured"]["records"], "measured")
    require(written.get("suppressed_rows") in ("drop", "star"), "suppressed_rows")
    require(written.get("counted") in ("records", "people"), "counted")
    require("unit" in written, "unit")
    unit = written["unit"]
    require(unit is None or (isinstance(unit, str) and "digest" in columns.get(unit, {})), "unit")
    require(isinstance(written.get("recoding"), str), "recoding")
    require(isinstance(written.get("checksum"), str), "checksum")
    require({"levels", "method", "proven_optimal"} <= written["measured"].keys(), "measured")
    released = written.get("release")
    require("release" not in written or _is_file(released), "release")
    require(_are_texts(written.get("versions"), {"lookalike", "python", "polars"}), "versions")
    beside = written.get("beside")
    in_csv = isinstance(released, dict) and released["file"].endswith(".csv")
    require(_are_texts(beside, {REPORT, *DESCRIBED[: None if in_csv else -1]}), "beside")
    require(all(map(_is_plain_name, beside or ())), "beside")
    limit = written["measured"].get(RISK, 1)
    require(type(limit) in (int, float) and 0 < limit <= 1, "measured")
    require(_are_attributes(written.get("attributes", {})), "attributes")
    require(_are_meanings(written.get("meanings")), "meanings")
    achieved = written.get("achieved")
    require(isinstance(achieved, dict) and all(map(_is_level, achieved.values())), "achieved")
    require(_are_links(written.get("linked"), columns), "linked")
    require(isinstance(written.get("known"), dict), "known")
    require(all(type(n) is int for n in written["known"].values()), "known")
    promises = written.get("promise")
    require(isinstance(promises, list) and all(isinstance(promise, dict) for promise in promises), "promise")
    for promise in promises or []:
        numbers = [value for value in promise.values() if isinstance(value, float)]
        require(all(math.isfinite(value) for value in numbers), "promise")
        if isinstance(name := promise.get("model"), str) and name not in MODELS:
            raise FileError(
                f"{path}: promises {name[:60]!r}, a privacy model that is not known here. If it is one of your own, "
                "run the code that registers it first."
            )
        try:
            require(promise.keys() == model_from_dict(promise).to_dict().keys(), "promise")
        except (RequestError, TypeError, ValueError, OverflowError, AttributeError):
            require(False, "promise")
    return written


def _is_plain_name(name: str) -> bool:
    """Whether a name is that of a file, and no way to another folder."""
    return name not in ("", ".", "..") and not set(name) & set("/\\:\0")


def _are_texts(value: Any, needed: set[str]) -> bool:
    """Whether texts are given by name, those that are needed among them."""
    return (
        isinstance(value, dict)
        and needed <= value.keys()
        and all(isinstance(text, str) for text in value.values())
    )


def _is_file(value: Any) -> bool:
    return (
        isinstance(value, dict)
        and value.keys() == {"file", "sha256", "spreadsheet_safe"}
        and isinstance(value["file"], str)
        and isinstance(value["sha256"], str)
        and type(value["spreadsheet_safe"]) is bool
    )


def _is_level(value: Any) -> bool:
    return value is None or (type(value) in (int, float) and abs(value) < 2**63)


def _are_links(value: Any, columns: dict[str, Any]) -> bool:
    """A list of columns, what they give away, how, and what was decided."""
    return isinstance(value, list) and all(
        isinstance(link, dict)
        and link.keys() == {"columns", "quasi", "choice"}
        and isinstance(link["columns"], list)
        and isinstance(link["quasi"], list)
        and all(isinstance(name, str) and name in columns for name in (*link["columns"], *link["quasi"]))
        and link["choice"] in (None, "follow", "quasi", "drop", "accept")
        for link in value
    )


def _are_attributes(value: Any) -> bool:
    """Column -> digest of a label -> numbers."""
    return isinstance(value, dict) and all(
        isinstance(labels, dict) and all(map(_are_numbers, labels.values())) for labels in value.values()
    )


def _are_meanings(value: Any) -> bool:
    """Column -> the order of its values, the numbers of the nodes above each, all equally many, what promises name."""
    if not isinstance(value, dict) or not all(isinstance(known, dict) for known in value.values()):
        return False
    for known in value.values():
        order, nodes = known.get("order", []), known.get("nodes", {})
        if not isinstance(order, list) or not all(isinstance(one, str) for one in order):
            return False
        named = known.get("named", {})
        if not isinstance(named, dict) or not all(isinstance(one, str) for one in named.values()):
            return False
        if not isinstance(nodes, dict) or not all(map(_are_numbers, nodes.values())):
            return False
        if len({len(path) for path in nodes.values()}) > 1:
            return False
    return True


def _are_numbers(value: Any) -> bool:
    return isinstance(value, list) and all(type(n) is int and abs(n) < 2**31 for n in value)


def read_rows(path: Path) -> Released:
    """The released table as text; each text is kept once.

    It is read a piece at a time, and only numbers stay: a few bytes a cell, however long the texts are.
    """
    if not path.is_file():
        raise FileError(f"{path}: no such file.")
    try:
        if path.suffix == ".parquet":
            rows = pl.scan_parquet(path, glob=False)
            pieces = (rows.slice(i, _AT_ONCE).collect() for i in count(0, _AT_ONCE))
            some = takewhile(lambda piece: piece.height, pieces)
            return _put_together(rows.collect_schema().names(), some)
        rows = scan_text(path)
        names = rows.collect_schema().names()
        if path.stat().st_size > _SMALL:
            rows = rows.with_columns(
                named(name).cast(pl.Categorical(pl.Categories.random())) for name in names
            )
        return _put_together(names, [rows.collect(engine="streaming")])
    except UNREADABLE as problem:
        raise FileError(f"{path}: cannot be read as a release ({type(problem).__name__}).") from None


def read_far_rows(frame: Any, written: Mapping[str, Any]) -> Released:
    """The same of a release that lies where an engine reads it, a piece at a time; Spark counts it."""
    if not (isinstance(frame, str | Path) or stays_there(frame)):
        raise RequestError(f"`release` is a file, a relation or a Spark frame, not {type(frame).__name__}.")
    engine = open_engine(frame)
    if isinstance(engine, Spark) and written["suppressed_rows"] == "drop":
        return count_released(engine, written)
    names = list(engine.describe())
    return _put_together(names, (piece for piece in engine.pieces(names) if isinstance(piece, pl.DataFrame)))


def _put_together(names: Sequence[str], pieces: Iterable[pl.DataFrame]) -> Released:
    columns = {name: NewColumn() for name in names}
    for piece in pieces:
        for name, column in columns.items():
            column.add(piece[name])
    return Released.of({name: column.column() for name, column in columns.items()})
