"""`anonymize` for tables whose rows stay where they are: planned from counts, applied by looking tuples up.

Methods that choose a level per column think about tuples; those that put single records into classes are handed a row
of codes for each, and what they decide becomes *tuple -> (class, how many)*. Columns that give a quasi-identifier away
are looked for in a sample of rows; how far they would undo the promise is counted in all of them.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from lookalike.anonymizers.anonymization import absence_shows
from lookalike.anonymizers.linked import decide, judge_links, read_choices
from lookalike.anonymizers.methods import BY_LEVELS, METHODS, Job
from lookalike.anonymizers.pseudonyms import PSEUDONYM, Pseudonyms, made_pseudonyms
from lookalike.anonymizers.requests import check_population, check_request, warn_of_pseudonyms
from lookalike.checks import column_names, number, per_column
from lookalike.columns.coding import Distinct
from lookalike.columns.notation import STAR
from lookalike.columns.roles import Role
from lookalike.engines.engine import TIMES, Database, Places
from lookalike.engines.far import FarTable, Passed, open_far
from lookalike.engines.opening import is_far, open_engine
from lookalike.engines.released import FarRows, release_rows
from lookalike.engines.stored import StoredRows, store_rows
from lookalike.errors import GuaranteeError, RequestError, percent, unknown_column, warn
from lookalike.models.model import Model
from lookalike.progress import Progress, track
from lookalike.recodings import Recoding
from lookalike.recodings.assignment import remember
from lookalike.recodings.following import follow
from lookalike.recodings.plans import Clusters, Plan
from lookalike.recodings.recoding import read_meanings, rounded
from lookalike.recodings.settling import looked_at, settle
from lookalike.recodings.treatments import Drop, Follow, Keep, Pseudonymise, Round, Treatment
from lookalike.releases.release import Release
from lookalike.sources.frames import as_it_is
from lookalike.tables.cells import Cells
from lookalike.tables.coded import merged
from lookalike.tables.populations import with_population
from lookalike.tables.table import Table

Texts = dict[
    str, tuple[NDArray[np.int32], list[Any]]
]  # per quasi-identifier: a place per row, what each publishes


@dataclass(frozen=True, eq=False)
class FarRelease(Release):
    """A release whose rows are where the original is. `save` writes it; relations and Spark frames come back as one."""

    keeps_assignment = False  # it tells records apart by what was counted of them, not by all they hold

    @property
    def frame(self) -> Any:
        """The released rows as a relation or a Spark frame, where they came as one; nothing is done before."""
        return self._frame

    @cached_property
    def _frame(self) -> Any:
        return self.coded.frame

    def to_table(self, name: str) -> None:
        """Write the released rows to a new table where the original is: in DuckDB, on the server, or in Spark.

        To Spark, a name with a `/` is an address that parquet files are written to.
        """
        self.write_rows(name)

    def write_rows(self, to: str) -> Callable[[], None]:
        """Write the rows where the original is; what is given back takes them away again."""
        rows: Any = self.coded
        if not hasattr(rows, "create"):
            raise RequestError("these rows are recoded here and not where they are. Save the release.")
        rows.create(to)
        return lambda: rows.drop(to)


def anonymize_far(
    people: FarTable,
    models: tuple[Model, ...],
    *,
    method: str,
    suppression: float,
    weights: Mapping[str, float] | None,
    numbers: Mapping[str, str] | None,
    rounding: Mapping[str, float] | None,
    seed: int,
    progress: Progress,
    suppressed: str,
    pseudonyms: Mapping[str, Pseudonyms] | None,
    drop: Sequence[str],
    linked: Mapping[str, str] | None,
    population: Any,
    shuffle: bool,
    options: Mapping[str, Any],
) -> FarRelease:
    """A release of a table that is not in memory."""
    started = time.perf_counter()
    method = "optimal" if method == "auto" else method
    if not shuffle:
        raise RequestError(
            "`shuffle=False` needs the rows in memory: files and databases hand them out in an order of their own. "
            "Read the table with la.read."
        )
    weights, numbers, rounding, pseudonyms = (
        per_column(weights, "weights"),
        per_column(numbers, "numbers"),
        per_column(rounding, "rounding"),
        per_column(pseudonyms, "pseudonyms"),
    )
    check_request(people, method, models, suppression, weights, numbers, suppressed, seed, options)
    choices = read_choices(people, models, linked)
    people.refuse_changed()
    wider = people.with_roles(**{name: "quasi" for name, choice in choices.items() if choice == "quasi"})
    assert isinstance(wider, FarTable)
    people = wider
    left_out = [*column_names(drop, "drop"), *(n for n, c in choices.items() if c == "drop")]
    decided, columns = decide(people, _treat(people, models, rounding, pseudonyms, left_out), choices)
    people = people.counting([name for name, how in columns.items() if isinstance(how, Follow)])
    table = people if method in BY_LEVELS and not numbers else people.expanded()
    sensitive = looked_at(people, models)
    if population is None:
        cells = table.cells(sensitive=sensitive)
    else:
        check_population(method, models)
        cells = with_population(table, _open_population(population, people), sensitive=sensitive)
    for model in models:
        model.check(cells.classes())
    with track(progress, f"Anonymising ({method})") as report:
        job = Job(table, cells, models, suppression, weights, seed, report, options, people.besides)
        plan = METHODS[method].plan(job)
        recoding = plan.recode(table, models, columns, numbers=numbers, suppressed=suppressed)
        recoding = replace(recoding, meanings=read_meanings(people, cells, models))
        if isinstance(plan, Clusters):
            recoding = replace(recoding, assignment=remember(table, plan.of_row))
        of_row, texts, counted = _place_rows(table, plan, recoding, cells)
        held = _refuse_too_many(table, of_row, suppression)
        if absence_shows(cells, recoding, of_row):
            raise GuaranteeError(
                "the promise cannot be kept within the limits: classes of the population would stand empty. Allow more "
                "suppression, ask for less, or use another method."
            )
        planned = plan.of_row if isinstance(plan, Clusters) else None
        places = find_places(people, table, recoding, of_row, texts, planned=planned, pseudonyms=pseudonyms)
    rows = release_far(people, places, seed, progress)
    _warn_of_names(people, rows, choices)
    classes = table.classes(of_row, sensitive=sensitive)
    if counted is not None:
        classes = replace(classes, population=counted[classes.cells.codes[0]])
    k = int(classes.counts.min())
    decided = judge_links(people, models, k, rows.known, decided)
    lost = np.array(plan.losses(of_row))
    share = np.array([weights.get(name, 1.0) for name in cells.names])
    loss, ncp = share / share.sum() @ (lost + held) / people.records
    return FarRelease(
        people=table,
        coded=rows,
        of_row=of_row,
        recoding=recoding,
        models=models,
        achieved={" ".join([model.name, *model.columns]): model.achieved(classes) for model in models},
        method=method,
        records=people.records,
        suppressed=held,
        classes=len(classes),
        k=k,
        loss=float(loss),
        ncp=float(ncp),
        kept={
            name: 1 - each / (people.records - held) for name, each in zip(cells.names, lost[:, 0].tolist())
        },
        proven_optimal=plan.proven_optimal,
        seed=seed,
        seconds=time.perf_counter() - started,
        alternatives=plan.alternatives,
        measured=plan.measured,
        linked=decided.to_dict(),
    )


def _open_population(population: Any, people: FarTable) -> Any:
    """A population that is not in memory either is counted where it is."""
    if not is_far(population):
        return population
    said = {name: hierarchy for name, hierarchy in people.hierarchies.items() if name in people.quasi}
    kinds = {name: kind for name, kind in people.kinds.items() if name in people.quasi}
    unit = people.unit if people.unit in open_engine(population).describe() else None
    return open_far(
        population,
        quasi=people.quasi,
        others=[],
        hierarchies=said,
        types=kinds,
        unit=unit,
        na=people.na,
        most=people.most,
    )


def _treat(
    people: FarTable,
    models: Sequence[Model],
    rounding: Mapping[str, float],
    pseudonyms: Mapping[str, Pseudonyms],
    drop: Sequence[str],
) -> dict[str, Treatment]:
    """What happens to each column that is not generalised."""
    promised = {name for model in models for name in model.columns}
    for name, made in pseudonyms.items():
        if made_pseudonyms(made, name).of_tuple is None:
            raise RequestError(
                f"pseudonyms: column {name!r} needs what la.pseudonymise returns for this table, whose rows are not in "
                "memory."
            )
    for what, names in (("rounding", rounding), ("pseudonyms", pseudonyms), ("drop", drop)):
        for name in names:
            if name not in people.roles:
                raise unknown_column(name, people.names, what)
            if people.roles[name] is Role.QUASI or name in promised:
                raise RequestError(
                    f"{what}: column {name!r} is a quasi-identifier, or a promise is made about it; nothing else "
                    "can be done with it."
                )
    out: dict[str, Treatment] = {}
    for name, role in people.roles.items():
        if name in drop:
            out[name] = Drop()
        elif name in pseudonyms:
            out[name] = Pseudonymise(pseudonyms[name].how, tuple(pseudonyms[name].fields))
        elif role is Role.IDENTIFIER:
            out[name] = Drop()
        elif name in rounding:
            out[name] = Round(number(rounding[name], name, least=0, above=True, where="rounding"))
        else:
            out[name] = Keep()
    if pseudonyms:
        warn_of_pseudonyms(pseudonyms)
    return out


def _place_rows(
    table: Table, plan: Plan, recoding: Recoding, cells: Cells
) -> tuple[NDArray[np.int32], Texts, NDArray[np.int64] | None]:
    """The class of each row, -1 where it is held back, what is published of it, and each class in the population."""
    texts: Texts = {}
    counted = None
    if recoding.boxes:
        of_row = plan.of_row  # type: ignore[union-attr]
        texts = {name: (of_row, list(side.texts)) for name, side in recoding.boxes.items()}
    else:
        of_row, _ = recoding.generalise_rows(table, texts)
    if cells.population is not None:
        of_row, counted = recoding.count_population(cells, of_row)
    of_row = settle(table, of_row, recoding.models, population=counted)
    recoding.measure_numbers(table, of_row, texts)
    for name, treatment in recoding.columns.items():
        if isinstance(treatment, Follow):
            texts[name] = follow(table, name, treatment.of, texts, of_row)
    return of_row, texts, counted


def _refuse_too_many(table: Table, of_row: NDArray[np.int32], suppression: float) -> int:
    """How many records are held back, where that is within the limit."""
    gone = of_row < 0
    records = int(gone.sum()) if table.times is None else int(table.times[gone].sum())
    held, everybody, who = records, table.records, "records"
    if table.unit is not None:
        unit = table.column(table.unit).codes
        held, everybody, who = len(np.unique(unit[gone])), len(np.unique(unit)), "people"
    if held > suppression * everybody or held == everybody:
        raise GuaranteeError(
            f"the promise cannot be kept within the limits: {held:,} of {everybody:,} {who} would have to be left "
            f"out, where {percent(suppression)} may be. Allow more suppression, ask for less, or use another method."
        )
    return records


def find_places(
    people: FarTable,
    table: Table,
    recoding: Recoding,
    of_row: NDArray[np.int32],
    texts: Texts,
    *,
    readable: FarTable | None = None,
    alone: bool = True,
    planned: NDArray[np.int32] | None = None,
    pseudonyms: Mapping[str, Pseudonyms] | None = None,
) -> Places:
    """Which class each tuple goes to, or each of its records where the table has a row for each; what is published.

    readable: the tuples whose values read as their kind, where not all do. alone: quasi-identifiers alone decide.
    planned: the class of each row before some were held back; a tuple's records are dealt out in the order of these.
    """
    assert people.times is not None
    boxes, kept = {}, of_row >= 0
    stars = int(of_row.max()) + 1 if recoding.suppressed == "star" and not kept.all() else None
    for name, (where, labels) in texts.items():
        codes = np.zeros(int(of_row.max()) + 1, dtype=np.int32)
        codes[of_row[kept]] = where[kept]
        values = pl.Series(labels, strict=False)
        if stars is not None:
            named = name in recoding.quasi and values.dtype == pl.String
            codes = np.append(codes, np.int32(len(values) if named else -1))
            values = pl.concat([values, pl.Series([STAR], dtype=pl.String)]) if named else values
        boxes[name] = merged(Distinct(codes, values))
    of_row = of_row if stars is None else np.where(kept, of_row, stars).astype(np.int32)
    tuples = people.rows
    if (
        table is people and alone and people.unit is None and people.sensitive
    ):  # quasi-identifiers alone tell the class
        found = tuples.select(recoding.quasi).with_columns(
            pl.Series("class", of_row), pl.Series(TIMES, people.times)
        )
        found = found.group_by(recoding.quasi).agg(pl.col("class").first(), pl.col(TIMES).sum())
        tuples, of_row, records = (
            found.select(recoding.quasi),
            found["class"].to_numpy(),
            found[TIMES].to_numpy(),
        )
        of_tuple = np.arange(tuples.height)
    elif table is people:
        of_tuple, records = np.arange(tuples.height), people.times
    else:
        planned = of_row if planned is None else planned
        span = int(planned.max()) + 2
        pairs = np.repeat(np.arange(tuples.height, dtype=np.int64), people.times) * span + planned + 1
        known, first, records = np.unique(pairs, return_index=True, return_counts=True)
        of_tuple, of_row = known // span, of_row[first]
    return Places(
        tuples,
        of_tuple.astype(np.int32),
        of_row,
        records.astype(np.int64),
        boxes,
        tuple(name for name, treatment in recoding.columns.items() if not isinstance(treatment, Drop)),
        _spelt(people if readable is None else readable, recoding),
        people.unit,
        tuple(name for name in texts if name not in recoding.quasi),
        stars,
        {
            name: (made.of_tuple.select(made.fields), made.of_tuple[PSEUDONYM])
            for name, made in (pseudonyms or {}).items()
            if made.of_tuple is not None
        },
    )


def _spelt(people: FarTable, recoding: Recoding) -> dict[str, tuple[pl.Series, pl.Series]]:
    """Columns whose values are published otherwise than they are: rounded, or spelt as they were counted."""
    out = {}
    promised = dict.fromkeys(name for model in recoding.models for name in model.columns)
    for name in promised:
        values = people.rows[name].unique().drop_nulls()
        if values.dtype == pl.String:
            column = people.column(name)
            spelt = pl.Series([*column.domain.texts, None], dtype=pl.String).gather(pl.Series(column.codes))
            pairs = pl.DataFrame({"was": people.rows[name], "now": spelt}).unique().drop_nulls("was")
            if not pairs["was"].equals(pairs["now"]):
                out[name] = (pairs["was"], pairs["now"])
        elif values.dtype.is_float():
            out[name] = (values, values.fill_nan(None))
    to = {name: how.to for name, how in recoding.columns.items() if isinstance(how, Round)}
    for name, counted in zip(to, people.engine.count(*([name] for name in to)) if to else ()):
        values = counted[name].drop_nulls()
        kinds = {name: people.kinds[name]} if name in people.kinds else {}
        alone = Table(
            values.to_frame(), {name: people.roles[name]}, kinds=kinds, hierarchies={},
            unit=None, weight=None, na=people.na, give_back=as_it_is,
        )  # fmt: skip
        out[name] = (values, rounded(alone, name, to[name]).series(name))
    return out


def release_far(
    people: FarTable, places: Places, seed: int, progress: Progress = False
) -> FarRows | StoredRows:
    """The released rows: recoded by the database that holds them where it can, else here."""
    engine: Any = people.engine
    if hasattr(engine, "release"):
        rows: StoredRows = engine.release(places, seed=seed, check=people.refuse_changed)
        return rows
    if hasattr(engine, "apply"):
        database: Database = engine
        return release_rows(database, places, seed=seed, check=people.refuse_changed)
    passed = Passed(engine)
    with track(progress, "Recoding", passed.text) as report:

        def told(rows: int, share: float) -> None:
            passed.add(rows, share)
            report(passed.rows / people.records)

        return store_rows(engine, places, seed=seed, check=people.refuse_changed, told=told)


def _warn_of_names(people: FarTable, rows: FarRows | StoredRows, choices: Mapping[str, str]) -> None:
    telling = [
        name
        for name in rows.schema
        if people.roles[name] is Role.OTHER and name not in choices
        if rows.values(name).height > 0.9 * rows.height >= 90
    ]
    if telling:
        warn(
            f"almost every row has a value of its own in: {', '.join(telling)}. Published as it is, such a column "
            "finds people whatever their class. Leave it out with `drop`, or make it a quasi-identifier.",
        )
