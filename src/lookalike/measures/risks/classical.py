"""Classical re-identification risk: one over the number of people who look alike, for every record and in sum.

Prosecutor (knows that the person is in the table), journalist (does not), marketer (matches everybody): El Emam 2013,
Guide to the De-Identification of Personal Health Information, https://doi.org/10.1201/b14764. Cost: that of counting.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from lookalike.base.charts import SEEN, WARNED, upright
from lookalike.base.checks import choice, share
from lookalike.base.errors import RequestError, unknown_column
from lookalike.base.notebooks import panel
from lookalike.measures.risks.attributes import AttributeRisk, measure_attributes
from lookalike.measures.risks.population import (
    COUNTED,
    PopulationUniqueness,
    estimate_uniqueness,
    expected_risk,
)
from lookalike.measures.risks.regimes import RegimeReading, read_against
from lookalike.measures.risks.suda import SpecialUniques, find_special_uniques
from lookalike.measures.risks.wildcards import count_compatible, count_compatible_units, weigh_compatible
from lookalike.recognition.frames import takes_frames
from lookalike.recognition.links import Link, linked_columns
from lookalike.tables.cells import Cells
from lookalike.tables.columns.grouping import sum_by
from lookalike.tables.table import Table

Missing = Literal["value", "wildcard"]
MEANING = {
    "value": "missing and * are values like any other: they match only themselves",
    "wildcard": "missing and * match every value",
}


@dataclass(frozen=True)
class Attacker:
    """What somebody achieves who looks for people in the table."""

    max: float  #: chance to be right about the person easiest to find
    average: float  #: mean over people
    above: float  #: share of people whose risk is above the threshold
    basis: str  #: what the risk was counted or estimated from

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON values."""
        return {"max": self.max, "average": self.average, "above": self.above, "basis": self.basis}


