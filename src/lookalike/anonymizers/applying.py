"""`apply`: next month's rows recoded as a release was, counted with it where they join it, with what is different.

Values the recoding has never seen go where the rule of its hierarchy puts them (an interval, a mask, the calendar, a
box that covers them); rows with a value that no rule covers, or that does not read as its column's kind, are held back,
and so are classes that would break a promise. O(n) beside counting.
"""

from __future__ import annotations

import time
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from lookalike.anonymizers.anonymization import people_left_out
from lookalike.anonymizers.batches import (
    Batch,
    Settled,
    leave_out_unseen,
    place_in_classes,
    settle_alone,
    settle_with,
)
from lookalike.anonymizers.far_batches import (
    Placed,
    losses_of,
    open_rows,
    place_tuples,
    release_placed,
    without_suppressed,
)
from lookalike.anonymizers.far_joining import Earlier, published_pieces, release_joined, settle_beside
from lookalike.anonymizers.holding_back import HeldBack
from lookalike.anonymizers.linked import Decided, refuse_undone
from lookalike.anonymizers.next_release import NextRelease, compare_shares, measure_together
from lookalike.anonymizers.pseudonyms import made_pseudonyms
from lookalike.base.checks import checked, per_column, share, whole_number
from lookalike.base.errors import RequestError, unknown_column
from lookalike.recodings import Recoding
from lookalike.recodings.files import (
    PRIVATE,
    read_recoding,
    read_release,
    read_release_in_pieces,
    released_file,
)
from lookalike.recodings.recoding import Applied
from lookalike.recodings.settling import looked_at
from lookalike.recodings.taking import hierarchies_of, kinds_of, take_as
from lookalike.recodings.treatments import Drop, Follow, Generalise, Pseudonymise
from lookalike.recognition.links import linked_columns
from lookalike.releases.recipes.recipe import Recipe
from lookalike.releases.release import CERTIFIED, Release
from lookalike.tables.cells import Classes
from lookalike.tables.coded import CodedRows
from lookalike.tables.columns.coding import KindLike
from lookalike.tables.columns.naming import named
from lookalike.tables.columns.roles import Kind, Role
from lookalike.tables.engines import FarTable, is_far
from lookalike.tables.engines.opening import open_engine
from lookalike.tables.sources.documents import read_document
from lookalike.tables.sources.frames import Source, take
from lookalike.tables.table import Table
from lookalike.verifier.reading import read_certificate

SUPPRESSION = 0.05  #: of the new people may be held back, where the release says nothing else


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


@checked
def apply(
    release: Release | str | Path,
    rows: Table | Source,
    *,
    joins: Release | str | Path | bool | None = None,
    suppression: float | None = None,
    pseudonyms: Mapping[str, Any] | None = None,
    unit: str | None = None,
    na: Collection[str] | None = None,
    seed: int = 0,
    shuffle: bool = True,
    memory: str | int | None = None,
) -> NextRelease:
    """New rows recoded as a release was: the same rules, the same promise, and what is different in `summary`.

    release: what `la.anonymize` returned, or the folder it was saved in.
    rows: a frame or table with the columns of the original; or files that are named, or a DuckDB relation, which are
        recoded a piece at a time.
    joins: the release that the new rows will lie beside (True: the same one); both are then published together.
        New rows keep the promise among themselves all the same, since the rows that are out can be subtracted.
    suppression: the largest share of new people that may be held back; by default what the release was allowed.
    pseudonyms: as in `la.anonymize`, with the key of the release.
    unit, na: the column that tells people apart, and spellings of a missing value; as for the release otherwise.
    memory: how much rows in files may take, such as "2GB".
    shuffle: rows come in an order that says nothing about the original's; False keeps the original order.

    Examples:
        >>> import lookalike as la
        >>> frame = la.datasets.population(200, seed=1).select("age", "gender", "income")
        >>> people = la.table(frame, quasi=["age", "gender"], sensitive=["income"])
        >>> release = la.anonymize(people, la.KAnonymity(5), method="optimal")
        >>> new = la.datasets.population(300, seed=1).select("age", "gender", "income").tail(100)
        >>> later = la.apply(release, new, suppression=0.5)
        >>> later.records, later.k >= 5
        (100, True)
    """
    started = time.perf_counter()
    whole_number(seed, "seed")
    if is_far(rows) or isinstance(rows, FarTable):
        if pseudonyms or not shuffle:
            raise RequestError("`pseudonyms` and `shuffle` need the rows in memory: read them with la.read.")
        joined = release if joins is True else joins or None
        return _apply_far(
            release,
            rows,
            joined,
            suppression=suppression,
            unit=unit,
            na=na,
            seed=seed,
            started=started,
            memory=memory,
        )
    made = _open(release)
    target = made if joins is True else None if joins is None or joins is False else _open(joins)
    wanted = per_column(pseudonyms, "pseudonyms")
    batch = _take(made, rows, unit, na, wanted)
    if target is not None:
        _check(batch.recoding, batch.people.unit, target, target.rows.columns)
    everybody = batch.people
    batch = place_in_classes(leave_out_unseen(batch))
    found = settle_alone(batch) if target is None else settle_with(batch, target.rows)
    gone = np.ones(len(everybody), dtype=bool)
    gone[found.batch.place] = False
    _limit(made, everybody, np.where(gone, -1, 0).astype(np.int32), suppression, found.batch.held)
    return _release(made, target, found, everybody, seed=seed, shuffle=shuffle, started=started)


