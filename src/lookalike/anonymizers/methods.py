"""The methods of `anonymize`: what each is asked, and how its answer becomes a plan."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lookalike.base.checks import column_names, number, per_column, whole_number
from lookalike.base.errors import RequestError, unknown_column, warn
from lookalike.base.progress import Report
from lookalike.models.model import Model
from lookalike.recodings.boxes import Style
from lookalike.recodings.dealing import planning_order
from lookalike.recodings.edges import SHARED
from lookalike.recodings.plans import Clusters, FullDomain, Plan
from lookalike.tables.cells import Cells
from lookalike.tables.columns.domains import Codes
from lookalike.tables.hierarchies import Tree
from lookalike.tables.table import Table

AUTO = ("local", "optimal")  #: what "auto" tries: by far the least loss, then what may leave records out
BY_LEVELS = ("optimal", "datafly", "levels")  #: methods that choose one level per column
BY_ROWS = ("local", "sangreea")  #: methods that put rows into classes, whose boxes may overlap


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
    besides: tuple[str, ...] = ()  #: columns that are looked at besides those with a role, as they follow one


def _by_levels(job: Job, search: Any) -> FullDomain:
    names = job.cells.names
    least = job.options.get("min_levels") or {}
    return FullDomain(
        job.cells,
        {
            a.name: _finest(a.tree, level, least.get(a.name, 0))
            for a, level in zip(job.cells.attributes, search.levels, strict=True)
        },
        search.proven_optimal and _leaves_out_the_least(job),
        tuple(
            {
                "levels": dict(zip(names, other.levels, strict=True)),
                "loss": other.loss,
                "suppressed": other.suppressed,
            }
            for other in search.alternatives
        ),
    )


def _leaves_out_the_least(job: Job) -> bool:
    """Whether no other choice of people to leave out could do better on the same levels.

    It could where leaving somebody out can mend a class: their own, unless whoever stays can only help; another one,
    where classes are compared with all that is left or a person has rows in several. It cannot where nobody may go.
    """
    if job.suppression * job.cells.people < 1:
        return True
    several = job.cells.entries.unit is not None
    return not any(
        model.relative or not model.absorbing or (several and not model.holds_for_units)
        for model in job.models
    )


def _finest(tree: Tree, level: int, least: int) -> int:
    """The lowest level that tells the table's values apart no better than this one: it has the plainer labels."""
    groups = len(np.unique(tree.up[level]))
    return next(low for low in range(least, level + 1) if len(np.unique(tree.up[low])) == groups)


def _given_levels(job: Job) -> Plan:
    levels = per_column(job.options.get("levels"), "levels")
    for name in levels:
        if name not in job.cells.names:
            raise unknown_column(name, job.cells.names, "levels")
    job.cells.label(levels)
    return FullDomain(job.cells, {name: int(levels.get(name, 0)) for name in job.cells.names})


def _optimal(job: Job) -> Plan:
    from lookalike.anonymizers import optimal

    found = optimal.search(
        job.cells,
        job.models,
        suppression=job.suppression,
        weights=job.weights,
        compared="release",
        progress=job.report,
        **job.options,
    )
    advice = optimal.instead(job.cells, found, job.weights) if "loss" not in job.options else None
    if advice is not None:
        warn(advice)
    return _by_levels(job, found)


def _datafly(job: Job) -> Plan:
    from lookalike.anonymizers import datafly

    found = datafly.search(
        job.cells, job.models, suppression=job.suppression, compared="release", **job.options
    )
    return _by_levels(job, found)


def _mondrian(job: Job) -> Plan:
    from lookalike.anonymizers import mondrian

    order = _order(job)
    of_row = mondrian.partition(
        job.cells.take(order), job.models, weights=job.weights, seed=job.seed, **_searching(job)
    )
    return Clusters(job.people, _in_place(of_row, order), _styles(job), shared=_shared(job))


def _styles(job: Job) -> dict[str, Style]:
    """Ranges for ordered columns, values under one node or that node where a hierarchy has a meaning, else sets."""
    out: dict[str, Style] = {}
    for attribute in job.cells.attributes:
        nested = attribute.tree.has_meaning
        out[attribute.name] = "range" if attribute.domain.kind.ordered else "siblings" if nested else "set"
    return out


