"""Delimited text (csv, tsv, …) into distinct values and codes, with every line checked on the way.

The kernel does the work (`kernels/csv.py`); this file finds the encoding, the delimiter and the header, shares the
bytes between threads, and turns what went wrong into sentences that name the line.
"""

from __future__ import annotations

import csv
import os
from codecs import getincrementaldecoder, lookup
from collections import Counter
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from lookalike.base.errors import ColumnError, FileError, amount, warn
from lookalike.tables.columns.coding import Distinct, spelt_integers
from lookalike.tables.columns.texts import FEW

DELIMITERS = ",;\t|"
Bytes = NDArray[np.uint8]

_NAMED = 5  # columns named in a warning
_LOOK = 1 << 20  # how much of the file is read to find delimiter and header
_WORTH_SHARING = 1 << 22  # bytes below which a second thread does not pay
_MANY = 1 << 16  # records worth a kernel for whole numbers
_ROOM, _CACHED = (
    1 << 12,
    1 << 18,
)  # distinct fields in the first table of a column, and in the last that caches hold


def read_text(
    path: Path,
    *,
    content: bytes | None = None,
    delimiter: str | None = None,
    quote: str | None = '"',
    encoding: str = "utf-8",
    header: bool = True,
    names: list[str] | None = None,
    above: int = 0,
    skip_rows: int = 0,
) -> TextColumns:
    """The columns of a delimited text file, as text.

    skip_rows: lines before the names of the columns, or before the first record, that are passed over.
    content: what was packed in it, or a piece of it that begins and ends with a record; `above`: lines above the piece.
    """
    if not (path.stat().st_size if content is None else len(content)):
        raise FileError(f"{path}: the file is empty.")
    text = _bytes_of(path, content, encoding)
    quoted = _look_over(text, quote, path)
    text, above = _below(text, skip_rows, path), above + skip_rows
    start = bytes(text[:_LOOK])
    mark = _one_byte(quote, "quote") if quote else -1
    separator = delimiter if delimiter is not None else _guess_delimiter(start, quote, path)
    between = _one_byte(separator, "delimiter")
    head, begin = _first_record(start, separator, quote, path)
    if names is not None and len(names) != len(head):
        raise FileError(
            f"{path}: {len(names)} column names were given, but the file has {len(head)} columns "
            f"(delimiter {separator!r})."
        )
    begin = begin if header else 0
    if names is not None:
        refuse_doubles(names, path)
        columns = names
    elif header:
        columns = number_doubles(name_blanks(head, path), path)
    else:
        columns = [f"column_{i}" for i in range(1, len(head) + 1)]
    begin = max(begin, 3) if start.startswith(b"\xef\xbb\xbf") else begin
    starts, problem = _split(text, begin, between, mark, len(columns), quoted=quoted)
    if problem[0]:
        what, line, found = problem
        raise _problem(path, (what, line + above, found), len(columns), separator)
    if not starts.shape[1]:
        raise FileError(f"{path}: has column names but no rows." if header else f"{path}: has no rows.")
    return TextColumns(text, dict(zip(columns, range(len(columns)), strict=True)), starts, mark, separator)


class TextColumns(Mapping[str, Distinct]):
    """The columns of a text file, each numbered when first asked for: one that nobody uses costs nothing."""

    def __init__(
        self, text: Bytes, names: dict[str, int], starts: NDArray[Any], quote: int, delimiter: str
    ) -> None:
        self._text, self._names, self._starts, self._quote = text, names, starts, quote
        self.delimiter = delimiter
        self._known: dict[str, Distinct] = {}

    def __getitem__(self, name: str) -> Distinct:
        if name not in self._known:
            place = self._names[name]
            self._known[name] = _number(self._text, self._starts[place], self._starts[place + 1], self._quote)
        return self._known[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)

    @property
    def height(self) -> int:
        """Number of records."""
        return int(self._starts.shape[1])


def refuse_doubles(names: list[str], where: object) -> None:
    """No two columns may have the same name."""
    for name, times in Counter(names).items():
        if times > 1:
            raise ColumnError(f"{where}: column {name!r} appears {times} times. Rename all but one.")


