"""The methods of `anonymize`: what each is asked, and how its answer becomes a plan."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from lookalike.cells import Cells
from lookalike.hierarchies import Tree
from lookalike.models.model import Model
from lookalike.progress import Report
from lookalike.recodings.boxes import Style
from lookalike.recodings.plans import Clusters, Levels, Plan
from lookalike.tables import Table

BY_LEVELS = ("optimal", "datafly", "levels")  #: methods that choose one level per column


@dataclass(frozen=True, eq=False)
class Job:
    """All that a method may want to know."""

    people: Table
    cells: Cells
    models: tuple[Model, ...]
    suppression: float
    weights: Mapping[str, float]
    seed: int
    report: Report
    options: Mapping[str, Any]


def _by_levels(job: Job, search: Any) -> Levels:
    names = job.cells.names
    return Levels(
        job.cells,
        {a.name: _finest(a.tree, level) for a, level in zip(job.cells.attributes, search.levels)},
        search.proven_optimal,
        tuple(
            {"levels": dict(zip(names, other.levels)), "loss": other.loss, "suppressed": other.suppressed}
            for other in search.alternatives
        ),
    )


def _finest(tree: Tree, level: int) -> int:
    """The lowest level that tells the table's values apart no better than this one: it has the plainer labels."""
    groups = len(np.unique(tree.up[level]))
    return next(low for low in range(level + 1) if len(np.unique(tree.up[low])) == groups)


def _given_levels(job: Job) -> Plan:
    levels = dict(job.options.get("levels", {}))
    job.cells.label(levels)
    return Levels(job.cells, {name: int(levels.get(name, 0)) for name in job.cells.names})


def _optimal(job: Job) -> Plan:
    from lookalike.anonymizers import optimal

    return _by_levels(
        job,
        optimal.search(
            job.cells,
            job.models,
            suppression=job.suppression,
            weights=job.weights,
            progress=job.report,
            **job.options,
        ),
    )


def _datafly(job: Job) -> Plan:
    from lookalike.anonymizers import datafly

    return _by_levels(job, datafly.search(job.cells, job.models, suppression=job.suppression, **job.options))


def _mondrian(job: Job) -> Plan:
    from lookalike.anonymizers import mondrian

    of_row = mondrian.partition(job.cells, job.models, weights=job.weights, seed=job.seed, **job.options)
    return Clusters(job.people, of_row, _styles(job, by_hierarchy=False))


def _styles(job: Job, *, by_hierarchy: bool) -> dict[str, Style]:
    """Ranges for ordered columns, hierarchy nodes where a hierarchy was given or asked for, sets otherwise."""
    out: dict[str, Style] = {}
    for attribute in job.cells.attributes:
        if by_hierarchy:
            out[attribute.name] = "node"
        elif attribute.domain.kind.ordered:
            out[attribute.name] = "range"
        else:
            out[attribute.name] = "node" if attribute.name in job.people.hierarchies else "set"
    return out


def _semantic(job: Job) -> Plan:
    from lookalike.anonymizers import semantic

    return semantic.keep_safe(
        job.people, job.models, suppression=job.suppression, progress=job.report, **job.options
    )


METHODS: dict[str, Callable[[Job], Plan]] = {
    "optimal": _optimal,
    "mondrian": _mondrian,
    "datafly": _datafly,
    "semantic": _semantic,
    "levels": _given_levels,
}
