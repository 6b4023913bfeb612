"""Packed files: gzip, zstd and zip are unpacked in memory, never onto a disk."""

from __future__ import annotations

import gzip
import io
import zipfile
import zlib
from collections.abc import Callable
from pathlib import Path, PurePath
from typing import IO

from lookalike.base.errors import FileError, MissingExtra
from lookalike.tables.sources.limits import readable

_AT_ONCE = 1 << 24  # bytes that are unpacked before their number is looked at


def is_packed(path: PurePath) -> bool:
    """Whether a file is packed, by its ending."""
    return path.suffix.lower() in _PACKED


def unpack(path: Path) -> tuple[PurePath, bytes]:
    """The name and the content of the one file that is packed there."""
    try:
        return _PACKED[path.suffix.lower()](path)
    except (OSError, EOFError, zlib.error, zipfile.BadZipFile) as problem:
        raise FileError(
            f"{path}: cannot be unpacked as {path.suffix[1:]} ({type(problem).__name__}). Is it complete?"
        ) from None


def _gzip(path: Path) -> tuple[PurePath, bytes]:
    with gzip.open(path) as file:
        return PurePath(path.stem), _unpacked(path, file)


def _zstd(path: Path) -> tuple[PurePath, bytes]:
    try:
        import zstandard
    except ImportError:
        raise MissingExtra("zstandard", "zstd", f"{path}: unpacking zstd") from None
    try:
        with path.open("rb") as file:
            return PurePath(path.stem), _unpacked(path, zstandard.ZstdDecompressor().stream_reader(file))
    except zstandard.ZstdError as problem:
        raise OSError(str(problem)) from None


def _zip(path: Path) -> tuple[PurePath, bytes]:
    with zipfile.ZipFile(path) as archive:
        files = [
            one for one in archive.infolist() if not one.is_dir() and not one.filename.startswith("__MACOSX/")
        ]
        if len(files) != 1:
            raise FileError(f"{path}: holds {len(files)} files, where one table is needed. Unpack it first.")
        if files[0].flag_bits & 1:
            raise FileError(f"{path}: needs a password. Unpack it first.")
        with archive.open(files[0]) as file:
            return PurePath(files[0].filename), _unpacked(path, file)


def _unpacked(path: Path, file: IO[bytes] | gzip.GzipFile) -> bytes:
    """All of a packed file, unless it is more than memory holds: a few kilobytes can unpack to terabytes."""
    out, most = io.BytesIO(), readable()
    while piece := file.read(_AT_ONCE):
        out.write(piece)
        if out.tell() > most:
            raise FileError(
                f"{path}: unpacks to more than {most >> 20:,} MB, half of the memory that is free. Unpack it, and read "
                "it with the streaming engine."
            )
    return out.getvalue()


_PACKED: dict[str, Callable[[Path], tuple[PurePath, bytes]]] = {
    ".gz": _gzip,
    ".zst": _zstd,
    ".zstd": _zstd,
    ".zip": _zip,
}