def number_doubles(names: list[str], where: object) -> list[str]:
    """The names of a header, of which those that come again are numbered: `score`, `score_2`, `score_3`."""
    taken, seen = set(names), set()
    numbered, renamed = [], []
    for name in names:
        own, number = name, 2
        while own in seen or (own != name and own in taken):
            own, number = f"{name}_{number}", number + 1
        seen.add(own)
        numbered.append(own)
        if own != name:
            renamed.append(own)
    if renamed:
        shown = ", ".join(renamed[:_NAMED]) + (", …" if len(renamed) > _NAMED else "")
        warn(f"{where}: {amount(len(renamed), 'column')} with the name of another; numbered: {shown}.")
    return numbered


def name_blanks(names: list[str], where: object) -> list[str]:
    """The names of a header without blanks around them; a column without a name is called by its place."""
    named = [name.strip() or f"column_{place}" for place, name in enumerate(names, start=1)]
    blank = [place for place, name in enumerate(names, start=1) if not name.strip()]
    if len(names) - len(blank) <= 1 < len(blank):
        raise FileError(
            f"{where}: the first line names {len(names) - len(blank)} of {len(names)} columns, as a title does. Take "
            "out what stands above the names of the columns, or pass over so many rows with `skip_rows`."
        )
    if blank:
        warn(
            f"{where}: {amount(len(blank), 'column')} without a name; column {blank[0]} is called 'column_{blank[0]}'.",
        )
    return named


def _bytes_of(path: Path, content: bytes | None, encoding: str) -> Bytes:
    """The file as UTF-8 bytes with lines that end in a line feed."""
    packed = None if content is None else np.frombuffer(bytearray(content), dtype=np.uint8)
    text: Bytes = np.asarray(np.memmap(path, np.uint8, mode="c")) if packed is None else packed
    start = bytes(text[:_LOOK])
    if start[:2] in (b"\xff\xfe", b"\xfe\xff"):
        encoding = "utf-16"
    if encoding.lower().replace("_", "-") not in ("utf-8", "utf8", "utf-8-sig", "ascii"):
        try:
            if lookup(encoding).name == "iso8859-1" and bool(((text >= 0x80) & (text < 0xA0)).any()):
                warn(
                    f"{path}: holds bytes that are no letters in {encoding}; € and “ are such in cp1252. Try that."
                )
            text = np.frombuffer(bytearray(text.tobytes().decode(encoding), "utf-8"), dtype=np.uint8)
        except UnicodeError as problem:
            place = getattr(problem, "start", 0)
            raise FileError(
                f"{path}: byte {place} cannot be read as {encoding}. Try another encoding."
            ) from None
        except LookupError:
            raise FileError(f"{path}: there is no encoding called {encoding!r}.") from None
        start = bytes(text[:_LOOK])
    if b"\0" in start:
        raise FileError(
            f"{path}: holds zero bytes, so it is not text, or is text in another encoding such as 'utf-16-le'."
        )
    if b"\n" not in start and b"\r" in start:
        text = np.where(text == 13, np.uint8(10), text)
    return text


def _below(text: Bytes, lines: int, path: Path) -> Bytes:
    """What stands below the first lines, which are titles and the like."""
    start = 0
    for _ in range(lines):
        end = bytes(text[start : start + _LOOK]).find(b"\n")
        if end < 0:
            raise FileError(
                f"{path}: has no more than the {amount(lines, 'line')} to pass over (`skip_rows`)."
            )
        start += end + 1
    return text[start:]


def _look_over(text: Bytes, quote: str | None, path: Path) -> bool:
    """Refuse bytes that are not UTF-8; say whether there is a quotation mark anywhere."""
    quoted = False
    decoder = getincrementaldecoder("utf-8")()
    for begin in range(0, len(text), _LOOK):
        piece = text[begin : begin + _LOOK].tobytes()
        quoted = quoted or (bool(quote) and str(quote).encode() in piece)
        if piece.isascii() and not decoder.getstate()[0]:
            continue
        try:
            decoder.decode(piece, final=begin + _LOOK >= len(text))
        except UnicodeDecodeError as problem:
            # What the decoder kept from the piece before has at most three bytes and no line break.
            line = int((text[: begin + max(problem.start, 0)] == 10).sum()) + 1
            raise FileError(
                f"{path}, line {line}: not UTF-8 text. Say what it is with `encoding`, for example cp1252 (Windows, "
                "western Europe) or latin-1."
            ) from None
    return quoted