def _apply_far(
    release: Any,
    rows: Any,
    joins: Any,
    *,
    suppression: float | None,
    unit: str | None,
    na: Collection[str] | None,
    seed: int,
    started: float,
    memory: Any,
) -> NextRelease:
    """The same for rows that are not in memory."""
    made = _open(release, rows=False)
    recoding = without_suppressed(made.recoding)
    source = {} if made.recipe is None else made.recipe.source
    unit = unit or source.get("unit") or (None if made.people is None else made.people.unit)
    if made.counts_people and unit is None:
        raise RequestError("the release counts people: name the column that tells them apart as `unit`.")
    if na is None:
        na = source.get("na", ("?",)) if made.people is None else made.people.na
    people = (
        rows if isinstance(rows, FarTable) else open_rows(recoding, rows, unit=unit, na=na, memory=memory)
    )
    said: dict[str, Any] = {
        "linked": made.linked,
        "method": str(made.measured["method"]),
        "seed": seed,
        "started": started,
    }
    before = release.coded if isinstance(release, Release) else released_file(Path(release))
    if joins is None:
        placed = place_tuples(recoding, people)
        _limit(made, people, _everywhere(placed), suppression, placed.held)
        return release_placed(placed, recoding, earlier=before, **said)
    target = made if joins is release else _open(joins, rows=False)
    earlier = _earlier(joins, target)
    _check(recoding, people.unit, target, earlier.names)
    joined = settle_beside(place_tuples(recoding, people, alone=False), recoding, earlier)
    _limit(made, people, _everywhere(joined.placed), suppression, joined.placed.held)
    return release_joined(joined, recoding, earlier, followed=before, **said)


def _everywhere(placed: Placed) -> NDArray[np.int32]:
    """The class of every tuple, -1 where it is held back."""
    out = np.full(len(placed.people), -1, dtype=np.int32)
    out[placed.reads] = placed.of_row
    return out


def _earlier(joins: Any, made: _Made) -> Earlier:
    """The rows of a release that new ones join, read a piece at a time."""
    if isinstance(joins, Release):
        return Earlier(published_pieces(joins.coded), tuple(joins.coded.schema), made.measured)
    folder = Path(joins)
    return Earlier(lambda: read_release_in_pieces(folder), tuple(made.rows.columns), made.measured)


def _open(release: Any, *, rows: bool = True) -> _Made:
    if isinstance(release, Release):
        return _Made(
            release.recoding,
            release.rows if rows else pl.DataFrame(),
            release.people,
            release.request,
            tuple(release.linked),
            {name: getattr(release, name) for name in (*CERTIFIED, "kept", "ncp")},
            release.people.unit is not None,
        )
    if not isinstance(release, str | Path):
        raise RequestError(
            "`release` must be what `la.anonymize` returned, or the folder it was saved in; "
            f"found {type(release).__name__}."
        )
    folder = Path(release)
    certificate = read_certificate(folder / "certificate.json")
    path = folder / PRIVATE / "recipe.toml"
    recoding = read_recoding(folder)
    released = read_release(folder) if rows else _no_rows(folder)
    order = [*released.columns, *(name for name in recoding.columns if name not in released.columns)]
    lost = [name for name in order if name not in recoding.columns]
    if lost:
        raise unknown_column(lost[0], recoding.columns, f"{folder}: recoding")
    return _Made(
        replace(recoding, columns={name: recoding.columns[name] for name in order}),
        released,
        None,
        Recipe.load(path, anywhere=True) if path.is_file() else None,
        tuple(certificate["linked"]),
        {**_run(folder), **certificate["measured"]},
        certificate["counted"] == "people",
    )


def _run(folder: Path) -> dict[str, Any]:
    """What a release in a folder kept of its columns, as its private part says; nothing where that is not there."""
    path = folder / PRIVATE / "run.json"
    run = read_document(path, "run") if path.is_file() else {}
    try:
        kept = {str(one["column"]): one["kept"] for one in run["outcomes"] if one["kept"] is not None}
        return {"kept": {name: float(share) for name, share in kept.items()}, "ncp": float(run["ncp"])}
    except (KeyError, TypeError, ValueError):
        return {}


def _no_rows(folder: Path) -> pl.DataFrame:
    """The columns of a release that is not read."""
    return pl.DataFrame(schema=list(open_engine(released_file(folder)).describe()))


