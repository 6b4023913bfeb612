"""Identifier chains: towers of concepts in which each step adds so few records that these can be singled out.

A unique-record chain starts with one record and adds one per step: deleting the first makes the next unique. With a
threshold, the first concept and every step may hold up to 1/threshold records. Aranda-Corral, Borrego-Díaz and
Galán-Páez (2023). Chains are listed one by one, so their number, which can grow exponentially, is limited.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from dataclasses import dataclass
from itertools import islice, pairwise
from typing import Any

from lookalike.base.errors import RequestError
from lookalike.fca.lattices import Concept, Lattice


@dataclass(frozen=True)
class Chain:
    """Concepts from small to large, each covered by the next."""

    concepts: tuple[Concept, ...]

    @property
    def steps(self) -> tuple[tuple[Hashable, ...], ...]:
        """The records that each concept adds to the one before; the first concept's own records first."""
        first = [self.concepts[0].extent]
        return (
            *first,
            *(tuple(x for x in b.extent if x not in set(a.extent)) for a, b in pairwise(self.concepts)),
        )

    @property
    def risks(self) -> dict[Hashable, float]:
        """Chain risk of each record: one over the number of records that came in with it."""
        return {record: 1 / len(step) for step in self.steps for record in step}

    def to_dict(self) -> dict[str, Any]:
        """Plain values."""
        return {"concepts": [concept.to_dict() for concept in self.concepts]}

    def __repr__(self) -> str:
        return "Chain(" + " < ".join("{" + ", ".join(map(str, c.extent)) + "}" for c in self.concepts) + ")"


def unique_chains(lattice: Lattice, *, limit: int = 1000) -> tuple[Chain, ...]:
    """All maximal unique-record chains, at most `limit` of them."""
    return risk_chains(lattice, threshold=1.0, limit=limit)


def risk_chains(lattice: Lattice, *, threshold: float, limit: int = 1000) -> tuple[Chain, ...]:
    """All maximal chains whose first concept and steps have risk 1/size >= threshold, at most `limit` of them.

    The FCA paper's definition 3.2 prints size <= threshold, a count beside a probability; this is what it means.
    """
    if not 0 < threshold <= 1:
        raise RequestError(f"threshold is a probability above 0 and at most 1, not {threshold}.")
    return tuple(
        Chain(tuple(lattice.concept(c) for c in numbers))
        for numbers in islice(_maximal(lattice, threshold), limit)
    )


def _maximal(lattice: Lattice, threshold: float) -> Iterator[tuple[int, ...]]:
    supports = lattice.supports

    def small(count: int) -> bool:
        return count > 0 and 1 / count >= threshold

    for start in range(len(lattice)):
        if not small(supports[start]):
            continue
        below = lattice.lower_of(start)
        if any(small(supports[d]) and small(supports[start] - supports[d]) for d in below):
            continue  # a longer chain runs through it
        stack: list[tuple[int, ...]] = [(start,)]
        while stack:
            chain = stack.pop()
            top = chain[-1]
            further = [int(u) for u in lattice.upper_of(top) if small(supports[u] - supports[top])]
            if not further:
                yield chain
            stack.extend((*chain, u) for u in reversed(further))
