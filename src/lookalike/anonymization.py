"""`anonymize`: a table in, a release out that keeps its promise and loses as little as possible."""

from __future__ import annotations

import time
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import polars as pl

from lookalike.anonymizers.pseudonyms import Pseudonyms
from lookalike.errors import (
    GuaranteeError,
    LookalikeWarning,
    RequestError,
    column_names,
    is_number,
    percent,
    unknown_column,
    whole_number,
)
from lookalike.methods import BY_LEVELS, BY_ROWS, METHODS, Job, check_method, per_column
from lookalike.models import DeltaPresence
from lookalike.models.model import Model
from lookalike.populations import with_population
from lookalike.progress import Progress, track
from lookalike.recodings import Recoding
from lookalike.recodings.plans import Plan
from lookalike.recodings.recoding import Applied
from lookalike.recodings.settling import looked_at
from lookalike.recodings.treatments import Drop, Keep, Pseudonymise, Round, Treatment
from lookalike.releases import Release
from lookalike.roles import Kind, Role
from lookalike.tables import Table

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
    suppressed: records left out are dropped ("drop"), or stay as stars without their sensitive values ("star").
    numbers: "midpoint" or "mean" for numeric quasi-identifiers that must stay numbers.
    rounding: {"income": 100} rounds a column that is not a quasi-identifier.
    pseudonyms: {"name": Pseudonyms} publishes a pseudonym instead of leaving an identifier out.
    drop: columns to leave out besides the identifiers.
    population: a table or frame of the population, for promises that speak about one (k-map, delta-presence).
    shuffle: rows come in an order that says nothing about the original's; False keeps the original order.
    options: of the method, such as `loss`, `max_levels`, `seconds` (optimal), `strict` (mondrian), `output` (local).
    """
    started = time.perf_counter()
    weights, numbers = per_column(weights, "weights"), per_column(numbers, "numbers")
    rounding, pseudonyms = per_column(rounding, "rounding"), per_column(pseudonyms, "pseudonyms")
    _check_request(people, method, models, suppression, weights, numbers, suppressed, seed, options)
    sensitive = looked_at(people, models)
    if population is None:
        cells = people.cells(sensitive=sensitive)
    else:
        _check_population(method, models)
        cells = with_population(people, population, sensitive=sensitive)
    for model in models:
        model.check(cells.classes())
    columns = _treatments(people, models, rounding, pseudonyms, column_names(drop, "drop"))
    with track(progress, f"Anonymising ({method})") as report:
        job = Job(people, cells, models, suppression, weights, seed, report, options)
        plan, recoding, applied = _attempt(job, method, columns, numbers, suppressed, pseudonyms)
    rows = _shuffled(applied.rows, seed) if shuffle else applied.rows
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
        measured=plan.measured,
    )


def _check_request(
    people: Table,
    method: str,
    models: tuple[Model, ...],
    suppression: float,
    weights: Mapping[str, float],
    numbers: Mapping[str, str],
    suppressed: str,
    seed: int,
    options: Mapping[str, Any],
) -> None:
    check_method(method, options)
    if not people.quasi:
        raise RequestError(
            "the table has no quasi-identifiers. Name them with `quasi`; `inspect` proposes some."
        )
    if not models and method != "semantic":
        raise RequestError("no promise was asked for. Give at least one model, such as la.KAnonymity(10).")
    for model in models:
        if not isinstance(model, Model):
            raise RequestError(
                f"a promise is a model, such as la.KAnonymity(10); found {type(model).__name__}."
            )
    whole_number(seed, "seed")
    if not is_number(suppression) or not 0 <= suppression <= 1:
        raise RequestError(
            f"suppression is the share of records that may be left out, 0 to 1; found {suppression!r}."
        )
    if suppressed not in ("drop", "star"):
        raise RequestError(
            f"suppressed records can be dropped ('drop') or kept as stars ('star'), not {suppressed!r}."
        )
    for model in models:
        for name in model.columns:
            if name not in people.names:
                raise unknown_column(name, people.names, model.name)
            if people.roles[name] is not Role.SENSITIVE:
                raise RequestError(
                    f"{model.name}: column {name!r} is {people.roles[name]}, not sensitive. Name it in `sensitive`."
                )
    for name, how in numbers.items():
        if name not in people.quasi or people.column(name).kind not in (Kind.INTEGER, Kind.DECIMAL):
            raise RequestError(f"numbers: column {name!r} is not a numeric quasi-identifier.")
        if how not in ("range", "midpoint", "mean"):
            raise RequestError(
                f"numbers: column {name!r} can be published as range, midpoint or mean, not {how!r}."
            )
    for name, weight in weights.items():
        if name not in people.quasi:
            raise unknown_column(name, people.quasi, "weights")
        if not is_number(weight) or weight < 0:
            raise RequestError(
                f"weights: column {name!r} has weight {weight!r}; weights are numbers from 0 on."
            )
    total = sum(float(weights.get(name, 1)) for name in people.quasi)
    if total == 0:
        raise RequestError("weights: all are zero, so nothing would be worth keeping.")
    if not is_number(total):
        raise RequestError("weights: their sum is too large to be a number; only their ratios matter.")


def _check_population(method: str, models: tuple[Model, ...]) -> None:
    """Refuse methods whose classes are not counted in a population, or where counting them would promise nothing."""
    if method in BY_LEVELS:
        return
    if method not in BY_ROWS:
        known = ", ".join((*BY_LEVELS, *BY_ROWS))
        raise RequestError(f"promises about a population can be kept by {known}, not by {method}.")
    if any(isinstance(model, DeltaPresence) for model in models):
        raise RequestError(
            f"delta-presence can be kept by {', '.join(BY_LEVELS)}, not by {method}: its classes overlap, so people "
            "of the population may fit several of them."
        )


def _treatments(
    people: Table,
    models: tuple[Model, ...],
    rounding: Mapping[str, float],
    pseudonyms: Mapping[str, Any],
    drop: Sequence[str],
) -> dict[str, Treatment]:
    for what, names in (("rounding", rounding), ("pseudonyms", pseudonyms), ("drop", drop)):
        for name in names:
            if name not in people.names:
                raise unknown_column(name, people.names, what)
            if what == "pseudonyms" and not isinstance(pseudonyms[name], Pseudonyms):
                raise RequestError(
                    f"pseudonyms: column {name!r} needs what la.pseudonymise returns, found "
                    f"{type(pseudonyms[name]).__name__}."
                )
            if name in people.quasi:
                raise RequestError(
                    f"{what}: column {name!r} is a quasi-identifier; it is generalised, nothing else."
                )
            if any(name in model.columns for model in models):
                raise RequestError(
                    f"{what}: a promise is made about column {name!r}, so it is published as it is."
                )
    out: dict[str, Treatment] = {}
    for name in people.names:
        if name in drop:
            out[name] = Drop()
        elif name in pseudonyms:
            out[name] = Pseudonymise(pseudonyms[name].how, tuple(pseudonyms[name].fields))
        elif people.roles[name] is Role.IDENTIFIER:
            out[name] = Drop()
        elif name in rounding:
            if not is_number(rounding[name]) or rounding[name] <= 0:
                raise RequestError(
                    f"rounding: column {name!r} needs a positive step, found {rounding[name]!r}."
                )
            out[name] = Round(float(rounding[name]))
        else:
            out[name] = Keep()
    telling = [
        name
        for name, treatment in out.items()
        if isinstance(treatment, Keep) and people.roles[name] is Role.OTHER and _singles_out(people, name)
    ]
    if telling:
        warnings.warn(
            f"almost every row has a value of its own in: {', '.join(telling)}. Published as it is, such a column "
            "finds people whatever their class. Leave it out with `drop`, or make it a quasi-identifier.",
            LookalikeWarning,
            stacklevel=3,
        )
    for name, made in pseudonyms.items():
        if len(made.values) != len(people):
            raise RequestError(
                f"pseudonyms: column {name!r} has {len(made.values)} values for {len(people)} rows."
            )
    if pseudonyms:
        warnings.warn(
            f"the release keeps a pseudonym ({', '.join(pseudonyms)}). Whoever can link it finds the record, "
            "whatever the size of its class.",
            LookalikeWarning,
            stacklevel=3,
        )
    return out


def _singles_out(people: Table, name: str) -> bool:
    """Whether a column tells nearly all rows apart, as numbers and names of people do."""
    return len(people) >= 100 and people.rows[name].n_unique() > 0.9 * len(people)


def _shuffled(rows: pl.DataFrame, seed: int) -> pl.DataFrame:
    """Rows in an order that does not depend on the original's: sorted by content, then shuffled by the seed."""
    number = "row" + max(rows.columns, key=len)  # longer than every name there is
    order = rows.with_row_index(number).sort(rows.columns, nulls_last=True)[number].to_numpy()
    shuffled = order[np.random.default_rng(seed).permutation(rows.height)]
    return rows[shuffled]
