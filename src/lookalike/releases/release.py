"""Release: the table that goes out, how it was made, what it promises. Saved whole or not at all.

`out/` is what goes out; `out/private/`, which only its owner can read, is what stays.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from lookalike.base.charts import SEEN, WARNED, horizontal
from lookalike.base.checks import checked, choice
from lookalike.base.errors import FileError, RequestError, percent, warn
from lookalike.base.notebooks import panel
from lookalike.base.writing import check_writable, whole_folder, write_file
from lookalike.measures.attacks import downcoding
from lookalike.measures.attacks.exposure import expose_placed
from lookalike.measures.utility.loss import detail_lost
from lookalike.measures.utility.losses import losses_of
from lookalike.models.model import Model
from lookalike.recodings import Recoding
from lookalike.recodings.files import ASSIGNMENT, PRIVATE, RECODING
from lookalike.recodings.restoring import give_back
from lookalike.releases.beside import refuse_overlaps
from lookalike.releases.certificate import certify, checksum, new_salt
from lookalike.releases.dictionary import DESCRIBED, describe
from lookalike.releases.outcomes import GONE, Outcome, tell_outcomes
from lookalike.releases.recipes.recipe import Recipe
from lookalike.releases.reports.evidence import Evidence, groups_of_people, of_original, of_release
from lookalike.releases.reports.reporting import internal, recipient
from lookalike.releases.signatures import SIGNATURE
from lookalike.tables.coded import ReleasedRows, WritesTables
from lookalike.tables.sources.spreadsheets import formula_columns
from lookalike.tables.table import Table

FORMATS = ("csv", "parquet")
EVIDENCE = f"{PRIVATE}/evidence.json"  #: what the internal report is made of
FILES = {"release.csv", "release.parquet", "certificate.json", SIGNATURE, "report.html", PRIVATE, *DESCRIBED}

#: what a certificate says was measured; loss depends on values that were left out, and a seed lets guesses be replayed
CERTIFIED = ("records", "suppressed", "classes", "k", "method", "levels", "proven_optimal")


@dataclass(frozen=True, eq=False)
class Release:
    """The outcome of `la.anonymize`. `frame` is of the caller's kind; `save(folder)` writes everything.

    Examples:
        >>> import polars as pl
        >>> import lookalike as la
        >>> ages, illnesses = [31, 32, 33, 71, 72, 73], ["flu", "flu", "cold", "flu", "cold", "cold"]
        >>> frame = pl.DataFrame({"age": ages, "disease": illnesses})
        >>> people = la.table(frame, quasi=["age"], sensitive=["disease"])
        >>> release = la.anonymize(people, la.KAnonymity(3))
        >>> release.records, release.k, round(release.detail_lost, 3)
        (6, 3, 0.4)
        >>> release.method
        'local'
    """

    people: Table = field(repr=False)  #: the original table
    coded: ReleasedRows = field(repr=False)  #: the released table
    of_row: NDArray[np.int32] = field(repr=False)  #: class of each row of `people`, -1 where it was left out
    recoding: Recoding = field(repr=False)  #: what was done to each column and row
    models: tuple[Model, ...]  #: the promises
    achieved: Mapping[str, float]  #: per model, the level reached
    method: str  #: the method that was used
    records: int  #: rows of the original, those left out included
    suppressed: int  #: records left out; whoever is left out goes with all of theirs
    classes: int  #: number of equivalence classes
    k: int  #: size of the smallest class
    loss: float  #: mean over records and columns by their weights, which methods keep low; a record left out counts 1
    ncp: float  #: the same of the normalised certainty penalty
    kept: Mapping[str, float]  #: per quasi-identifier, the share of its detail that the released records keep
    proven_optimal: bool  #: whether no other full-domain generalisation loses less
    seed: int  #: the seed that gives the same release again
    seconds: float  #: time it took
    alternatives: Sequence[Mapping[str, Any]] = ()  #: other generalisations the search considered, best first
    measured: Mapping[str, Any] = field(default_factory=dict)  #: what the method itself vouches for
    linked: Sequence[
        Mapping[str, Any]
    ] = ()  #: columns that give a quasi-identifier away, and what was decided
    in_order: bool = field(default=False, repr=False)  #: all rows of the original, in its order
    request: Recipe | None = field(default=None, repr=False)  #: all that was asked for, to be asked for again
    answers: Sequence[Mapping[str, Any]] = field(
        default=(), repr=False
    )  #: of questions, for the internal report
    attacks: Sequence[Mapping[str, Any]] = field(
        default=(), repr=False
    )  #: what they found, for the internal report
    untried: Mapping[str, str] = field(
        default_factory=dict, repr=False
    )  #: attacks that were not tried and why, for the internal report
    choice: Mapping[str, Any] | None = field(
        default=None, repr=False
    )  #: how k was chosen, for the internal report
    signature: Mapping[str, str] | None = field(
        default=None, repr=False
    )  #: name, date and note of whoever stands for it, for the internal report

    @property
    def rows(self) -> pl.DataFrame:
        """The released table as a Polars frame, where its rows are in memory."""
        rows: pl.DataFrame = self.coded.frame
        return rows

    @cached_property
    def frame(self) -> Any:
        """The released table as the kind of frame the original came in; values that survived have their old type.

        Of a relation or a Spark frame it is one as well, and nothing is done before somebody reads it.
        """
        if not self.people.in_memory:
            return self.coded.frame
        return give_back(self.people, self.rows, self.recoding.quasi, in_order=self.in_order)

    @property
    def detail_lost(self) -> float:
        """The plain mean over records and quasi-identifiers, whatever their weights; a record left out counts 1."""
        return detail_lost(self.kept, records=self.records, suppressed=self.suppressed)

    @cached_property
    def downcoded(self) -> float | None:
        """The share of blurred values of which whoever knows the method can be sure of a finer one (downcoding).

        None where the rows of the original are not in memory.
        """
        if self.people.times is not None or not self.recoding.quasi:
            return None
        (found,) = downcoding.attack(
            expose_placed(self.people, self.recoding, self.of_row, method=self.method)
        )
        return found.rate

    @property
    def levels(self) -> dict[str, int]:
        """The hierarchy level of each quasi-identifier; empty for local recodings."""
        return self.recoding.levels

    @cached_property
    def outcomes(self) -> tuple[Outcome, ...]:
        """What became of each column: in words, with a value as an example, and what to try where it is gone."""
        return tell_outcomes(self.people, self.coded, self.recoding, self.kept, method=self.method)

    @cached_property
    def certificate(self) -> dict[str, Any]:
        """What is promised and what was measured, with digests of the released values."""
        return certify(
            self.people,
            self.coded,
            self.recoding,
            models=self.models,
            achieved=self.achieved,
            measured={**{name: getattr(self, name) for name in CERTIFIED}, **self.measured},
            salt=self._salt,
            linked=self.linked,
        )

    @cached_property
    def _salt(self) -> bytes:
        """The secret key of the certificate's commitment; kept with the recoding."""
        return new_salt()

    def to_dict(self) -> dict[str, Any]:
        """The numbers of the release as plain JSON values."""
        return {
            "records": self.records,
            "suppressed": self.suppressed,
            "classes": self.classes,
            "k": self.k,
            "detail_lost": self.detail_lost,
            "loss": self.loss,
            "ncp": self.ncp,
            "method": self.method,
            "levels": self.levels,
            "proven_optimal": self.proven_optimal,
            "achieved": dict(self.achieved),
            "alternatives": [dict(other) for other in self.alternatives],
            "linked": [dict(link) for link in self.linked],
            "outcomes": [outcome.to_dict() for outcome in self.outcomes],
            "seconds": self.seconds,
        }

    @cached_property
    def evidence(self) -> Evidence:
        """What reports are made of; its half `release` is what anybody can compute who has the release."""
        columns = [outcome.to_dict() for outcome in self.outcomes]
        groups = groups_of_people(self.people)
        people, of_row = self.people, self.of_row
        if not self.recoding.boxes and people.unit is None and people.times is None:
            people, rows = people.tuples()  # equal tuples share a class
            of_row = of_row[rows]
        pays = losses_of(people, self.recoding, of_row, *groups) if groups else []
        original = of_original(
            self.people,
            lost=self.detail_lost,
            weighted=self.loss,
            columns=columns,
            who_pays=[one.to_dict() for one in pays],
            downcoded=self.downcoded,
        )
        return Evidence(
            of_release(self.coded, self.certificate),
            original,
            self.answers,
            self.attacks,
            self.untried,
            self.choice,
            self.signature,
        )

    @checked
    def report(self, path: str | Path, *, version: str = "internal") -> Path:
        """Write a report as one HTML file: "internal" for the steward, "recipient" for whoever gets the release."""
        choice(version, "version", ("internal", "recipient"))
        if version == "internal":  # it tells about the original
            return write_file(path, internal(self.evidence), what="the report", mode=0o600)
        return write_file(path, recipient(self.evidence), what="the report")

    @checked
    def save(
        self,
        folder: str | Path,
        *,
        format: str = "csv",
        overwrite: bool = False,
        spreadsheet_safe: bool = False,
        to: str | None = None,
        despite: str | None = None,
    ) -> Path:
        """Write what goes out into a folder and what stays into its `private`; whole or not at all.

        to: the rows go where the original is, in place of a file in the folder: the name of a new table of the
            database, or an address that Spark writes parquet files to.
        spreadsheet_safe: in a csv file, an apostrophe goes before cells that a spreadsheet would run as formulas;
            `la.read_release` takes it off again.
        despite: why this release may be held together with another one of the same people that lies in a folder beside
            it, where both together would break the promise; without a reason that is refused.
        """
        folder = Path(folder)
        check_destination(folder, format=format, overwrite=overwrite)
        overlaps = refuse_overlaps(self.people, self.of_row, self.models, folder, despite)
        nested = [name for name, kind in self.coded.schema.items() if kind.is_nested() or kind == pl.Object]
        if format == "csv" and nested:
            raise FileError(
                f"column {nested[0]!r} holds lists or other values that a csv file cannot. Drop it, or save as parquet."
            )
        safe = spreadsheet_safe and format == "csv"
        values = (
            (self.coded.counts(name).values if kind == pl.String else pl.Series([], dtype=kind)).alias(name)
            for name, kind in self.coded.schema.items()
        )
        risky = formula_columns(values) if format == "csv" and not safe else []
        if risky:
            warn(
                f"cells or names of {', '.join(map(repr, risky))} begin as formulas do, and a spreadsheet that opens "
                "the file may run them. Save with `spreadsheet_safe`, or tell whoever receives it.",
            )
        refuse = _refuse_foreign if overwrite else None
        with ExitStack() as undo, whole_folder(folder, refuse=refuse) as beside:
            name = f"release.{format}" if to is None else to
            released: dict[str, Any] = {}
            if to is None:
                self.coded.write(beside / name, safe=safe)
                digest = file_digest(beside / name)
                released = {"release": {"file": name, "sha256": digest, "spreadsheet_safe": safe}}
            else:
                take_away = self._write_rows(to)
                undo.push(lambda wrong, *_: take_away() if wrong else None)
            describe(self, beside, file=name)
            _write(beside / "report.html", recipient(self.evidence))
            others = {path.name: file_digest(path) for path in sorted(beside.iterdir()) if path.name != name}
            certificate = {**self.certificate, **released, "beside": others}
            _write_json(beside / "certificate.json", {**certificate, "checksum": checksum(certificate)})
            (beside / PRIVATE).mkdir(mode=0o700)
            recoding = {**self.recoding.to_dict(), "salt": self._salt.hex()}
            _write_json(beside / RECODING, recoding, mode=0o600)
            if self.recoding.assignment is not None and self.people.in_memory:
                _write_json(beside / ASSIGNMENT, self.recoding.assignment.to_dict(), mode=0o600)
            held = {"despite": despite, "beside": [one.to_dict() for one in overlaps]} if overlaps else {}
            _write_json(
                beside / PRIVATE / "run.json", {**self.to_dict(), "seed": self.seed, **held}, mode=0o600
            )
            _write(beside / PRIVATE / "report-internal.html", internal(self.evidence), mode=0o600)
            _write(beside / EVIDENCE, json.dumps(self.evidence.to_dict(), ensure_ascii=False), mode=0o600)
            recipe = None if self.request is None else self.request.beside(folder / PRIVATE)
            for path, text in {} if recipe is None else recipe.files().items():
                (beside / PRIVATE / path).parent.mkdir(mode=0o700, exist_ok=True)
                _write(beside / PRIVATE / path, text, mode=0o600)
        return folder

    def to_table(self, name: str) -> None:
        """Write the released rows to a new table where the original is: in DuckDB, on the server, or in Spark.

        To Spark, a name with a `/` is an address that parquet files are written to.
        """
        self._write_rows(name)

    def _write_rows(self, to: str) -> Callable[[], None]:
        """Write the rows where the original is; what is given back takes them away again."""
        rows = self.coded
        if not isinstance(rows, WritesTables):
            raise RequestError(
                "a new table can be made in a database or in Spark, where the original is; these rows are recoded "
                "here. Leave `to` out, and they are saved."
            )
        rows.create(to)
        return lambda: rows.drop(to)

    def plot(self) -> Any:
        """How much of its detail every blurred column keeps, with what became of it; with altair."""
        kinds = {"kept": SEEN, "gone": WARNED}
        rows = [
            {
                "column": one.column,
                "detail kept": one.kept,
                "is": "gone" if one.kept <= GONE else "kept",
                "became": one.what,
                "such as": one.example or "",
            }
            for one in self.outcomes
            if one.kept is not None
        ]
        return horizontal(
            rows,
            title=f"What is left of each column; groups of {self.k:,} or more",
            name="column",
            share="detail kept",
            kind="is",
            colours=kinds,
            hints=("became", "such as"),
        )

    def _repr_html_(self) -> str:
        kept = {one.column: "" if one.kept is None else percent(one.kept) for one in self.outcomes}
        rows = [
            (one.column, one.what, kept[one.column], one.example or "", one.advice or "")
            for one in self.outcomes
        ]
        notes = [
            f"{self.records - self.suppressed:,} of {self.records:,} records in {self.classes:,} classes; the smallest "
            f"has {self.k:,}.",
            *(f"promised: {model}" for model in self.models),
        ]
        return panel(
            "Release", heads=("column", "became", "detail kept", "such as", "advice"), rows=rows, notes=notes
        )

    def __str__(self) -> str:
        return "\n".join([repr(self), *(f"  {outcome}" for outcome in self.outcomes)])

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
    if folder.exists() and not overwrite:
        raise FileError(f"{folder}: exists already. Choose another folder, or replace it with `overwrite`.")
    if folder.exists():
        _refuse_foreign(folder)
    check_writable(folder)


def _refuse_foreign(folder: Path) -> None:
    """Refuse to replace a folder unless it holds a release and nothing else."""
    found = {path.name for path in folder.iterdir()} if folder.is_dir() else {folder.name}
    if found and not ("certificate.json" in found and found <= FILES):
        raise FileError(
            f"{folder}: holds something else than a release; nothing was overwritten. Choose another folder."
        )


def file_digest(path: Path) -> str:
    """SHA-256 of a file's bytes."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _write_json(path: Path, content: Mapping[str, Any], *, mode: int = 0o666) -> None:
    _write(path, json.dumps(content, ensure_ascii=False, indent=2, sort_keys=True) + "\n", mode=mode)


def _write(path: Path, text: str, *, mode: int = 0o666) -> None:
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT, mode), "w", encoding="utf-8") as file:
        file.write(text)
