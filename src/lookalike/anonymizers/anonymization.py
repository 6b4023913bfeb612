"""`anonymize`: a table in, a release out that keeps its promise and loses as little as possible."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lookalike.anonymizers.linked import decide, judge_links, read_choices, warn_of_trajectories
from lookalike.anonymizers.methods import BY_LEVELS, METHODS, Job
from lookalike.anonymizers.publishing import publish
from lookalike.anonymizers.requests import (
    check_population,
    check_request,
    choose_treatments,
    fitting_methods,
    warn_of_names,
)
from lookalike.base.checks import column_names, per_column
from lookalike.base.errors import GuaranteeError, RequestError, percent
from lookalike.base.progress import Progress, Report, track
from lookalike.models.model import Model
from lookalike.recodings import Recoding
from lookalike.recodings.plans import Clusters, Plan
from lookalike.recodings.recoding import Placed, read_meanings
from lookalike.recodings.settling import looked_at
from lookalike.recodings.treatments import Follow, Treatment
from lookalike.recognition.frames import takes_frames
from lookalike.releases.recipes.writing import write_down
from lookalike.releases.release import Release
from lookalike.tables.cells import Cells
from lookalike.tables.coded import ReleasedRows
from lookalike.tables.populations import with_population
from lookalike.tables.sources.frames import Source
from lookalike.tables.table import Table


@takes_frames
def anonymize(
    people: Table,
    /,
    *models: Model,
    method: str = "auto",
    suppression: float = 0.05,
    weights: Mapping[str, float] | None = None,
    seed: int = 0,
    progress: Progress = False,
    suppressed: str = "drop",
    numbers: Mapping[str, str] | None = None,
    rounding: Mapping[str, float] | None = None,
    pseudonyms: Mapping[str, Any] | None = None,
    drop: Sequence[str] = (),
    linked: Mapping[str, str] | None = None,
    population: Table | Source | None = None,
    shuffle: bool = True,
    **options: Any,
) -> Release:
    """A release of the table that keeps every given promise.

    models: the promises, such as `la.KAnonymity(10)`, `la.LDiversity("disease", 3)`, `la.TCloseness("disease", 0.2)`.
    method: "auto" is local recoding with values that mean something, or the optimal search where that cannot keep the
        promise. Else "local", "optimal" (one rule for all rows: the best full-domain generalisation), "mondrian",
        "datafly", "sangreea", "semantic", or "levels" with levels={...} chosen by hand.
    suppression: the largest share of people (of records where the table has no `unit`) that may be left out.
    weights: how much it hurts to lose detail in each quasi-identifier; default 1.
    suppressed: records left out are dropped ("drop"), or stay as rows of stars, all else blank ("star").
    numbers: "midpoint" or "mean" for numeric quasi-identifiers that must stay numbers.
    rounding: {"income": 100} rounds a column that is not a quasi-identifier.
    pseudonyms: {"name": Pseudonyms} publishes a pseudonym instead of leaving an identifier out.
    drop: columns to leave out besides the identifiers.
    linked: {"education-num": "follow"} says what to do with a column that gives a quasi-identifier away: "follow"
        (publish it as blurred as the quasi-identifier), "quasi" (treat it as one), "drop" or "accept".
    population: a table of the population, a frame, or the name of files, for promises that speak about one (k-map,
        delta-presence).
    shuffle: rows come in an order that says nothing about the original's; False keeps the original order, rows of
        stars last.
    options: of the method, such as `loss`, `max_levels`, `seconds` (optimal), `strict` (mondrian), `output` (local).

    Examples:
        >>> import polars as pl
        >>> import lookalike as la
        >>> ages, illnesses = [31, 32, 33, 71, 72, 73], ["flu", "flu", "cold", "flu", "cold", "cold"]
        >>> frame = pl.DataFrame({"age": ages, "disease": illnesses})
        >>> people = la.table(frame, quasi=["age"], sensitive=["disease"])
        >>> release = la.anonymize(people, la.KAnonymity(3))
        >>> release.k, release.classes, release.suppressed
        (3, 2, 0)
        >>> sorted(release.rows["age"].unique())
        ['[30, 34]', '[70, 74]']
    """
    started = time.perf_counter()
    weights, numbers = per_column(weights, "weights"), per_column(numbers, "numbers")
    rounding, pseudonyms = per_column(rounding, "rounding"), per_column(pseudonyms, "pseudonyms")
    if not people.take_tuples(hold=True, progress=progress):
        people.refuse_changed()
    fitting = fitting_methods(method, people, models, options)
    check_request(people, fitting[0], models, suppression, weights, numbers, suppressed, seed, options)
    choices = read_choices(people, models, linked)
    request = write_down(
        people,
        models,
        method={
            "name": method,
            "suppression": suppression,
            "suppressed": suppressed,
            "seed": seed,
            "options": options,
        },
        per_column={"weight": weights, "numbers": numbers, "round": rounding, "linked": choices},
        drop=column_names(drop, "drop"),
        pseudonyms=list(pseudonyms),
    )
    people = people.with_roles(**{name: "quasi" for name, choice in choices.items() if choice == "quasi"})
    left_out = [name for name, choice in choices.items() if choice == "drop"]
    left_out += column_names(drop, "drop")
    columns = choose_treatments(people, models, rounding, pseudonyms, left_out)
    if not shuffle and not people.in_memory:
        raise RequestError(
            "`shuffle=False` needs the rows in memory: files and databases hand them out in an order of their own. "
            "Read the table with la.read."
        )
    if population is not None:
        check_population(fitting[0], models)
    decided, columns = decide(people, columns, choices)
    follow = tuple(name for name, how in columns.items() if isinstance(how, Follow))
    people = people.counting(follow)
    with track(progress, f"Anonymising ({method})") as report:
        for method in fitting:
            job = _job(
                people,
                models,
                method,
                suppression,
                weights,
                seed,
                report,
                options,
                follow,
                numbers,
                population,
            )
            try:
                plan, recoding, placed = _carry_out(job, method, columns, numbers, suppressed, pseudonyms)
                break
            except GuaranteeError:
                if method == fitting[-1]:
                    raise
    published = publish(
        people,
        job.people,
        recoding,
        placed,
        pseudonyms=pseudonyms,
        seed=seed,
        shuffle=shuffle,
        planned=plan.of_row if isinstance(plan, Clusters) else None,
        progress=progress,
    )
    release = _release(job, method, plan, recoding, placed, published.rows, started)
    warn_of_names(people, recoding, published.rows, choices)
    decided = judge_links(people, models, release.k, published.known, decided)
    warn_of_trajectories(people, recoding, choices)
    return replace(
        release,
        linked=decided.to_dict(),
        request=request if shuffle and population is None else None,
        in_order=not shuffle and not release.suppressed,
    )


def _job(
    people: Table,
    models: tuple[Model, ...],
    method: str,
    suppression: float,
    weights: Mapping[str, float],
    seed: int,
    report: Report,
    options: Mapping[str, Any],
    follow: tuple[str, ...],
    numbers: Mapping[str, str],
    population: Table | Source | None,
) -> Job:
    """What a method is given: tuples where it chooses a level per column, a row for each record else."""
    table = people if method in BY_LEVELS and not numbers else people.expanded()
    sensitive = looked_at(table, models)
    if population is None:
        cells = table.cells(sensitive=sensitive)
    else:
        cells = with_population(table, population, sensitive=sensitive)
    for model in models:
        model.check(cells.classes())
    return Job(table, cells, models, suppression, weights, seed, report, options, follow)


def _carry_out(
    job: Job,
    method: str,
    columns: Mapping[str, Treatment],
    numbers: Mapping[str, str],
    suppressed: str,
    pseudonyms: Mapping[str, Any],
) -> tuple[Plan, Recoding, Placed]:
    """Plan, find the class of each row, and look whether what is held back stays within the limit."""
    plan = METHODS[method].plan(job)
    recoding = replace(
        plan.recode(job.people, job.models, columns, numbers=numbers, suppressed=suppressed),
        meanings=read_meanings(job.people, job.cells, job.models),
    )
    if isinstance(plan, Clusters):
        made_values = {name: made.values for name, made in pseudonyms.items()}
        recoding = plan.deal_out(recoding, besides=job.besides, pseudonyms=made_values, seed=job.seed)
    placed = recoding.place(job.people, population=job.cells if job.cells.population is not None else None)
    held, everybody, who = people_left_out(job.people, placed.of_row), job.cells.people, "records"
    if job.people.unit is not None:
        who = "people"
    shows = absence_shows(job.cells, recoding, placed.of_row)
    if held > job.suppression * everybody or held == everybody or shows:
        raise GuaranteeError(
            f"the promise cannot be kept within the limits: {held:,} of {everybody:,} {who} would have to be "
            f"left out, where {percent(job.suppression)} may be, or classes of the population would stand empty. "
            "Allow more suppression, ask for less, or use another method."
        )
    return plan, recoding, placed


def people_left_out(people: Table, of_row: NDArray[np.int32]) -> int:
    """How many people have a row that is left out; records where nobody tells people apart."""
    gone = of_row < 0
    if people.unit is None:
        return people.records_of(gone)
    return len(np.unique(people.column(people.unit).codes[gone]))


def absence_shows(cells: Cells, recoding: Recoding, of_row: NDArray[np.int32]) -> bool:
    """Whether a promise about the whole population fails in a class of it that the release does not show."""
    everywhere = [model for model in recoding.models if model.whole_population]
    if not everywhere or cells.population is None:
        return False
    classes = recoding.roll_up(cells)
    released = np.where(np.isin(np.arange(len(classes)), of_row), classes.counts, 0)
    return any(model.breaks(replace(classes, counts=released)).any() for model in everywhere)


def _release(
    job: Job,
    method: str,
    plan: Plan,
    recoding: Recoding,
    placed: Placed,
    rows: ReleasedRows,
    started: float,
) -> Release:
    people, models, of_row = job.people, recoding.models, placed.of_row
    classes = people.classes(of_row, sensitive=[column.name for column in job.cells.sensitive])
    if placed.population is not None:
        classes = replace(classes, population=placed.population[classes.cells.codes[0]])
    records = people.records
    gone = records - people.records_of(of_row >= 0)
    lost = np.array(plan.losses(of_row))
    weights = np.array([job.weights.get(name, 1.0) for name in job.cells.names])
    loss, ncp = weights / weights.sum() @ (lost + gone) / records  # a record left out counts 1
    detail = 1 - lost[:, 0] / (records - gone)
    return Release(
        people=people,
        coded=rows,
        of_row=of_row,
        recoding=recoding,
        models=models,
        achieved={" ".join([model.name, *model.columns]): model.achieved(classes) for model in models},
        method=method,
        records=records,
        suppressed=gone,
        classes=len(classes),
        k=int(classes.counts.min()),
        loss=float(loss),
        ncp=float(ncp),
        kept=dict(zip(job.cells.names, detail.tolist(), strict=True)),
        proven_optimal=plan.proven_optimal,
        seed=job.seed,
        seconds=time.perf_counter() - started,
        alternatives=plan.alternatives,
        measured={**plan.measured, **_limits(job)},
    )


def _limits(job: Job) -> dict[str, Any]:
    """A time limit makes the answer depend on the machine, so the certificate says that there was one."""
    seconds = job.options.get("seconds")
    return {} if seconds is None else {"time limit in seconds": float(seconds)}
