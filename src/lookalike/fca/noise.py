"""Add noise to the records at risk and assess again: the third way beside leaving out and forgetting.

Aranda-Corral, Borrego-Díaz and Galán-Páez (https://doi.org/10.1093/jigpal/jzae011), section 6, which names the step and
leaves the noise open. Here a record above the threshold takes its value of one column, drawn at random, from another
record, also drawn at random; then all risks are counted anew, of people where the table names a `unit`. A round costs
one `basic_risk`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import polars as pl
from numpy.typing import NDArray

from lookalike.base.checks import is_number
from lookalike.base.errors import RequestError
from lookalike.fca.contexts import Context, Counts
from lookalike.fca.people import person_of, risk_of, safe_of
from lookalike.fca.scales import Scale
from lookalike.fca.scaling import Scaling, scale_records
from lookalike.tables.table import Table


@dataclass(frozen=True, eq=False)
class Noise:
    """The quasi-identifiers with noise, and what it did to the risk."""

    frame: pl.DataFrame  #: the quasi-identifiers with noise, in the order of the records
    context: Context  #: the same, scaled
    threshold: float
    rounds: tuple[int, ...]  #: records above the threshold before each round, and after the last
    changed: int  #: values that are not what they were
    keep: NDArray[
        np.bool_
    ]  #: the greatest safe set of the records with noise, or of the people with all theirs
    found: tuple[
        float, float
    ]  #: expected share of people matched rightly by who knows their attributes: before, after

    def to_dict(self) -> dict[str, Any]:
        """Plain values, no records."""
        return {
            "threshold": self.threshold,
            "rounds": list(self.rounds),
            "changed": self.changed,
            "kept": int(self.keep.sum()),
            "found_before": self.found[0],
            "found_after": self.found[1],
        }

    def __repr__(self) -> str:
        return (
            f"Noise({self.changed:,} values changed; above {self.threshold:g}: {self.rounds[0]:,} records before, "
            f"{self.rounds[-1]:,} after; {int(self.keep.sum()):,} can stay)"
        )


def add_noise(
    people: Table,
    *,
    threshold: float = 0.35,
    scales: Mapping[str, Scale | str] | None = None,
    uncovered: Literal["error", "empty"] = "error",
    rounds: int = 10,
    seed: int = 0,
) -> Noise:
    """Records above the threshold take values of others, one column in a round, until nobody is above or rounds end.

    Whoever is safe is left as they are. What is still above after the last round is not in `keep`. Noise hides whose a
    record is; it makes no promise, and the records are no longer true: prefer the safe set where truth matters.
    """
    if not is_number(threshold) or not 0 < threshold <= 1:
        raise RequestError(f"threshold is a probability above 0 and at most 1, not {threshold!r}.")
    if isinstance(rounds, bool) or not isinstance(rounds, int) or rounds < 0:
        raise RequestError(f"rounds is a whole number from 0 on, not {rounds!r}.")
    scaling, person = scale_records(people, scales=scales, uncovered=uncovered), person_of(people)
    blocks = _blocks(scaling)
    rng = np.random.default_rng(seed)
    n = len(people)
    source = np.tile(np.arange(n), (len(blocks), 1))  # whose value each record shows, column by column
    context, above = scaling.context, []
    while True:
        risk = risk_of(context, person)
        risky = np.flatnonzero(risk.of_objects(risk.basic) > threshold)
        above.append(len(risky))
        if not len(risky) or len(above) > rounds:
            break
        column = rng.integers(len(blocks), size=len(risky))
        source[column, risky] = rng.integers(n, size=len(risky))
        context = _taken(scaling, blocks, source)
    codes = [people.column(name).codes for name in people.quasi]
    return Noise(
        pl.DataFrame(
            {name: people.rows[name][taken] for name, taken in zip(people.quasi, source, strict=True)}
        ),
        context,
        threshold,
        tuple(above),
        sum(int((column[taken] != column).sum()) for column, taken in zip(codes, source, strict=True)),
        safe_of(context, person, threshold=threshold).keep,
        (_found(scaling.context, scaling.context, person), _found(scaling.context, context, person)),
    )


def _blocks(scaling: Scaling) -> list[NDArray[np.uint64]]:
    """For each column the set of its attributes."""
    return [scaling.context.encode(attributes) for attributes in scaling.columns.values()]


def _taken(scaling: Scaling, blocks: list[NDArray[np.uint64]], source: Counts) -> Context:
    """The context in which every record has the attributes of the values it took over."""
    context = scaling.context
    words = np.zeros((context.size, context.rows.shape[1]), dtype=np.uint64)
    for block, taken in zip(blocks, source, strict=True):
        words |= context.rows[context.number[taken]] & block
    return Context.from_rows(words, attributes=context.attributes)


def _found(true: Context, shown: Context, person: Counts | None) -> float:
    """The mean over records of the chance that somebody drawn from all who match its true attributes is its person."""
    who = np.arange(true.size) if person is None else person
    share = 0.0
    for row in range(len(true.rows)):
        matches = np.zeros(int(who.max()) + 1, dtype=bool)
        matches[who[shown.rows_with(true.rows[row])[shown.number]]] = True
        if matches.any():
            share += int(matches[who[true.number == row]].sum()) / int(matches.sum())
    return share / max(true.size, 1)
