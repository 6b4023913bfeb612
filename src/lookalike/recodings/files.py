"""Where the parts of a saved release lie in its folder, and how rows and recoding are read back."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import polars as pl

from lookalike.base.checks import checked
from lookalike.base.errors import FileError, RequestError
from lookalike.recodings.recoding import Recoding
from lookalike.tables.sources.documents import read_document
from lookalike.tables.sources.files import UNREADABLE, scan_text
from lookalike.tables.sources.spreadsheets import unescape

PRIVATE = "private"  #: the part of a release's folder that stays with its owner
RECODING = f"{PRIVATE}/recoding.json"
RECIPE = f"{PRIVATE}/recipe.toml"
_KINDS = ("csv", "parquet")  # of files that rows go out in
_AT_ONCE = 1 << 17  # rows that are read at a time
ASSIGNMENT = (
    f"{PRIVATE}/assignment.json"  #: of rows to classes: apart, since a checker may be given the recoding
)


def read_recoding(folder: str | Path) -> Recoding:
    """The recoding in the folder of a release, with its assignment where it is there, or in a file by itself.

    Columns come in the order of the release: that of the table, in which rows were assigned to classes.
    """
    path = Path(folder) / RECODING if Path(folder).is_dir() else Path(folder)
    if not path.exists():
        raise FileError(
            f"{folder}: has no {RECODING}. It stays with whoever made the release, and is needed here."
        )
    written = read_document(path, "recoding")
    rows = Path(folder) / ASSIGNMENT
    if rows.is_file():
        written["assignment"] = read_document(rows, "assignment")
    try:
        recoding = Recoding.from_dict(written)
        there = Path(folder).is_dir() and any((Path(folder) / f"release.{kind}").is_file() for kind in _KINDS)
        return _in_order(recoding, released_columns(Path(folder))) if there else recoding
    except RequestError as problem:
        raise FileError(f"{path}: {problem}") from None
    except (ValueError, KeyError, TypeError, AttributeError):
        raise FileError(f"{path}: is not a recoding.") from None


def _in_order(recoding: Recoding, released: list[str]) -> Recoding:
    order = [*released, *(name for name in recoding.columns if name not in released)]
    if len(order) > len(recoding.columns):
        raise RequestError("does not speak of all columns of the release beside it.")
    boxes = {name: recoding.boxes[name] for name in order if name in recoding.boxes}
    return replace(recoding, columns={name: recoding.columns[name] for name in order}, boxes=boxes)


def read_source(folder: str | Path) -> dict[str, Any]:
    """How the table of a saved release was read: `na`, `unit`, `types`, `encoding` and what else its recipe says."""
    path = Path(folder) / RECIPE
    if not path.is_file():
        return {}
    try:
        recipe = tomllib.loads(path.read_text(encoding="utf-8"))
        source = dict(recipe.get("source", {}))
        source["types"] = {n: c["type"] for n, c in recipe.get("columns", {}).items() if "type" in c}
    except (OSError, ValueError, TypeError, AttributeError):
        raise FileError(f"{path}: is not a recipe.") from None
    if any(not isinstance(source[name], kind) for name, kind in _READ_BY.items() if name in source):
        raise FileError(f"{path}: is not a recipe (see [source]).")
    return {name: source[name] for name in _READ_BY if name in source}


_READ_BY: dict[str, type] = {
    "file": str,
    "na": list,
    "unit": str,
    "types": dict,
    **dict.fromkeys(("delimiter", "quote", "encoding", "sheet"), str),
    "header": bool,
    "skip_rows": int,
}


@checked
def read_release(folder: str | Path) -> pl.DataFrame:
    """The rows of a saved release: as text from a csv file, as they were from a parquet file.

    Apostrophes that made cells safe for spreadsheets are taken off again, where the certificate says there are some.

    Examples:
        >>> import lookalike as la
        >>> frame = la.datasets.population(200, seed=1).select("age", "gender", "income")
        >>> people = la.table(frame, quasi=["age", "gender"], sensitive=["income"])
        >>> release = la.anonymize(people, la.KAnonymity(5))
        >>> _ = release.save("out")
        >>> la.read_release("out").shape
        (200, 3)
    """
    folder = Path(folder)
    path = released_file(folder)
    try:
        # a folder may have square brackets in its name: glob=False
        if path.suffix == ".csv":
            rows = scan_text(path).collect()
            return unescape(rows) if _is_spreadsheet_safe(folder) else rows
        return pl.read_parquet(path, glob=False)
    except UNREADABLE as problem:
        raise FileError(f"{path}: cannot be read as a release ({type(problem).__name__}).") from None


def read_release_in_pieces(folder: Path) -> Iterator[pl.DataFrame]:
    """The same rows, some at a time."""
    path = released_file(folder)
    safe = path.suffix == ".csv" and _is_spreadsheet_safe(folder)
    try:
        rows = scan_text(path) if path.suffix == ".csv" else pl.scan_parquet(path, glob=False)
        for piece in rows.collect_batches(chunk_size=_AT_ONCE):
            yield unescape(piece) if safe else piece
    except UNREADABLE as problem:
        raise FileError(f"{path}: cannot be read as a release ({type(problem).__name__}).") from None


def released_columns(folder: Path) -> list[str]:
    """The columns of a saved release."""
    path = released_file(folder)
    try:
        rows = scan_text(path) if path.suffix == ".csv" else pl.scan_parquet(path, glob=False)
        return rows.collect_schema().names()
    except UNREADABLE as problem:
        raise FileError(f"{path}: cannot be read as a release ({type(problem).__name__}).") from None


def released_file(folder: Path) -> Path:
    """The file of the rows in the folder of a release."""
    path = next((p for name in _KINDS if (p := folder / f"release.{name}").is_file()), None)
    if path is None:
        raise FileError(f"{folder}: has no release.csv and no release.parquet.")
    return path


def _is_spreadsheet_safe(folder: Path) -> bool:
    path = folder / "certificate.json"
    released = read_document(path, "certificate").get("release") if path.is_file() else None
    return isinstance(released, dict) and released.get("spreadsheet_safe") is True
