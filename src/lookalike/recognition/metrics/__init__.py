"""Every metric of quasi-identifier recognition, one file per domain, and `measure`, which computes any of them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from inspect import signature
from typing import Any

from lookalike.base.checks import shown
from lookalike.base.errors import RequestError
from lookalike.recognition.frames import takes_frames
from lookalike.recognition.metrics import causality, privacy, qid_specific, utility
from lookalike.recognition.metrics.metric import Definition, Metric
from lookalike.recognition.metrics.own import GROUP, OwnFunction, own_metric, registered
from lookalike.recognition.metrics.view import ClassView
from lookalike.tables.table import Table

#: Every metric by name.
METRICS: dict[str, Definition] = {
    definition.name: definition
    for domain in (causality, privacy, utility, qid_specific)
    for definition in vars(domain).values()
    if isinstance(definition, Definition)
}

#: Names that papers use, once spelled as ours are; "Separation" and "k-Anonymity" need no line.
ALIASES = {
    "propensity_overlap": "propensity_gap",
    "generalization_ratio": "generalisation_ratio",
    "mean_squared_error": "mse",
    "gini_index": "gini",
    "k": "k_anonymity",
    "a": "attribute_length_penalty",
    "d": "distinction",
    "s": "separation",
}
_HINTS = {
    "sensitive": "sensitive='COLUMN'",
    "target": "target='COLUMN'",
    "treatment": "treatment='COLUMN' (and treated='VALUE')",
    "adjacency": "adjacency=MATRIX, or one from discover_graph(table)",
}


@takes_frames
def measure(
    table: Table,
    /,
    metric: str | OwnFunction,
    *,
    quasi: Sequence[str],
    sensitive: str | None = None,
    target: str | None = None,
    treatment: str | None = None,
    treated: str | None = None,
    universe: Sequence[str] | None = None,
    adjacency: Any = None,
    risk_sign: int | None = None,
    cost_sign: int | None = None,
    **options: Any,
) -> Metric:
    """Measure a set of columns by one of METRICS, named as papers do or as here, or by a function of your own.

    sensitive, target: default to the table's own where it has exactly one. treated: the value of the treatment
    column that means treated. universe: all candidate columns, for the length penalty and the rows of an adjacency
    matrix. options: those of the metric, such as divergence="kl" for t_closeness.
    table: the table. metric: a name of METRICS, such as "distinction"; or a function of a view (`view.sizes`,
    `view.labels()`, `view.histogram(column)`, `view.table`) that gives a number, one per class, or one per attribute.
    risk_sign, cost_sign: of a function of your own, +1 where more of it means more risk, or a higher cost of blurring.
    treatment: the column that says who was treated. adjacency: a causal graph, or its matrix, for causal metrics.

    Examples:
        >>> import polars as pl
        >>> import lookalike as la
        >>> ages, sexes = [31, 32, 33, 71, 72, 73], ["f", "m", "f", "m", "f", "m"]
        >>> illnesses = ["flu", "flu", "cold", "flu", "cold", "cold"]
        >>> frame = pl.DataFrame({"age": ages, "sex": sexes, "disease": illnesses})
        >>> people = la.table(frame, others=[])
        >>> la.measure(people, "distinction", quasi=["sex"]).value
        0.3333333333333333
        >>> la.measure(people, "separation", quasi=["sex"]).value
        0.6
        >>> la.measure(people, lambda view: 1 / view.sizes, quasi=["age"], risk_sign=+1).max
        1.0
    """
    signs = {"risk_sign": risk_sign, "cost_sign": cost_sign}
    if callable(metric):
        definition, called = own_metric(metric, risk_sign=risk_sign, cost_sign=cost_sign), metric
    else:
        definition = definition_of(metric)
        called = definition.compute
        if given := [name for name, sign in signs.items() if sign is not None]:
            raise RequestError(f"`{given[0]}` is for a metric of your own; {definition.name} has its sign.")
    view = ClassView(
        table,
        quasi,
        sensitive=sensitive if sensitive is not None else _only(table.sensitive),
        target=target if target is not None else _only(table.targets),
        treatment=treatment,
        treated=treated,
        universe=universe,
        adjacency=adjacency,
    )
    check_needs(definition, view)
    try:
        signature(called).bind(view, **options)
    except TypeError:
        wrong = f"no such option: {', '.join(options)}" if options else "no view"
        raise RequestError(f"{definition.name} takes {wrong}.") from None
    return definition.compute(view, **options)


def definition_of(metric: str) -> Definition:
    """The metric of a name, a paper's own (`Propensity Overlap`, `δ-Presence`) too, or the error that lists them."""
    spelled = re.sub(r"\W+", "_", str(metric).strip().lower().replace("δ", "delta"))
    found = METRICS.get(ALIASES.get(spelled, spelled))
    if found is not None:
        return found
    own = registered(GROUP)
    if str(metric) in own:
        return own_metric(own[str(metric)].load(), name=str(metric))
    raise RequestError(
        f"there is no metric {shown(metric)}; known are {', '.join([*METRICS, *sorted(own)])}."
    )


def check_needs(definition: Definition, view: ClassView) -> None:
    """Say what a metric lacks before anything is computed."""
    for need in definition.needs:
        if getattr(view, need) is None:
            kind = "a causal graph" if need == "adjacency" else f"a {need} column"
            raise RequestError(f"{definition.name} needs {kind}. Pass {_HINTS[need]}.")


def _only(names: Sequence[str]) -> str | None:
    return names[0] if len(names) == 1 else None
