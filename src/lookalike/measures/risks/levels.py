"""`levels`: everything about a table at once, the strictest form of every privacy model that it keeps as it is.

Each number is the one by which the model itself would judge a release, so a promise of that level holds and one
stricter does not. One counting of the table, then O(histogram entries) per model.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from lookalike.base.errors import RequestError
from lookalike.base.notebooks import panel
from lookalike.models.registry import offered
from lookalike.recognition.frames import takes_frames
from lookalike.tables.table import Table


@dataclass(frozen=True)
class Level:
    """What a table reaches by one model, for one sensitive column where the model is about one."""

    model: str
    column: str | None
    value: float
    larger_is_safer: bool

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON values."""
        return dict(vars(self))


@dataclass(frozen=True)
class Levels:
    """Every model's level; `levels["k-anonymity"]`, `levels["l-diversity", "disease"]`.

    Examples:
        >>> import polars as pl
        >>> import lookalike as la
        >>> ages, sexes = [31, 32, 33, 71, 72, 73], ["f", "m", "f", "m", "f", "m"]
        >>> illnesses = ["flu", "flu", "cold", "flu", "cold", "cold"]
        >>> frame = pl.DataFrame({"age": ages, "sex": sexes, "disease": illnesses})
        >>> levels = la.levels(frame, quasi=["sex"], sensitive=["disease"])
        >>> [(level.model, round(level.value, 2)) for level in levels.all][:3]
        [('k-anonymity', 3), ('average risk', 0.33), ('sample uniqueness', 0.0)]
    """

    quasi: tuple[str, ...]  #: the quasi-identifiers
    all: tuple[Level, ...]  #: the level by each model and column

    def __getitem__(self, key: str | tuple[str, str]) -> float:
        name, column = (key, None) if isinstance(key, str) else key
        for one in self.all:
            if (one.model, one.column) == (name, column):
                return one.value
        raise KeyError(key)

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON values."""
        return {"quasi": list(self.quasi), "levels": [one.to_dict() for one in self.all]}

    def _rows(self) -> list[tuple[str, str, str, str]]:
        safer = {True: "larger is safer", False: "smaller is safer"}
        return [
            (one.model, one.column or "", f"{one.value:.4g}", safer[one.larger_is_safer]) for one in self.all
        ]

    def _repr_html_(self) -> str:
        heads = ("model", "column", "level", "")
        return panel(f"What {', '.join(self.quasi)} reach", heads=heads, rows=self._rows())

    def __str__(self) -> str:
        width = [max(len(row[i]) for row in self._rows()) for i in range(3)]
        return "\n".join(
            f"{a:<{width[0]}}  {b:<{width[1]}}  {c:>{width[2]}}  {d}" for a, b, c, d in self._rows()
        )


@takes_frames
def levels(
    people: Table, *, quasi: Sequence[str] | None = None, sensitive: Sequence[str] | None = None
) -> Levels:
    """The level that a table, as it is, reaches by every privacy model: original or release alike.

    Examples:
        >>> import polars as pl
        >>> import lookalike as la
        >>> ages, sexes = [31, 32, 33, 71, 72, 73], ["f", "m", "f", "m", "f", "m"]
        >>> illnesses = ["flu", "flu", "cold", "flu", "cold", "cold"]
        >>> frame = pl.DataFrame({"age": ages, "sex": sexes, "disease": illnesses})
        >>> levels = la.levels(frame, quasi=["sex"], sensitive=["disease"])
        >>> levels["k-anonymity"], levels["l-diversity", "disease"]
        (3, 2.0)
    """
    known = list(people.quasi if quasi is None else quasi)
    private = list(people.sensitive if sensitive is None else sensitive)
    if not known:
        raise RequestError("the table has no quasi-identifiers. Name them with `quasi`.")
    classes = people.cells(quasi=known, sensitive=private).classes()
    asked = [gauge for column in (None, *private) for model in offered() for gauge in model.gauges(column)]
    found = [
        Level(
            word, model.columns[0] if model.columns else None, model.achieved(classes), model.larger_is_safer
        )
        for word, model in asked
    ]
    return Levels(tuple(known), tuple(found))