def _local(job: Job) -> Plan:
    from lookalike.anonymizers import local

    order = _order(job)
    found = local.recode(
        job.cells.take(order),
        job.models,
        weights=job.weights,
        unit=_unit(job, order),
        seed=job.seed,
        progress=job.report,
        **_searching(job),
    )
    return Clusters(job.people, _in_place(found.of_row, order), found.styles, shared=_shared(job))


def _sangreea(job: Job) -> Plan:
    from lookalike.anonymizers import sangreea

    options = _searching(job)
    ranges = options.pop("ranges", None)
    # seeds named by hand, or the paper's own, are rows of the file; else the order of rows must not matter
    by_place = options.get("order") is not None
    order = np.arange(len(job.people)) if by_place else _order(job)
    if ranges is None:
        numeric = [a.name for a in job.cells.attributes if a.domain.kind.numeric]
        ranges = [name for name in numeric if name not in job.people.hierarchies]
    ranges = column_names(ranges, "ranges")
    found = sangreea.cluster(
        job.cells.take(order),
        k=max((model.smallest_class for model in job.models), default=1),
        models=job.models,
        weights=job.weights or None,
        ranges=ranges,
        unit=_unit(job, order),
        seed=job.seed,
        progress=job.report,
        **options,
    )
    styles: dict[str, Style] = {name: "range" if name in ranges else "node" for name in job.cells.names}
    measured = {"seeded by": "the order of rows in the file"} if by_place else {}
    return Clusters(
        job.people, _in_place(found.of_row, order), styles, measured=measured, shared=_shared(job)
    )


def _order(job: Job) -> NDArray[np.int64]:
    """Rows by what a method sees of them, shuffled by the seed: nothing else, nor their place, must matter."""
    order = planning_order(job.people, job.besides)
    return order[np.random.default_rng(job.seed).permutation(len(order))]


def _searching(job: Job) -> dict[str, Any]:
    """The options that the search itself understands."""
    return {name: value for name, value in job.options.items() if name != "ends"}


def _shared(job: Job) -> int:
    """How many people must have a value for a range to end with it."""
    return whole_number(job.options.get("ends", SHARED), "ends")


def _in_place(of_row: NDArray[np.int32], order: NDArray[np.int64]) -> NDArray[np.int32]:
    """The class of each row where the rows were taken in an order."""
    out = np.empty_like(of_row)
    out[order] = of_row
    return out


def _unit(job: Job, order: NDArray[np.int64]) -> Codes | None:
    """The person of each row, where the table tells people apart."""
    return None if job.people.unit is None else job.people.column(job.people.unit).codes[order]


def _semantic(job: Job) -> Plan:
    from lookalike.anonymizers import semantic

    return semantic.keep_safe(
        job.people, job.models, suppression=job.suppression, progress=job.report, **job.options
    )


@dataclass(frozen=True)
class Method:
    """How a method plans, and the options it understands."""

    plan: Callable[[Job], Plan]
    options: tuple[str, ...] = ()


METHODS: dict[str, Method] = {
    "optimal": Method(_optimal, ("loss", "min_levels", "max_levels", "seconds", "alternatives")),
    "local": Method(_local, ("output", "short", "rounds", "seconds", "ends")),
    "mondrian": Method(_mondrian, ("strict", "ends")),
    "sangreea": Method(_sangreea, ("order", "candidates", "ranges", "ends")),
    "datafly": Method(_datafly),
    "semantic": Method(_semantic, ("scales", "threshold", "forget", "uncovered")),
    "levels": Method(_given_levels, ("levels",)),
}


def check_method(method: str, options: Mapping[str, Any]) -> None:
    """Refuse a method that there is not, options that it has not, and values that options cannot have."""
    if method not in tuple(METHODS):
        raise RequestError(f"there is no method {method!r}; choose from auto, {', '.join(METHODS)}.")
    strange = [name for name in options if name not in METHODS[method].options]
    if strange:
        known = ", ".join(METHODS[method].options) or "none"
        raise RequestError(f"the method {method} has no option {strange[0]!r}; it has: {known}.")
    for what in ("levels", "min_levels", "max_levels"):
        for name, level in per_column(options.get(what), what).items():
            whole_number(level, f"{what} of {name}")
    for what in ("alternatives", "forget"):
        whole_number(options.get(what, 0), what)
    if options.get("rounds") is not None:
        whole_number(options["rounds"], "rounds", least=1)
    per_column(options.get("scales"), "scales")
    seconds = options.get("seconds")
    if seconds is not None:
        number(seconds, "seconds", least=0, above=True)
