"""Context: objects, attributes and which object has which attribute, as bit sets with equal rows merged.

Everything here works on the distinct rows (`rows`, one bit per attribute) and how many objects share each
(`weights`), so a million people who differ in 3,000 ways cost 3,000 rows. Ganter and Wille (1999),
doi:10.1007/978-3-642-59830-2, chapter 1. Derivations cost O(distinct rows x words).
"""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from lookalike.base.errors import RequestError, unknown_column

Words = NDArray[np.uint64]
Counts = NDArray[np.int64]


def pack(matrix: NDArray[np.bool_]) -> Words:
    """Rows of booleans as rows of 64-bit words, at least one word wide."""
    n, m = matrix.shape
    packed = np.zeros((n, 8 * max(1, -(-m // 64))), dtype=np.uint8)
    packed[:, : -(-m // 8)] = np.packbits(matrix, axis=1, bitorder="little")
    return packed.view(np.uint64)


def unpack(words: Words, size: int) -> NDArray[np.bool_]:
    """The first `size` bits of each row as booleans."""
    return np.unpackbits(np.ascontiguousarray(words).view(np.uint8), axis=1, bitorder="little")[
        :, :size
    ].astype(bool)


@dataclass(frozen=True, eq=False)
class Context:
    """A formal context. Make one with `Context.of`, `Context.from_matrix`, or `scale` from a table.

    Examples:
        >>> import lookalike as la
        >>> animals = la.Context.of({"cat": ["legs", "fur"], "fish": ["fins"], "dog": ["legs", "fur"]})
        >>> animals
        Context(3 objects, 3 attributes, 2 distinct rows)
    """

    attributes: tuple[str, ...]  #: names of the attributes
    rows: Words  #: distinct rows, by first appearance
    number: Counts  #: which distinct row each object has
    objects: Sequence[Hashable]  #: labels; positions 0, 1, ... when nobody named them

    @classmethod
    def from_matrix(
        cls,
        matrix: ArrayLike,
        *,
        objects: Sequence[Hashable] | None = None,
        attributes: Sequence[str] | None = None,
    ) -> Context:
        """A context from a cross table of truth values, one row per object."""
        crosses = np.asarray(matrix)
        if crosses.ndim != 2:
            raise RequestError(
                f"a context needs a table of objects by attributes, not an array of {crosses.ndim} axes."
            )
        names = tuple(f"a{m}" for m in range(crosses.shape[1])) if attributes is None else tuple(attributes)
        _check_names(names, crosses.shape[1], "attribute")
        if objects is not None:
            _check_names(objects, crosses.shape[0], "object")
        return cls.from_rows(pack(crosses.astype(bool)), attributes=names, objects=objects)

    @classmethod
    def from_rows(
        cls,
        words: Words,
        *,
        attributes: Sequence[str],
        number: NDArray[np.integer[Any]] | None = None,
        objects: Sequence[Hashable] | None = None,
    ) -> Context:
        """A context from packed rows; `number` says which of them each object has (default: one object per row)."""
        from lookalike.kernels.bits import merge_equal

        first, place = merge_equal(words)
        numbers = place if number is None else place[number]
        labels = range(len(numbers)) if objects is None else objects
        return cls(tuple(attributes), words[first], numbers, labels)._compact()

    @classmethod
    def of(cls, rows: Mapping[Any, Iterable[str]], *, attributes: Sequence[str] | None = None) -> Context:
        """A context from `{object: its attributes}`; attributes in the order given, or of first mention.

        Examples:
            >>> Context.of({"cat": ["legs"], "fish": ["fins"]})
            Context(2 objects, 2 attributes, 2 distinct rows)
        """
        names = (
            tuple(dict.fromkeys(m for row in rows.values() for m in row))
            if attributes is None
            else tuple(attributes)
        )
        _check_names(names, len(names), "attribute")
        place = {name: m for m, name in enumerate(names)}
        matrix = np.zeros((len(rows), len(names)), dtype=bool)
        for i, row in enumerate(rows.values()):
            for name in row:
                if name not in place:
                    raise unknown_column(name, names, f"object number {i + 1}")
                matrix[i, place[name]] = True
        return cls.from_matrix(matrix, objects=list(rows), attributes=names)

    def _compact(self) -> Context:
        """Leave out rows that no object has, and put rows in order of first appearance."""
        used, first = np.unique(self.number, return_index=True)
        if len(used) == len(self.rows) and np.array_equal(np.argsort(first), np.arange(len(used))):
            return self
        used = used[np.argsort(first)]
        place = np.empty(len(self.rows), dtype=np.int64)
        place[used] = np.arange(len(used))
        return Context(self.attributes, self.rows[used], place[self.number], self.objects)

    @property
    def size(self) -> int:
        """Number of objects."""
        return len(self.number)

    @cached_property
    def weights(self) -> Counts:
        """Objects per distinct row."""
        return np.bincount(self.number, minlength=len(self.rows)).astype(np.int64)

    @cached_property
    def everything(self) -> Words:
        """The set of all attributes."""
        words: Words = pack(np.ones((1, len(self.attributes)), dtype=bool))[0]
        return words

    @cached_property
    def columns(self) -> Words:
        """For each attribute the set of distinct rows that have it."""
        return pack(np.ascontiguousarray(unpack(self.rows, len(self.attributes)).T))

    @cached_property
    def supports(self) -> Counts:
        """Objects per attribute."""
        from lookalike.kernels.bits import sum_by_bit

        sums: Counts = sum_by_bit(self.rows, self.weights)[: len(self.attributes)]
        return sums

    @cached_property
    def _attribute_place(self) -> dict[str, int]:
        return {name: m for m, name in enumerate(self.attributes)}

    @cached_property
    def _object_place(self) -> dict[Hashable, int]:
        return {label: i for i, label in enumerate(self.objects)}

    def encode(self, attributes: Iterable[str]) -> Words:
        """A set of attribute names as words."""
        out = np.zeros_like(self.everything)
        for name in attributes:
            if name not in self._attribute_place:
                raise unknown_column(name, self.attributes, "context")
            m = self._attribute_place[name]
            out[m >> 6] |= np.uint64(1) << np.uint64(m & 63)
        return out

    def decode(self, words: Words) -> tuple[str, ...]:
        """The names in a set of attributes, in context order."""
        return tuple(self.attributes[m] for m in np.flatnonzero(unpack(words[None], len(self.attributes))[0]))

    def place(self, label: Hashable) -> int:
        """Position of an object."""
        if isinstance(self.objects, range) and isinstance(label, int) and label in self.objects:
            return self.objects.index(label)
        if label not in self._object_place:
            raise RequestError(f"there is no object {label!r} in this context of {self.size:,} objects.")
        return self._object_place[label]

    def rows_with(self, words: Words) -> NDArray[np.bool_]:
        """Which distinct rows have all attributes of a set."""
        return np.asarray(((self.rows & words) == words).all(axis=1))

    def common(self, rows: NDArray[np.bool_]) -> Words:
        """The attributes that all these distinct rows share."""
        return np.asarray(np.bitwise_and.reduce(np.vstack([self.everything[None], self.rows[rows]]), axis=0))

    def extent(self, attributes: Iterable[str]) -> tuple[Hashable, ...]:
        """The objects that have all these attributes."""
        return self.labels(self.rows_with(self.encode(attributes)))

    def intent(self, objects: Iterable[Hashable]) -> tuple[str, ...]:
        """The attributes that all these objects have; every attribute when there are no objects."""
        chosen = np.zeros(len(self.rows), dtype=bool)
        chosen[self.number[[self.place(label) for label in objects]]] = True
        return self.decode(self.common(chosen))

    def close(self, attributes: Iterable[str]) -> tuple[str, ...]:
        """The attributes shared by everything that has the given ones."""
        return self.decode(self.common(self.rows_with(self.encode(attributes))))

    def support(self, attributes: Iterable[str]) -> int:
        """Number of objects that have all these attributes."""
        return int(self.weights[self.rows_with(self.encode(attributes))].sum())

    def labels(self, rows: NDArray[np.bool_]) -> tuple[Hashable, ...]:
        """The objects with one of these distinct rows."""
        return tuple(self.objects[i] for i in np.flatnonzero(rows[self.number]).tolist())

    def keep(self, objects: NDArray[np.bool_]) -> Context:
        """The context of some of its objects, given as one truth value each."""
        kept = np.flatnonzero(objects)
        labels = [self.objects[i] for i in kept.tolist()]
        return Context(self.attributes, self.rows, self.number[kept], labels)._compact()

    def without_objects(self, objects: Collection[Hashable]) -> Context:
        """The context after deleting objects."""
        keep = np.ones(self.size, dtype=bool)
        keep[[self.place(label) for label in objects]] = False
        return self.keep(keep)

    def without_attributes(self, attributes: Collection[str]) -> Context:
        """The context after deleting attributes; rows that became equal are merged."""
        self.encode(attributes)
        gone = set(attributes)
        kept = [m for m, name in enumerate(self.attributes) if name not in gone]
        words = pack(unpack(self.rows, len(self.attributes))[:, kept])
        names = [self.attributes[m] for m in kept]
        return Context.from_rows(words, attributes=names, number=self.number, objects=self.objects)

    def with_opposites(self) -> Context:
        """The dichotomised context: for each attribute also its opposite, which whoever lacks it has."""
        crosses = unpack(self.rows, len(self.attributes))
        names = (*self.attributes, *(f"not {name}" for name in self.attributes))
        words = pack(np.concatenate([crosses, ~crosses], axis=1))
        return Context.from_rows(words, attributes=names, number=self.number, objects=self.objects)

    def to_matrix(self) -> NDArray[np.bool_]:
        """The cross table, one row per object."""
        return unpack(self.rows, len(self.attributes))[self.number]

    def __repr__(self) -> str:
        return f"Context({self.size:,} objects, {len(self.attributes)} attributes, {len(self.rows):,} distinct rows)"


def _check_names(names: Sequence[Hashable], wanted: int, what: str) -> None:
    if len(names) != wanted:
        raise RequestError(f"the cross table has {wanted} {what}s but {len(names)} {what} names were given.")
    if len(set(names)) < len(names):
        raise RequestError(f"two {what}s have the same name; give every {what} its own.")
