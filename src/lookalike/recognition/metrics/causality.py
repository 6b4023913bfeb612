"""Causality metrics: do treated and untreated records differ in these columns, and where do the columns sit in a
causal graph?

Rosenbaum and Rubin 1983 for propensity scores; Welch 1947 for the balance test. O(n) per column; the propensity
model is an L2 logistic regression of scikit-learn.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from lookalike.base.errors import MissingExtra
from lookalike.recognition.metrics.graphs import as_graph
from lookalike.recognition.metrics.metric import Definition, Metric, of_set, per_attribute
from lookalike.recognition.metrics.view import ClassView
from lookalike.tables.columns.coding import Column
from lookalike.tables.columns.grouping import group_codes

Floats = NDArray[np.float64]


def covariate_shift(view: ClassView, *, joint: bool = False) -> Metric:
    """How differently treated records are distributed, as KS + D per column; the treatment itself is left out.

    KS is the Kolmogorov-Smirnov distance between treated and controls (total variation where values have no order),
    D the summed difference between treated and everybody. `joint` compares whole tuples instead of single columns.
    """
    treated = view.is_treated
    if joint:
        columns = view.covariates
        tuples, n = group_codes([c.codes for c in columns], [c.domain.size for c in columns], view.records)
        inside, outside, everybody = _shares(tuples, n, treated)
        variation = float(np.abs(inside - outside).sum() / 2)
        shift = float(np.abs(inside - everybody).sum())
        return of_set(COVARIATE_SHIFT, view, variation + shift, variation=variation, shift=shift)
    values = {}
    parts = {}
    for column in view.covariates:
        inside, outside, everybody = _shares(column.codes, column.domain.size, treated)
        if column.kind.ordered:
            distance = float(np.abs(np.cumsum(inside) - np.cumsum(outside)).max(initial=0.0))
        else:
            distance = float(np.abs(inside - outside).sum() / 2)
        shift = float(np.abs(inside - everybody).sum())
        parts[column.name] = {"distance": distance, "shift": shift}
        values[column.name] = distance + shift
    return per_attribute(COVARIATE_SHIFT, view, values, attributes=parts)


def balance_test(view: ClassView, *, pooled: bool = False) -> Metric:
    """|t| of the difference in means between treated and controls, per column; Welch's standard error unless
    `pooled`.

    A column without numbers is tested value by value and keeps its largest |t|. `details` has t and p of each
    column; a column that is constant on both sides has t = 0 where the sides agree, and infinity where they do not.
    """
    try:
        from scipy.stats import t as student
    except ImportError:
        raise MissingExtra("scipy", "ml", "The balance test") from None
    treated = view.is_treated
    tests: dict[str, dict[str, float]] = {}
    for column in view.covariates:
        best = (0.0, float("nan"))
        for numbers in _numbers(column):
            t, freedom = _t_test(numbers[column.codes], treated, pooled)
            if abs(t) > abs(best[0]) or np.isnan(best[1]):
                best = (t, freedom)
        p = 0.0 if np.isinf(best[0]) else float(2 * student.sf(abs(best[0]), best[1]))
        tests[column.name] = {"t": best[0], "p": p if best[0] else 1.0}
    return per_attribute(
        BALANCE_TEST, view, {name: abs(test["t"]) for name, test in tests.items()}, attributes=tests
    )


def propensity_gap(view: ClassView, *, pairwise: bool = False) -> Metric:
    """Lack of overlap: how far the propensity scores of treated records lie from the controls' mean, on average.

    `pairwise` takes the mean |difference| over all pairs of a treated record and a control instead.
    """
    try:
        from sklearn.linear_model import LogisticRegression
    except ImportError:
        raise MissingExtra("scikit-learn", "ml", "The propensity gap") from None
    treated = view.is_treated
    if not view.covariates:
        return of_set(PROPENSITY_GAP, view, 0.0)
    model = LogisticRegression(C=1.0, tol=1e-8, max_iter=1000)
    features = design(view.covariates)
    scores = model.fit(features, treated).predict_proba(features)[:, 1]
    inside, outside = scores[treated], scores[~treated]
    gap = _pairwise(inside, outside) if pairwise else float(np.abs(inside - outside.mean()).mean())
    return of_set(PROPENSITY_GAP, view, gap, control_mean=float(outside.mean()))


def causal_importance(view: ClassView, *, row_only: bool = False) -> Metric:
    """Arrows that leave or enter each column in a causal graph, summed over the set; `row_only` counts leaving ones.

    An arrow inside the set counts at both its ends; `details["edges"]` counts each once. A symmetric matrix is read
    as an undirected graph, where a row already holds all edges of its column.
    """
    graph = as_graph(view.adjacency, view.universe)
    weights = np.abs(graph.matrix)
    symmetric = bool((weights == weights.T).all())
    degree = weights.sum(axis=1)
    if not row_only and not symmetric:
        degree = degree + weights.sum(axis=0)
    places = [graph.place(name) for name in view.quasi]
    touched = np.zeros(len(graph.names), dtype=bool)
    touched[places] = True
    edges = weights[touched[:, None] | touched[None, :]].sum() / (2 if symmetric else 1)
    return per_attribute(
        CAUSAL_IMPORTANCE,
        view,
        {name: float(degree[place]) for name, place in zip(view.quasi, places, strict=True)},
        edges=float(edges),
    )


def design(columns: list[Column]) -> Any:
    """Columns as features: numbers standardised, other values one-hot (a single indicator where there are two)."""
    from scipy.sparse import csr_matrix, hstack

    blocks = []
    for column in columns:
        if column.kind.numeric:
            numbers = column.domain.numbers[column.codes]
            missing = np.isnan(numbers)
            centred = np.where(
                missing, 0.0, numbers - (numbers[~missing].mean() if (~missing).any() else 0.0)
            )
            spread = float(np.sqrt((centred[~missing] ** 2).mean())) if (~missing).any() else 0.0
            blocks.append(csr_matrix((centred / (spread or 1.0))[:, None]))
            if missing.any():
                blocks.append(csr_matrix(missing[:, None].astype(np.float64)))
        else:
            size, n = column.domain.size, len(column.codes)
            hot = csr_matrix((np.ones(n), (np.arange(n), column.codes)), shape=(n, size))
            blocks.append(hot[:, 1:] if size == 2 else hot)
    return hstack(blocks).tocsr()


def _shares(codes: NDArray[Any], size: int, treated: NDArray[np.bool_]) -> tuple[Floats, Floats, Floats]:
    inside = np.bincount(codes[treated], minlength=size)
    everybody = np.bincount(codes, minlength=size)
    outside = everybody - inside
    return inside / inside.sum(), outside / outside.sum(), everybody / everybody.sum()


def _numbers(column: Column) -> list[Floats]:
    """What to compare means of: the numbers behind the codes, or one indicator per value."""
    if column.kind.numeric:
        return [column.domain.numbers]
    return list(np.eye(column.domain.size))


def _t_test(numbers: Floats, treated: NDArray[np.bool_], pooled: bool) -> tuple[float, float]:
    """t and its degrees of freedom; rows without a number are left out."""
    known = ~np.isnan(numbers)
    one, two = numbers[known & treated], numbers[known & ~treated]
    n, m = len(one), len(two)
    if not n or not m:
        return 0.0, float("nan")
    apart = float(one.mean() - two.mean())
    square_one = float(((one - one.mean()) ** 2).sum())
    square_two = float(((two - two.mean()) ** 2).sum())
    freedom: float = n + m - 2
    if pooled:
        error = (square_one + square_two) / freedom * (1 / n + 1 / m) if freedom else 0.0
    else:
        a = square_one / (n - 1) / n if n > 1 else 0.0
        b = square_two / (m - 1) / m if m > 1 else 0.0
        error = a + b
        if error:
            freedom = error**2 / ((a**2 / (n - 1) if n > 1 else 0.0) + (b**2 / (m - 1) if m > 1 else 0.0))
    if not error:
        return (0.0 if not apart else float(np.copysign(np.inf, apart))), float(freedom)
    return apart / float(np.sqrt(error)), float(freedom)


def _pairwise(one: Floats, two: Floats) -> float:
    """Mean |x - y| over all pairs, from sorted values: O(n log n)."""
    two = np.sort(two)
    below = np.searchsorted(two, one)
    sums = np.concatenate([[0.0], np.cumsum(two)])
    total = below * one - sums[below] + (sums[-1] - sums[below]) - (len(two) - below) * one
    return float(total.sum() / (len(one) * len(two)))


_TREATMENT = ("treatment",)
COVARIATE_SHIFT = Definition(
    "covariate_shift", "causality", "mean_q KS_q + D_q", +1, 0, "mean", _TREATMENT, covariate_shift
)
BALANCE_TEST = Definition(
    "balance_test", "causality", "mean_q |t_q|", +1, 0, "mean", _TREATMENT, balance_test
)
PROPENSITY_GAP = Definition(
    "propensity_gap",
    "causality",
    "mean over treated of |p_i - mean control p|",
    +1,
    0,
    "mean",
    _TREATMENT,
    propensity_gap,
)
CAUSAL_IMPORTANCE = Definition(
    "causal_importance",
    "causality",
    "sum_q sum_i |A_qi|",
    +1,
    0,
    "total",
    ("adjacency",),
    causal_importance,
)
