"""Release: the table that goes out, how it was made, what it promises. Saved whole or not at all."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import polars as pl

from lookalike.errors import FileError, RequestError
from lookalike.models.model import Model
from lookalike.recodings import Recoding
from lookalike.releases.certificate import certify
from lookalike.tables.table import Table

FORMATS = ("csv", "parquet")
FILES = {"release.csv", "release.parquet", "certificate.json", "recoding.json", "report.html"}


@dataclass(frozen=True, eq=False)
class Release:
    """The outcome of `la.anonymize`. `frame` is of the caller's kind; `save(folder)` writes everything."""

    people: Table = field(repr=False)
    rows: pl.DataFrame = field(repr=False)
    recoding: Recoding = field(repr=False)
    models: tuple[Model, ...]
    achieved: Mapping[str, float]  #: per model, the level reached
    method: str
    records: int
    suppressed: int
    classes: int
    k: int  #: size of the smallest class
    loss: float
    ncp: float
    proven_optimal: bool
    seed: int
    seconds: float
    alternatives: Sequence[Mapping[str, Any]] = ()
    measured: Mapping[str, Any] = field(default_factory=dict)  #: what the method itself vouches for

    @cached_property
    def frame(self) -> Any:
        """The released table as the kind of frame the original came in."""
        return self.people.give_back(self.rows)

    @property
    def levels(self) -> dict[str, int]:
        """The hierarchy level of each quasi-identifier; empty for local recodings."""
        return self.recoding.levels

    @cached_property
    def certificate(self) -> dict[str, Any]:
        """What is promised and what was measured, with digests of the released values."""
        measured = {
            key: value
            for key, value in self.to_dict().items()
            if key not in ("seconds", "alternatives", "achieved")
        }
        return certify(
            self.people,
            self.rows,
            self.recoding,
            models=self.models,
            achieved=self.achieved,
            measured={**measured, **self.measured, "seed": self.seed},
        )

    def to_dict(self) -> dict[str, Any]:
        """The numbers of the release as plain JSON values."""
        return {
            "records": self.records,
            "suppressed": self.suppressed,
            "classes": self.classes,
            "k": self.k,
            "loss": self.loss,
            "ncp": self.ncp,
            "method": self.method,
            "levels": self.levels,
            "proven_optimal": self.proven_optimal,
            "achieved": dict(self.achieved),
            "alternatives": [dict(other) for other in self.alternatives],
            "seconds": self.seconds,
        }

    def save(self, folder: str | Path, *, format: str = "csv", overwrite: bool = False) -> Path:
        """Write release, certificate and recoding into a folder that appears whole or not at all."""
        folder = Path(folder)
        check_destination(folder, format=format, overwrite=overwrite)
        with whole_folder(folder) as beside:
            name = f"release.{format}"
            if format == "csv":
                try:
                    self.rows.write_csv(beside / name)
                except pl.exceptions.ComputeError:
                    raise FileError(
                        "a column holds lists or other values that a csv file cannot. Drop it, or save as parquet."
                    ) from None
            else:
                self.rows.write_parquet(beside / name)
            certificate = {
                **self.certificate,
                "release": {"file": name, "sha256": file_digest(beside / name)},
            }
            _write_json(beside / "certificate.json", certificate)
            _write_json(beside / "recoding.json", self.recoding.to_dict())
        return folder

    def __repr__(self) -> str:
        promise = ", ".join(str(model) for model in self.models)
        return (
            f"Release({self.records - self.suppressed:,} of {self.records:,} records in {self.classes:,} classes, "
            f"smallest {self.k}; loss {self.loss:.4f}; {promise})"
        )


def check_destination(folder: Path, *, format: str = "csv", overwrite: bool = False) -> None:
    """Refuse what `save` could not write. It costs nothing, so that nobody works first and hears it then."""
    if format not in FORMATS:
        raise RequestError(f"a release can be saved as {' or '.join(FORMATS)}, not {format!r}.")
    _refuse_foreign(folder, overwrite=overwrite)
    above = next(parent for parent in folder.absolute().parents if parent.exists())
    try:
        Path(tempfile.mkdtemp(prefix=f".{folder.name}.", dir=above)).rmdir()
    except OSError as problem:
        raise FileError(f"{folder}: cannot be written ({problem.strerror}).") from None


def _refuse_foreign(folder: Path, *, overwrite: bool) -> None:
    """Refuse a folder that exists, unless it may be overwritten and holds a release and nothing else."""
    if not folder.exists():
        return
    if not overwrite:
        raise FileError(f"{folder}: exists already. Choose another folder, or ask for it to be overwritten.")
    found = {path.name for path in folder.iterdir()} if folder.is_dir() else {folder.name}
    if found and not ("certificate.json" in found and found <= FILES):
        raise FileError(
            f"{folder}: holds something else than a release; nothing was overwritten. Choose another folder."
        )


class whole_folder:
    """Write into a folder beside the wanted one; it takes its place in one rename, or vanishes on failure."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def __enter__(self) -> Path:
        parent = self.folder.absolute().parent
        try:
            parent.mkdir(parents=True, exist_ok=True)
            self.beside = Path(tempfile.mkdtemp(prefix=f".{self.folder.name}.", dir=parent))
        except OSError as problem:
            raise FileError(f"{self.folder}: cannot be written ({problem.strerror}).") from None
        return self.beside

    def __exit__(self, kind: type[BaseException] | None, problem: BaseException | None, _: object) -> None:
        if kind is not None:
            shutil.rmtree(self.beside, ignore_errors=True)
            if isinstance(problem, OSError):
                raise FileError(
                    f"{self.folder}: cannot be written ({problem.strerror or kind.__name__}); nothing was."
                ) from None
            return
        try:
            for path in self.beside.iterdir():
                _sync(path)
            _sync(self.beside)
            self.beside.chmod(0o755)
            old = None
            if self.folder.exists():
                old = Path(tempfile.mkdtemp(prefix=f".{self.folder.name}.old.", dir=self.beside.parent))
                self.folder.rename(old / "previous")
            self.beside.rename(self.folder)
            _sync(self.folder.absolute().parent)
            if old is not None:
                shutil.rmtree(old, ignore_errors=True)
        except OSError as trouble:
            shutil.rmtree(self.beside, ignore_errors=True)
            raise FileError(f"{self.folder}: cannot be written ({trouble.strerror}).") from None


def file_digest(path: Path) -> str:
    """SHA-256 of a file's bytes."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _write_json(path: Path, content: Mapping[str, Any]) -> None:
    path.write_text(
        json.dumps(content, ensure_ascii=False, indent=2, sort_keys=True) + "\n", encoding="utf-8"
    )


def _sync(path: Path) -> None:
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
