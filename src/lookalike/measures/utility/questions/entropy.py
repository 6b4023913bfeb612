"""Entropy that is left: of the published labels, over that of the original values.

Shannon entropy in bits; summed over columns, or of their tuples (`joint`). Labels are read as categories. O(n log n).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from lookalike.measures.utility.questions.question import (
    Measured,
    QuestionKind,
    Verdict,
    need_list,
    need_number,
)
from lookalike.measures.utility.views import Floats, Pair, View
from lookalike.tables.columns.grouping import group_codes


@dataclass(frozen=True)
class Entropy(QuestionKind):
    """Entropy of the columns `of`; impact where the ratio after over before falls under `least`."""

    kind: ClassVar[str] = "entropy"
    of: list[str]
    joint: bool = False
    least: float = 0.5

    def __post_init__(self) -> None:
        need_list(self.of, "of")
        need_number(self.least, "least")

    def columns(self) -> list[str]:
        """The columns the question is about."""
        return list(self.of)

    def measure(self, view: View, weights: Floats | None = None) -> Measured:
        """Entropy of each column, and their sum; or of the tuples."""
        counted = np.ones(view.rows) if weights is None else weights
        labels = [view.seen(name).codes for name in self.of]
        if self.joint:
            sizes = [int(codes.max(initial=0)) + 1 for codes in labels]
            together = view.keep(("tuples", tuple(self.of)), lambda: group_codes(labels, sizes, view.rows)[0])
            return Measured({"joint": entropy(np.bincount(together, weights=counted))})
        each = {
            name: entropy(np.bincount(codes, weights=counted))
            for name, codes in zip(self.of, labels, strict=True)
        }
        return Measured({**each, "sum": sum(each.values())})

    def judge(self, before: Measured, after: Measured) -> Verdict:
        """Impact where too little entropy is left."""
        what = "joint" if self.joint else "sum"
        old, new = before.values[what], after.values[what]
        ratio = new / old if old > 0 else 1.0
        return Verdict(
            ratio < self.least, f"less than {self.least:g} of the entropy is left", {"ratio": ratio}
        )

    def reads(self, pair: Pair) -> list[str]:
        """In words, how blurred values are read."""
        return [f"{name}: labels as categories" for name in self.of if pair.blurred(name)]


def entropy(counts: NDArray[Any]) -> float:
    """Shannon entropy in bits."""
    total = counts.sum()
    share = counts[counts > 0] / total if total > 0 else np.array([])
    return float(-(share @ np.log2(share))) + 0.0
