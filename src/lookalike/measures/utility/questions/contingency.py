"""A contingency table of two columns: how much of it moved, and whether the columns still depend on each other.

Total variation distance between the two tables of shares; Pearson's chi-squared test of independence without continuity
correction; Cramér's V. O(n + cells).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from lookalike.base.errors import MissingExtra, RequestError
from lookalike.measures.utility.questions.question import (
    Measured,
    QuestionKind,
    Verdict,
    need_list,
    need_number,
    need_whole,
)
from lookalike.measures.utility.views import Floats, Pair, View

MOST_CELLS = 10_000


@dataclass(frozen=True)
class Contingency(QuestionKind):
    """The table of two columns `of`, as shares of all records that have both values.

    levels: compare a column on this level of its hierarchy, {"zip": 2}.
    Impact where more than `tolerance` of the records changed cells (total variation distance), or the decision on
    independence at `alpha` differs.
    """

    kind: ClassVar[str] = "contingency table"
    of: list[str]
    levels: dict[str, int] | None = None
    tolerance: float = 0.05
    alpha: float = 0.05

    def __post_init__(self) -> None:
        need_list(self.of, "of", least=2, most=2)
        need_number(self.tolerance, "tolerance", most=1.0)
        need_number(self.alpha, "alpha", most=1.0)
        for name, level in (self.levels or {}).items():
            if name not in self.of:
                raise RequestError(f"levels: {name!r} is none of the two columns.")
            need_whole(level, "levels")

    def columns(self) -> list[str]:
        """The columns the question is about."""
        return list(self.of)

    def check(self, pair: Pair) -> None:
        """Refuse what does not fit the tables."""
        sizes = [len(pair.grouping(name, self._level(name))[0]) for name in self.of]
        if sizes[0] * sizes[1] > MOST_CELLS:
            raise RequestError(
                f"of: the table would have {sizes[0]:,} x {sizes[1]:,} cells; at most {MOST_CELLS:,} can be compared. "
                "Say a level of a hierarchy with `levels`."
            )

    def _level(self, name: str) -> int | None:
        return (self.levels or {}).get(name)

    def measure(self, view: View, weights: Floats | None = None) -> Measured:
        """The share of each cell; the test of independence among the details."""
        first, second = (view.groups(name, self._level(name)) for name in self.of)
        counted = np.ones(view.rows) if weights is None else weights
        labels = first.codes * len(second.mass) + second.codes
        pairs = np.bincount(labels, weights=counted, minlength=len(first.mass) * len(second.mass))
        table = first.mass.T @ pairs.reshape(len(first.mass), len(second.mass)) @ second.mass
        total = float(table.sum())
        shares = table / total if total > 0 else table
        values = {
            f"{a}, {b}": float(shares[i, j])
            for i, a in enumerate(first.names)
            for j, b in enumerate(second.names)
        }
        details = independence(table) if weights is None else {}
        return Measured(values, details)

    def judge(self, before: Measured, after: Measured) -> Verdict:
        """Impact where too much moved, or independence is decided differently."""
        moved = sum(abs(after.values.get(name, 0.0) - old) for name, old in before.values.items()) / 2
        decided = [bool(side.details["p"] < self.alpha) for side in (before, after)]
        summary = {
            "moved": moved,
            "V before": before.details["V"],
            "V after": after.details["V"],
            "p before": before.details["p"],
            "p after": after.details["p"],
        }
        rule = f"more than {self.tolerance:g} of the records change cells, or independence is decided differently"
        return Verdict(moved > self.tolerance or decided[0] != decided[1], rule, summary)

    def reads(self, pair: Pair) -> list[str]:
        """In words, how blurred values are read."""
        return [pair.how_grouped(name, self._level(name)) for name in self.of if pair.blurred(name)]


def independence(table: Floats) -> dict[str, Any]:
    """Chi-squared, its p-value and Cramér's V; empty rows and columns do not count."""
    try:
        from scipy.stats import chi2
    except ImportError:
        raise MissingExtra("scipy", "ml", "testing independence") from None
    table = table[table.sum(axis=1) > 0][:, table.sum(axis=0) > 0]
    rows, columns, total = len(table), table.shape[1] if table.size else 0, float(table.sum())
    free = (rows - 1) * (columns - 1)
    if rows < 2 or columns < 2:
        return {"chi2": 0.0, "p": 1.0, "V": 0.0}
    expected = np.outer(table.sum(axis=1), table.sum(axis=0)) / total
    statistic = float(((table - expected) ** 2 / expected).sum())
    strength = float(np.sqrt(statistic / (total * (min(rows, columns) - 1))))
    return {"chi2": statistic, "p": float(chi2.sf(statistic, free)), "V": strength}
