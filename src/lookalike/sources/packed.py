"""Packed files: gzip, zstd and zip are unpacked in memory, never onto a disk."""

from __future__ import annotations

import gzip
import io
import zipfile
import zlib
from collections.abc import Callable
from pathlib import Path, PurePath

from lookalike.errors import FileError, MissingExtra


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
        return PurePath(path.stem), file.read()


def _zstd(path: Path) -> tuple[PurePath, bytes]:
    try:
        import zstandard
    except ImportError:
        raise MissingExtra("zstandard", "zstd", f"{path}: unpacking zstd") from None
    out = io.BytesIO()
    try:
        with path.open("rb") as file:
            zstandard.ZstdDecompressor().copy_stream(file, out)
    except zstandard.ZstdError as problem:
        raise OSError(str(problem)) from None
    return PurePath(path.stem), out.getvalue()


def _zip(path: Path) -> tuple[PurePath, bytes]:
    with zipfile.ZipFile(path) as archive:
        files = [
            one for one in archive.infolist() if not one.is_dir() and not one.filename.startswith("__MACOSX/")
        ]
        if len(files) != 1:
            raise FileError(f"{path}: holds {len(files)} files, where one table is needed. Unpack it first.")
        if files[0].flag_bits & 1:
            raise FileError(f"{path}: needs a password. Unpack it first.")
        return PurePath(files[0].filename), archive.read(files[0])


_PACKED: dict[str, Callable[[Path], tuple[PurePath, bytes]]] = {
    ".gz": _gzip,
    ".zst": _zstd,
    ".zstd": _zstd,
    ".zip": _zip,
}
