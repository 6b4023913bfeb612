"""`deidentify`: the de-identification pipeline as one call, with what each step buys and what it costs.

Hemmati, de Jong, Ang and Ng, privacy-engineering case study: leave columns out, generalise one column after the other
and count classes and unique records after each, drop small classes, then drop the classes in which everybody has the
value that harms (directional diversity), which costs far fewer records than plain 2-diversity.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lookalike.anonymizers.anonymization import anonymize
from lookalike.base.checks import per_column, whole_number, whole_numbers
from lookalike.base.errors import unknown_column
from lookalike.models import DirectionalDiversity, KAnonymity
from lookalike.recognition.frames import takes_frames
from lookalike.releases.release import Release
from lookalike.tables.cells import Cells, Classes
from lookalike.tables.table import Table

LARGEST = 12  #: class sizes up to this one are counted one by one


@dataclass(frozen=True)
class ColumnStep:
    """The table after one more column was generalised."""

    name: str
    level: int
    classes: int
    uniques: int
    sizes: dict[int, int]  #: class size -> number of classes, up to LARGEST


@dataclass(frozen=True)
class Cost:
    """Records lost at one k: to small classes, and then to either kind of diversity."""

    k: int
    dropped_k: int
    dropped_directional: int
    dropped_plain: int


@dataclass(frozen=True, eq=False)
class Deidentification:
    """Every step of the pipeline, the costs at each k, and the release."""

    steps: tuple[ColumnStep, ...]
    costs: tuple[Cost, ...]
    release: Release | None = field(repr=False)

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON values."""
        return {
            "steps": [asdict(step) for step in self.steps],
            "costs": [asdict(cost) for cost in self.costs],
            "release": None if self.release is None else self.release.to_dict(),
        }

    def __str__(self) -> str:
        lines = [f"{'step':<28}{'classes':>10}{'unique':>10}"]
        lines += [f"{_named(step):<28}{step.classes:>10,}{step.uniques:>10,}" for step in self.steps]
        lines += ["", f"{'k':>3}{'lost to k':>12}{'directional':>14}{'plain 2-diversity':>20}"]
        lines += [
            f"{c.k:>3}{c.dropped_k:>12,}{c.dropped_directional:>14,}{c.dropped_plain:>20,}"
            for c in self.costs
        ]
        return "\n".join(lines)


@takes_frames
def deidentify(
    people: Table,
    *,
    levels: Mapping[str, int],
    k: int,
    negative: Mapping[str, Any] | None = None,
    drop: Sequence[str] = (),
    ks: Sequence[int] | None = None,
    seed: int = 0,
) -> Deidentification:
    """Run the pipeline: leave `drop` out, generalise the columns of `levels` in their order, drop small classes.

    negative: for sensitive columns with two values, the one that harms, such as {"on_benefits": "yes"}.
    ks: the values of k to report costs for (default: 2 up to k).
    The release is None where nothing is left at this k.
    levels: column -> level of its hierarchy. k: the least number of people in a class.
    drop: columns to leave out besides the identifiers.

    Examples:
        >>> import lookalike as la
        >>> frame = la.datasets.population(200, seed=1).select("age", "gender", "income")
        >>> people = la.table(frame, quasi=["age", "gender"], sensitive=["income"])
        >>> outcome = la.deidentify(people, levels={"age": 1, "gender": 1}, k=5)
        >>> outcome.release.k >= 5
        True
    """
    levels, negative = per_column(levels, "levels"), dict(per_column(negative, "negative"))
    unknown = [name for name in levels if name not in people.quasi]
    if unknown:
        raise unknown_column(unknown[0], people.quasi, "levels")
    for name in negative:
        if name not in people.sensitive:
            raise unknown_column(name, people.sensitive, "negative")
    whole_number(k, "k", least=1)
    ks = range(2, k + 1) if ks is None else whole_numbers(ks, "ks", least=1)
    for name, level in levels.items():
        whole_number(level, name, where="levels")
    cells = people.cells(sensitive=list(negative))
    steps = _steps(cells, levels)
    classes = cells.roll_up(dict(levels))
    costs = tuple(cost(classes, j, negative) for j in ks)
    wanted = cost(classes, k, negative)
    release = None
    if wanted.dropped_k + wanted.dropped_directional < len(people):
        models = [DirectionalDiversity(name, value) for name, value in negative.items()]
        release = anonymize(
            people,
            KAnonymity(k),
            *models,
            method="levels",
            levels=levels,
            suppression=1.0,
            drop=drop,
            seed=seed,
        )
    return Deidentification(steps, costs, release)


def cost(classes: Classes, k: int, negative: Mapping[str, Any]) -> Cost:
    """How many records are lost at one k, and then to directional and to plain diversity of the negative columns."""
    small = classes.counts < k
    directional, plain = np.zeros(len(classes), dtype=bool), np.zeros(len(classes), dtype=bool)
    for name, value in negative.items():
        directional |= DirectionalDiversity(name, value).breaks(classes)
        plain |= np.diff(classes.histogram(name).starts) < 2
    records = classes.records
    return Cost(
        k,
        int(records[small].sum()),
        int(records[directional & ~small].sum()),
        int(records[plain & ~small].sum()),
    )


def _steps(cells: Cells, levels: Mapping[str, int]) -> tuple[ColumnStep, ...]:
    reached: dict[str, int] = {}
    steps = [_step("", 0, cells.counts)]
    for name, level in levels.items():
        reached[name] = level
        steps.append(_step(name, level, cells.roll_up(reached).counts))
    return tuple(steps)


def _step(name: str, level: int, counts: NDArray[np.int64]) -> ColumnStep:
    sizes = np.bincount(np.minimum(counts, LARGEST + 1), minlength=LARGEST + 2)
    return ColumnStep(
        name, level, len(counts), int(sizes[1]), {size: int(sizes[size]) for size in range(1, LARGEST + 1)}
    )


def _named(step: ColumnStep) -> str:
    return f"{step.name} to level {step.level}" if step.name else "as it came"
