"""A release as attackers see it, beside the truth they do not see: what each class publishes, covers and holds.

Everything is counted on cells (distinct quasi-identifier tuples) and classes. A class covers a cell when each of its
published values does; boxes of local recodings overlap, so a person may be covered by several classes. Records that
were kept as stars stand for everybody and are left out: attackers gain nothing by them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from lookalike.base.errors import RequestError
from lookalike.models.model import Model
from lookalike.recodings import Recoding
from lookalike.recodings.again import in_order, make_again
from lookalike.recodings.covering import BoxTexts, grow_known
from lookalike.recodings.treatments import Box, Generalise, Keep, Pseudonymise, Round
from lookalike.tables.cells import Attribute, Cells, Classes
from lookalike.tables.columns.domains import Domain
from lookalike.tables.columns.grouping import first_of_each, group_codes
from lookalike.tables.columns.naming import named
from lookalike.tables.hierarchies import Tree
from lookalike.tables.populations import with_population
from lookalike.tables.table import Table

if TYPE_CHECKING:
    from lookalike.kernels.attacks import Covers

Integers = NDArray[np.int64]
_BLOCK = 1 << 24  #: pairs of a code and a class that are unpacked at a time


@dataclass(frozen=True, eq=False)
class CoveredColumn:
    """One quasi-identifier of the release: the label each class publishes, and the codes each label covers."""

    attribute: Attribute
    style: str  #: "level", "range", "set" or "node"
    label: NDArray[np.int32]  #: per class
    inside: NDArray[np.bool_]  #: labels x codes
    texts: list[str | None]  #: of the labels
    numbers: str  #: "range", or "midpoint" or "mean" where a number is published instead
    tree: Tree | None = None  #: of hierarchy labels
    level: NDArray[np.int64] | None = None  #: the level of each label in the tree

    @property
    def domain(self) -> Domain:
        """The values behind the codes."""
        return self.attribute.domain


@dataclass(frozen=True, eq=False)
class PublishedCodes:
    """A column as it is published: a code per row of the table; how many codes there are."""

    codes: NDArray[np.int64]
    size: int


class Held(NamedTuple):
    """Sorted (class, value, times) entries: how often each published value occurs in each class."""

    starts: Integers
    value: Integers
    times: Integers
    size: int


class Holders(NamedTuple):
    """The other way round, sorted by value and person: the classes in which each value is found, and whose it is there.

    Where nobody says whose rows they are, a class stands for as many people as it has records with the value.
    """

    starts: Integers
    person: Integers
    owner: Integers
    times: Integers


@dataclass(frozen=True, eq=False)
class Exposure:
    """The release and the table it was made from."""

    people: Table
    recoding: Recoding
    method: str
    of_row: NDArray[np.int32]  #: class of each row, -1 where held back
    cells: Cells  #: of the table, then those that only the population has
    sides: tuple[CoveredColumn, ...]
    pseudonyms: pl.DataFrame | None = None  #: pseudonymised columns of the release, in its order

    @property
    def models(self) -> tuple[Model, ...]:
        """The promise."""
        return self.recoding.models

    @cached_property
    def k(self) -> int:
        """The size of classes that is promised; 1 where none is."""
        return max([1, *(model.smallest_class for model in self.models)])

    @cached_property
    def kept(self) -> NDArray[np.bool_]:
        """Rows that are in the release."""
        return self.of_row >= 0

    @cached_property
    def classes(self) -> int:
        """How many classes were published."""
        return int(self.of_row.max(initial=-1)) + 1

    @cached_property
    def sizes(self) -> Integers:
        """Records in each class."""
        return np.bincount(self.of_row[self.kept], minlength=self.classes).astype(np.int64)

    @cached_property
    def everybody(self) -> int:
        """How many people (or records) are in the release: whom an attacker without it would guess among."""
        if self.people.unit is None:
            return int(self.kept.sum())
        return len(np.unique(self.people.column(self.people.unit).codes[self.kept]))

    @cached_property
    def released(self) -> Integers:
        """Released records of each cell."""
        return np.bincount(self.cells.of_row[self.kept], minlength=len(self.cells)).astype(np.int64)

    @cached_property
    def held_back(self) -> Integers:
        """Records of each cell that were held back."""
        return np.bincount(self.cells.of_row[~self.kept], minlength=len(self.cells)).astype(np.int64)

    @cached_property
    def outsiders(self) -> Integers | None:
        """People of each cell who are in the population but not in the table, where there is a population."""
        if self.cells.population is None:
            return None
        return np.asarray(np.maximum(self.cells.population - self.cells.counts, 0))

    @cached_property
    def offset(self) -> Integers:
        """Where the codes of each attribute begin in `bits`."""
        sizes = [side.domain.size for side in self.sides]
        return np.concatenate([[0], np.cumsum(sizes)[:-1]]).astype(np.int64)

    @cached_property
    def bits(self) -> NDArray[np.uint64]:
        """The classes that cover each code of each attribute, as bit sets."""
        words = max(1, (self.classes + 63) // 64)
        parts = []
        for side in self.sides:
            out = np.zeros((side.domain.size, words * 8), dtype=np.uint8)
            step = max(1, _BLOCK // max(self.classes, 1))
            for start in range(0, side.domain.size, step):
                block = side.inside[:, start : start + step].T[:, side.label]
                packed = np.packbits(block, axis=1, bitorder="little")
                out[start : start + step, : packed.shape[1]] = packed
            parts.append(out.view("<u8"))
        return np.ascontiguousarray(np.concatenate(parts), dtype=np.uint64)

    def covers(self, codes: NDArray[np.int32]) -> Covers:
        """Tuples and the classes that cover them, as kernels see them."""
        from lookalike.kernels.attacks import Covers

        return Covers(self.bits, self.offset, np.ascontiguousarray(codes))

    @cached_property
    def candidates(self) -> Integers:
        """Per cell, the people (or records) of the release that could be somebody with that tuple."""
        return self.covering(self.cells.codes)

    @cached_property
    def _place(self) -> dict[str, int]:
        return {side.attribute.name: i for i, side in enumerate(self.sides)}

    def covering(self, codes: NDArray[np.int32], known: Sequence[str] | None = None) -> Integers:
        """How many people (or records) of the release fit each tuple, known in full or on some attributes."""
        from lookalike.kernels import attacks as kernels

        chosen = np.full(len(self.sides), known is None)
        chosen[[self._place[name] for name in known or ()]] = True
        covers = self.covers(codes)
        if self.people.unit is None:
            counts = kernels.sum_covering(covers, chosen, self.sizes)
        else:
            unit = self.people.column(self.people.unit)
            held = self._held(np.asarray(unit.codes, dtype=np.int64), unit.domain.size)
            counts = kernels.people_covering(covers, chosen, held)
        return np.asarray(counts)

    def covered_cells(self, weight: Integers) -> Integers:
        """Per class the sum of a weight over the cells that it covers: its people in a table, say."""
        from lookalike.kernels import attacks as kernels

        return np.asarray(kernels.sum_covered(self.covers(self.cells.codes), weight, self.classes))

    @cached_property
    def published(self) -> list[str]:
        """Columns besides the quasi-identifiers that show a person's value, exact or rounded."""
        return [name for name, t in self.recoding.columns.items() if isinstance(t, Keep | Round)]

    @cached_property
    def sensitive(self) -> list[str]:
        """Sensitive columns that are published: what an attacker can learn."""
        return [name for name in self.published if name in self.people.sensitive]

    def values(self, name: str) -> PublishedCodes:
        """The published values of a column as codes."""
        column, treatment = self.people.column(name), self.recoding.columns[name]
        codes = np.asarray(column.codes, dtype=np.int64)
        if isinstance(treatment, Round):
            rounded = np.round(column.domain.numbers / treatment.to)
            distinct, place = np.unique(rounded, return_inverse=True)
            return PublishedCodes(place[codes], len(distinct))
        return PublishedCodes(codes, column.domain.size)

    def held(self, values: PublishedCodes) -> Held:
        """How often each value occurs in each class; people count once per value."""
        unit = None if self.people.unit is None else self.people.column(self.people.unit).codes
        return self._held(values.codes, values.size, unit)

    def holders(self, values: PublishedCodes) -> Holders:
        """In which classes each value is found; people count once, in however many of them they are."""
        value, owner = values.codes[self.kept], self.of_row[self.kept].astype(np.int64)
        if self.people.unit is None:
            label, n = group_codes([value, owner], [values.size, self.classes], len(value))
            first, times = first_of_each(label, n), np.bincount(label, minlength=n)
            person = np.arange(n)  # each by themselves
        else:
            unit = self.people.column(self.people.unit)
            whose = unit.codes[self.kept].astype(np.int64)
            label, n = group_codes(
                [value, whose, owner], [values.size, unit.domain.size, self.classes], len(value)
            )
            first, times = first_of_each(label, n), np.ones(n, dtype=np.int64)
            person = whose[first]
        starts = np.searchsorted(value[first], np.arange(values.size + 1))
        return Holders(starts, person, owner[first], times)

    def _held(self, codes: Integers, size: int, unit: NDArray[np.int32] | None = None) -> Held:
        keys = self.of_row[self.kept].astype(np.int64) * size + codes[self.kept]
        if unit is not None:
            keys = np.unique(np.stack([keys, unit[self.kept]]), axis=1)[0]
        distinct, count = np.unique(keys, return_counts=True)
        owner, value = np.divmod(distinct, size)
        return Held(np.searchsorted(owner, np.arange(self.classes + 1)), value, count.astype(np.int64), size)

    def around(self, values: PublishedCodes) -> tuple[Integers, Integers, Integers, Integers]:
        """Per cell, among its candidates: distinct values, the commonest (-1: no candidates), its count, all counts."""
        from lookalike.kernels import attacks as kernels

        found = kernels.values_covering(self.covers(self.cells.codes), self.held(values))
        return found[0], found[1], found[2], found[3]

    def classes_of(self, sensitive: Sequence[str]) -> Classes:
        """The published classes, as privacy models look at them."""
        return self.people.classes(self.of_row, sensitive=sensitive)


