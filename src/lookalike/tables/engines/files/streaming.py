"""Files larger than memory: csv and parquet, one file, a folder or a pattern, also packed; a piece of them at a time.

Text is cut where a line ends outside quotation marks, and every piece is read as strictly as a whole file
(`sources/delimited.py`); its columns are codes already, so that counting never touches a string per row. Parquet is
counted by Polars' streaming engine. Memory: a piece, and the distinct tuples; O(n).
"""

from __future__ import annotations

import gzip
import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from lookalike.base.errors import FileError, MissingExtra
from lookalike.tables.columns.coding import Distinct
from lookalike.tables.columns.grouping import first_of_each, group_codes
from lookalike.tables.columns.naming import named
from lookalike.tables.engines.budget import Budget
from lookalike.tables.engines.engine import TIMES, OnRows, Piece, Places, as_frame, plain
from lookalike.tables.engines.files.counting import TooWideError, TupleCounter
from lookalike.tables.engines.stored.rows import StoredRows, store_rows
from lookalike.tables.sources.delimited import read_text
from lookalike.tables.sources.files import UNREADABLE
from lookalike.tables.sources.traces import leave_no_trace

_PARQUET = (".parquet", ".pq")
_PACKED = (".gz", ".zst", ".zstd")
_PIECE = 1 << 26  # bytes of text, or of values, in a piece, where memory allows it
_SHARE = 16  # a piece may take this part of the memory: text, fields, codes, strings and groups are several times it
_LONGEST = 8  # pieces that a record may take
_WIDE = 16  # bytes that a value takes in memory, as a rule


