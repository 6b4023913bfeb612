"""Read files: Parquet, Arrow and Excel into Polars frames, anything else as delimited text (`delimited.py`)."""

from __future__ import annotations

import io
from pathlib import Path
from typing import BinaryIO

import polars as pl

from lookalike.columns.naming import nameless
from lookalike.errors import FileError
from lookalike.sources.delimited import TextColumns, name_blanks, read_text, refuse_doubles
from lookalike.sources.packed import is_packed, unpack

_PARQUET = (".parquet", ".pq")
_ARROW = (".arrow", ".feather", ".ipc")
_SHEETS = (".xlsx", ".xls", ".xlsm", ".xlsb", ".ods")

_TOP = 1_000  # rows of a sheet in which something must stand
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
            rows = pl.read_parquet(path if content is None else io.BytesIO(content), glob=False)
        else:
            rows = _read_arrow(path, content)
    except UNREADABLE as problem:
        raise FileError(
            f"{path}: cannot be read as {ending[1:]} ({type(problem).__name__}). Is it another format?"
        ) from None
    if names is None:
        return rows
    if len(names) != rows.width:
        raise FileError(f"{path}: {len(names)} column names were given, but it has {rows.width} columns.")
    refuse_doubles(names, path)
    return rows.rename(dict(zip(rows.columns, names)))


def _read_arrow(path: Path, content: bytes | None) -> pl.DataFrame:
    def opened() -> BinaryIO:  # by its name, Polars would take it for a pattern
        return path.open("rb") if content is None else io.BytesIO(content)

    with opened() as file:
        whole = file.read(6) == b"ARROW1"
    with opened() as file:
        return pl.read_ipc(file) if whole else pl.read_ipc_stream(file)


def _read_sheet(
    path: Path, content: bytes | None, sheet: str | None, header: bool, skip_rows: int
) -> pl.DataFrame:
    """One sheet of a workbook. Types are found from all of its rows, so that no value is lost to a wrong guess."""
    import fastexcel

    try:
        book = fastexcel.read_excel(path if content is None else content)
        name = sheet if sheet is not None else book.sheet_names[0]
        if name not in book.sheet_names:
            raise FileError(f"{path}: there is no sheet {name!r}; it has {', '.join(book.sheet_names)}.")
        top = book.load_sheet(name, header_row=None, skip_rows=skip_rows, n_rows=_TOP, dtypes="string")
        first = next(((i, row) for i, row in enumerate(top.to_polars().iter_rows()) if any(row)), None)
        if first is None:
            raise FileError(f"{path}: sheet {name!r} has no rows.")
        head = ["" if value is None else str(value) for value in first[1]]
        above = skip_rows + first[0] + int(header)
        rows = book.load_sheet(name, header_row=None, skip_rows=above, schema_sample_rows=None).to_polars()
    except fastexcel.FastExcelError as problem:
        raise FileError(
            f"{path}: cannot be read as a workbook ({type(problem).__name__}). Is it another format?"
        ) from None
    if not rows.height:
        raise FileError(f"{path}: sheet {name!r} has no rows.")
    width = max(len(head), rows.width)
    head += [""] * (width - len(head))
    columns = name_blanks(head, path) if header else [f"column_{i}" for i in range(1, width + 1)]
    refuse_doubles(columns, path)
    return rows.select(_whole(nameless(rows[old])).alias(new) for old, new in zip(rows.columns, columns))


def _whole(column: pl.Series) -> pl.Series:
    """A column of a workbook, which keeps whole numbers as decimals: as whole numbers where all of them are."""
    if not column.dtype.is_float() or not column.is_finite().any():
        return column
    same = column.is_null() | (column.is_finite() & (column == column.round()) & (column.abs() < _EXACT))
    return column.cast(pl.Int64) if same.all() else column
