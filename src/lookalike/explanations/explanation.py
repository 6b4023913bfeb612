"""Explanation: what a person may be told, and the numbers an auditor wants beside it.

The counterfactual's own quasi-identifiers, its place in the training table and its exact distance (from which they
could be worked out) are kept out of everything that is printed or saved; `record` and `distance` are for audits only.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
import polars as pl
from numpy.typing import NDArray

from lookalike.base.notebooks import panel
from lookalike.base.printing import plain
from lookalike.explanations.features import Coded, Features
from lookalike.explanations.wording import ENGLISH, Wording, say, write
from lookalike.recodings.labels import Label, Node, Range
from lookalike.tables.columns.coding import Column
from lookalike.tables.columns.roles import Kind

Way = Literal["more", "less"]


@dataclass(frozen=True)
class Change:
    """One column that would have to be different."""

    column: str
    then: Any  #: what it would be: a range, a set, a node, or a plain value
    way: Way | None = None  #: for numbers: more, or less, than it is
    exact: bool = False  #: the rest is told, too: where values are shown as they are
    now: Any = None  #: the person's own value
    low: float | None = None  #: for numbers: the least and the greatest difference
    high: float | None = None

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON values."""
        out = {"column": self.column, "then": say(ENGLISH, self.then), "way": self.way}
        exact = {"now": plain(self.now), "low": self.low, "high": self.high}
        return out | exact if self.exact else out


@dataclass(frozen=True, repr=False)
class Explanation:
    """A k-anonymous counterfactual explanation.

    Examples:
        >>> import lookalike as la
        >>> frame = la.datasets.population(300, seed=1).select("age", "gender", "num_children")
        >>> model = lambda rows: (rows["age"] > 40).cast(int)
        >>> explainer = la.KAnonymousExplainer(model, frame, quasi=["age", "gender"], others=[], k=5)
        >>> explanation = explainer.explain(frame.filter(frame["age"] < 30)[0])
        >>> explanation.outcome, explanation.k >= 5, explanation.pureness
        (1, True, 1.0)
    """

    outcome: Any  #: the desired outcome it leads to
    box: Mapping[str, Label]  #: what k people share: quasi-identifiers; with shared values, all that is shown
    values: Mapping[str, Any]  #: the other columns as they are in the counterfactual; none with shared values
    changes: tuple[Change, ...]  #: what would have to change
    stays: tuple[Change, ...]  #: ranges to stay in, where the changes alone would promise too much
    holds: float  #: share of what the sentence offers that gets the desired outcome, all else being the person's own
    k: int  #: people the box covers at least, as counted for the promise
    k_all: int  #: training records covered
    k_desired: int  #: of those, the ones with the desired outcome: the people who could be meant
    private_tuples: int  #: distinct combinations of the other columns among them
    pureness: float  #: share of the box's value combinations that get the desired outcome
    combinations: int  #: how many there are
    tried: int  #: how many of them pureness was measured on
    ncp: float  #: share of detail lost, mean over the quasi-identifiers
    ncp_of: Mapping[str, float]  #: quasi-identifier -> share of its detail lost
    seconds: float  #: time it took
    wording: Wording = field(default=ENGLISH, compare=False)  #: the templates its sentence is made from
    record: int = field(default=-1, compare=False)  #: its training row: for audits, never for the person
    distance: float = field(default=0.0, compare=False)  #: from the person to that row: for audits too

    @property
    def text(self) -> str:
        """The explanation as a sentence."""
        return self.sentence()

    def sentence(self, wording: Wording | None = None) -> str:
        """The explanation in other words, or another language."""
        told = (*self.changes, *self.stays)
        return write(wording or self.wording, told, self.outcome, self.holds, self.k, self.counted)

    @property
    def counted(self) -> tuple[str, ...] | None:
        """The columns that k people were counted over, where the explanation shows others, too."""
        return tuple(self.box) if self.values else None

    @property
    def exact(self) -> bool:
        """Was pureness measured on every combination?"""
        return self.tried == self.combinations

    @property
    def table(self) -> list[dict[str, Any]]:
        """Every column of the explanation: what it is now (where it would change), and what it would be."""
        now = {change.column: change for change in self.changes}
        rows = []
        for column, then in {**self.box, **self.values}.items():
            change = now.get(column)
            rows.append(
                {
                    "column": column,
                    "changes": change is not None,
                    "now": None if change is None else change.now,
                    "then": say(self.wording, then),
                    "ncp": self.ncp_of.get(column),
                }
            )
        return rows

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON values: everything that may leave the house."""
        return {
            "text": self.text,
            "outcome": plain(self.outcome),
            "changes": [change.to_dict() for change in self.changes],
            "stays": [stay.to_dict() for stay in self.stays],
            "box": {name: self._side(side) for name, side in self.box.items()},
            "values": {name: plain(value) for name, value in self.values.items()},
            "holds": self.holds,
            "k": self.k,
            "k_all": self.k_all,
            "k_desired": self.k_desired,
            "private_tuples": self.private_tuples,
            "pureness": self.pureness,
            "combinations": self.combinations,
            "tried": self.tried,
            "ncp": self.ncp,
            "ncp_of": dict(self.ncp_of),
            "seconds": self.seconds,
        }

    def _side(self, side: Label) -> dict[str, Any]:
        """A side as JSON; the values under a node, which few may have, only where values are shown as they are."""
        return {"node": side.label} if isinstance(side, Node) and not self.values else side.to_dict()

    def _repr_html_(self) -> str:
        return panel("Explanation", text=str(self))

    def __repr__(self) -> str:
        box = ", ".join(f"{name} {side}" for name, side in self.box.items())
        return f"Explanation({box}; k={self.k}, pureness={self.pureness:.2%}, ncp={self.ncp:.2%})"


@dataclass(frozen=True)
class Explained:
    """What came of many questions: an explanation for each row that has one, and for every other one why not."""

    explanations: dict[int, Explanation]  #: by the number of the row
    unexplained: dict[int, str]  #: by the number of the row: the reason

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON values: everything that may leave the house."""
        return {
            "explanations": {row: one.to_dict() for row, one in self.explanations.items()},
            "unexplained": self.unexplained,
        }

    def __repr__(self) -> str:
        return (
            f"Explained({len(self.explanations):,} explanations, {len(self.unexplained):,} rows without one)"
        )


