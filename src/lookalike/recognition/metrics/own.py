"""Metrics of one's own: a plain function of a view, passed to `la.measure` or registered by an entry point.

The function gets a `ClassView` and what else it asks for, and gives a number for the whole set, one per class (in the
order of `view.sizes` and `view.labels()`), or a mapping with one per attribute. A distribution that has

    [project.entry-points."lookalike.metrics"]
    spread = "my_package:spread"

makes it known by its name to `la.measure`, `la.select_metrics`, `la.LinearFitness` and `lookalike measure`. Signs of
its own stand on the function: `spread.risk_sign = 1`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib.metadata import EntryPoint, entry_points
from numbers import Real
from typing import Any

import numpy as np

from lookalike.base.errors import RequestError
from lookalike.recognition.metrics.metric import Definition, Metric, of_set, per_attribute, per_class
from lookalike.recognition.metrics.view import ClassView

GROUP = "lookalike.metrics"
OwnFunction = Callable[..., Any]


def registered(group: str) -> dict[str, EntryPoint]:
    """What installed distributions offer under a name; nothing is imported yet."""
    return {one.name: one for one in entry_points(group=group)}


def own_metric(
    function: OwnFunction,
    *,
    name: str | None = None,
    risk_sign: int | None = None,
    cost_sign: int | None = None,
) -> Definition:
    """A function as a metric. Its signs are those given, else those that stand on it, else 0 and your choice."""
    called = str(name or getattr(function, "__name__", type(function).__name__))
    risk = getattr(function, "risk_sign", 0) if risk_sign is None else risk_sign
    cost = getattr(function, "cost_sign", None) if cost_sign is None else cost_sign
    for sign, what in ((risk, "risk_sign"), (cost, "cost_sign")):
        if sign not in (-1, 0, 1, None):
            raise RequestError(f"`{what}` of {called} must be -1, 0 or 1, found {sign!r}.")

    def compute(view: ClassView, **options: Any) -> Metric:
        return _measured(definition, view, function(view, **options))

    told = " ".join((function.__doc__ or "").split()).partition(". ")[0]
    definition = Definition(called, "own", told, risk, cost, "mean", (), compute)
    return definition


def _measured(definition: Definition, view: ClassView, found: Any) -> Metric:
    """What a function of one's own gave, as a metric."""
    if isinstance(found, Real):
        return of_set(definition, view, float(found))
    try:
        if isinstance(found, Mapping):
            return per_attribute(definition, view, {str(key): float(value) for key, value in found.items()})
        values = np.asarray(found, dtype=np.float64)
    except (TypeError, ValueError):
        values = np.empty((0, 0))
    if values.shape != view.sizes.shape:
        raise RequestError(
            f"{definition.name} must give a number, one number for each of the {len(view.sizes):,} classes, or a "
            "mapping from attributes to numbers."
        )
    return per_class(definition, view, values)
