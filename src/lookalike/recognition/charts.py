"""Charts of metrics, searches and correlations, as altair charts: `.save("x.svg")` writes them without a display.

Numbers are prepared here; what is drawn can be read from the chart's own description, so charts are testable.
"""

from __future__ import annotations

from itertools import pairwise
from statistics import NormalDist
from typing import TYPE_CHECKING, Any

import numpy as np

from lookalike.base.charts import altair

if TYPE_CHECKING:
    from lookalike.recognition.metrics.metric import Metric
    from lookalike.recognition.search import QuasiSearch
    from lookalike.recognition.selection import Selection

INK, SEEN, FITTED = "#334155", "#0f766e", "#d97706"
_BARS = 40
_POINTS = 400


def plot_metric(metric: Metric) -> Any:
    """Histogram; empirical CDF with a normal one over it; normal Q-Q plot."""
    alt = altair()
    values = np.sort(metric.values[np.isfinite(metric.values)])
    counts, edges = np.histogram(values, bins=min(_BARS, max(len(np.unique(values)), 1)))
    bars = [
        {"from": float(a), "to": float(b), metric.per: int(c)}
        for c, (a, b) in zip(counts, pairwise(edges), strict=True)
    ]
    histogram = (
        alt.Chart(alt.Data(values=bars), title="histogram")
        .mark_bar(color=SEEN)
        .encode(
            x=alt.X("from:Q", bin="binned", title=metric.name),
            x2="to:Q",
            y=alt.Y(f"{metric.per}:Q", title=f"{metric.per} count"),
        )
    )
    picked = (
        values[np.unique(np.linspace(0, len(values) - 1, _POINTS).astype(int))] if len(values) else values
    )
    shares = np.searchsorted(values, picked, side="right") / max(len(values), 1)
    mean, sd = (float(values.mean()), float(values.std())) if len(values) else (0.0, 0.0)
    normal = NormalDist(mean, sd) if sd > 0 else None
    steps = [
        {"value": float(v), "share": float(s), "curve": "seen"} for v, s in zip(picked, shares, strict=True)
    ]
    if normal:
        grid = np.linspace(values[0], values[-1], 100)
        steps += [{"value": float(v), "share": normal.cdf(float(v)), "curve": "normal"} for v in grid]
    cdf = (
        alt.Chart(alt.Data(values=steps), title="empirical CDF")
        .mark_line(interpolate="step-after")
        .encode(
            x=alt.X("value:Q", title=metric.name),
            y=alt.Y("share:Q", title="share at or below", scale=alt.Scale(domain=[0, 1])),
            color=_colour(alt, ["seen", "normal"], [SEEN, FITTED]),
        )
    )
    places = np.unique(np.linspace(0, max(len(values) - 1, 0), _POINTS).astype(int))[: len(values)]
    unit = NormalDist()
    points = [
        {"normal": unit.inv_cdf((int(i) + 0.5) / len(values)), "seen": float(values[i])} for i in places
    ]
    dots = (
        alt.Chart(alt.Data(values=points), title="normal Q-Q")
        .mark_circle(color=SEEN, size=18)
        .encode(x=alt.X("normal:Q", title="normal quantile"), y=alt.Y("seen:Q", title=metric.name))
    )
    ends = (
        [{"normal": z, "seen": mean + sd * z} for z in (points[0]["normal"], points[-1]["normal"])]
        if points
        else []
    )
    line = alt.Chart(alt.Data(values=ends)).mark_line(color=FITTED).encode(x="normal:Q", y="seen:Q")
    parts = [part.properties(width=220, height=180) for part in (histogram, cdf, dots + line)]
    return alt.hconcat(*parts, title=f"{metric.name} of {', '.join(metric.columns)}")


TERMS = ("fitness", "distinction", "separation", "uniqueness", "k_mean", "columns")


def plot_history(search: QuasiSearch) -> Any:
    """The best set so far, step by step: its fitness, every term, and how many columns it has."""
    alt = altair()
    steps = [
        {term: getattr(one, term) for term in TERMS[:-1]} | {"columns": len(one.columns)}
        for one in search.evolution
    ]
    rows = [
        {"step": i + 1, "term": term, "value": float(one[term])}
        for i, one in enumerate(steps)
        for term in TERMS
        if np.isfinite(one[term])
    ]
    return (
        alt.Chart(alt.Data(values=rows), width=240, height=110)
        .mark_line(color=SEEN, point=len(steps) < 60, interpolate="step-after")
        .encode(x=alt.X("step:Q"), y=alt.Y("value:Q", title=None, scale=alt.Scale(zero=False)))
        .facet(
            alt.Facet("term:N", sort=list(TERMS), title=f"{search.method}: the best set so far"), columns=3
        )
        .resolve_scale(y="independent")
    )


def plot_front(search: QuasiSearch) -> Any:
    """Every set of the front: what it costs against how far it tells people apart."""
    alt = altair()
    rows = [
        {
            "cost": c.cost,
            "separation": c.separation,
            "distinction": c.distinction,
            "columns": ", ".join(c.columns),
        }
        for c in search.ranking
    ]
    return (
        alt.Chart(alt.Data(values=rows), title="risk against cost", width=420, height=240)
        .mark_line(point=True, color=SEEN)
        .encode(x="cost:Q", y=alt.Y("separation:Q", scale=alt.Scale(zero=False)), tooltip=["columns:N"])
    )


def plot_correlations(selection: Selection) -> Any:
    """A heat map of the correlations, with their numbers."""
    alt = altair()
    names = list(selection.metrics)
    rows = [
        {"one": a, "two": b, "r": None if np.isnan(r) else round(float(r), 3)}
        for a, line in zip(names, selection.correlations, strict=True)
        for b, r in zip(names, line, strict=True)
    ]
    base = alt.Chart(alt.Data(values=rows)).encode(
        x=alt.X("one:N", sort=names, title=None), y=alt.Y("two:N", sort=names, title=None)
    )
    scale = alt.Scale(domain=[-1, 1], scheme="brownbluegreen")
    heat = base.mark_rect().encode(color=alt.Color("r:Q", scale=scale))
    ink = alt.condition("abs(datum.r) > 0.6", alt.value("white"), alt.value(INK))
    text = base.transform_filter("isValid(datum.r)").mark_text(fontSize=9)
    text = text.encode(text=alt.Text("r:Q", format=".2f"), color=ink)
    side = 34 * len(names)
    return (heat + text).properties(
        width=side, height=side, title=f"correlations over {len(selection.subsets):,} sets"
    )


def _colour(alt: Any, names: list[str], colours: list[str]) -> Any:
    return alt.Color("curve:N", title=None, scale=alt.Scale(domain=names, range=colours))