@dataclass(frozen=True, eq=False)
class Streaming:
    """Rows in files."""

    files: tuple[Path, ...]
    budget: Budget = field(default_factory=Budget)
    delimiter: str | None = None
    quote: str | None = '"'

    name = "streaming"

    @property
    def piece(self) -> int:
        """Bytes of a piece."""
        return max(min(_PIECE, self.budget.left() // _SHARE), 1 << 16)

    @property
    def size(self) -> int:
        """Bytes of all files."""
        return sum(file.stat().st_size for file in self.files)

    @property
    def is_parquet(self) -> bool:
        """Files of one table are all of them parquet or all of them text."""
        return self.files[0].suffix.lower() in _PARQUET

    def describe(self) -> dict[str, pl.DataType]:
        """The columns and their types: text in text files."""
        if self.is_parquet:
            rows = self._parquet()
            return dict(rows.select(plain(rows)).collect_schema())
        for path in self.files:
            for piece, _ in _read_text(self, path, None, [], small=True):
                return dict.fromkeys(piece, pl.String())
        raise FileError(f"{self.files[0]}: has no rows.")

    def count(self, *groups: Sequence[str], on_rows: OnRows | None = None) -> list[pl.DataFrame]:
        """The distinct tuples of each group of columns and how often each occurs, in one pass."""
        if self.is_parquet:
            return self._count_parquet(groups, on_rows)
        parts: list[list[pl.DataFrame]] = [[] for _ in groups]
        for piece in self.pieces(
            list(dict.fromkeys(name for columns in groups for name in columns)), on_rows=on_rows
        ):
            for columns, mine in zip(groups, parts, strict=True):
                mine.append(_count_codes({name: piece[name] for name in columns}))  # type: ignore[misc]
                if (
                    sum(part.height for part in mine[1:]) > mine[0].height
                ):  # each is added up a few times at most
                    mine[:] = [_add_up(mine, columns)]
        if not parts or not parts[0]:
            raise FileError(f"{self.files[0]}: has no rows.")
        return [_add_up(mine, columns) for columns, mine in zip(groups, parts, strict=True)]

    def _count_parquet(self, groups: Sequence[Sequence[str]], on_rows: OnRows | None) -> list[pl.DataFrame]:
        """Plain columns are counted a piece at a time, all others by Polars' own streaming engine."""
        kinds = self.describe()
        if all(TupleCounter.fits([kinds[name] for name in columns]) for columns in groups):
            with suppress(TooWideError):
                return [
                    self._count_pieces({name: kinds[name] for name in columns}, on_rows) for columns in groups
                ]
        rows = self._parquet()
        rows = rows.select(plain(rows))
        times = pl.len().cast(pl.Int64).alias(TIMES)
        try:  # one after the other: each reads its own columns only, and all at once would take as much memory again
            found = [
                rows.group_by(named(columns)).agg(times).collect(engine="streaming") for columns in groups
            ]
        except UNREADABLE as problem:
            raise _unreadable(self.files[0], problem) from None
        if not found[0].height:
            raise FileError(f"{self.files[0]}: has no rows.")
        if on_rows is not None:
            on_rows(int(found[0][TIMES].sum()), 1.0)
        return found

    def _count_pieces(self, columns: Mapping[str, pl.DataType], on_rows: OnRows | None) -> pl.DataFrame:
        counter = TupleCounter(columns)
        for piece in self.pieces(list(columns), on_rows=on_rows):
            assert isinstance(piece, pl.DataFrame)
            counter.add(piece)
        found = counter.counted()
        if not found.height:
            raise FileError(f"{self.files[0]}: has no rows.")
        return found

    def sample(self, share: float, *, seed: int) -> pl.DataFrame:
        """Rows whose hash is small."""
        names, few = list(self.describe()), round(share * 2**32)
        frames = (as_frame(piece) for piece in self.pieces(names))
        some = (rows.filter(rows.hash_rows(seed) // 2**32 < few) for rows in frames)
        return pl.concat(
            [leave_no_trace(rows, left_out=False) for rows in some]
        )  # else they hold on to their pieces

    def hold(self, counted: Sequence[str], besides: Sequence[str]) -> Streaming:
        """The files themselves: they can be read again."""
        return self

    def release(
        self, places: Places, *, seed: int, check: Callable[[], None], on_rows: OnRows | None = None
    ) -> StoredRows:
        """The rows that stay, recoded a piece at a time."""
        return store_rows(self, places, seed=seed, check=check, on_rows=on_rows)

    def fingerprint(self) -> str:
        """Names of the files, which they are on their disk, sizes and times of change."""
        digest = hashlib.sha256()
        for path in self.files:
            try:
                seen = path.stat()
            except OSError:
                raise FileError(
                    f"{path}: is gone since its rows were counted. Nothing was released."
                ) from None
            about = (seen.st_dev, seen.st_ino, seen.st_size, seen.st_mtime_ns)
            digest.update(f"{path}\0{about}\0".encode())
        return digest.hexdigest()

    def pieces(self, columns: Sequence[str], *, on_rows: OnRows | None = None) -> Iterator[Piece]:
        """Some columns of all rows, a piece at a time."""
        if self.is_parquet:
            self._parquet()  # refuses files that are not of one table
        sizes = [file.stat().st_size for file in self.files]
        whole, before, names = max(sum(sizes), 1), 0, list[str]()
        for path, size in zip(self.files, sizes, strict=True):
            read = (
                self._read_parquet(path, columns)
                if self.is_parquet
                else _read_text(self, path, columns, names)
            )
            for piece, done in read:
                if on_rows is not None:
                    first = piece[columns[0]]
                    on_rows(
                        len(first.codes if isinstance(first, Distinct) else first),
                        (before + done * size) / whole,
                    )
                yield piece
            before += size

    def _read_parquet(self, path: Path, columns: Sequence[str]) -> Iterator[tuple[pl.DataFrame, float]]:
        """Rows are cut out of a file: only a piece is ever unpacked, whatever the file's own groups of rows."""
        rows, start = pl.scan_parquet(path, glob=False), 0
        try:
            every = rows.select(pl.len()).collect().item()
            rows = rows.select(named(columns))
            rows = rows.select(plain(rows))
            while start < every:
                height = max(self.piece // (_WIDE * len(columns)), 1000)
                piece = rows.slice(start, height).collect()
                start += height
                yield piece, min(start / every, 1.0)
        except UNREADABLE as problem:
            raise _unreadable(path, problem) from None

    def _parquet(self) -> pl.LazyFrame:
        """All files as one table."""
        files = [pl.scan_parquet(file, glob=False) for file in self.files]
        path = self.files[0]
        try:
            names = files[0].collect_schema().names()
            for path, file in zip(self.files, files, strict=True):
                self.refuse_other(path, names, file.collect_schema().names())
        except UNREADABLE as problem:
            raise _unreadable(path, problem) from None
        return pl.concat([file.select(named(names)) for file in files])

    def refuse_other(self, path: Path, names: Sequence[str], found: Sequence[str]) -> None:
        """Refuse a file with other columns than the first one."""
        if set(found) != set(names):
            raise FileError(f"{path}: has other columns than {self.files[0]}.")


def _unreadable(path: Path, problem: BaseException) -> FileError:
    return FileError(f"{path}: cannot be read as parquet ({type(problem).__name__}).")


def _count_codes(columns: Mapping[str, Distinct]) -> pl.DataFrame:
    """The distinct tuples of coded columns and how often each occurs."""
    codes = [found.codes + np.int32(1) for found in columns.values()]
    labels, n = group_codes(codes, [len(found.values) + 1 for found in columns.values()], len(codes[0]))
    first = first_of_each(labels, n)
    tuples = [Distinct(found.codes[first], found.values).series(name) for name, found in columns.items()]
    return pl.DataFrame([*tuples, pl.Series(TIMES, np.bincount(labels, minlength=n), dtype=pl.Int64)])


def _add_up(parts: Sequence[pl.DataFrame], columns: Sequence[str]) -> pl.DataFrame:
    """Counts of several parts of the rows as counts of all."""
    if len(parts) == 1:
        return parts[0]
    return pl.concat(parts).group_by(named(columns)).agg(pl.col(TIMES).sum())


def _read_text(
    files: Streaming, path: Path, columns: Sequence[str] | None, names: list[str], *, small: bool = False
) -> Iterator[tuple[Mapping[str, Distinct], float]]:
    """The columns of a piece of text, and which share of the file was read; 0 of a packed file, as nobody knows."""
    found: list[str] | None = None
    lines, passed = 0, 0
    bytes_there = 0 if path.suffix.lower() in _PACKED else path.stat().st_size
    size = 1 << 20 if small else files.piece
    for text in _cut(path, size, (files.quote or "").encode()):
        if found is None and len(files.files) > 1 and b"\n" not in text.strip():
            continue  # of many files, one may have column names only
        rows = read_text(
            path,
            content=text,
            delimiter=files.delimiter,
            quote=files.quote,
            header=found is None,
            names=found,
            above=lines,
        )
        lines += text.count(b"\n")
        if found is None:
            found = list(rows)
            names[:] = names or found
            files.refuse_other(path, names, found)
            files = replace(files, delimiter=rows.delimiter)
        passed += len(text)
        share = passed / bytes_there if bytes_there else 0.0
        yield {name: rows[name] for name in (columns or names)}, share
        if small:
            return


def _cut(path: Path, size: int, quote: bytes) -> Iterator[bytes]:
    """The bytes of a text file in pieces that end with a record: at a line break with all quotation marks closed."""
    with _opened(path) as file:
        rest = b""
        while True:
            try:
                more = file.read(size)
            except (OSError, EOFError) as problem:
                raise FileError(
                    f"{path}: cannot be unpacked ({type(problem).__name__}). Is it complete?"
                ) from None
            if not more:
                break
            text = rest + more
            end = text.rfind(b"\n") + 1
            while quote and end and text.count(quote, 0, end) % 2:
                end = text.rfind(b"\n", 0, end - 1) + 1
            if text[:end].strip():
                yield text[:end]
            rest = text[end:]
            if len(rest) > _LONGEST * size:
                raise FileError(
                    f"{path}: a quotation mark seems to be open over {len(rest) >> 20} MB. Close it, or pass an empty "
                    "`quote` if quotation marks are ordinary characters."
                )
        if rest.strip():
            yield rest


def _opened(path: Path) -> Any:
    try:
        if path.suffix.lower() == ".gz":
            return gzip.open(path)
        if path.suffix.lower() in (".zst", ".zstd"):
            try:
                import zstandard
            except ImportError:
                raise MissingExtra("zstandard", "zstd", f"{path}: unpacking zstd") from None
            return zstandard.open(path, "rb")
        return path.open("rb")
    except OSError:
        raise FileError(f"{path}: cannot be opened.") from None
