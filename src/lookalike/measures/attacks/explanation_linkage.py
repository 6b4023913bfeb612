"""Explanation linkage: whose record is this counterfactual?

The attacker gets an explanation ("if you were 24, female and from Antwerp, earning 60K ...") and holds a public list
with the same quasi-identifiers. Whoever on the list fits could be the record behind it; if one person fits, the other
values shown are theirs. If all who fit share these values, it does not matter who it is (homogeneity). Explanations
that stem from the same record narrow it down to those who fit all of them (intersection); the simulation grants the
attacker to know which do. Explanations of different records belong to different rows (matching): whoever must be meant
by one explanation is not meant by another. Only candidates that some assignment of all explanations to different rows
leaves are counted. Goethals, Sörensen and Martens 2022, https://doi.org/10.48550/arXiv.2210.12051; O(explanations x
cells), and the matching.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from lookalike.base.checks import checked, is_number, shown
from lookalike.base.errors import RequestError, percent, unknown_column
from lookalike.base.intervals import wilson
from lookalike.kernels.matching import in_some_matching
from lookalike.recodings.labels import Label
from lookalike.tables.columns.grouping import group_codes
from lookalike.tables.table import Table


class ShownExplanation(Protocol):
    """What an explanation shows: generalised quasi-identifiers and other values as they are; and whose record it is."""

    @property
    def box(self) -> Mapping[str, Label]: ...
    @property
    def values(self) -> Mapping[str, Any]: ...
    @property
    def record(self) -> int: ...


@dataclass(frozen=True, eq=False)
class Suspects:
    """Who could be meant by one explanation."""

    rows: NDArray[np.int64]  #: rows of the background table that fit
    chance: float  #: of naming the right one
    private_tuples: int  #: distinct private tuples among them: 1 gives the values away whoever it is

    def __repr__(self) -> str:
        return f"Suspects({len(self.rows)} candidates, chance {self.chance:.3f}, {self.private_tuples} private tuples)"


@dataclass(frozen=True, eq=False)
class Rate:
    """A share with its confidence interval, and what an attacker reaches without the explanation."""

    name: str
    rate: float
    low: float
    high: float
    baseline: float
    attempts: int

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON values."""
        return dict(vars(self))

    def __repr__(self) -> str:
        return (
            f"{self.name}: {percent(self.rate)} ({percent(self.low)} to {percent(self.high)}; "
            f"baseline {self.baseline:.2%})"
        )


