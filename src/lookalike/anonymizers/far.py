"""`anonymize` for tables whose rows stay where they are: planned from counts, applied by a join, written there.

One rule for all rows of a tuple: the methods that choose a level per column. Columns that give a quasi-identifier away
are looked for in a sample of rows; how far they would undo the promise is counted in all of them.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from lookalike.anonymizers.linked import Decided, judge_links, read_choices
from lookalike.anonymizers.methods import BY_LEVELS, METHODS, Job
from lookalike.anonymizers.requests import check_request
from lookalike.checks import column_names, per_column
from lookalike.columns.roles import Role
from lookalike.engines.engine import CLASS, NOW, TIMES, Places
from lookalike.engines.far import FarTable
from lookalike.engines.released import FarRows, release_rows
from lookalike.errors import GuaranteeError, LookalikeWarning, RequestError, percent
from lookalike.links import linked_columns
from lookalike.models.model import Model
from lookalike.progress import Progress, track
from lookalike.recodings import Recoding
from lookalike.recodings.recoding import read_meanings
from lookalike.recodings.settling import looked_at, settle
from lookalike.recodings.treatments import Drop, Keep, Treatment
from lookalike.releases.release import Release


@dataclass(frozen=True, eq=False)
class FarRelease(Release):
    """A release whose rows are where the original's are. `save` writes it; a DuckDB relation comes back as `frame`."""

    @property
    def frame(self) -> Any:
        """The released rows as a relation, where they came as one."""
        return self.coded.frame

    def to_table(self, name: str) -> None:
        """Write the released rows to a new table where the original is: in DuckDB, or on the server."""
        assert isinstance(self.coded, FarRows)
        self.coded.create(name)


def anonymize_far(
    people: FarTable,
    models: tuple[Model, ...],
    *,
    method: str,
    suppression: float,
    weights: Mapping[str, float] | None,
    seed: int,
    progress: Progress,
    drop: Sequence[str],
    linked: Mapping[str, str] | None,
    options: Mapping[str, Any],
    asked: Mapping[str, Any],
) -> FarRelease:
    """A release of a table that is not in memory; `asked` is what only tables in memory can do."""
    started = time.perf_counter()
    method = "optimal" if method == "auto" else method
    _refuse(method, {**asked, "unit": people.unit is not None})
    weights = per_column(weights, "weights")
    check_request(people, method, models, suppression, weights, {}, "drop", seed, options)
    choices = read_choices(people, models, linked)
    if strange := [name for name, choice in choices.items() if choice in ("follow", "quasi")]:
        raise RequestError(
            f"linked: of a table that is not in memory, {strange[0]!r} can be dropped or accepted."
        )
    people.refuse_changed()
    sensitive = looked_at(people, models)
    cells = people.cells(sensitive=sensitive)
    for model in models:
        model.check(cells.classes())
    gone = [*column_names(drop, "drop"), *(name for name, choice in choices.items() if choice == "drop")]
    columns: dict[str, Treatment] = {
        name: Drop() if name in gone or role is Role.IDENTIFIER else Keep()
        for name, role in people.roles.items()
    }
    shown = [name for name, how in columns.items() if not isinstance(how, Drop) and name not in people.quasi]
    decided = Decided(choices, linked_columns(people, columns=shown))
    with track(progress, f"Anonymising ({method})") as report:
        job = Job(people, cells, models, suppression, weights, seed, report, options)
        plan = METHODS[method].plan(job)
        recoding = plan.recode(people, models, columns, numbers={}, suppressed="drop")
        recoding = replace(recoding, meanings=read_meanings(people, cells, models))
        texts: dict[str, tuple[NDArray[np.int32], list[Any]]] = {}
        of_row = settle(people, recoding.generalise_rows(people, texts)[0], models)
        assert people.times is not None
        _refuse_too_many(people, of_row, suppression)
        kept = of_row >= 0
        places, times = _places(people, recoding, of_row, texts)
        rows = release_rows(
            people.engine, places, times, quasi=recoding.quasi, seed=seed, check=people.refuse_changed
        )
    _warn_of_names(people, rows)
    classes = people.classes(of_row, sensitive=sensitive)
    k = int(classes.counts.min())

    decided = judge_links(people, models, k, rows.known, decided)
    lost = np.array(plan.losses(of_row))
    share = np.array([weights.get(name, 1.0) for name in cells.names])
    out = int(people.times[~kept].sum())
    loss, ncp = share / share.sum() @ (lost + out) / people.records
    return FarRelease(
        people=people,
        coded=rows,
        of_row=of_row,
        recoding=recoding,
        models=models,
        achieved={" ".join([model.name, *model.columns]): model.achieved(classes) for model in models},
        method=method,
        records=people.records,
        suppressed=out,
        classes=len(classes),
        k=k,
        loss=float(loss),
        ncp=float(ncp),
        kept={
            name: 1 - each / (people.records - out) for name, each in zip(cells.names, lost[:, 0].tolist())
        },
        proven_optimal=plan.proven_optimal,
        seed=seed,
        seconds=time.perf_counter() - started,
        alternatives=plan.alternatives,
        linked=decided.to_dict(),
    )


