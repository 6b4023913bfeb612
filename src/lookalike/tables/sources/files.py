"""Read files: Parquet, Arrow and Excel into Polars frames, anything else as delimited text (`delimited.py`)."""

from __future__ import annotations

import io
import struct
import zipfile
from pathlib import Path
from typing import Any

import polars as pl

from lookalike.base.errors import FileError, warn
from lookalike.tables.columns.naming import nameless
from lookalike.tables.sources.apart import ReaderEnded, read_apart
from lookalike.tables.sources.delimited import (
    TextColumns,
    name_blanks,
    number_doubles,
    read_text,
    refuse_doubles,
)
from lookalike.tables.sources.limits import readable
from lookalike.tables.sources.packed import is_packed, unpack

_PARQUET = (".parquet", ".pq")
_ARROW = (".arrow", ".feather", ".ipc")
_TEXT = (".csv", ".tsv", ".txt")
_SHEETS = (".xlsx", ".xls", ".xlsm", ".xlsb", ".ods")

_CELL = 4  # times what stands in a workbook is what its cells take in memory, at least
_EXACT = 2**53  # below it, decimals tell whole numbers apart

#: what reading a file that others damaged may end in; compiled code that panics is no ordinary Exception
UNREADABLE = (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError)


def resolve_within(path: Path, folder: Path) -> Path:
    """Where a path leads through all links; refused where that is outside the folder.

    Whoever opens what is returned is not led elsewhere by a link that is changed meanwhile.
    """
    real = path.resolve()
    if not real.is_relative_to(folder.resolve()):
        raise FileError(
            f"the path leads out of the recipe's folder ({path.name}). If the recipe is yours, allow it with "
            "--anywhere."
        )
    return real


def scan_text(path: Path) -> pl.LazyFrame:
    """The cells of a comma-separated file as text; in names, Polars leaves quotation marks doubled."""
    rows = pl.scan_csv(path, infer_schema=False, glob=False)
    return rows.rename(
        {name: name.replace('""', '"') for name in rows.collect_schema().names() if '""' in name}
    )


def read_file(
    path: Path,
    *,
    delimiter: str | None = None,
    quote: str | None = '"',
    encoding: str = "utf-8",
    header: bool = True,
    names: list[str] | None = None,
    sheet: str | None = None,
    skip_rows: int = 0,
) -> pl.DataFrame | TextColumns:
    """The table in a file, by its ending."""
    if not path.is_file():
        raise FileError(f"{path}: is not a file." if path.exists() else f"{path}: no such file.")
    name, content = unpack(path) if is_packed(path) else (path, None)
    ending = name.suffix.lower()
    if ending not in (*_PARQUET, *_ARROW, *_SHEETS):
        return read_text(
            path,
            content=content,
            delimiter=delimiter,
            quote=quote,
            encoding=encoding,
            header=header,
            names=names,
            skip_rows=skip_rows,
        )
    try:
        if ending in _SHEETS:
            rows = _read_sheet(path, content, sheet, header, skip_rows)
        elif ending in _PARQUET:
            rows = _read_parquet(path, content)
        else:
            rows = _read_apart(path, content, "arrow")[1]
    except UNREADABLE as problem:
        raise _unreadable(path, ending, type(problem).__name__) from None
    if names is None:
        return rows
    if len(names) != rows.width:
        raise FileError(f"{path}: {len(names)} column names were given, but it has {rows.width} columns.")
    refuse_doubles(names, path)
    return rows.rename(dict(zip(rows.columns, names, strict=True)))


def _unreadable(path: Path, ending: str, problem: str) -> FileError:
    return FileError(f"{path}: cannot be read as {ending[1:]} ({problem}). Is it another format?")


def _too_large(path: Path) -> FileError:
    return FileError(
        f"{path}: needs more than {readable() >> 20:,} MB, half of the memory that is free. Take out stray cells and "
        "what is not needed, or save it as csv and read it with the streaming engine."
    )


def _read_parquet(path: Path, content: bytes | None) -> pl.DataFrame:
    """A parquet file, if the rows that it announces fit into memory: equal ones take no room in it."""
    announced = pl.scan_parquet(path if content is None else content, glob=False)
    kinds = announced.collect_schema().dtypes()
    if any(kind.is_nested() for kind in kinds):  # rows may be of any length
        return _read_apart(path, content, "parquet")[1]
    if _announced(announced) > readable():
        raise _too_large(path)
    return pl.read_parquet(path if content is None else content, glob=False)


def _announced(rows: pl.LazyFrame) -> int:
    """Bytes that a parquet file's rows take in memory, at least."""
    return int(rows.select(pl.len()).collect().item()) * 8 * len(rows.collect_schema())


def is_larger_than_memory(path: Path) -> bool:
    """Whether a plain text or parquet file would take more memory than may be taken; such files can be streamed."""
    ending = path.suffix.lower()
    if not path.is_file() or ending not in (*_PARQUET, *_TEXT):
        return False
    try:
        size = _announced(pl.scan_parquet(path, glob=False)) if ending in _PARQUET else path.stat().st_size
    except UNREADABLE:
        return False
    return size > readable()


def _read_apart(
    path: Path, content: bytes | None, kind: str, **how: Any
) -> tuple[dict[str, Any], pl.DataFrame]:
    try:
        about, rows = read_apart(kind, path.read_bytes() if content is None else content, **how)
    except ReaderEnded:
        raise _too_large(path) from None
    if "problem" in about:
        raise _unreadable(path, path.suffix, about["problem"])
    return about, rows


def _read_sheet(
    path: Path, content: bytes | None, sheet: str | None, header: bool, skip_rows: int
) -> pl.DataFrame:
    """One sheet of a workbook."""
    content = path.read_bytes() if content is None else content
    if _CELL * _unpacked_size(content) > readable():
        raise _too_large(path)
    about, rows = _read_apart(path, content, "sheet", sheet=sheet, header=header, skip_rows=skip_rows)
    name = about["sheet"]
    if name not in about["sheets"]:
        raise FileError(f"{path}: there is no sheet {name!r}; it has {', '.join(about['sheets'])}.")
    if sheet is None and name != about["sheets"][0]:
        warn(
            f"{path}: sheet {name!r} is read; {about['sheets'][0]!r}, which comes first, describes or introduces it. "
            "Name another with `sheet`."
        )
    head = about.get("head", [])
    if not rows.height:
        raise FileError(f"{path}: sheet {name!r} has no rows.")
    width = max(len(head), rows.width)
    head += [""] * (width - len(head))
    columns = [f"column_{i}" for i in range(1, width + 1)]
    if header:
        columns = number_doubles(name_blanks(head, path), path)
    return rows.select(
        _whole(nameless(rows[old])).alias(new) for old, new in zip(rows.columns, columns, strict=True)
    )


def _unpacked_size(workbook: bytes) -> int:
    """What its parts say that they unpack to; 0 where it is no zip file, or a damaged one."""
    try:
        with zipfile.ZipFile(io.BytesIO(workbook)) as parts:
            return sum(part.file_size for part in parts.infolist())
    except (zipfile.BadZipFile, ValueError, NotImplementedError, OSError, struct.error):
        return 0


def _whole(column: pl.Series) -> pl.Series:
    """A column of a workbook, which keeps whole numbers as decimals: as whole numbers where all of them are."""
    if not column.dtype.is_float() or not column.is_finite().any():
        return column
    same = column.is_null() | (column.is_finite() & (column == column.round()) & (column.abs() < _EXACT))
    return column.cast(pl.Int64) if same.all() else column