def find_changes(
    features: Features, rows: pl.DataFrame, i: int, coded: Coded, box: Mapping[str, Label], row: int | None
) -> tuple[list[Change], list[Change]]:
    """The columns in which a person (row i) is outside the box, or differs from the counterfactual (training row).

    And the blurred columns in which the person is inside, and others would be, too. row: None leaves the others out.
    """
    out, stays = [], []
    for j, name in enumerate(features.names):
        column, code, number = (
            features.people.column(name),
            int(coded.codes[i, j]),
            float(coded.numbers[i, j]),
        )
        if name in box:
            then: Any = box[name]
            inside = then.matches(column.domain)
            held = column.domain.numbers[inside] if isinstance(then, Range) else np.empty(0)
            same = bool(inside[code]) if code >= 0 else _is_between(then, number, column)
        elif row is None:
            continue
        else:
            then, theirs = features.people.rows[name][row], int(column.codes[row])
            held, same = column.domain.numbers[[theirs]], code == theirs
        if not same:
            low, high = _differences(held, number, column.kind)
            way: Way | None = "more" if low is not None and low > 0 else None
            way = "less" if high is not None and high < 0 else way
            out.append(Change(name, then, way, True, rows[name][i], low, high))
        elif name in box and np.count_nonzero(inside) > 1:
            stays.append(Change(name, then, None, True, rows[name][i]))
    return out, stays


def _is_between(side: Label, number: float, column: Column) -> bool:
    """Does a range hold a number that no training row has?"""
    if not isinstance(side, Range):
        return False
    return column.domain.number(side.lo) <= number <= column.domain.number(side.hi)


def _differences(
    held: NDArray[np.float64], number: float, kind: Kind
) -> tuple[float, float] | tuple[None, None]:
    """Least and greatest difference between some numbers and a number."""
    if not kind.numeric or kind is Kind.DATE or np.isnan(number) or np.isnan(held).all():
        return None, None
    return float(np.nanmin(held) - number), float(np.nanmax(held) - number)