def expose(
    people: Table,
    rows: pl.DataFrame,
    recoding: Recoding,
    *,
    method: str,
    population: Any = None,
    outsiders: bool = True,
) -> Exposure:
    """Find out which row of the table went into which class of the release.

    outsiders: whether people of the population who are not in the table are looked at too.
    """
    if not recoding.quasi:
        raise RequestError("the release has no quasi-identifiers, so there is nothing to attack.")
    recoding = in_order(recoding, people.names)
    of_row = _truth(people, rows, recoding, population)
    cells = None
    if population is not None and outsiders:
        cells = with_population(people, population, quasi=recoding.quasi, sensitive=[])
    hidden = [name for name, t in recoding.columns.items() if isinstance(t, Pseudonymise)]
    exposure = expose_placed(people, recoding, of_row, method=method, cells=cells)
    return replace(exposure, pseudonyms=rows.select(named(hidden))) if hidden else exposure


def expose_placed(
    people: Table, recoding: Recoding, of_row: NDArray[np.int32], *, method: str, cells: Cells | None = None
) -> Exposure:
    """The same where it is known into which class each row went (-1: held back)."""
    recoding = in_order(recoding, people.names)
    if cells is None:
        cells = people.cells(quasi=recoding.quasi, sensitive=[])
    labels = [
        _labels(attribute, recoding, of_row, codes[cells.of_row])
        for attribute, codes in zip(cells.attributes, cells.codes, strict=True)
    ]
    kept = of_row >= 0
    merged, n = group_codes([row[kept] for _, row in labels], [len(s.inside) for s, _ in labels], kept.sum())
    dense = np.full(len(of_row), -1, dtype=np.int32)
    dense[kept] = merged
    first = np.flatnonzero(kept)[first_of_each(merged, n)]
    sides = tuple(replace(side, label=row[first].astype(np.int32)) for side, row in labels)
    return Exposure(people, recoding, method, dense, cells, sides)


