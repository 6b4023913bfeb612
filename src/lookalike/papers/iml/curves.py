"""The curves of the IML paper: mean F1 by target, kind of weights, classifier and k, as a table and as pictures."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl

from lookalike.base.errors import MissingExtra
from lookalike.measures.utility.classifiers import CLASSIFIERS
from lookalike.papers.iml.runs import KINDS, KS, ORIGINAL, TARGETS, Scores


def curves(scores: Scores, rows: int) -> pl.DataFrame:
    """Mean F1 over the vectors of a kind: target, kind, classifier, k (0 is the original), f1 (weighted), f1_macro."""
    out = []
    for target in TARGETS:
        for kind in KINDS:
            for classifier in CLASSIFIERS:
                for k in (0, *KS):
                    f1 = [
                        mean_of(scores, rows, target, kind if k else ORIGINAL, k, name)
                        for name in (classifier, f"{classifier}, macro")
                    ]
                    out.append((target, kind, classifier, k, *f1))
    return pl.DataFrame(out, schema=["target", "kind", "classifier", "k", "f1", "f1_macro"], orient="row")


def mean_of(scores: Scores, rows: int, target: str, kind: str, k: int, what: str) -> float:
    """The mean of one number over the vectors of a kind."""
    start, end = f"{rows}/{target}/{kind}/", f"/{k}"
    return float(
        np.mean([one[what] for name, one in scores.items() if name.startswith(start) and name.endswith(end)])
    )


def draw(table: pl.DataFrame, rows: int, folder: Path) -> None:
    """One SVG per target: x the original and then k, a line per kind, a panel per classifier."""
    try:
        import altair as alt
    except ImportError:
        raise MissingExtra("altair", "report", "drawing the curves") from None
    order = ["original", *map(str, KS)]
    for target in TARGETS:
        part = table.filter(pl.col("target") == target).with_columns(
            pl.when(pl.col("k") == 0)
            .then(pl.lit("original"))
            .otherwise(pl.col("k").cast(pl.String))
            .alias("k")
        )
        chart = (
            alt.Chart({"values": part.to_dicts()})
            .mark_line(point=True)
            .encode(
                x=alt.X("k:N", sort=order, title="k"),
                y=alt.Y("f1:Q", scale=alt.Scale(zero=False), title="F1 (weighted)"),
                color=alt.Color("kind:N", sort=list(KINDS), title="weights"),
                facet=alt.Facet("classifier:N", columns=2, sort=list(CLASSIFIERS), title=target),
            )
            .properties(width=260, height=160)
        )
        chart.save(folder / f"iml-{rows}-{target}.svg", format="svg")
