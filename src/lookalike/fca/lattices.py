"""Concepts and the lattice they form: all of them with covers, only the frequent ones, or just a neighbourhood.

Ganter and Wille (1999), doi:10.1007/978-3-642-59830-2; icebergs after Stumme et al. (2002),
doi:10.1016/S0169-023X(02)00057-5. The walk is `kernels.fca.lattice`; its cost is the sum of all
extents, in distinct rows.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from lookalike.base.errors import RequestError
from lookalike.fca.contexts import Context, Counts, Words

CONCEPT_LIMIT = 1_000_000


@dataclass(frozen=True)
class Concept:
    """A maximal set of objects with all the attributes they share."""

    extent: tuple[Hashable, ...]
    intent: tuple[str, ...]

    def to_dict(self) -> dict[str, Any]:
        """Plain values."""
        return {"extent": list(self.extent), "intent": list(self.intent)}

    def __repr__(self) -> str:
        return f"Concept({len(self.extent)} objects with {{{', '.join(self.intent)}}})"


@dataclass(frozen=True, eq=False)
class Lattice:
    """Concepts by falling number of objects (0 is the top), with the cover relation. Made by `concept_lattice`."""

    context: Context
    intents: Words
    supports: Counts  #: objects per concept
    upper: Counts  #: upper concept of each cover edge, ascending
    lower: Counts  #: lower concept of each cover edge

    def __len__(self) -> int:
        return len(self.intents)

    @property
    def edges(self) -> int:
        """Number of cover edges."""
        return len(self.upper)

    @cached_property
    def lower_starts(self) -> Counts:
        """Where each concept's lower covers begin in `lower`; one more than the concepts."""
        return np.searchsorted(self.upper, np.arange(len(self) + 1))

    @cached_property
    def _by_lower(self) -> tuple[Counts, Counts]:
        order = np.argsort(self.lower, kind="stable")
        return self.upper[order], np.searchsorted(self.lower[order], np.arange(len(self) + 1))

    def lower_of(self, concept: int) -> Counts:
        """Lower neighbours."""
        return self.lower[self.lower_starts[concept] : self.lower_starts[concept + 1]]

    def upper_of(self, concept: int) -> Counts:
        """Upper neighbours."""
        uppers, starts = self._by_lower
        return uppers[starts[concept] : starts[concept + 1]]

    @cached_property
    def _place(self) -> dict[bytes, int]:
        return {words.tobytes(): i for i, words in enumerate(self.intents)}

    def find(self, words: Words) -> int:
        """Number of the concept with this intent."""
        key = np.ascontiguousarray(words).tobytes()
        if key not in self._place:
            raise RequestError(
                "this set of attributes is not the intent of a concept of this lattice; close it first."
            )
        return self._place[key]

    @cached_property
    def object_concepts(self) -> Counts:
        """The concept of each distinct row of the context: the smallest that contains its objects; -1 if left out."""
        return np.array([self._place.get(row.tobytes(), -1) for row in self.context.rows], dtype=np.int64)

    @cached_property
    def attribute_concepts(self) -> Counts:
        """The concept of each attribute: the largest that has it; -1 if left out."""
        found = []
        for name in self.context.attributes:
            words = self.context.common(self.context.rows_with(self.context.encode([name])))
            found.append(self._place.get(words.tobytes(), -1))
        return np.array(found, dtype=np.int64)

    def concept(self, number: int) -> Concept:
        """One concept with its objects and attributes by name."""
        words = self.intents[number]
        return Concept(self.context.labels(self.context.rows_with(words)), self.context.decode(words))

    def __iter__(self) -> Iterator[Concept]:
        return (self.concept(i) for i in range(len(self)))

    def to_dict(self) -> dict[str, Any]:
        """Plain values: concepts with extents and intents, and edges (upper, lower)."""
        return {
            "concepts": [concept.to_dict() for concept in self],
            "edges": [[int(a), int(b)] for a, b in zip(self.upper, self.lower, strict=True)],
        }

    def __repr__(self) -> str:
        return f"Lattice({len(self):,} concepts, {self.edges:,} covers)"


def concept_lattice(context: Context, *, minimum_support: float = 0.0, limit: int = CONCEPT_LIMIT) -> Lattice:
    """All concepts with the cover relation, the empty bottom included.

    minimum_support: only concepts that hold at least this share of the objects (an iceberg lattice).
    limit: stop with an error that says how far the walk came once there are more concepts than this.
    """
    rows = np.arange(len(context.rows))
    return walk(context, np.array([[0, len(rows)]]), rows, at_least(minimum_support, context.size), limit)[0]


def walk(
    context: Context, starts: Counts, members: Counts, minimum: int, limit: int
) -> tuple[Lattice, Counts]:
    """The concepts below some extents, and which concept each start is (-1 where it is too small)."""
    from lookalike.kernels.fca.lattice import walk_down

    intents, supports, upper, lower, origin, complete = walk_down(
        context.rows, context.weights, context.everything, starts, members, minimum, limit
    )
    if not complete:
        raise RequestError(
            f"the lattice has more than {limit:,} concepts: {len(intents):,} concepts and {len(upper):,} covers were "
            f"found before stopping. Raise limit=, ask only for frequent concepts with minimum_support=, or look at "
            f"one neighbourhood at a time with `neighbours` or `surroundings`."
        )
    lattice, place = _sorted(context, intents, supports, upper, lower)
    return lattice, np.where(origin < 0, -1, place[origin])