def _one_byte(character: str, what: str) -> int:
    if len(character) != 1 or ord(character) > 127 or character in "\r\n":
        raise FileError(
            f"{what} must be one plain character such as ',' or ';' or a tab, found {character!r}."
        )
    return ord(character)


def _guess_delimiter(start: bytes, quote: str | None, path: Path) -> str:
    """The delimiter that cuts the first lines into the same number of fields, more than one."""
    lines = [line for line in start.decode("utf-8", "replace").split("\n")[:21] if line.strip()]
    lines = lines[:-1] if len(lines) == 21 else lines
    candidates = (
        "\t" + DELIMITERS if {".tsv", ".tab"} & {one.lower() for one in path.suffixes} else DELIMITERS
    )

    def fit(delimiter: str) -> tuple[int, int]:
        widths = Counter(_width(line, delimiter, quote) for line in lines)
        width, times = max(widths.items(), key=lambda pair: (pair[1], pair[0]), default=(1, 0))
        return (times if width > 1 else 0), width

    return max(candidates, key=fit)


def _width(line: str, delimiter: str, quote: str | None) -> int:
    """The fields of a line; 1 where it is too odd to tell."""
    try:
        return len(next(_records(line, delimiter, quote)))
    except csv.Error:
        return 1


def _records(text: str, delimiter: str, quote: str | None) -> Any:
    lines = [line + "\n" for line in text.split("\n")]
    if not quote:
        return csv.reader(lines, delimiter=delimiter, quoting=csv.QUOTE_NONE)
    return csv.reader(lines, delimiter=delimiter, quotechar=quote)


def _first_record(start: bytes, delimiter: str, quote: str | None, path: Path) -> tuple[list[str], int]:
    """The fields of the first line that has any, and where the next record begins."""
    reader = _records(start.decode("utf-8-sig", "replace"), delimiter, quote)
    try:
        row = next((row for row in reader if row and row != [""]), None)
    except csv.Error:
        raise FileError(
            f"{path}: its first line cannot be read: it holds a stray carriage return, or a name without end."
        ) from None
    if row is None:
        raise FileError(f"{path}: the file has no columns.")
    end = -1
    for _ in range(reader.line_num):
        end = start.find(b"\n", end + 1)
        if end < 0:
            return row, len(start)
    return row, end + 1


def _threads(text: Bytes) -> int:
    return 1 if len(text) < _WORTH_SHARING else os.cpu_count() or 1