def _take(
    made: _Made,
    rows: Any,
    unit: str | None,
    na: Collection[str] | None,
    pseudonyms: Mapping[str, Any],
) -> Batch:
    """The new rows with the roles, kinds and hierarchies that the release was made with."""
    recoding = replace(made.recoding, suppressed="drop")
    source = {} if made.recipe is None else made.recipe.source
    if isinstance(rows, Table):
        people = rows
    elif made.people is not None:
        taken = take(rows)
        people = made.people.with_rows(taken.rows, taken.give_back, na=na)
    else:
        unit = unit or source.get("unit")
        if made.counts_people and unit is None:
            raise RequestError("the release counts people: name the column that tells them apart as `unit`.")
        people = take_as(recoding, rows, unit=unit, na=source.get("na", ("?",)) if na is None else na)
    lost = [name for name in recoding.columns if name not in people.roles]
    if lost:
        raise unknown_column(lost[0], people.names, "rows")
    described = {} if made.recipe is None or isinstance(rows, Table) else made.recipe.columns
    roles = {
        name: Role.IDENTIFIER if column.drop else column.role
        for name, column in described.items()
        if name in people.roles
    }
    kinds = {name: _kind(column.type) for name, column in described.items() if column.type is not None}
    people = people.with_roles(**roles).with_kinds({**kinds_of(recoding), **people.kinds, **kinds})
    people = people.with_hierarchies(hierarchies_of(recoding))
    values = {name: list(made_pseudonyms(one, name).values) for name, one in pseudonyms.items()}
    for name, made_values in values.items():
        if len(made_values) != len(people):
            raise RequestError(
                f"pseudonyms: column {name!r} has {len(made_values)} values for {len(people)} rows."
            )
    return Batch(recoding, people, np.arange(len(people)), values, HeldBack(bool(recoding.boxes)))


def _kind(written: KindLike) -> KindLike:
    return Kind(written) if isinstance(written, str) and "%" not in written else written


def _check(recoding: Recoding, unit: str | None, target: _Made, published: Sequence[str]) -> None:
    """Refuse what cannot be counted together, before anything is done."""
    for name, treatment in recoding.columns.items():
        if isinstance(treatment, Follow) or (
            isinstance(treatment, Generalise) and treatment.numbers != "range"
        ):
            raise RequestError(
                f"`joins`: column {name!r} is published by what the rows of one release have ({treatment}), so it "
                "cannot be the same in two. Release the new rows by themselves, without `joins`."
            )
    if target.recoding.suppressed == "star" and target.measured.get("suppressed"):
        raise RequestError("`joins`: that release keeps rows as stars. Release the new rows by themselves.")
    if unit is not None and unit not in published:
        raise RequestError(
            f"`joins`: people are told apart by {unit!r}, which the release does not publish, so nobody can tell who "
            "is in both. Release the new rows by themselves, without `joins`."
        )


def _limit(
    made: _Made, people: Table, of_row: NDArray[np.int32], suppression: float | None, why: HeldBack
) -> None:
    allowed = SUPPRESSION if made.recipe is None else made.recipe.method.get("suppression", SUPPRESSION)
    allowed = allowed if suppression is None else share(suppression, "suppression")
    held = people_left_out(people, of_row)
    who = "records" if people.unit is None else "people"
    everybody = people.records if people.unit is None else len(np.unique(people.column(people.unit).codes))
    if held > allowed * everybody:
        raise why.too_many(held, everybody, who, allowed)


def _release(
    made: _Made,
    target: _Made | None,
    found: Settled,
    everybody: Table,
    *,
    seed: int,
    shuffle: bool,
    started: float,
) -> NextRelease:
    recoding, people, models = found.batch.recoding, found.batch.people, found.batch.recoding.models
    classes = found.table.classes(found.of_row, sensitive=looked_at(found.table, models))
    before = {"records": 0, "suppressed": 0} if target is None else target.measured
    lost, gone = losses_of(people, recoding, len(everybody))
    lost = measure_together(lost, published=len(people), records=len(everybody), before=before)
    rows = CodedRows.of(found.rows)
    return NextRelease(
        people=people,
        coded=rows.shuffled(seed) if shuffle else rows,
        of_row=found.of_row[len(found.of_row) - len(people) :],
        recoding=recoding,
        models=models,
        achieved={" ".join([model.name, *model.columns]): model.achieved(classes) for model in models},
        method=str(made.measured["method"]),
        records=len(everybody) + int(before["records"]),
        suppressed=gone + int(before["suppressed"]),
        classes=len(classes),
        k=int(classes.counts.min()),
        **lost,
        proven_optimal=False,
        seed=seed,
        seconds=time.perf_counter() - started,
        linked=_decide(made, found, classes),
        request=_request(made, recoding),
        unseen=found.batch.held.unseen,
        held_back=found.batch.held.reasons,
        drift=measure_drift(made.rows, found.new, recoding.quasi),
        joined=0 if target is None else target.rows.height,
        counted=None if target is None else found.table,
    )


def _decide(made: _Made, found: Settled, classes: Classes) -> list[dict[str, Any]]:
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
    """How far each column of two tables has moved."""
    shared = [name for name in now.columns if name in set(before.columns)]
    one, other = (CodedRows.of(rows.select(named(shared))) for rows in (before, now))
    return compare_shares(
        {name: one.counts(name) for name in shared}, {name: other.counts(name) for name in shared}, quasi
    )