@dataclass(frozen=True, eq=False)
class Risk:
    """How easily people are told apart by some columns. Numbers count people where the table names a unit.

    Examples:
        >>> import polars as pl
        >>> import lookalike as la
        >>> ages, sexes = [31, 32, 33, 71, 72, 73], ["f", "m", "f", "m", "f", "m"]
        >>> illnesses = ["flu", "flu", "cold", "flu", "cold", "cold"]
        >>> frame = pl.DataFrame({"age": ages, "sex": sexes, "disease": illnesses})
        >>> risk = la.risk(frame, quasi=["sex"])
        >>> risk.classes, risk.histogram
        (2, {3: 2})
        >>> risk.sizes.tolist()
        [3, 3]
    """

    quasi: tuple[str, ...]  #: the quasi-identifiers
    records: NDArray[
        np.float64
    ]  #: risk of each row, in the caller's order; of a table far away, of each tuple
    sizes: NDArray[np.int64]  #: people who look alike, for each distinct tuple
    people: int  #: how many people the table has
    k: int  #: the smallest of the sizes
    k_mean: float  #: their mean
    uniques: int  #: people who look like nobody else
    threshold: float  #: the risk above which people are counted
    missing: Missing  #: how missing values were compared
    prosecutor: Attacker  #: risk from someone who knows that the person is in the table
    journalist: Attacker | None  #: needs a population, a sampling fraction or weights
    marketer: float  #: share of people that matching the whole table gets right, on average
    #: estimated population uniqueness; None where nothing is known of the population
    population: PopulationUniqueness | None
    attributes: tuple[AttributeRisk, ...]  #: what each quasi-identifier contributes
    readings: tuple[RegimeReading, ...]  #: the numbers beside the thresholds of each regime
    cells: Cells = field(repr=False)  #: the counted combinations of values
    source: Table = field(repr=False)  #: the table

    @property
    def classes(self) -> int:
        """Number of distinct tuples."""
        return len(self.sizes)

    @property
    def max(self) -> float:
        """Risk of the person easiest to find."""
        return self.prosecutor.max

    @property
    def average(self) -> float:
        """Risk averaged over people."""
        return self.prosecutor.average

    @property
    def above(self) -> float:
        """Share of people whose risk is above the threshold."""
        return self.prosecutor.above

    @cached_property
    def histogram(self) -> dict[int, int]:
        """How many distinct tuples have each size."""
        sizes, times = np.unique(self.sizes, return_counts=True)
        return dict(zip(sizes.tolist(), times.tolist(), strict=True))

    @cached_property
    def special(self) -> SpecialUniques:
        """Which few columns single people out; see `la.special_uniques`."""
        return find_special_uniques(self.cells)

    @cached_property
    def linked(self) -> tuple[Link, ...]:
        """Columns of the table that would give a quasi-identifier away; see `la.linked_columns`."""
        return linked_columns(self.source, quasi=self.quasi)

    @cached_property
    def text(self) -> str:
        """The numbers in plain words."""
        from lookalike.measures.risks.words import put_into_words

        return put_into_words(self)

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON values; risks of single rows stay out."""
        return {
            "records": self.source.records,
            "people": self.people,
            "classes": self.classes,
            "k_min": self.k,
            "k_mean": self.k_mean,
            "uniques": self.uniques,
            "max": self.max,
            "average": self.average,
            "above": self.above,
            "threshold": self.threshold,
            "quasi": list(self.quasi),
            "missing": self.missing,
            "prosecutor": self.prosecutor.to_dict(),
            "journalist": None if self.journalist is None else self.journalist.to_dict(),
            "marketer": self.marketer,
            "population": None if self.population is None else self.population.to_dict(),
            "sensitive": [one.to_dict() for one in self.attributes],
            "readings": [one.to_dict() for one in self.readings],
            "histogram": {str(size): times for size, times in self.histogram.items()},
        }

    def plot(self) -> Any:
        """How many people are in groups of which size, those above the threshold in another colour; with altair."""
        people = self.cells.counts[self.cells.counts > 0]
        above, below = f"risk above {self.threshold:g}", f"risk up to {self.threshold:g}"
        rows = []
        for first, last in _group_sizes(int(np.ceil(1 / self.threshold))):
            inside = (self.sizes >= first) & (self.sizes <= last)
            if inside.any() or first == 1:
                name = (
                    f"{first:,}"
                    if first == last
                    else f"{first:,}+"
                    if last == _ANY
                    else f"{first:,}–{last:,}"
                )
                kind = above if 1 / last > self.threshold else below
                rows.append({"group of": name, "people": int(people[inside].sum()), "risk": kind})
        return upright(
            rows,
            title=f"{self.people:,} people by the size of their group in {', '.join(self.quasi)}",
            name="group of",
            count="people",
            kind="risk",
            colours={above: WARNED, below: SEEN},
        )

    def _repr_html_(self) -> str:
        rows = [
            ("people", f"{self.people:,}"),
            ("smallest group", f"{self.k:,}"),
            ("look like nobody else", f"{self.uniques:,}"),
            ("highest risk", f"{self.max:.3g}"),
            ("average risk", f"{self.average:.3g}"),
        ]
        return panel(f"Risk by {', '.join(self.quasi)}", rows=rows, text=self.text)

    def __repr__(self) -> str:
        return (
            f"Risk(k={self.k}, max={self.max:.3g}, average={self.average:.3g}, "
            f"uniques={self.uniques:,} of {self.people:,}; {MEANING[self.missing]})"
        )

    def __str__(self) -> str:
        return self.text


_ANY = 2**62


def _group_sizes(least: int) -> list[tuple[int, int]]:
    """Sizes of groups to count people in, from small to large; from `least` on they are large enough."""
    edges = sorted({1, 2, 3, 4, 5, 10, 20, 50, 100, 1000, least})
    return [(first, after - 1) for first, after in zip(edges, [*edges[1:], _ANY + 1], strict=True)]


@takes_frames
def risk(
    people: Table,
    *,
    quasi: Sequence[str] | None = None,
    sensitive: Sequence[str] | None = None,
    threshold: float = 0.2,
    population: Any = None,
    sampling_fraction: float | None = None,
    regime: str | Sequence[str] | None = None,
    missing: Missing = "value",
) -> Risk:
    """How easily people are told apart by their quasi-identifiers.

    threshold: the risk above which people are counted; 0.2 means fewer than five look alike.
    population: a table or frame of everybody, with the same columns, for the journalist's risk.
    sampling_fraction: people in the table over people in the population, where only that is known. A table with
    sampling weights needs neither.
    regime: thresholds to read the numbers against, by name (`lookalike.measures.risks.regimes.REGIMES`).
    missing: whether a missing value or a star is a value of its own, or matches every value.

    Examples:
        >>> import polars as pl
        >>> import lookalike as la
        >>> ages, sexes = [31, 32, 33, 71, 72, 73], ["f", "m", "f", "m", "f", "m"]
        >>> illnesses = ["flu", "flu", "cold", "flu", "cold", "cold"]
        >>> frame = pl.DataFrame({"age": ages, "sex": sexes, "disease": illnesses})
        >>> risk = la.risk(frame, quasi=["sex"])
        >>> risk.k, risk.uniques, round(risk.max, 3)
        (3, 0, 0.333)
        >>> la.risk(frame, quasi=["age", "sex"]).uniques
        6
    """
    choice(missing, "missing", MEANING)
    threshold = share(threshold, "threshold", above=True)
    if sampling_fraction is not None:
        share(sampling_fraction, "sampling_fraction", above=True)
    names = _quasi(people, quasi)
    cells = _count(people, names, sensitive, population)
    own = _lookalikes(cells, missing)
    counted = _People(cells)
    prosecutor = counted.judge(1 / own, threshold, "the table itself")
    journalist, fraction = _journalist(people, cells, own, missing, sampling_fraction, counted, threshold)
    present = cells.counts > 0
    sizes = own[present].astype(np.int64)
    k = int(sizes.min())
    return Risk(
        quasi=tuple(names),
        records=(1 / own)[cells.of_row],
        sizes=sizes,
        people=cells.people,
        k=k,
        k_mean=float(sizes.mean()),
        uniques=int((counted.risks(1 / own) == 1) @ counted.weights),
        threshold=threshold,
        missing=missing,
        prosecutor=prosecutor,
        journalist=journalist,
        marketer=prosecutor.average if journalist is None else journalist.average,
        population=None if fraction is None else _population(cells, fraction),
        attributes=measure_attributes(cells.classes()),
        readings=read_against(regime, k=k, average=prosecutor.average),
        cells=cells,
        source=people,
    )


def _population(cells: Cells, fraction: float) -> PopulationUniqueness:
    """Population uniqueness: estimated from the sample, or counted where everybody is known."""
    found = estimate_uniqueness(cells.counts, fraction)
    if cells.population is None:
        return found
    share = int((cells.population == 1).sum()) / max(int(cells.population.sum()), 1)
    return replace(found, dankar=share, chosen=COUNTED)


@takes_frames
def special_uniques(
    people: Table, *, quasi: Sequence[str] | None = None, max_size: int | None = None
) -> SpecialUniques:
    """Which few columns single people out: minimal sample uniques with SUDA scores.

    max_size: the largest number of columns in a set; unless given, all of up to ten columns, else three.

    Examples:
        >>> import polars as pl
        >>> import lookalike as la
        >>> ages, sexes = [31, 32, 33, 71, 72, 73], ["f", "m", "f", "m", "f", "m"]
        >>> illnesses = ["flu", "flu", "cold", "flu", "cold", "cold"]
        >>> frame = pl.DataFrame({"age": ages, "sex": sexes, "disease": illnesses})
        >>> found = la.special_uniques(frame, quasi=["age", "sex"])
        >>> print(found)
        SpecialUniques(6 of 6 records are unique by 2 columns or fewer)
    """
    return find_special_uniques(people.cells(quasi=_quasi(people, quasi), sensitive=()), max_size=max_size)


class _People:
    """People behind the cells: each counts once, with the highest risk of their rows."""

    def __init__(self, cells: Cells) -> None:
        self.cells = cells
        unit = cells.entries.unit
        self.unit = None if unit is None else np.unique(unit, return_inverse=True)[1]
        self.weights = cells.counts if unit is None else np.ones(cells.people, dtype=np.int64)

    def risks(self, of_cell: NDArray[np.float64]) -> NDArray[np.float64]:
        """Risk per cell (without unit) or per person, to be weighted by `weights`."""
        if self.unit is None:
            return of_cell
        out = np.zeros(len(self.weights))
        np.maximum.at(out, self.unit, of_cell[self.cells.entries.cell])
        return out

    def judge(self, of_cell: NDArray[np.float64], threshold: float, basis: str) -> Attacker:
        """Maximum, mean and share above the threshold."""
        risks, weights = self.risks(of_cell), self.weights
        total = max(int(weights.sum()), 1)
        # A group of exactly 1/threshold people is within it, whatever the rounding.
        above = risks > threshold * (1 + 1e-9)
        return Attacker(
            float(risks[weights > 0].max()),
            float(risks @ weights / total),
            float(above @ weights / total),
            basis,
        )


def _quasi(people: Table, quasi: Sequence[str] | None) -> list[str]:
    names = list(dict.fromkeys(people.quasi if quasi is None else quasi))
    if not names:
        raise RequestError(
            "the table has no quasi-identifiers. Name the columns that an outsider may know with `quasi`."
        )
    for name in names:
        if name not in people.names:
            raise unknown_column(name, people.names, "quasi")
    return names


def _count(people: Table, quasi: list[str], sensitive: Sequence[str] | None, population: Any) -> Cells:
    chosen = [name for name in (people.sensitive if sensitive is None else sensitive) if name not in quasi]
    if population is None:
        return people.cells(quasi=quasi, sensitive=chosen)
    from lookalike.tables.populations import with_population

    return with_population(people, population, quasi=quasi, sensitive=chosen)


def _lookalikes(cells: Cells, missing: Missing) -> NDArray[np.int64]:
    """People who look like the people of each cell; at least 1."""
    own = cells.counts if missing == "value" else count_compatible_units(cells)
    return np.maximum(own, 1)


def _journalist(
    people: Table,
    cells: Cells,
    own: NDArray[np.int64],
    missing: Missing,
    fraction: float | None,
    counted: _People,
    threshold: float,
) -> tuple[Attacker | None, float | None]:
    """The journalist's risk by the best that is known of the population, and the sampling fraction."""
    if cells.population is not None:
        whole = cells.population if missing == "value" else count_compatible(cells, cells.population)
        known = fraction if fraction is not None else cells.people / max(int(cells.population.sum()), 1)
        return counted.judge(1 / np.maximum(whole, own), threshold, "a population table"), known
    weights = people.weights
    if weights is not None and fraction is None:
        of_class = np.zeros(len(cells))
        np.add.at(of_class, cells.of_row, weights)
        known = min(len(people) / float(weights.sum()), 1.0)
        rows = sum_by(cells.of_row, np.ones(len(people), dtype=np.int64), len(cells))
        if missing == "wildcard":  # the same people on both sides: all who are compatible
            of_class, rows = weigh_compatible(cells, of_class), count_compatible(cells, rows)
        rows = np.maximum(rows, 1)
        sampled = np.minimum(rows / np.maximum(of_class, rows), 1.0)
        return counted.judge(expected_risk(own, sampled), threshold, "sampling weights (an estimate)"), known
    if fraction is not None:
        basis = f"a sampling fraction of {fraction:g} (an estimate)"
        return counted.judge(expected_risk(own, fraction), threshold, basis), fraction
    return None, None
