"""Files larger than memory: csv and parquet, one file, a folder or a pattern, also packed; a piece of them at a time.

Text is cut where a line ends outside quotation marks, and every piece is read as strictly as a whole file
(`sources/delimited.py`). Counting groups each piece and adds up. Writing sorts rows into buckets by a hash of their
content, then bucket after bucket. Memory: a piece or a bucket, and the distinct tuples; O(n) besides.
"""

from __future__ import annotations

import gzip
import hashlib
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TypeVar

import polars as pl

from lookalike.engines.engine import CLASS, MEMORY, NOW, TIMES, Places, Told, add_up, plain, write_pieces
from lookalike.errors import FileError, MissingExtra
from lookalike.sources.delimited import read_text
from lookalike.sources.files import UNREADABLE

_PARQUET = (".parquet", ".pq")
_PACKED = (".gz", ".zst", ".zstd")
_PIECE = 1 << 26  # bytes of text, or of values, in a piece, where memory allows it
_SHARE = 16  # a piece may take this part of the memory: text, fields, codes, strings and groups are several times it
_LONGEST = 8  # pieces that a record may take
_WIDE = 16  # bytes that a value takes in memory, as a rule


@dataclass(frozen=True, eq=False)
class Streaming:
    """Rows in files, with the places that are applied to each piece where there are any."""

    files: tuple[Path, ...]
    memory: int = MEMORY
    delimiter: str | None = None
    quote: str | None = '"'
    places: Places | None = None

    name = "streaming"

    @property
    def piece(self) -> int:
        """Bytes of a piece."""
        return max(min(_PIECE, self.memory // _SHARE), 1 << 16)

    def describe(self) -> dict[str, pl.DataType]:
        """The columns and their types: text in text files."""
        first = next(self._pieces(small=True), None)
        if first is None:
            raise FileError(f"{self.files[0]}: has no rows.")
        return dict(first.schema)

    def count(self, *groups: Sequence[str], told: Told | None = None) -> list[pl.DataFrame]:
        """The distinct tuples of each group of columns and how often each occurs, in one pass."""
        if all(file.suffix.lower() in _PARQUET for file in self.files):
            return self._count_parquet(groups, told)
        wanted = list(dict.fromkeys(name for columns in groups for name in columns))
        parts: list[list[pl.DataFrame]] = [[] for _ in groups]
        for piece in self._pieces(wanted, told=told):
            for columns, mine in zip(groups, parts):
                mine.append(piece.group_by(columns).agg(pl.len().cast(pl.Int64).alias(TIMES)))
                if (
                    sum(part.height for part in mine[1:]) > mine[0].height
                ):  # each tuple is added up a few times at most
                    mine[:] = [add_up(mine, columns)]
        if not parts or not parts[0]:
            raise FileError(f"{self.files[0]}: has no rows.")
        return [add_up(mine, columns) for columns, mine in zip(groups, parts)]

    def _count_parquet(self, groups: Sequence[Sequence[str]], told: Told | None) -> list[pl.DataFrame]:
        """Parquet files are counted by Polars' own streaming engine, which reads only what it needs."""
        try:
            files = [pl.scan_parquet(file, glob=False) for file in self.files]
            names = files[0].collect_schema().names()
            for path, file in zip(self.files, files):
                self.refuse_other(path, names, file.collect_schema().names())
            rows = pl.concat([file.select(names) for file in files])
            rows = rows.select(plain(rows))
            if self.places is not None:
                rows = _place(rows, self.places)
            asked = [rows.group_by(columns).agg(pl.len().cast(pl.Int64).alias(TIMES)) for columns in groups]
            found = pl.collect_all(asked, engine="streaming")
        except UNREADABLE as problem:
            raise FileError(
                f"{self.files[0]}: cannot be read as parquet ({type(problem).__name__})."
            ) from None
        if told is not None:
            told(int(found[0][TIMES].sum()))
        return found

    def sample(self, share: float, *, seed: int) -> pl.DataFrame:
        """Rows whose hash is small."""
        return pl.concat(
            [piece.filter(_key(piece, seed) // 2**32 < round(share * 2**32)) for piece in self._pieces()]
        )

    def fingerprint(self) -> str:
        """Names, sizes and times of change of the files."""
        digest = hashlib.sha256()
        for path in self.files:
            try:
                seen = path.stat()
            except OSError:
                raise FileError(
                    f"{path}: is gone since its rows were counted. Nothing was released."
                ) from None
            digest.update(f"{path}\0{seen.st_size}\0{seen.st_mtime_ns}\0".encode())
        return digest.hexdigest()

    def apply(self, places: Places) -> Streaming:
        """The same files, each piece recoded."""
        return replace(self, places=places)

    def write(self, path: Path, *, seed: int, told: Told | None = None) -> int:
        """Rows into buckets by a keyed hash of what they hold, then every bucket in the order of the hash."""
        size = sum(file.stat().st_size for file in self.files)
        packed = any(file.suffix.lower() in (*_PACKED, *_PARQUET) for file in self.files)
        buckets = max(1, size * (8 if packed else 1) * _SHARE // (2 * self.memory))
        with tempfile.TemporaryDirectory(dir=path.parent, prefix=".rows-") as folder:
            for i, piece in enumerate(self._pieces(told=told)):
                piece = piece.drop(CLASS, strict=False)
                keyed = piece.with_columns(_key(piece, seed))
                for bucket in range(buckets):
                    mine = keyed.filter(pl.col(_KEY) % buckets == bucket) if buckets > 1 else keyed
                    mine.write_ipc(Path(folder) / f"{bucket}-{i}", compat_level=pl.CompatLevel.oldest())
            return write_pieces((_bucket(Path(folder), bucket) for bucket in range(buckets)), path)

    def _pieces(
        self, columns: Sequence[str] | None = None, *, small: bool = False, told: Told | None = None
    ) -> Iterator[pl.DataFrame]:
        """The rows a piece at a time, those of some columns where nothing is applied; `small`: a look is enough."""
        names: list[str] = []  # of the first file
        for path in self.files:
            read = _read_parquet if path.suffix.lower() in _PARQUET else _read_text
            for piece in read(self, path, columns if self.places is None else None, names, small=small):
                if told is not None:
                    told(piece.height)
                yield piece if self.places is None else _place(piece, self.places)

    def refuse_other(self, path: Path, names: Sequence[str], found: Sequence[str]) -> None:
        """Refuse a file with other columns than the first one."""
        if set(found) != set(names):
            raise FileError(f"{path}: has other columns than {self.files[0]}.")


_KEY = "key of the row"
F = TypeVar("F", pl.DataFrame, pl.LazyFrame)


def _key(rows: pl.DataFrame, seed: int) -> pl.Series:
    texts = [pl.col(n).cast(pl.String) if not k.is_nested() else pl.col(n) for n, k in rows.schema.items()]
    return rows.select(texts).hash_rows(seed).alias(_KEY)


def _place(rows: F, places: Places) -> F:
    """The rows that stay, and what is published of them."""
    tuples = places.tuples if isinstance(rows, pl.DataFrame) else places.tuples.lazy()
    joined = rows.join(tuples, on=list(places.by), how="inner", nulls_equal=True)
    new = places.replaced
    shown = [pl.col(f"{NOW}{name}").alias(name) if name in new else pl.col(name) for name in places.names]
    return joined.select(*shown, CLASS)


def _bucket(folder: Path, bucket: int) -> pl.DataFrame:
    """The rows of a bucket in the order of their keys."""
    parts = list(folder.glob(f"{bucket}-*"))
    rows = pl.concat([pl.read_ipc(part) for part in parts])
    for part in parts:
        part.unlink()
    return rows.sort(_KEY).drop(_KEY)


def _read_parquet(
    files: Streaming, path: Path, columns: Sequence[str] | None, names: list[str], *, small: bool
) -> Iterator[pl.DataFrame]:
    try:
        rows = pl.scan_parquet(path, glob=False)
        found = rows.collect_schema().names()
        names[:] = names or found
        files.refuse_other(path, names, found)
        rows = rows.select(columns or names)
        height = max(files.piece // (_WIDE * len(columns or names)), 1000)
        if small:
            yield rows.select(plain(rows)).head(1000).collect()
            return
        yield from rows.select(plain(rows)).collect_batches(chunk_size=height, engine="streaming")
    except UNREADABLE as problem:
        raise FileError(f"{path}: cannot be read as parquet ({type(problem).__name__}).") from None


def _read_text(
    files: Streaming, path: Path, columns: Sequence[str] | None, names: list[str], *, small: bool
) -> Iterator[pl.DataFrame]:
    found: list[str] | None = None
    lines = 0
    size = 1 << 20 if small else files.piece
    for text in _cut(path, size, (files.quote or "").encode()):
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
        yield pl.DataFrame([rows[name].series(name) for name in (columns or names)])
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
