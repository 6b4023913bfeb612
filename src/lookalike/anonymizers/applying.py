"""`apply`: next month's rows recoded as a release was, counted with it where they join it, with what is different.

Values the recoding has never seen go where the rule of its hierarchy puts them (an interval, a mask, the calendar, a
box that covers them); rows with a value that no rule covers, or that does not read as its column's kind, are held back,
and so are classes that would break a promise. O(n) beside counting.
"""

from __future__ import annotations

import time
from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from lookalike.anonymizers.anonymization import people_left_out
from lookalike.anonymizers.joining import Earlier, Together, publish_beside, settle_beside
from lookalike.anonymizers.linked import Decided, judge_links
from lookalike.anonymizers.next_release import NextRelease, compare_shares, losses_of, measure_together
from lookalike.anonymizers.placing import NewRows, place_rows
from lookalike.anonymizers.pseudonyms import Pseudonyms, made_pseudonyms
from lookalike.anonymizers.publishing import Recoded, publish
from lookalike.base.checks import checked, per_column, share, whole_number
from lookalike.base.errors import RequestError, unknown_column
from lookalike.recodings import Recoding
from lookalike.recodings.files import PRIVATE, read_recoding
from lookalike.recodings.settling import looked_at
from lookalike.recodings.taking import hierarchies_of, kinds_of, take_as
from lookalike.recodings.treatments import Drop, Follow, Generalise, Pseudonymise
from lookalike.recognition.links import linked_columns
from lookalike.releases.recipes.recipe import Recipe
from lookalike.releases.release import CERTIFIED, Release
from lookalike.tables.cells import Classes
from lookalike.tables.columns.coding import KindLike
from lookalike.tables.columns.roles import Kind, Role
from lookalike.tables.sources.documents import read_document
from lookalike.tables.sources.frames import Source, stays_there, take
from lookalike.tables.table import Table
from lookalike.verifier.reading import read_certificate

SUPPRESSION = 0.05  #: of the new people may be held back, where the release says nothing else


@dataclass(frozen=True, eq=False)
class _Made:
    """A release as made or as saved: what is needed to do the same again."""

    recoding: Recoding
    rows: Earlier
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
    made = _open(release)
    target = made if joins is True else None if joins is None or joins is False else _open(joins)
    wanted = {name: made_pseudonyms(one, name) for name, one in per_column(pseudonyms, "pseudonyms").items()}
    recoding, people = _take(made, rows, unit, na, memory)
    if not shuffle and not people.in_memory:
        raise RequestError("`shuffle=False` needs the rows in memory: read them with la.read.")
    if target is not None:
        _check(recoding, people.unit, target)
    new = place_rows(recoding, people)
    together = None if target is None else settle_beside(new, target.rows)
    new = new.settled() if together is None else together.new
    _limit(made, new, suppression)
    published = publish(
        new.people,
        new.table,
        recoding,
        new.placed,
        pseudonyms=_of_rows(wanted, new),
        seed=seed,
        shuffle=shuffle,
        reads=None if new.reads.all() else new.reads,
    )
    return _release(made, target, new, together, published, seed=seed, shuffle=shuffle, started=started)


def _of_rows(pseudonyms: Mapping[str, Pseudonyms], new: NewRows) -> dict[str, Pseudonyms]:
    """The pseudonyms of the rows that read."""
    out = {}
    for name, made in pseudonyms.items():
        if new.people.in_memory is not (made.of_tuple is None):
            raise RequestError(
                f"pseudonyms: those of column {name!r} were made for other rows. Make them from the new ones."
            )
        if new.people.in_memory and len(made.values) != len(new.people):
            raise RequestError(
                f"pseudonyms: column {name!r} has {len(made.values)} values for {len(new.people)} rows."
            )
        values = (
            [value for value, kept in zip(made.values, new.reads, strict=True) if kept] if made.values else []
        )
        out[name] = replace(made, values=values)
    return out


