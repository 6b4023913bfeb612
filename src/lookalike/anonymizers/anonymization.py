"""`anonymize`: a table in, a release out that keeps its promise and loses as little as possible."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import polars as pl

from lookalike.anonymizers.methods import METHODS, Job, per_column
from lookalike.anonymizers.requests import check_population, check_request, choose_treatments
from lookalike.columns.roles import Kind
from lookalike.errors import GuaranteeError, column_names, percent
from lookalike.models import DeltaPresence
from lookalike.models.model import Model
from lookalike.progress import Progress, track
from lookalike.recodings import Recoding
from lookalike.recodings.plans import Plan
from lookalike.recodings.recoding import Applied
from lookalike.recodings.settling import looked_at
from lookalike.recodings.treatments import Treatment
from lookalike.releases.release import Release
from lookalike.tables.ordering import order_rows
from lookalike.tables.populations import with_population
from lookalike.tables.table import Table

_ATTEMPTS = 4


def anonymize(
    people: Table,
    *models: Model,
    method: str = "optimal",
    suppression: float = 0.05,
    weights: Mapping[str, float] | None = None,
    seed: int = 0,
    progress: Progress = False,
    suppressed: str = "drop",
    numbers: Mapping[str, str] | None = None,
    rounding: Mapping[str, float] | None = None,
    pseudonyms: Mapping[str, Any] | None = None,
    drop: Sequence[str] = (),
    population: Any = None,
    shuffle: bool = True,
    **options: Any,
) -> Release:
    """A release of the table that keeps every given promise.

    models: the promises, such as `la.KAnonymity(10)`, `la.LDiversity("disease", 3)`, `la.TCloseness("disease", 0.2)`.
    method: "optimal" (best full-domain generalisation), "mondrian", "datafly", "sangreea", "local", "semantic", or
        "levels" with levels={...} chosen by hand.
    suppression: the largest share of records that may be left out to keep the promise.
    weights: how much it hurts to lose detail in each quasi-identifier; default 1.
    suppressed: records left out are dropped ("drop"), or stay as rows of stars, all else blank ("star").
    numbers: "midpoint" or "mean" for numeric quasi-identifiers that must stay numbers.
    rounding: {"income": 100} rounds a column that is not a quasi-identifier.
    pseudonyms: {"name": Pseudonyms} publishes a pseudonym instead of leaving an identifier out.
    drop: columns to leave out besides the identifiers.
    population: a table or frame of the population, for promises that speak about one (k-map, delta-presence).
    shuffle: rows come in an order that says nothing about the original's; False keeps the original order, rows of
        stars last.
    options: of the method, such as `loss`, `max_levels`, `seconds` (optimal), `strict` (mondrian), `output` (local).
    """
    started = time.perf_counter()
    weights, numbers = per_column(weights, "weights"), per_column(numbers, "numbers")
    rounding, pseudonyms = per_column(rounding, "rounding"), per_column(pseudonyms, "pseudonyms")
    check_request(people, method, models, suppression, weights, numbers, suppressed, seed, options)
    sensitive = looked_at(people, models)
    if population is None:
        cells = people.cells(sensitive=sensitive)
    else:
        check_population(method, models)
        cells = with_population(people, population, sensitive=sensitive)
    for model in models:
        model.check(cells.classes())
    columns = choose_treatments(people, models, rounding, pseudonyms, column_names(drop, "drop"))
    with track(progress, f"Anonymising ({method})") as report:
        job = Job(people, cells, models, suppression, weights, seed, report, options)
        plan, recoding, applied = _attempt(job, method, columns, numbers, suppressed, pseudonyms)
    rows = _shuffled(applied.rows, seed) if shuffle else _stars_last(applied)
    return _release(job, method, plan, recoding, applied, rows, time.perf_counter() - started)


def _attempt(
    job: Job,
    method: str,
    columns: Mapping[str, Treatment],
    numbers: Mapping[str, str],
    suppressed: str,
    pseudonyms: Mapping[str, Any],
) -> tuple[Plan, Recoding, Applied]:
    """Plan, apply, and look whether what is held back stays within the limit.

    A model that compares classes with the whole table can hold on the original and break on the release, where
    suppressed records are gone. Then the plan is made again, a little stricter, until the release itself keeps it.
    """
    asked = job.models
    values = {name: made.values for name, made in pseudonyms.items()}
    best: tuple[float, Plan, Recoding, Applied] | None = None
    held = 0
    for attempt in range(_ATTEMPTS):
        plan = METHODS[method].plan(job)
        recoding = replace(
            plan.recode(job.people, asked, columns, numbers=numbers, suppressed=suppressed),
            meanings=_meanings(job),
        )
        population = job.cells if job.cells.population is not None else None
        applied = recoding.apply(job.people, pseudonyms=values, population=population)
        held = int((applied.of_row < 0).sum())
        loss = _loss(job, plan, applied)[0]
        if (
            held <= job.suppression * len(job.people)
            and held < len(job.people)
            and not _presence_broken(job, recoding, applied)
            and (best is None or loss < best[0])
        ):
            plan = replace(plan, proven_optimal=plan.proven_optimal and attempt == 0 and applied.rounds <= 1)
            best = loss, plan, recoding, applied
        stricter = tuple(_tighten(model) for model in job.models)
        if applied.rounds <= 1 or stricter == job.models:
            break
        job = replace(job, models=stricter)
    if best is None:
        raise GuaranteeError(
            f"the promise cannot be kept within the limits: {held:,} of {len(job.people):,} records would have to be "
            f"left out, where {percent(job.suppression)} may be, or classes of the population would stand empty. "
            "Allow more suppression, ask for less, or use another method."
        )
    return best[1:]


def _presence_broken(job: Job, recoding: Recoding, applied: Applied) -> bool:
    """Whether delta-presence fails where nobody is left: a class of the population that the release does not show."""
    bounds = [model for model in job.models if isinstance(model, DeltaPresence) and model.low > 0]
    if not bounds or job.cells.population is None:
        return False
    classes = job.cells.roll_up(recoding.levels)
    released = np.where(np.isin(np.arange(len(classes)), applied.of_row), classes.counts, 0)
    return any(model.breaks(replace(classes, counts=released)).any() for model in bounds)


def _loss(job: Job, plan: Plan, applied: Applied) -> tuple[float, float]:
    """Loss and NCP averaged over records, a record left out counting 1, columns by their weights."""
    weights = np.array([job.weights.get(name, 1.0) for name in job.cells.names])
    gone = int((applied.of_row < 0).sum())
    loss, ncp = weights / weights.sum() @ (np.array(plan.losses(applied.of_row)) + gone) / len(job.people)
    return float(loss), float(ncp)


def _tighten(model: Model) -> Model:
    """A promise that compares with the whole table, ten per cent stricter; any other as it is."""
    for parameter in ("t", "beta", "delta", "limit"):
        if model.relative and hasattr(model, parameter):
            return replace(model, **{parameter: 0.9 * getattr(model, parameter)})
    return model


def _meanings(job: Job) -> dict[str, Any]:
    """What a checker must know about sensitive columns besides their values: a given order, a given hierarchy."""
    out: dict[str, Any] = {}
    for column in job.cells.sensitive:
        known: dict[str, Any] = {}
        if column.kind is Kind.ORDINAL:
            known["order"] = column.domain.texts
        if any(
            getattr(m, "distance", None) == "hierarchical" and m.columns == (column.name,) for m in job.models
        ):
            known["hierarchy"] = job.people.tree(column.name).recipe.to_dict()
        if known:
            out[column.name] = known
    return out


def _release(
    job: Job,
    method: str,
    plan: Plan,
    recoding: Recoding,
    applied: Applied,
    rows: pl.DataFrame,
    seconds: float,
) -> Release:
    people, models = job.people, recoding.models
    classes = people.classes(applied.of_row, sensitive=[column.name for column in job.cells.sensitive])
    if job.cells.population is not None:
        by_levels = None if recoding.boxes else job.cells.roll_up(recoding.levels).population
        counted = job.cells.population_of(applied.of_row) if by_levels is None else by_levels
        classes = replace(classes, population=counted[classes.cells.codes[0]])
    loss, ncp = _loss(job, plan, applied)
    return Release(
        people=people,
        rows=rows,
        recoding=recoding,
        models=models,
        achieved={" ".join([model.name, *model.columns]): model.achieved(classes) for model in models},
        method=method,
        records=len(people),
        suppressed=int((applied.of_row < 0).sum()),
        classes=len(classes),
        k=int(classes.counts.min()),
        loss=loss,
        ncp=ncp,
        proven_optimal=plan.proven_optimal,
        seed=job.seed,
        seconds=seconds,
        alternatives=plan.alternatives,
        measured={**plan.measured, **_limits(job)},
    )


def _limits(job: Job) -> dict[str, Any]:
    """A time limit makes the answer depend on the machine, so the certificate says that there was one."""
    seconds = job.options.get("seconds")
    return {} if seconds is None else {"time limit in seconds": float(seconds)}


def _stars_last(applied: Applied) -> pl.DataFrame:
    """Rows in the original's order, but for those kept as stars: their place would tell who they are."""
    if applied.rows.height < len(applied.of_row):
        return applied.rows
    return applied.rows[np.argsort(applied.of_row < 0, kind="stable")]


def _shuffled(rows: pl.DataFrame, seed: int) -> pl.DataFrame:
    """Rows in an order that does not depend on the original's: sorted by content, then shuffled by the seed."""
    order = order_rows(np.zeros(rows.height, dtype=np.int64), rows.iter_columns())
    shuffled = order[np.random.default_rng(seed).permutation(rows.height)]
    return rows[shuffled]
