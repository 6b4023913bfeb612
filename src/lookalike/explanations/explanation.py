"""Explanation: what a person may be told, and the numbers an auditor wants beside it.

The counterfactual's own quasi-identifiers and its place in the training table are kept out of everything that is
printed or saved; `record` is there for the operator's audit only.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from lookalike.explanations.boxes import Box
from lookalike.explanations.wording import ENGLISH, Wording, say, write


@dataclass(frozen=True)
class Change:
    """One column that would have to be different."""

    column: str
    now: Any  #: the person's own value
    then: Any  #: what it would be: a range, a set, a node, or a plain value
    low: float | None = None  #: for numbers: the least and the greatest difference
    high: float | None = None

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON values."""
        return {
            "column": self.column,
            "now": _plain(self.now),
            "then": say(ENGLISH, self.then),
            "low": self.low,
            "high": self.high,
        }


@dataclass(frozen=True, repr=False)
class Explanation:
    """A k-anonymous counterfactual explanation."""

    outcome: Any  #: the desired outcome it leads to
    box: Box  #: generalised quasi-identifiers
    values: Mapping[str, Any]  #: the other columns the model looks at, as they are in the counterfactual
    changes: tuple[Change, ...]
    k: int  #: people the box covers, as counted for the promise
    k_all: int  #: training records covered
    k_desired: int  #: of those, the ones with the desired outcome: the people who could be meant
    private_tuples: int  #: distinct combinations of the other columns among them
    pureness: float  #: share of the box's value combinations that get the desired outcome
    combinations: int  #: how many there are
    tried: int  #: how many of them pureness was measured on
    ncp: float  #: share of detail lost, mean over the quasi-identifiers
    ncp_of: Mapping[str, float]
    distance: float  #: from the person to the counterfactual
    seconds: float
    wording: Wording = field(default=ENGLISH, compare=False)
    record: int = field(
        default=-1, compare=False
    )  #: training row it was made from: for audits, never for the person

    @property
    def text(self) -> str:
        """The explanation as a sentence."""
        return self.sentence()

    def sentence(self, wording: Wording | None = None) -> str:
        """The explanation in other words, or another language."""
        return write(wording or self.wording, self.changes, self.outcome, self.pureness, self.k)

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
                    "now": change.now if change else None,
                    "then": say(self.wording, then),
                    "ncp": self.ncp_of.get(column),
                }
            )
        return rows

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON values: everything that may leave the house."""
        return {
            "text": self.text,
            "outcome": _plain(self.outcome),
            "changes": [change.to_dict() for change in self.changes],
            "box": {name: side.to_dict() for name, side in self.box.items()},
            "values": {name: _plain(value) for name, value in self.values.items()},
            "k": self.k,
            "k_all": self.k_all,
            "k_desired": self.k_desired,
            "private_tuples": self.private_tuples,
            "pureness": self.pureness,
            "combinations": self.combinations,
            "tried": self.tried,
            "ncp": self.ncp,
            "ncp_of": dict(self.ncp_of),
            "distance": self.distance,
            "seconds": self.seconds,
        }

    def __repr__(self) -> str:
        box = ", ".join(f"{name} {side}" for name, side in self.box.items())
        return f"Explanation({box}; k={self.k}, pureness={self.pureness:.2%}, ncp={self.ncp:.2%})"


def _plain(value: Any) -> Any:
    value = value.item() if hasattr(value, "item") else value
    return value if isinstance(value, int | float | str | bool | None) else str(value)