def _open(release: Any) -> _Made:
    if isinstance(release, Release):
        measured = {name: getattr(release, name) for name in (*CERTIFIED, "kept", "ncp")}
        return _Made(
            release.recoding,
            Earlier.of(release.coded, measured),
            release.people,
            release.request,
            tuple(release.linked),
            measured,
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
    measured = {**_run(folder), **certificate["measured"]}
    return _Made(
        recoding,
        Earlier.of(folder, measured),
        None,
        Recipe.load(path, anywhere=True) if path.is_file() else None,
        tuple(certificate["linked"]),
        measured,
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


def _take(
    made: _Made, rows: Any, unit: str | None, na: Collection[str] | None, memory: Any
) -> tuple[Recoding, Table]:
    """The rules as new rows follow them, and the rows with the roles, kinds and hierarchies of the release."""
    source = {} if made.recipe is None else made.recipe.source
    elsewhere = isinstance(rows, str | Path) or stays_there(rows)
    if isinstance(rows, Table):
        people = rows
    elif made.people is not None and made.people.in_memory and not elsewhere:
        taken = take(rows)
        people = made.people.with_rows(taken.rows, taken.give_back, na=na)
    else:
        before = made.people
        unit = unit or source.get("unit") or (None if before is None else before.unit)
        if made.counts_people and unit is None:
            raise RequestError("the release counts people: name the column that tells them apart as `unit`.")
        if na is None:
            na = source.get("na", ("?",)) if before is None else before.na
        people = take_as(made.recoding, rows, unit=unit, na=na, memory=memory)
    lost = [name for name in made.recoding.columns if name not in people.roles]
    if lost:
        raise unknown_column(lost[0], people.names, "rows")
    described = {} if made.recipe is None or isinstance(rows, Table) else made.recipe.columns
    roles = {
        name: Role.IDENTIFIER if column.drop else column.role
        for name, column in described.items()
        if name in people.roles
    }
    kinds = {name: _kind(column.type) for name, column in described.items() if column.type is not None}
    people = people.with_roles(**roles).with_kinds({**kinds_of(made.recoding), **people.kinds, **kinds})
    people = people.with_hierarchies(hierarchies_of(made.recoding))
    # who is held back is left out; where each row went is remembered of rows in memory alone
    recoding = replace(made.recoding, suppressed="drop")
    return recoding if people.in_memory else replace(recoding, assignment=None), people


def _kind(written: KindLike) -> KindLike:
    return Kind(written) if isinstance(written, str) and "%" not in written else written


def _check(recoding: Recoding, unit: str | None, target: _Made) -> None:
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
    if unit is not None and unit not in target.rows.names:
        raise RequestError(
            f"`joins`: people are told apart by {unit!r}, which the release does not publish, so nobody can tell who "
            "is in both. Release the new rows by themselves, without `joins`."
        )


def _limit(made: _Made, new: NewRows, suppression: float | None) -> None:
    people = new.people
    allowed = SUPPRESSION if made.recipe is None else made.recipe.method.get("suppression", SUPPRESSION)
    allowed = allowed if suppression is None else share(suppression, "suppression")
    if people.unit is None:
        who, everybody = "records", people.records
        held = everybody - new.table.records_of(new.placed.of_row >= 0)
    else:
        who, everybody = "people", len(np.unique(people.column(people.unit).codes))
        held = people_left_out(people, new.everywhere)
    if held > allowed * everybody:
        raise new.held.too_many(held, everybody, who, allowed)


def _release(
    made: _Made,
    target: _Made | None,
    new: NewRows,
    together: Together | None,
    now: Recoded,
    *,
    seed: int,
    shuffle: bool,
    started: float,
) -> NextRelease:
    kept, recoding = new.kept, new.remembered()
    models, records = recoding.models, new.people.records
    of_row = new.placed.of_row[new.placed.of_row >= 0]
    table, classes_of_row, out, joined = kept, of_row, now, 0
    before: Mapping[str, Any] = {"records": 0, "suppressed": 0}
    if target is not None and together is not None:
        out = publish_beside(together, target.rows, now, seed=seed, shuffle=shuffle)
        table, classes_of_row = together.table, together.of_row
        before, joined = target.measured, together.joined
    classes = table.classes(classes_of_row, sensitive=looked_at(table, models))
    lost, gone = losses_of(kept, recoding, records)
    lost = measure_together(lost, published=kept.records, records=records, before=before)
    shared = [name for name in now.rows.schema if name in made.rows.names]
    moved = compare_shares(made.rows.counts(shared), {n: now.rows.counts(n) for n in shared}, recoding.quasi)
    return NextRelease(
        people=kept,
        coded=out.rows,
        of_row=of_row,
        recoding=recoding,
        models=models,
        achieved={" ".join([model.name, *model.columns]): model.achieved(classes) for model in models},
        method=str(made.measured["method"]),
        records=records + int(before["records"]),
        suppressed=gone + int(before["suppressed"]),
        classes=len(classes),
        k=int(classes.counts.min()),
        **lost,
        proven_optimal=False,
        seed=seed,
        seconds=time.perf_counter() - started,
        linked=_decide(made, new, table, classes, out),
        request=_request(made, recoding),
        unseen=new.held.unseen,
        held_back=new.held.reasons,
        drift=moved,
        joined=joined,
        counted=None if together is None else together.table,
    )


def _decide(made: _Made, new: NewRows, table: Table, classes: Classes, out: Recoded) -> list[dict[str, Any]]:
    """What was decided about linked columns holds on; new ones that would undo the promise are refused."""
    recoding = new.recoding
    choices = {name: str(one["choice"]) for one in made.linked if one["choice"] for name in one["columns"]}
    shown = [n for n, how in recoding.columns.items() if not isinstance(how, Drop | Pseudonymise)]
    links = linked_columns(new.people, quasi=recoding.quasi, columns=shown)
    k = int(classes.counts.min())
    return judge_links(table, recoding.models, k, out.known, Decided(choices, links)).to_dict()


def _request(made: _Made, recoding: Recoding) -> Recipe | None:
    """What was asked for then, with the hierarchies as they were grown, so that the month after can be read as well."""
    if made.recipe is None:
        return None
    source = {name: value for name, value in made.recipe.source.items() if name != "file"}
    columns = {name: replace(column, hierarchy=None) for name, column in made.recipe.columns.items()}
    return replace(made.recipe, source=source, columns=columns, hierarchies=hierarchies_of(recoding))
