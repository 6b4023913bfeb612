"""Privacy metrics of a set of columns: class sizes, and what the classes tell about a sensitive column.

k-anonymity (Samarati and Sweeney 1998), l-diversity (Machanavajjhala et al. 2007), t-closeness (Li et al. 2007),
delta-presence (Nergiz et al. 2007). O(distinct pairs of class and sensitive value), whatever the domain's size.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from lookalike.base.errors import RequestError
from lookalike.recognition.metrics.metric import Definition, Metric, per_class
from lookalike.recognition.metrics.view import ClassView
from lookalike.tables.cells import Histogram

Floats = NDArray[np.float64]


def k_anonymity(view: ClassView) -> Metric:
    """Size of each class; `min` is the guarantee, `mean` is what the QID paper calls k."""
    return per_class(K_ANONYMITY, view, view.sizes)


def l_diversity(view: ClassView) -> Metric:
    """Number of distinct sensitive values in each class; missing is a value."""
    histogram = view.histogram(str(view.sensitive))
    return per_class(L_DIVERSITY, view, np.diff(histogram.starts))


def t_closeness(view: ClassView, *, divergence: str = "emd", ordered: bool | None = None) -> Metric:
    """Distance between each class's sensitive values and the whole table's.

    divergence: "emd" is the earth mover's distance, over ranks where the column is ordered and with equal distances
    otherwise (`ordered` overrides); "kl" is the divergence of the class from the table, in nats.
    """
    if divergence not in ("emd", "kl"):
        raise RequestError(f"t_closeness: divergence is 'emd' or 'kl', not {divergence!r}.")
    histogram = view.histogram(str(view.sensitive))
    if divergence == "kl":
        inside, overall = _shares(histogram)
        return per_class(T_CLOSENESS, view, _sum(histogram, inside * np.log(inside / overall)))
    if histogram.domain.kind.ordered if ordered is None else ordered:
        return per_class(T_CLOSENESS, view, ordered_emd(histogram))
    return per_class(T_CLOSENESS, view, _l1(histogram) / 2)


def delta_presence(view: ClassView) -> Metric:
    """Largest difference, over the sensitive values, between a value's share in the class and in the table."""
    histogram = view.histogram(str(view.sensitive))
    inside, overall = _shares(histogram)
    largest = np.maximum.reduceat(np.abs(inside - overall), histogram.starts[:-1])
    return per_class(DELTA_PRESENCE, view, np.maximum(largest, _largest_absent(histogram)))


def generalisation_ratio(view: ClassView) -> Metric:
    """Sum over the sensitive values of the differences between class and table: twice the total variation."""
    return per_class(GENERALISATION_RATIO, view, _l1(view.histogram(str(view.sensitive))))


def ordered_emd(histogram: Histogram) -> Floats:
    """Earth mover's distance over ranks: mean over the steps between values of |F_class - F_table|.

    Between two values of a class its distribution function stands still and the table's grows, so each stretch has
    one crossing, found by bisection: O(entries log values) instead of classes x values.
    """
    size = histogram.size
    if size < 2:
        return np.zeros(histogram.classes)
    whole = np.cumsum(histogram.overall) / histogram.overall.sum()
    area = np.concatenate([[0.0], np.cumsum(whole)])
    inside, _ = _shares(histogram)
    level = np.cumsum(inside)
    before = np.concatenate([[0.0], level])[histogram.starts[:-1]]
    level -= np.repeat(before, np.diff(histogram.starts))
    ends = np.append(histogram.value[1:], size)
    ends[histogram.starts[1:] - 1] = size
    begins = histogram.value
    cross = np.clip(np.searchsorted(whole, level), begins, ends)
    below = level * (cross - begins) - (area[cross] - area[begins])
    above = (area[ends] - area[cross]) - level * (ends - cross)
    out: Floats = _sum(histogram, below + above) + area[begins[histogram.starts[:-1]]]
    return np.maximum(out, 0.0) / (size - 1)


def _shares(histogram: Histogram) -> tuple[Floats, Floats]:
    """Each entry's share of its class, and its value's share of the table."""
    inside = histogram.count / histogram.totals[histogram.owner]
    return inside, (histogram.overall / histogram.overall.sum())[histogram.value]


def _sum(histogram: Histogram, terms: Floats) -> Floats:
    return np.bincount(histogram.owner, weights=terms, minlength=histogram.classes).astype(np.float64)


def _l1(histogram: Histogram) -> Floats:
    """Differences of the values present, and the table's share of those absent."""
    inside, overall = _shares(histogram)
    absent = np.maximum(1 - _sum(histogram, overall), 0.0)
    apart: Floats = _sum(histogram, np.abs(inside - overall)) + absent
    return apart


def _largest_absent(histogram: Histogram) -> Floats:
    """The largest share of a value that the class lacks: the first gap in its values, commonest first."""
    commonest = np.argsort(-histogram.overall, kind="stable")
    rank = np.empty(histogram.size, dtype=np.int64)
    rank[commonest] = np.arange(histogram.size)
    order = np.lexsort([rank[histogram.value], histogram.owner])
    place = np.arange(len(order)) - histogram.starts[:-1][histogram.owner]
    fits = rank[histogram.value][order] == place  # true up to the first gap, false after
    gap = np.bincount(histogram.owner, weights=fits, minlength=histogram.classes).astype(np.int64)
    shares = np.append(histogram.overall[commonest] / histogram.overall.sum(), 0.0)
    return shares[gap]


K_ANONYMITY = Definition("k_anonymity", "privacy", "|g|", -1, 0, "min", (), k_anonymity)
L_DIVERSITY = Definition(
    "l_diversity", "privacy", "distinct S in g", -1, 0, "min", ("sensitive",), l_diversity
)
T_CLOSENESS = Definition(
    "t_closeness", "privacy", "EMD(P_g, P), or KL(P_g || P)", +1, 0, "max", ("sensitive",), t_closeness
)
DELTA_PRESENCE = Definition(
    "delta_presence", "privacy", "max_v |P_g(v) - P(v)|", +1, 0, "max", ("sensitive",), delta_presence
)
GENERALISATION_RATIO = Definition(
    "generalisation_ratio",
    "privacy",
    "sum_v |P_g(v) - P(v)|",
    +1,
    0,
    "max",
    ("sensitive",),
    generalisation_ratio,
)