@dataclass(frozen=True, eq=False)
class ExplanationLinkage:
    """What an attacker learns from a set of explanations."""

    singled_out: Rate  #: explanations that fit one person only
    revealed: Rate  #: explanations whose candidates all share the same private values
    candidates: NDArray[np.int64]  #: people who fit each explanation
    k_min: int
    mean_chance: float  #: of naming the right person
    intersected: Rate  #: records whose explanations, taken together, fit one person only
    k_min_intersected: int  #: fewest people who fit all explanations of one record
    k_min_pairwise: int  #: fewest people who fit two of them
    matched: Rate  #: records for which matching all explanations to different rows leaves one person only
    k_min_matched: int  #: fewest people whom matching leaves for a record

    @property
    def rates(self) -> list[Rate]:
        """The four success rates."""
        return [self.singled_out, self.revealed, self.intersected, self.matched]

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON values."""
        return {
            "attacks": [rate.to_dict() for rate in self.rates],
            "k_min": self.k_min,
            "mean_chance": self.mean_chance,
            "k_min_intersected": self.k_min_intersected,
            "k_min_pairwise": self.k_min_pairwise,
            "k_min_matched": self.k_min_matched,
        }

    def __repr__(self) -> str:
        return f"ExplanationLinkage(k_min={self.k_min}, {self.singled_out}, {self.revealed})"


def link(
    explanation: ShownExplanation, background: Table, *, private: Sequence[str] | None = None
) -> Suspects:
    """The rows of a background table that fit one explanation, and the chance of naming the right one."""
    attacker = _Attacker(background, list(explanation.box), private)
    fits = attacker.fits(explanation)
    rows = np.flatnonzero(fits[attacker.of_row])
    return Suspects(rows, 1 / attacker.people(fits) if len(rows) else 0.0, attacker.variety(explanation))


@checked
def attack_explanations(
    explanations: Sequence[ShownExplanation],
    background: Table,
    *,
    private: Sequence[str] | None = None,
    confidence: float = 0.95,
) -> ExplanationLinkage:
    """Attack explanations with a background table that has their quasi-identifiers.

    The attacker knows every column that the explanations show as ranges or sets, of everybody. Only for "private values
    revealed" the private columns are not known.
    private: the columns whose values the attacker is after; by default the table's sensitive columns, or, where it
    names none, the columns whose values the explanations show as they are.
    explanations: what was told. background: what the attacker knows.
    confidence: of the intervals.

    Examples:
        >>> import lookalike as la
        >>> frame = la.datasets.population(300, seed=1).select("age", "gender", "num_children")
        >>> model = lambda rows: (rows["age"] > 40).cast(int)
        >>> explainer = la.KAnonymousExplainer(model, frame, quasi=["age", "gender"], others=[], k=5)
        >>> explanation = explainer.explain(frame.filter(frame["age"] < 30)[0])
        >>> background = la.table(frame, quasi=["age", "gender"], sensitive=["num_children"])
        >>> found = la.attack_explanations([explanation], background)
        >>> found.k_min
        6
    """
    if not isinstance(background, Table):
        raise RequestError(
            f"`background` must be a table (la.table, la.read), found {type(background).__name__}."
        )
    if not isinstance(explanations, Sequence) or not all(hasattr(one, "box") for one in explanations):
        raise RequestError("`explanations` must be a list of what an explainer told.")
    if not explanations:
        raise RequestError("there are no explanations to attack.")
    if not is_number(confidence) or not 0 < confidence < 1:
        raise RequestError(f"confidence is {shown(confidence)}; it must lie between 0 and 1.")
    names = list(dict.fromkeys(name for explanation in explanations for name in explanation.box))
    if private is None:
        said = {name for explanation in explanations for name in (*explanation.box, *explanation.values)}
        as_they_are = [n for n in explanations[0].values if n in background.names]
        private = [n for n in background.sensitive if n in said] or as_they_are
    attacker = _Attacker(background, names, private)
    # most share their box with others
    distinct = {tuple(explanation.box.items()): explanation for explanation in explanations}
    place = {box: i for i, box in enumerate(distinct)}
    number = [place[tuple(explanation.box.items())] for explanation in explanations]
    every = [attacker.fits(explanation) for explanation in distinct.values()]
    people = np.array([attacker.people(one) for one in every], dtype=np.int64)
    alike = np.array([attacker.tells_private(explanation) for explanation in distinct.values()])
    candidates = people[number]
    reached = np.maximum(candidates, 1)
    same = int(alike[number].sum())
    boxes: dict[int, set[int]] = defaultdict(set)
    for explanation, i in zip(explanations, number, strict=True):
        boxes[explanation.record].add(i)
    groups = {record: [every[i] for i in sorted(some)] for record, some in boxes.items()}
    met = [np.logical_and.reduce(group) for group in groups.values()]
    together = [attacker.people(one) for one in met]
    left = [attacker.people(one) for one in attacker.match(met)]
    n = len(explanations)
    return ExplanationLinkage(
        _rate("singled out", int((candidates == 1).sum()), n, 1 / attacker.total, confidence),
        _rate("private values revealed", same, n, attacker.commonest, confidence),
        candidates,
        int(candidates.min()),
        float((1 / reached).mean()),
        _rate(
            "singled out by intersection",
            sum(k == 1 for k in together),
            len(together),
            1 / attacker.total,
            confidence,
        ),
        int(min(together)),
        min(
            (attacker.people(a & b) for g in groups.values() for a, b in _pairs(g)),
            default=int(candidates.min()),
        ),
        _rate(
            "singled out by matching", sum(k == 1 for k in left), len(left), 1 / attacker.total, confidence
        ),
        int(min(left)),
    )


class _Attacker:
    """The background table, counted once."""

    def __init__(self, background: Table, quasi: Sequence[str], private: Sequence[str] | None) -> None:
        for name in [*quasi, *(private or ())]:
            if name not in background.names:
                raise unknown_column(name, background.names, "background table")
        private = background.sensitive if private is None else private
        self.sought = list(private)
        cells = background.cells(quasi=quasi, sensitive=())
        self.cells, self.of_row = cells, cells.of_row
        self.total = cells.people
        columns = [background.column(name) for name in private]
        tuples, n = group_codes([c.codes for c in columns], [c.domain.size for c in columns], len(background))
        keys = np.unique(cells.of_row.astype(np.int64) * n + tuples)
        self.cell, self.private = np.divmod(keys, n)
        self.commonest = float(np.bincount(tuples).max() / len(tuples)) if private else 0.0

    def fits(self, explanation: ShownExplanation, *, but: Sequence[str] = ()) -> NDArray[np.bool_]:
        """Which cells fit an explanation, in all columns but some."""
        out = np.ones(len(self.cells), dtype=bool)
        for attribute, codes in zip(self.cells.attributes, self.cells.codes, strict=True):
            if attribute.name in explanation.box and attribute.name not in but:
                out &= explanation.box[attribute.name].matches(attribute.domain)[codes]
        return out

    def people(self, fits: NDArray[np.bool_]) -> int:
        """How many people are in some cells."""
        unit = self.cells.entries.unit
        if unit is None:
            return int(self.cells.records[fits].sum())
        return len(np.unique(unit[fits[self.cells.entries.cell]]))

    def match(self, fits: Sequence[NDArray[np.bool_]]) -> list[NDArray[np.bool_]]:
        """The cells that remain for each record when all records are matched to different rows."""
        record, cell = np.nonzero(np.stack(fits))
        start = np.searchsorted(record, np.arange(len(fits) + 1))
        capacity = self.cells.records.astype(np.int64)
        allowed = in_some_matching(start.astype(np.int64), cell.astype(np.int64), capacity)
        out = np.zeros((len(fits), len(self.cells)), dtype=bool)
        out[record[allowed], cell[allowed]] = True
        return list(out)

    def variety(self, explanation: ShownExplanation) -> int:
        """Distinct private tuples among those who fit an explanation in what is not private."""
        return len(np.unique(self.private[self.fits(explanation, but=self.sought)[self.cell]]))

    def tells_private(self, explanation: ShownExplanation) -> bool:
        """Whether all who fit share their private values, so that it does not matter who is meant."""
        return bool(self.sought) and self.variety(explanation) == 1


def _pairs(group: list[NDArray[np.bool_]]) -> list[tuple[NDArray[np.bool_], NDArray[np.bool_]]]:
    """Pairs of different boxes."""
    return [(a, b) for i, a in enumerate(group) for b in group[:i]]


def _rate(name: str, hits: int, attempts: int, baseline: float, confidence: float) -> Rate:
    """A share with Wilson's interval."""
    low, high = wilson(hits, attempts, confidence=confidence)
    return Rate(name, hits / attempts, low, high, baseline, attempts)
