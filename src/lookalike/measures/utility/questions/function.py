"""Any Python function of a frame: one number, or named numbers, before and after."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import polars as pl

from lookalike.base.checks import is_number
from lookalike.base.errors import RequestError
from lookalike.measures.utility.questions.question import (
    Measured,
    QuestionKind,
    Verdict,
    need_choice,
    need_number,
    reading_of,
)
from lookalike.measures.utility.questions.tolerance import judge_moves
from lookalike.measures.utility.views import Floats, Pair, View


@dataclass(frozen=True)
class Function(QuestionKind):
    """What `compute(frame)` returns, a number or a mapping of names to numbers.

    The frame is of the kind the table came in and has the released columns. read: "middle" or "expected" turns blurred
    columns with an order into numbers, "labels" leaves them as published.
    Impact where a number moves by more than `tolerance`, as a share of what it was (`relative`) or as it is.
    """

    kind: ClassVar[str] = "function"
    compute: Callable[[Any], Any]
    tolerance: float = 0.05
    relative: bool = True
    read: str = "middle"

    def __post_init__(self) -> None:
        if not callable(self.compute):
            raise RequestError(
                "compute: give a Python function of a frame; a file of questions cannot hold one."
            )
        need_number(self.tolerance, "tolerance")
        need_choice(self.read, "read", ("middle", "expected", "labels"))

    def columns(self) -> list[str]:
        """Every column may be looked at."""
        return []

    def measure(self, view: View, weights: Floats | None = None) -> Measured:
        """What the function says about one side."""
        frame = view.frame(None if self.read == "labels" else self.read)
        if weights is not None:
            frame = frame[np.repeat(np.arange(view.rows), weights.astype(np.int64))]
        found = self.compute(self._give_back(view, frame))
        named = found if isinstance(found, Mapping) else {"value": found}
        out = {}
        for name, value in named.items():
            plain = value.item() if hasattr(value, "item") else value
            if (
                plain is not None
                and not is_number(plain)
                and not (isinstance(plain, float) and plain != plain)
            ):
                raise RequestError(
                    f"compute: the function must return a number or a mapping of numbers; found {type(value).__name__}."
                )
            out[str(name)] = float("nan") if plain is None else float(plain)
        return Measured(out)

    def _give_back(self, view: View, frame: pl.DataFrame) -> Any:
        return view.pair.people.give_back(frame)

    def judge(self, before: Measured, after: Measured) -> Verdict:
        """Impact where a number moves too far."""
        return judge_moves(before.values, after.values, self.tolerance, relative=self.relative)

    def reads(self, pair: Pair) -> list[str]:
        """In words, how blurred values are read."""
        if self.read == "labels":
            return ["blurred columns: labels as published"]
        names = [name for name in pair.published.rows.columns if pair.people.column(name).kind.ordered]
        return reading_of(pair, names, self.read)

    def in_words(self) -> str:
        """A name for the question."""
        return getattr(self.compute, "__name__", "a function").strip("<>")