def _split(
    text: Bytes, begin: int, delimiter: int, quote: int, columns: int, *, quoted: bool
) -> tuple[NDArray[Any], tuple[int, int, int]]:
    """Where every field begins, and the first problem. Without a quotation mark in sight, threads share the bytes."""
    from lookalike.kernels import csv as kernel

    bounds = [begin, len(text)]
    if not quoted:
        for cut in np.linspace(begin, len(text), _threads(text) + 1).astype(int).tolist()[1:-1]:
            breaks = np.flatnonzero(text[cut : cut + _LOOK] == kernel.NEWLINE)
            if len(breaks) and cut > bounds[-2]:
                bounds.insert(-1, cut + int(breaks[0]) + 1)
    pieces = list(pairwise(bounds))
    with ThreadPoolExecutor(len(pieces)) as threads:
        lines = list(threads.map(lambda p: kernel.count_byte(text, p[0], p[1], kernel.NEWLINE), pieces))
        # A record has as many bytes as columns at least, so blank lines below a wide header take no room.
        rooms = [min(n, (end - start) // columns + 1) for n, (start, end) in zip(lines, pieces, strict=True)]
        at, above_pieces = np.cumsum([0, *rooms]), np.cumsum([0, *lines])
        small = len(text) < 2**31 - 2
        starts = np.empty((columns + 1, int(at[-1]) + 1), dtype=np.int32 if small else np.int64)
        slices = [starts[:, at[i] : at[i + 1] + (i == len(pieces) - 1)] for i in range(len(pieces))]
        flat, stride = starts.reshape(-1), starts.shape[1]
        done = list(
            threads.map(
                lambda job: kernel.split(text, *job[0], delimiter, quote, flat, job[1], stride, columns),
                zip(pieces, at[:-1].tolist(), strict=True),
            )
        )
    before = int(kernel.count_byte(text, 0, begin, kernel.NEWLINE))
    for (_, (what, line, found)), above in zip(done, above_pieces[:-1].tolist(), strict=True):
        if what:
            return starts, (what, line + above + before, found)
    records = [record for record, _ in done]
    if all(record == part.shape[1] for record, part in zip(records[:-1], slices[:-1], strict=True)):
        return starts[:, : int(at[-2]) + records[-1]], done[0][1]
    return np.concatenate([part[:, :n] for part, n in zip(slices, records, strict=True)], axis=1), done[0][1]


def _number(text: Bytes, starts: NDArray[Any], ends: NDArray[Any], quote: int) -> Distinct:
    """Distinct fields and codes of a column. The table is small at first, so that few values stay in the cache."""
    from lookalike.kernels import csv as kernel

    codes = np.empty(len(starts), dtype=np.int32)
    room = _ROOM
    while True:
        room = min(room, len(starts))
        slots = np.full(1 << (2 * room).bit_length(), -1, dtype=np.int32)
        firsts = np.empty(room, dtype=np.int32)
        keys = np.empty((room, 2), dtype=np.uint64)
        found = int(kernel.number(text, starts, ends, quote, codes, slots, keys, firsts))
        if found >= 0:
            firsts = firsts[:found]
            return Distinct(codes, _strings(text, starts[firsts], ends[firsts], quote))
        if (
            room == _ROOM
            and len(starts) >= _MANY
            and (whole := _whole_numbers(text, starts, ends, quote)) is not None
        ):
            return whole
        mostly_distinct = room >= _CACHED and room > -found / 2
        room = len(starts) if mostly_distinct else 4 * room


def _whole_numbers(text: Bytes, starts: NDArray[Any], ends: NDArray[Any], quote: int) -> Distinct | None:
    """A column of many whole numbers, grouped as such; None where a field is something else."""
    from lookalike.kernels import csv as kernel

    numbers = np.empty(len(starts), dtype=np.int64)
    return (
        spelt_integers(numbers, kernel.NOTHING)
        if kernel.read_whole(text, starts, ends, quote, numbers)
        else None
    )


def _strings(text: Bytes, starts: NDArray[Any], ends: NDArray[Any], quote: int) -> pl.Series:
    """Distinct fields as strings."""
    from lookalike.kernels.csv import gather

    if not len(starts):
        return pl.Series([], dtype=pl.String)
    for separator in (10, 31, 30, 29, 28, 0):
        joined = gather(text, starts, ends, quote, separator)
        if int((joined == separator).sum()) == len(starts) - 1:
            break
    else:
        raise FileError("values hold line breaks and several control characters; remove these first.")
    text_of_all = joined.tobytes().decode("utf-8")
    if len(starts) <= FEW:
        values = pl.Series(text_of_all.split(chr(separator)), dtype=pl.String)
    else:
        values = pl.Series([text_of_all]).str.split(chr(separator)).explode()
    if quote < 0:
        return values
    # Doubled quotation marks mean one, in fields that stand in quotation marks.
    marked = text[np.minimum(starts, len(text) - 1)] == quote
    if not marked.any():
        return values
    mark = chr(quote)
    return values.str.replace_all(mark * 2, mark, literal=True).zip_with(pl.Series(marked), values)


def _problem(path: Path, problem: tuple[int, int, int], columns: int, delimiter: str) -> FileError:
    from lookalike.kernels import csv as kernel

    what, line, found = problem
    if what == kernel.UNCLOSED:
        return FileError(
            f"{path}, line {line}: a quotation mark opens here and is never closed. Close it, "
            "or pass an empty `quote` if quotation marks are ordinary characters."
        )
    if what == kernel.TRAILING:
        return FileError(
            f"{path}, line {line}, field {found}: text follows a closing quotation mark. Double the marks inside "
            "quoted values, or pass an empty `quote` if quotation marks are ordinary characters."
        )
    if columns == 1:
        return FileError(
            f"{path}, line {line}: {found} fields where the first line has 1 (delimiter {delimiter!r}). If that one is "
            "a title, take out what stands above the names of the columns, or pass over so many lines with "
            "`skip_rows`; else say what stands between fields with `delimiter`."
        )
    return FileError(
        f"{path}, line {line}: {found} fields where the first line has {columns} (delimiter {delimiter!r}). "
        "Mend the line, quote values that hold the delimiter, or say what stands between fields with `delimiter`."
    )