def _truth(people: Table, rows: pl.DataFrame, recoding: Recoding, population: Any) -> NDArray[np.int32]:
    """The class of each row, by making the release again."""
    cells = None if population is None else with_population(people, population, quasi=recoding.quasi)
    applied = make_again(people, rows, recoding, population=cells)
    if applied is None:
        raise RequestError(
            "this table and this recoding do not give this release again, so nobody can tell who is in it. Attack it "
            "with the table it was made from, read the same way, and the recoding.json that was saved with it."
        )
    return applied.of_row


def _labels(
    attribute: Attribute, recoding: Recoding, of_row: NDArray[np.int32], codes: NDArray[np.int32]
) -> tuple[CoveredColumn, NDArray[np.int64]]:
    """What a column publishes, and the label of each row."""
    treatment = recoding.columns[attribute.name]
    if isinstance(treatment, Generalise):
        hierarchy, level = treatment.shown
        tree, known = grow_known(hierarchy, attribute.domain)
        node = np.full(attribute.domain.size, -1, dtype=np.int64)
        node[known] = tree.up[level]
        count = len(tree.labels[level])
        inside = node[None, :] == np.arange(count)[:, None]
        side = CoveredColumn(
            attribute,
            "level",
            np.empty(0, np.int32),
            inside,
            list(tree.published(level)),
            treatment.numbers,
            grow_known(treatment.hierarchy, attribute.domain)[0],  # the attacker knows what each level holds
            np.full(count, treatment.level),
        )
        return side, node[codes]
    if not isinstance(treatment, Box):
        raise RequestError(f"column {attribute.name!r} is neither generalised nor boxed.")
    boxes = recoding.boxes[attribute.name]
    pairs = list(zip(boxes.labels, boxes.levels or [0] * len(boxes.labels), strict=True))
    place = {pair: i for i, pair in enumerate(dict.fromkeys(pairs))}
    distinct = BoxTexts(
        boxes.style,
        [label for label, _ in place],
        [label for label, _ in place],
        None if boxes.levels is None else [level for _, level in place],
    )
    grown = None
    if treatment.style == "node":
        tree, known = grow_known(treatment.hierarchy, attribute.domain)
        grown = tree if len(known) == attribute.domain.size else None
    side = CoveredColumn(
        attribute,
        treatment.style,
        np.empty(0, np.int32),
        distinct.contains(attribute.domain, treatment.hierarchy),
        distinct.labels,
        treatment.numbers,
        grown,
        None if distinct.levels is None else np.array(distinct.levels),
    )
    return side, np.array([place[pair] for pair in pairs], dtype=np.int64)[of_row]
