"""Read files into Polars frames: delimited text, Parquet, Arrow, Excel. Text is read as text; kinds are found later."""

from __future__ import annotations

import csv
from collections import Counter
from pathlib import Path

import numpy as np
import polars as pl

from lookalike.errors import ColumnError, FileError

DELIMITERS = ",;\t|"


def read_frame(
    path: Path,
    *,
    delimiter: str | None = None,
    quote: str = '"',
    encoding: str = "utf-8",
    header: bool = True,
    names: list[str] | None = None,
    sheet: str | None = None,
) -> pl.DataFrame:
    """The table in a file, by its ending: .parquet, .arrow/.feather/.ipc, .xlsx/.xls/.ods, anything else is text."""
    if not path.is_file():
        raise FileError(f"{path}: no such file." if not path.exists() else f"{path}: is not a file.")
    ending = path.suffix.lower()
    try:
        if ending in (".parquet", ".pq"):
            return pl.read_parquet(path)
        if ending in (".arrow", ".feather", ".ipc"):
            return _read_arrow(path)
        if ending in (".xlsx", ".xls", ".xlsb", ".ods"):
            return _read_sheet(path, sheet, header)
    except (pl.exceptions.PolarsError, OSError) as problem:
        raise FileError(
            f"{path}: cannot be read as {ending[1:]} ({type(problem).__name__}). Is it another format?"
        ) from None
    return _read_text(path, delimiter, quote, encoding, header, names)


def _read_arrow(path: Path) -> pl.DataFrame:
    with path.open("rb") as file:
        if file.read(6) == b"ARROW1":
            return pl.read_ipc(path, memory_map=False)
    return pl.read_ipc_stream(path)


def _read_sheet(path: Path, sheet: str | None, header: bool) -> pl.DataFrame:
    import fastexcel

    book = fastexcel.read_excel(path)
    name = sheet if sheet is not None else book.sheet_names[0]
    if name not in book.sheet_names:
        raise FileError(f"{path}: there is no sheet {name!r}; it has {', '.join(book.sheet_names)}.")
    if header:
        first = book.load_sheet(name, header_row=None, n_rows=1, dtypes="string").to_polars()
        refuse_doubles([str(v) for v in first.row(0)] if first.height else [], path)
    return book.load_sheet(name, header_row=0 if header else None).to_polars()


def _read_text(
    path: Path, delimiter: str | None, quote: str, encoding: str, header: bool, names: list[str] | None
) -> pl.DataFrame:
    if path.stat().st_size == 0:
        raise FileError(f"{path}: the file is empty.")
    source: Path | bytes = path
    if encoding.lower().replace("_", "-") not in ("utf-8", "utf8"):
        try:
            source = path.read_bytes().decode(encoding).encode("utf-8")
        except UnicodeDecodeError as problem:
            raise FileError(
                f"{path}: byte {problem.start} is not {encoding}. Try another encoding."
            ) from None
        except LookupError:
            raise FileError(f"there is no encoding called {encoding!r}.") from None
    text = (
        np.frombuffer(source, dtype=np.uint8)
        if isinstance(source, bytes)
        else np.memmap(path, np.uint8, mode="r")
    )
    start = bytes(text[: 1 << 16])
    if start[:2] in (b"\xff\xfe", b"\xfe\xff"):
        raise FileError(f"{path}: looks like UTF-16. Pass encoding='utf-16'.")
    if b"\0" in start:
        raise FileError(f"{path}: holds zero bytes, so it is not a text file.")
    separator = delimiter or _guess_delimiter(start, quote)
    _refuse_ragged(text, separator, quote, path)
    head = _first_record(start, separator, quote)
    if names is not None and len(names) != len(head):
        raise FileError(
            f"{path}: {len(names)} column names were given, but the file has {len(head)} columns."
        )
    if header:
        refuse_doubles(names or head, path)
    columns = names or (head if header else [f"column_{i + 1}" for i in range(len(head))])
    try:
        frame = pl.read_csv(
            source,
            separator=separator,
            quote_char=quote,
            has_header=header,
            new_columns=columns,
            infer_schema=False,
        )
    except pl.exceptions.PolarsError as problem:
        raise _text_problem(path, text, problem) from None
    if not frame.height:
        raise FileError(f"{path}: has column names but no rows.")
    return frame


def _guess_delimiter(start: bytes, quote: str) -> str:
    lines = [line for line in start.decode("utf-8", "replace").splitlines()[:20] if line.strip()]
    counts = {
        d: [len(next(csv.reader([line], delimiter=d, quotechar=quote))) for line in lines] for d in DELIMITERS
    }

    def fit(d: str) -> tuple[bool, int]:
        return len(set(counts[d][:-1] or counts[d])) == 1 and counts[d][0] > 1, counts[d][0]

    return max(DELIMITERS, key=fit)


def _first_record(start: bytes, separator: str, quote: str) -> list[str]:
    lines = start.decode("utf-8-sig", "replace").splitlines(keepends=True)
    return next(row for row in csv.reader(lines, delimiter=separator, quotechar=quote) if row)


def _refuse_ragged(text: np.ndarray, separator: str, quote: str, path: Path) -> None:
    from lookalike.kernels.csv import find_ragged

    line, found, expected = find_ragged(text, ord(separator), ord(quote)).tolist()
    if line and found < 0:
        raise FileError(f"{path}, line {line}: a quotation mark opens here and is never closed.")
    if line:
        raise FileError(
            f"{path}, line {line}: {found} fields where the first line has {expected} (delimiter {separator!r}). "
            "Mend the line, quote values that hold the delimiter, or pass delimiter=."
        )


def refuse_doubles(names: list[str], path: Path) -> None:
    """No two columns may have the same name, and none may have no name."""
    for name, times in Counter(names).items():
        if times > 1:
            raise ColumnError(
                f"{path}: column {name!r} appears {times} times in the header. Rename all but one."
            )


def _text_problem(path: Path, text: np.ndarray, problem: Exception) -> FileError:
    try:
        bytes(text).decode("utf-8")
    except UnicodeDecodeError as wrong:
        line = int((text[: wrong.start] == 10).sum()) + 1
        return FileError(
            f"{path}, line {line}: not UTF-8 text. Pass its encoding, for example encoding='latin-1'."
        )
    return FileError(f"{path}: cannot be read as delimited text ({type(problem).__name__}).")
