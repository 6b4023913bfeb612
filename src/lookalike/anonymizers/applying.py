"""`apply`: next month's rows recoded as a release was, counted with it where they join it, with what is different.

Values the recoding has never seen go where the rule of its hierarchy puts them (an interval, a mask, the calendar, a
box that covers them); rows with a value that no rule covers, or that does not read as its column's kind, are held back,
and so are classes that would break a promise. O(n) beside counting.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from lookalike.anonymizers.anonymization import people_left_out, shuffled
from lookalike.anonymizers.linked import Decided, refuse_undone
from lookalike.checks import per_column, share, whole_number
from lookalike.columns.coding import KindLike
from lookalike.columns.roles import Kind, Role
from lookalike.errors import GuaranteeError, RequestError, amount, percent, unknown_column
from lookalike.links import linked_columns
from lookalike.models.model import Model
from lookalike.recipes.recipe import Recipe
from lookalike.recodings import Recoding
from lookalike.recodings.assignment import remember
from lookalike.recodings.files import PRIVATE, read_recoding, read_release
from lookalike.recodings.joining import classes_of, settle_new, stack
from lookalike.recodings.recoding import Applied
from lookalike.recodings.settling import looked_at
from lookalike.recodings.taking import hierarchies_of, kinds_of, known_rows, readable, take_as
from lookalike.recodings.treatments import Drop, Follow, Generalise, Pseudonymise
from lookalike.releases.certificate import certify
from lookalike.releases.release import CERTIFIED, Release
from lookalike.reports.evidence import Evidence, of_original, of_release
from lookalike.sources.documents import read_document
from lookalike.sources.frames import as_it_is, take
from lookalike.tables.cells import Classes
from lookalike.tables.coded import CodedRows
from lookalike.tables.table import Table
from lookalike.utility.losses import ColumnLoss, column_losses

SUPPRESSION = 0.05  #: of the new people may be held back, where the release says nothing else
FEW = 100  #: a column with more published values has no shares worth comparing, quasi-identifiers aside


@dataclass(frozen=True, eq=False)
class NextRelease(Release):
    """New rows, recoded as an earlier release was. Saved, certified and reported as any other."""

    unseen: Mapping[str, int] = field(default_factory=dict)  #: column -> rows with a value no rule covers
    held_back: Mapping[str, int] = field(default_factory=dict)  #: reason -> new rows
    drift: Mapping[str, float] = field(
        default_factory=dict
    )  #: column -> total variation distance to the release
    joined: int = 0  #: rows of the release they joined, which are in `rows` too
    counted: Table | None = field(
        default=None, repr=False
    )  #: all rows as published, where they joined a release

    @cached_property
    def certificate(self) -> dict[str, Any]:
        """What is promised and what was measured, with digests of the released values."""
        return certify(
            self.counted or self.people,
            self.coded,
            self.recoding,
            models=self.models,
            achieved=self.achieved,
            measured={name: getattr(self, name) for name in CERTIFIED},
            salt=self._salt,
            linked=self.linked,
        )

    @cached_property
    def evidence(self) -> Evidence:
        """What reports are made of; of rows that were out already, nobody knows the original here."""
        if not self.joined:
            return super().evidence
        columns = [outcome.to_dict() for outcome in self.outcomes]
        original = of_original(self.people, loss=self.loss, columns=columns)
        return Evidence(of_release(self.coded, self.certificate), original)

    def to_dict(self) -> dict[str, Any]:
        """The numbers of the release as plain JSON values."""
        return {
            **super().to_dict(),
            "unseen": dict(self.unseen),
            "held_back": dict(self.held_back),
            "drift": dict(self.drift),
            "joined": self.joined,
        }

    @property
    def summary(self) -> str:
        """What is different from the release these rows follow, in sentences."""
        new = self.coded.height - self.joined
        lines = [
            f"{amount(new, 'new row')} published" + (f" beside {self.joined:,}" if self.joined else "") + "."
        ]
        lines += [
            f"{name}: {amount(n, 'row')} with a value that no rule covers." for name, n in self.unseen.items()
        ]
        lines += [f"held back, {why}: {amount(n, 'row')}." for why, n in self.held_back.items() if n]
        moved = sorted(self.drift.items(), key=lambda pair: -pair[1])
        lines += [
            f"{name}: {percent(far)} of the rows have moved to other values."
            for name, far in moved
            if far >= 0.1
        ]
        return "\n".join(lines)


@dataclass(frozen=True, eq=False)
class _Made:
    """A release as made or as saved: what is needed to do the same again."""

    recoding: Recoding
    rows: pl.DataFrame
    people: Table | None
    recipe: Recipe | None
    linked: tuple[Mapping[str, Any], ...]
    measured: Mapping[str, Any]
    counts_people: bool


def apply(
    release: Release | str | Path,
    rows: Any,
    *,
    joins: Release | str | Path | bool | None = None,
    suppression: float | None = None,
    pseudonyms: Mapping[str, Any] | None = None,
    unit: str | None = None,
    seed: int = 0,
    shuffle: bool = True,
) -> NextRelease:
    """New rows recoded as a release was: the same rules, the same promise, and what is different in `summary`.

    release: what `la.anonymize` returned, or the folder it was saved in.
    rows: a frame or table with the columns of the original.
    joins: the release that the new rows will lie beside (True: the same one); both are then counted, and published,
        together. Without it, new rows keep the promise by themselves.
    suppression: the largest share of new people that may be held back; by default what the release was allowed.
    pseudonyms: as in `la.anonymize`, with the key of the release.
    unit: the column that tells people apart, where the folder does not say.
    """
    started = time.perf_counter()
    whole_number(seed, "seed")
    made = _open(release)
    target = made if joins is True else None if joins is None or joins is False else _open(joins)
    batch = _take(made, rows, unit, per_column(pseudonyms, "pseudonyms"))
    _check(batch, target)
    everybody = batch.people
    batch, unseen, strange = _leave_out_unseen(batch)
    batch, uncovered = _place(batch)
    found = _settle(batch) if target is None else _join(batch, target)
    gone = np.ones(len(everybody), dtype=bool)
    gone[found.batch.place] = False
    _limit(made, everybody, np.where(gone, -1, 0).astype(np.int32), suppression)
    return _release(
        made, target, found, everybody,
        unseen=unseen,
        held_back={
            "with a value that no rule covers": strange,
            "fitting no class of the release": uncovered,
            "in a class that would break the promise": int(gone.sum()) - strange - uncovered,
        },
        seed=seed, shuffle=shuffle, started=started,
    )  # fmt: skip


def _open(release: Any) -> _Made:
    if isinstance(release, Release):
        return _Made(
            release.recoding,
            release.rows,
            release.people,
            release.request,
            tuple(release.linked),
            {name: getattr(release, name) for name in CERTIFIED},
            release.people.unit is not None,
        )
    if not isinstance(release, str | Path):
        raise RequestError(
            "`release` must be what `la.anonymize` returned, or the folder it was saved in; "
            f"found {type(release).__name__}."
        )
    folder = Path(release)
    certificate = read_document(folder / "certificate.json", "certificate")
    path = folder / PRIVATE / "recipe.toml"
    recoding, rows = read_recoding(folder), read_release(folder)
    order = [*rows.columns, *(name for name in recoding.columns if name not in rows.columns)]
    lost = [name for name in order if name not in recoding.columns]
    if lost:
        raise unknown_column(lost[0], recoding.columns, f"{folder}: recoding")
    return _Made(
        replace(recoding, columns={name: recoding.columns[name] for name in order}),
        rows,
        None,
        Recipe.load(path, anywhere=True) if path.is_file() else None,
        tuple(certificate.get("linked", ())),
        certificate.get("measured", {}),
        certificate.get("counted") == "people",
    )


@dataclass(frozen=True, eq=False)
class _Batch:
    """New rows on their way: the recoding, the rows that are left, their place among all new rows, their pseudonyms."""

    recoding: Recoding
    people: Table
    place: NDArray[np.int64]
    pseudonyms: Mapping[str, list[str]]

    def keep(self, rows: NDArray[np.bool_]) -> _Batch:
        """Some of the rows."""
        if rows.all():
            return self
        values = {name: [v for v, k in zip(made, rows) if k] for name, made in self.pseudonyms.items()}
        return replace(self, people=self.people.filter(rows), place=self.place[rows], pseudonyms=values)

    def assigned(self, of_row: NDArray[np.int32]) -> _Batch:
        """The batch whose rows stay in these boxes, whatever else is there."""
        if not self.recoding.boxes:
            return self
        remembered = remember(self.people, of_row, quasi=list(self.recoding.boxes))
        return replace(self, recoding=replace(self.recoding, assignment=remembered))

    def carry_out(self, models: tuple[Model, ...]) -> Applied:
        """The rows as published, those held back that break a promise by themselves."""
        return replace(self.recoding, models=models).apply(self.people, pseudonyms=self.pseudonyms)


def _take(made: _Made, rows: Any, unit: str | None, pseudonyms: Mapping[str, Any]) -> _Batch:
    """The new rows with the roles, kinds and hierarchies that the release was made with."""
    recoding = replace(made.recoding, suppressed="drop")
    source = {} if made.recipe is None else made.recipe.source
    if isinstance(rows, Table):
        people = rows
    elif made.people is not None:
        taken = take(rows)
        people = made.people.with_rows(taken.rows, taken.give_back)
    else:
        unit = unit or source.get("unit")
        if made.counts_people and unit is None:
            raise RequestError("the release counts people: name the column that tells them apart as `unit`.")
        people = take_as(recoding, rows, unit=unit, na=source.get("na", ("?",)))
    lost = [name for name in recoding.columns if name not in people.names]
    if lost:
        raise unknown_column(lost[0], people.names, "rows")
    described = {} if made.recipe is None or isinstance(rows, Table) else made.recipe.columns
    roles = {
        name: Role.IDENTIFIER if column.drop else column.role
        for name, column in described.items()
        if name in people.names
    }
    kinds = {name: _kind(column.type) for name, column in described.items() if column.type is not None}
    people = people.with_roles(**roles).with_kinds({**kinds_of(recoding), **people.kinds, **kinds})
    people = people.with_hierarchies(hierarchies_of(recoding))
    values = {name: list(one.values) for name, one in pseudonyms.items()}
    for name, made_values in values.items():
        if len(made_values) != len(people):
            raise RequestError(
                f"pseudonyms: column {name!r} has {len(made_values)} values for {len(people)} rows."
            )
    return _Batch(recoding, people, np.arange(len(people)), values)


def _kind(written: KindLike) -> KindLike:
    return Kind(written) if isinstance(written, str) and "%" not in written else written


def _check(batch: _Batch, target: _Made | None) -> None:
    """Refuse what cannot be counted together, before anything is done."""
    if target is None:
        return
    for name, treatment in batch.recoding.columns.items():
        if isinstance(treatment, Follow) or (
            isinstance(treatment, Generalise) and treatment.numbers != "range"
        ):
            raise RequestError(
                f"`joins`: column {name!r} is published by what the rows of one release have ({treatment}), so it "
                "cannot be the same in two. Release the new rows by themselves, without `joins`."
            )
    if target.recoding.suppressed == "star" and target.measured.get("suppressed"):
        raise RequestError("`joins`: that release keeps rows as stars. Release the new rows by themselves.")
    unit = batch.people.unit
    if unit is not None and unit not in target.rows.columns:
        raise RequestError(
            f"`joins`: people are told apart by {unit!r}, which the release does not publish, so nobody can tell who "
            "is in both. Release the new rows by themselves, without `joins`."
        )


def _leave_out_unseen(batch: _Batch) -> tuple[_Batch, dict[str, int], int]:
    """Leave out rows with a value that does not read as its kind, or that no rule covers; rows per column, and all."""
    people = batch.people
    looked_at: dict[str, KindLike] = {n: k for n, k in people.kinds.items() if n in batch.recoding.columns}
    fits = readable(people.rows, looked_at, people.na)
    reads = np.logical_and.reduce([np.ones(len(people), dtype=bool), *fits.values()])
    _refuse_nothing(reads)
    left = batch.keep(reads)
    known = known_rows(left.recoding, left.people)
    counts = {name: int((~fits[name]).sum()) if name in fits else 0 for name in {**fits, **known}}
    for name, rows in known.items():
        counts[name] += int((~rows).sum())
    covered = np.logical_and.reduce(list(known.values()))
    _refuse_nothing(covered)
    out = left.keep(covered)
    return out, {name: n for name, n in counts.items() if n}, len(people) - len(out.people)


def _place(batch: _Batch) -> tuple[_Batch, int]:
    """Give every row its class, once and for all; rows that fit none are left out and counted."""
    of_row = batch.carry_out(()).of_row
    fits = of_row >= 0
    _refuse_nothing(fits)
    return batch.keep(fits).assigned(of_row[fits]), int((~fits).sum())


def _refuse_nothing(kept: NDArray[np.bool_], *, promise: bool = False) -> None:
    if not kept.any():
        why = (
            "none keeps the promise by the rules of the release. Count them with the release they join (`joins`), or "
            if promise
            else "none fits the release. Is it the same table, with the same columns and values? Else "
        )
        raise GuaranteeError(f"nothing is left of the new rows: {why}make a new release.")


@dataclass(frozen=True, eq=False)
class _Settled:
    """What goes out: all rows, as a table of what is published, their classes, and the new rows among them."""

    batch: _Batch
    new: pl.DataFrame
    rows: pl.DataFrame
    table: Table
    of_row: NDArray[np.int32]


def _settle(batch: _Batch) -> _Settled:
    applied = batch.carry_out(batch.recoding.models)
    kept = applied.of_row >= 0
    _refuse_nothing(kept, promise=True)
    left = batch.keep(kept).assigned(applied.of_row[kept])
    return _Settled(left, applied.rows, applied.rows, left.people, applied.of_row[kept])


def _join(batch: _Batch, target: _Made) -> _Settled:
    before = target.rows.height
    shown = batch.carry_out(())
    rows = stack(target.rows, shown.rows)
    of_row = classes_of(rows, batch.recoding.quasi)
    settled = settle_new(_published(batch.people, rows), of_row, batch.recoding.models, before=before)
    kept = settled[before:] >= 0
    _refuse_nothing(kept, promise=True)
    left = batch.keep(kept).assigned(shown.of_row[kept])
    new = left.carry_out(()).rows
    rows = stack(target.rows, new)
    return _Settled(left, new, rows, _published(batch.people, rows), settled[settled >= 0])


def _published(people: Table, rows: pl.DataFrame) -> Table:
    """Published rows with the roles of the original: quasi-identifiers are labels, all else reads as it did."""
    kinds = {name: kind for name, kind in people.kinds.items() if name not in people.quasi}
    for name in people.sensitive:
        if name in rows.columns and name not in kinds:
            kinds[name] = people.column(name).kind
    return Table(
        rows,
        people.roles,
        kinds=kinds,
        hierarchies={n: h for n, h in people.hierarchies.items() if n not in people.quasi},
        unit=people.unit,
        weight=None,
        na=people.na,
        give_back=as_it_is,
    )


def _limit(made: _Made, people: Table, of_row: NDArray[np.int32], suppression: float | None) -> None:
    allowed = SUPPRESSION if made.recipe is None else made.recipe.method.get("suppression", SUPPRESSION)
    allowed = allowed if suppression is None else share(suppression, "suppression")
    held = people_left_out(people, of_row)
    who = "records" if people.unit is None else "people"
    everybody = len(people) if people.unit is None else len(np.unique(people.column(people.unit).codes))
    if held > allowed * everybody:
        raise GuaranteeError(
            f"the promise cannot be kept by the rules of the release: {held:,} of {everybody:,} new {who} would have "
            f"to be held back, where {percent(allowed)} may be. Count them with the release they join (`joins`), "
            "allow more `suppression`, or make a new release."
        )


def _release(
    made: _Made,
    target: _Made | None,
    found: _Settled,
    everybody: Table,
    *,
    unseen: Mapping[str, int],
    held_back: Mapping[str, int],
    seed: int,
    shuffle: bool,
    started: float,
) -> NextRelease:
    recoding, people, models = found.batch.recoding, found.batch.people, found.batch.recoding.models
    classes = found.table.classes(found.of_row, sensitive=looked_at(found.table, models))
    lost = dict(column_losses(people, recoding, np.ones(len(people), dtype=bool)))
    gone = len(everybody) - len(people)
    before = {"records": 0, "suppressed": 0} if target is None else target.measured
    rows = CodedRows.of(found.rows)
    return NextRelease(
        people=people,
        coded=shuffled(rows, seed) if shuffle else rows,
        of_row=found.of_row[len(found.of_row) - len(people) :],
        recoding=recoding,
        models=models,
        achieved={" ".join([model.name, *model.columns]): model.achieved(classes) for model in models},
        method=str(made.measured["method"]),
        records=len(everybody) + int(before["records"]),
        suppressed=gone + int(before["suppressed"]),
        classes=len(classes),
        k=int(classes.counts.min()),
        loss=_mean(lost, "loss", gone, len(everybody)),
        ncp=_mean(lost, "ncp", gone, len(everybody)),
        kept={name: 1 - each.mean("loss") for name, each in lost.items()},
        proven_optimal=False,
        seed=seed,
        seconds=time.perf_counter() - started,
        linked=_decide(made, found, classes),
        request=_request(made, recoding),
        unseen=unseen,
        held_back=held_back,
        drift=measure_drift(made.rows, found.new, recoding.quasi),
        joined=0 if target is None else target.rows.height,
        counted=None if target is None else found.table,
    )


def _mean(lost: Mapping[str, ColumnLoss], measure: str, gone: int, records: int) -> float:
    """Over the new records and the columns alike, a record that is held back counting 1."""
    sums = [each.mean(measure) * len(each.kept) for each in lost.values()]
    return float(np.mean([(total + gone) / records for total in sums]))


def _decide(made: _Made, found: _Settled, classes: Classes) -> list[dict[str, Any]]:
    """What was decided about linked columns holds on; new ones that would undo the promise are refused."""
    recoding, people = found.batch.recoding, found.batch.people
    choices = {name: str(one["choice"]) for one in made.linked if one["choice"] for name in one["columns"]}
    shown = [n for n, t in recoding.columns.items() if not isinstance(t, Drop | Pseudonymise)]
    links = linked_columns(people, quasi=recoding.quasi, columns=shown)
    applied = Applied(CodedRows.of(found.rows), found.of_row, {})
    return refuse_undone(found.table, recoding.models, applied, Decided(choices, links)).to_dict()


def _request(made: _Made, recoding: Recoding) -> Recipe | None:
    """What was asked for then, with the hierarchies as they were grown, so that the month after can be read as well."""
    if made.recipe is None:
        return None
    source = {name: value for name, value in made.recipe.source.items() if name != "file"}
    columns = {name: replace(column, hierarchy=None) for name, column in made.recipe.columns.items()}
    return replace(made.recipe, source=source, columns=columns, hierarchies=hierarchies_of(recoding))


def measure_drift(before: pl.DataFrame, now: pl.DataFrame, quasi: list[str]) -> dict[str, float]:
    """Per column, half the sum of differences between the shares of its published values: 0 the same, 1 all new."""
    out = {}
    for name in (name for name in now.columns if name in before.columns):
        shares = [
            {value: n / rows.height for value, n in CodedRows.of(rows.select(name)).counts(name).pairs()}
            for rows in (before, now)
        ]
        values = {*shares[0], *shares[1]}
        if name in quasi or len(values) <= FEW:
            out[name] = sum(abs(shares[0].get(value, 0) - shares[1].get(value, 0)) for value in values) / 2
    return out
