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
from numpy.typing import NDArray

from lookalike.anonymizers.anonymization import absence_shows
from lookalike.anonymizers.far_places import Texts, find_places, release_far
from lookalike.anonymizers.linked import decide, judge_links, read_choices
from lookalike.anonymizers.methods import BY_LEVELS, METHODS, Job
from lookalike.anonymizers.pseudonyms import Pseudonyms, made_pseudonyms
from lookalike.anonymizers.requests import (
    check_population,
    check_request,
    is_private_text,
    warn_of_pseudonyms,
)
from lookalike.base.checks import column_names, number, per_column
from lookalike.base.errors import GuaranteeError, RequestError, percent, unknown_column, warn
from lookalike.base.progress import Progress, track
from lookalike.models.model import Model
from lookalike.recodings import Recoding
from lookalike.recodings.assignment import remember
from lookalike.recodings.following import follow
from lookalike.recodings.plans import Clusters, Plan
from lookalike.recodings.recoding import read_meanings
from lookalike.recodings.settling import looked_at, settle
from lookalike.recodings.treatments import Drop, Follow, Keep, Pseudonymise, Round, Treatment
from lookalike.releases.release import Release
from lookalike.tables.cells import Cells
from lookalike.tables.columns.roles import Role
from lookalike.tables.engines.far import FarTable, open_far
from lookalike.tables.engines.opening import is_far, open_engine
from lookalike.tables.engines.released import FarRows
from lookalike.tables.engines.stored import StoredRows
from lookalike.tables.populations import with_population
from lookalike.tables.table import Table


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


def _warn_of_names(people: FarTable, rows: FarRows | StoredRows, choices: Mapping[str, str]) -> None:
    telling = [
        name
        for name in rows.schema
        if people.roles[name] is Role.OTHER or is_private_text(people, name)
        if name not in choices
        if rows.values(name).height > 0.9 * rows.height >= 90
    ]
    if telling:
        warn(
            f"almost every row has a value of its own in: {', '.join(telling)}. Published as it is, such a column "
            "finds people whatever their class. Leave it out with `drop`, or make it a quasi-identifier.",
        )
