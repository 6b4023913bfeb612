"""Counts that somebody might ask of a table: how far are they off in the release?

A workload of random conjunctive queries: each looks at a few columns, and allows a run of neighbouring values of an
ordered column or a random set of values of another, so that about a given share of all value tuples is allowed.
Relative error with a floor for small counts, after Xiao and Tao 2006, https://dl.acm.org/doi/10.5555/1182635.1164141.
A released record counts by the share of the tuples it stands for that a query allows. O(queries x columns x n).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from lookalike.base.errors import RequestError, percent
from lookalike.measures.utility.questions.question import (
    Measured,
    QuestionKind,
    Verdict,
    chances_of,
    need_list,
    need_number,
    need_whole,
)
from lookalike.measures.utility.views import Floats, Pair, View

Query = dict[str, NDArray[np.bool_]]


@dataclass(frozen=True)
class RangeCounts(QuestionKind):
    """Random counting queries over the columns `of`.

    queries: how many. columns_per_query: how many columns each looks at. selectivity: share of tuples allowed.
    floor: counts below this share of all records are taken as so large when dividing.
    Impact where the median relative error exceeds `tolerance`.
    """

    kind: ClassVar[str] = "range counts"
    intervals: ClassVar[bool] = False
    of: list[str]
    queries: int = 200
    columns_per_query: int = 2
    selectivity: float = 0.05
    floor: float = 0.001
    tolerance: float = 0.1
    seed: int = 0

    def __post_init__(self) -> None:
        need_list(self.of, "of")
        need_whole(self.queries, "queries", least=1)
        need_whole(self.columns_per_query, "columns_per_query", least=1)
        if self.columns_per_query > len(self.of):
            raise RequestError(f"columns_per_query: there are only {len(self.of)} columns to look at.")
        need_number(self.selectivity, "selectivity", most=1.0)
        need_number(self.floor, "floor", most=1.0)
        need_number(self.tolerance, "tolerance")
        need_whole(self.seed, "seed")

    def columns(self) -> list[str]:
        """The columns the question is about."""
        return list(self.of)

    def check(self, pair: Pair) -> None:
        """Refuse what does not fit the tables."""
        for name in self.of:
            pair.check(name)

    def workload(self, pair: Pair) -> list[Query]:
        """The queries: per column, which values of the original are allowed. Same seed, same queries."""
        rng = np.random.default_rng(self.seed)
        share = self.selectivity ** (1 / self.columns_per_query)
        out = []
        for _ in range(self.queries):
            chosen = rng.choice(len(self.of), self.columns_per_query, replace=False)
            query: Query = {}
            for name in (self.of[i] for i in sorted(chosen.tolist())):
                domain = pair.people.column(name).domain
                size = len(domain.values)
                width = max(1, round(share * size)) if size else 0
                allowed = np.zeros(domain.size, dtype=bool)
                if domain.kind.ordered:
                    start = int(rng.integers(0, size - width + 1))
                    allowed[start : start + width] = True
                else:
                    allowed[rng.choice(size, width, replace=False)] = True
                query[name] = allowed
            out.append(query)
        return out

    def measure(self, view: View, weights: Floats | None = None) -> Measured:
        """The count of each query."""
        queries = view.pair.before.keep(("workload", repr(self)), lambda: self.workload(view.pair))
        out = {}
        for i, query in enumerate(queries):
            chance = np.ones(view.rows) if weights is None else weights
            for name, allowed in query.items():
                seen = view.seen(name)
                place = view.pair.people.column(name).domain.find(seen.domain)
                theirs = np.where(place >= 0, allowed[place], False)
                chance = chance * seen.chance(theirs)
            out[f"query {i + 1}"] = float(chance.sum())
        return Measured(out, {"records": view.rows})

    def judge(self, before: Measured, after: Measured) -> Verdict:
        """Impact where the median relative error is too large."""
        old, new = (np.array(list(side.values.values())) for side in (before, after))
        errors = np.abs(new - old) / np.maximum(old, max(self.floor * before.details["records"], 1e-12))
        summary: dict[str, Any] = {
            "median relative error": float(np.median(errors)),
            "mean relative error": float(errors.mean()),
            "largest relative error": float(errors.max()),
            "queries": len(errors),
        }
        rule = f"the median relative error exceeds {percent(self.tolerance)}"
        return Verdict(bool(np.median(errors) > self.tolerance), rule, summary)

    def reads(self, pair: Pair) -> list[str]:
        """In words, how blurred values are read."""
        return chances_of(pair, dict.fromkeys(self.of))