def _sorted(
    context: Context, intents: Words, supports: Counts, upper: Counts, lower: Counts
) -> tuple[Lattice, Counts]:
    """The lattice in its order (by falling support, then intent), and the new number of each concept."""
    order = np.lexsort((*intents.T[::-1], -supports))
    place = np.empty(len(order), dtype=np.int64)
    place[order] = np.arange(len(order))
    upper, lower = place[upper], place[lower]
    by_upper = np.lexsort((lower, upper))
    return Lattice(context, intents[order], supports[order], upper[by_upper], lower[by_upper]), place


def at_least(share: float, total: int) -> int:
    """The smallest count that is at least this share of the total."""
    if not 0 <= share <= 1:
        raise RequestError(f"a support is a share of the objects between 0 and 1, not {share}.")
    count = max(int(share * total) - 1, 0)
    while total and count / total < share:
        count += 1
    return count


def object_concept(context: Context, label: Hashable) -> Concept:
    """The smallest concept that contains an object, found without the lattice."""
    words = context.rows[context.number[context.place(label)]]
    return Concept(context.labels(context.rows_with(words)), context.decode(words))


def attribute_concept(context: Context, attribute: str) -> Concept:
    """The largest concept that has an attribute, found without the lattice."""
    rows = context.rows_with(context.encode([attribute]))
    return Concept(context.labels(rows), context.decode(context.common(rows)))


@dataclass(frozen=True)
class Neighbourhood:
    """A concept with the concepts directly above and below it."""

    concept: Concept
    upper: tuple[Concept, ...]
    lower: tuple[Concept, ...]

    def to_dict(self) -> dict[str, Any]:
        """Plain values."""
        return {
            "concept": self.concept.to_dict(),
            "upper": [c.to_dict() for c in self.upper],
            "lower": [c.to_dict() for c in self.lower],
        }


def neighbours(context: Context, attributes: Iterable[str]) -> Neighbourhood:
    """The concept that the attributes close to, with its upper and lower neighbours; no lattice is built."""
    rows = context.rows_with(context.encode(attributes))
    intent = context.common(rows)
    inside = context.rows[rows]
    lower: list[Words]
    if not len(inside) or not (inside & ~intent).any():
        lower = [] if np.array_equal(intent, context.everything) else [context.everything]
    else:
        lower = _extreme(_closures_below(inside, intent, context.everything), largest=False)
    upper = _extreme(np.unique(context.rows[~rows] & intent, axis=0), largest=True)
    return Neighbourhood(_concept(context, intent), _concepts(context, upper), _concepts(context, lower))


def surroundings(context: Context, attributes: Iterable[str], *, steps: int = 1) -> Lattice:
    """The part of the lattice within some cover steps of the concept that the attributes close to.

    Found neighbour by neighbour, so it works where the whole lattice would be far too large.
    """
    reached = {context.close(attributes)}
    frontier = set(reached)
    edges: set[tuple[tuple[str, ...], tuple[str, ...]]] = set()
    for _ in range(steps):
        near = [neighbours(context, intent) for intent in frontier]
        edges |= {(n.concept.intent, d.intent) for n in near for d in n.lower}
        edges |= {(u.intent, n.concept.intent) for n in near for u in n.upper}
        frontier = {intent for edge in edges for intent in edge} - reached
        reached |= frontier
    intents = np.array([context.encode(intent) for intent in reached])
    supports = np.array([context.support(intent) for intent in reached], dtype=np.int64)
    place = {intent: i for i, intent in enumerate(reached)}
    upper = np.array([place[a] for a, _ in edges], dtype=np.int64)
    lower = np.array([place[b] for _, b in edges], dtype=np.int64)
    return _sorted(context, intents, supports, upper, lower)[0]


def _closures_below(inside: Words, intent: Words, everything: Words) -> Words:
    """The closure of the intent with each further attribute that somebody in the extent has."""
    found = []
    for m in range(64 * len(intent)):
        word, bit = m >> 6, np.uint64(1) << np.uint64(m & 63)
        if everything[word] & bit and not intent[word] & bit:
            having = inside[(inside[:, word] & bit) != 0]
            if len(having):
                found.append(np.bitwise_and.reduce(having, axis=0))
    return np.asarray(np.unique(np.array(found), axis=0))


def _extreme(sets: Words, *, largest: bool) -> list[Words]:
    """The maximal (or minimal) ones of distinct sets."""
    from lookalike.kernels.fca.lattice import count_bits

    sizes = count_bits(sets)
    kept: list[Words] = []
    for words in sets[np.argsort(-sizes if largest else sizes, kind="stable")]:
        small, big = (words[None], np.array(kept)) if largest else (np.array(kept), words[None])
        if not kept or not ((small & ~big) == 0).all(axis=1).any():
            kept.append(words)
    return kept


def _concept(context: Context, words: Words) -> Concept:
    return Concept(context.labels(context.rows_with(words)), context.decode(words))


def _concepts(context: Context, sets: Iterable[Words]) -> tuple[Concept, ...]:
    concepts = [_concept(context, words) for words in sets]
    return tuple(sorted(concepts, key=lambda c: (-len(c.extent), c.intent)))
