"""Which metrics say something of their own: all of them over all sets of one size, correlated, and a greedy choice.

QID paper, section on metric selection (SPEC 3.5). Within each domain the metric least correlated with those already
chosen is taken; a metric that says the same as a chosen one (|r| above a limit) is dropped. O(sets x metrics x n).
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lookalike.base.checks import choice, number, whole_number
from lookalike.base.errors import RequestError
from lookalike.base.progress import Progress, track
from lookalike.recognition.frames import takes_frames
from lookalike.recognition.metrics import METRICS, check_needs, definition_of
from lookalike.recognition.metrics.view import ClassView, count_cells
from lookalike.tables.table import Table

MOST_SETS = 20_000


@dataclass(frozen=True, eq=False)
class Selection:
    """Metrics over sets of columns, how they correlate, which were chosen and why."""

    metrics: tuple[str, ...]
    subsets: tuple[tuple[str, ...], ...] = field(repr=False)
    values: NDArray[np.float64] = field(repr=False)  #: sets x metrics
    correlations: NDArray[np.float64] = field(
        repr=False
    )  #: metrics x metrics; NaN where a metric does not vary
    chosen: tuple[str, ...]
    reasons: Mapping[str, str] = field(repr=False)

    def correlation(self, one: str, two: str) -> float:
        """How two metrics correlate over the sets."""
        return float(self.correlations[self.metrics.index(one), self.metrics.index(two)])

    def to_dict(self) -> dict[str, Any]:
        """As plain JSON values."""
        return {
            "metrics": list(self.metrics),
            "subsets": len(self.subsets),
            "correlations": self.correlations.tolist(),
            "chosen": list(self.chosen),
            "reasons": dict(self.reasons),
        }

    def plot(self) -> Any:
        """The correlations as a heat map, an altair chart."""
        from lookalike.recognition.charts import plot_correlations

        return plot_correlations(self)

    def __repr__(self) -> str:
        return f"Selection({', '.join(self.chosen)}; of {len(self.metrics)} metrics over {len(self.subsets):,} sets)"


@takes_frames
def select_metrics(
    table: Table,
    *,
    size: int = 4,
    columns: Sequence[str] | None = None,
    metrics: Sequence[str] | None = None,
    sensitive: str | None = None,
    target: str | None = None,
    treatment: str | None = None,
    treated: str | None = None,
    adjacency: Any = None,
    method: str = "pearson",
    limit: float = 0.95,
    progress: Progress = False,
) -> Selection:
    """Compute metrics on all sets of `size` columns and choose those that are not redundant.

    metrics: names, with ".aggregate" where another than the headline is meant; all whose needs are met unless given.
    columns: all but the sensitive, target and treatment columns unless given. method: "pearson" or "spearman".
    table: the table. size: how many columns a set has. sensitive, target: as in `la.measure`.
    treatment, treated, adjacency: for causal metrics, as in `la.measure`.
    limit: the correlation above which two metrics say the same.

    Examples:
        >>> import lookalike as la
        >>> frame = la.datasets.population(200, seed=1).select("age", "gender", "income")
        >>> people = la.table(frame, quasi=["age", "gender"], sensitive=["income"])
        >>> chosen = la.select_metrics(people, size=1, columns=["age", "gender"], metrics=["distinction", "separation"])
        >>> print(chosen)
        Selection(distinction; of 2 metrics over 2 sets)
    """
    choice(method, "method", ("pearson", "spearman"))
    apart = (sensitive, target, treatment)
    names = [name for name in table.names if name not in apart] if columns is None else list(columns)
    number(limit, "limit", least=0)
    whole_number(size, "size", least=1)
    if size > len(names):
        raise RequestError(f"size must lie between 1 and the number of columns, {len(names)}; found {size}.")
    if math.comb(len(names), size) > MOST_SETS:
        raise RequestError(
            f"{len(names)} columns have {math.comb(len(names), size):,} sets of {size}; at most {MOST_SETS:,} are "
            "measured. Name fewer columns or another size."
        )
    context: dict[str, Any] = {
        "sensitive": sensitive,
        "target": target,
        "treatment": treatment,
        "treated": treated,
        "adjacency": adjacency,
        "universe": names,
    }
    keys = _fitting(table, names, context) if metrics is None else list(metrics)
    blank = ClassView(table, (), **context)
    for key in keys:
        check_needs(definition_of(key.partition(".")[0]), blank)
    cells = count_cells(table, names, (sensitive, target))
    subsets = list(combinations(names, size))
    values = np.empty((len(subsets), len(keys)))
    with track(progress, "Measuring sets of columns") as report:
        for i, subset in enumerate(subsets):
            view = ClassView(table, subset, cells=cells, **context)
            values[i] = [_value(view, key) for key in keys]
            report((i + 1) / len(subsets))
    correlations = correlate(values, ranks=method == "spearman")
    chosen, reasons = choose(keys, correlations, limit)
    return Selection(tuple(keys), tuple(subsets), values, correlations, tuple(chosen), reasons)


def _fitting(table: Table, names: Sequence[str], context: Mapping[str, Any]) -> list[str]:
    """Every metric whose needs are met; those for numbers only where the target is numeric."""
    target = context["target"]
    numeric = target is not None and table.column(target).kind.numeric
    keys = []
    for name, definition in METRICS.items():
        met = all(context[need] is not None for need in definition.needs)
        if met and (numeric or name not in ("mse", "range_utility")):
            keys.append("k_anonymity.mean" if name == "k_anonymity" else name)
    return keys


def _value(view: ClassView, key: str) -> float:
    name, _, aggregate = key.partition(".")
    metric = definition_of(name).compute(view)
    return float(getattr(metric, aggregate) if aggregate else metric.value)


def correlate(values: NDArray[np.float64], *, ranks: bool = False) -> NDArray[np.float64]:
    """Correlation of the columns; NaN for a column that does not vary or is not finite."""
    usable = np.isfinite(values).all(axis=0)
    finite = np.where(usable, values, 0.0)
    usable &= np.ptp(finite, axis=0) > 1e-12 * np.abs(finite).max(axis=0)
    shown = values[:, usable]
    if ranks:
        shown = np.column_stack([_ranks(column) for column in shown.T]) if usable.any() else shown
    out = np.full((values.shape[1],) * 2, np.nan)
    if usable.any():
        out[np.ix_(usable, usable)] = np.clip(np.atleast_2d(np.corrcoef(shown, rowvar=False)), -1, 1)
    return out


def choose(
    keys: Sequence[str], correlations: NDArray[np.float64], limit: float
) -> tuple[list[str], dict[str, str]]:
    """Go round the domains; each takes its metric with the smallest largest |r| to those chosen, if below the limit."""
    strength = np.abs(correlations)
    chosen: list[int] = []
    reasons: dict[str, str] = {}
    domains: dict[str, list[int]] = {}
    for i, key in enumerate(keys):
        if np.isnan(correlations[i, i]):
            reasons[key] = "left out: it has the same value, or no finite one, on all sets"
        else:
            domains.setdefault(definition_of(key.partition(".")[0]).domain, []).append(i)
    while any(domains.values()):
        for domain, left in domains.items():
            if not left:
                continue
            worst = {
                i: max((strength[i, j] for j in chosen), default=_mean(strength, i, domains)) for i in left
            }
            best = min(left, key=lambda i: (worst[i], i))
            left.remove(best)
            twin = max(chosen, key=lambda j: strength[best, j], default=None)
            if twin is None:
                reasons[keys[best]] = f"first: in {domain} it correlates least with all other metrics"
            elif strength[best, twin] > limit:
                reasons[keys[best]] = (
                    f"left out: says the same as {keys[twin]} (r = {correlations[best, twin]:+.3f})"
                )
                continue
            else:
                reasons[keys[best]] = (
                    f"chosen: nearest to {keys[twin]} among those chosen (r = {correlations[best, twin]:+.3f})"
                )
            chosen.append(best)
    return [keys[i] for i in chosen], reasons


def _mean(strength: NDArray[np.float64], i: int, domains: Mapping[str, list[int]]) -> float:
    others = [j for members in domains.values() for j in members if j != i]
    return float(strength[i, others].mean()) if others else 0.0


def _ranks(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Ranks with ties sharing their mean rank."""
    _, where, counts = np.unique(values, return_inverse=True, return_counts=True)
    return (np.cumsum(counts) - (counts - 1) / 2)[where]