def _refuse(method: str, asked: Mapping[str, Any]) -> None:
    if method not in BY_LEVELS and method in METHODS:
        raise RequestError(
            f"method {method!r} puts single rows into classes and needs them in memory: read the table with la.read. "
            f"Where its rows are, a table can be anonymised by {', '.join(BY_LEVELS)}."
        )
    for name, value in asked.items():
        if value:
            raise RequestError(f"`{name}` needs the rows in memory: read the table with la.read.")


def _refuse_too_many(people: FarTable, of_row: NDArray[np.int32], suppression: float) -> None:
    assert people.times is not None
    held, everybody = int(people.times[of_row < 0].sum()), people.records
    if held > suppression * everybody or held == everybody:
        raise GuaranteeError(
            f"the promise cannot be kept within the limits: {held:,} of {everybody:,} records would have to be left "
            f"out, where {percent(suppression)} may be. Allow more suppression, ask for less, or use another method."
        )


def _places(
    people: FarTable,
    recoding: Recoding,
    of_row: NDArray[np.int32],
    texts: Mapping[str, tuple[NDArray[np.int32], list[Any]]],
) -> tuple[Places, NDArray[np.int64]]:
    """Which tuples stay, what is published of them, and how often each occurs."""
    promised = dict.fromkeys(name for model in recoding.models for name in model.columns)
    by = [*recoding.quasi, *(name for name in promised if name not in recoding.quasi)]
    now = [pl.Series(CLASS, of_row)]
    for name, (where, labels) in texts.items():
        now.append(pl.Series(f"{NOW}{name}", labels, strict=False).gather(pl.Series(np.maximum(where, 0))))
    for name in promised:
        column = people.column(name)
        if people.rows.schema[name] == pl.String:  # one spelling per value, as it was counted
            spelt = pl.Series(f"{NOW}{name}", [*column.domain.texts, None], dtype=pl.String)
            now.append(spelt.gather(pl.Series(column.codes)))
    tuples = people.rows.select(by).with_columns(*now, pl.Series(TIMES, people.times)).filter(of_row >= 0)
    tuples = tuples.group_by(pl.all().exclude(TIMES)).agg(pl.col(TIMES).sum())
    names = [name for name, treatment in recoding.columns.items() if not isinstance(treatment, Drop)]
    return Places(tuple(by), tuples.drop(TIMES), tuple(names)), tuples[TIMES].to_numpy()


def _warn_of_names(people: FarTable, rows: FarRows) -> None:
    telling = [
        name
        for name in rows.schema
        if people.roles[name] is Role.OTHER and rows.values(name).height > 0.9 * rows.height >= 90
    ]
    if telling:
        warnings.warn(
            f"almost every row has a value of its own in: {', '.join(telling)}. Published as it is, such a column "
            "finds people whatever their class. Leave it out with `drop`, or make it a quasi-identifier.",
            LookalikeWarning,
            stacklevel=4,
        )
