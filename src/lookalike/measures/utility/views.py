"""Both sides of a comparison, read the same way: the original as it is, the release by what its labels cover.

A published label stands for a set of values. It is read as a number (the `middle` of what it covers, or the
`expected` value: the mean of the distinct values it covers), as a chance (the share of its values that a condition
allows), or as a group. Groups are the published labels where these do not overlap, the original being brought to
them; where they do, a record counts in every value it may have, by the share of each. O(labels x values + n) per
column, read once.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeVar

import numpy as np
import polars as pl
from numpy.typing import NDArray

from lookalike.base.errors import RequestError, unknown_column
from lookalike.measures.utility.encoding import Published, require_meanings
from lookalike.measures.utility.released import Linked
from lookalike.recodings.covering import grow_known
from lookalike.recodings.reading import contents
from lookalike.recodings.treatments import Box, Generalise
from lookalike.tables.columns.domains import Domain
from lookalike.tables.columns.naming import named
from lookalike.tables.columns.notation import STAR
from lookalike.tables.hierarchies import Tree
from lookalike.tables.ordering import order_rows
from lookalike.tables.table import Table

Floats = NDArray[np.float64]
T = TypeVar("T")
READINGS = {
    "middle": "a range or set of an ordered column counts as the middle of what it covers",
    "expected": "a range or set of an ordered column counts as the mean of the distinct values it covers",
}


@dataclass(frozen=True, eq=False)
class Seen:
    """A column of one side: the label of each row, and how much of each value of the domain a label stands for."""

    codes: NDArray[np.int64]
    domain: Domain
    mass: Floats | None = (
        None  #: labels x values, rows adding up to 1; None where labels are the values themselves
    )

    def chance(self, wanted: NDArray[np.bool_]) -> Floats:
        """Of each row, the chance that its value is one of those wanted."""
        of_label = wanted.astype(float) if self.mass is None else _exact(self.mass @ wanted)
        return np.asarray(of_label[self.codes])

    def numbers(self, read: str) -> Floats:
        """Of each row, its value as a number; NaN where it is missing."""
        numbers = self.domain.numbers
        if self.mass is None:
            return np.asarray(numbers[self.codes])
        known = (self.mass > 0) & ~np.isnan(numbers)
        some = known.any(axis=1)
        out = np.full(len(known), np.nan)
        if read == "middle":
            lo = np.where(known, numbers, np.inf).min(axis=1, initial=np.inf)
            hi = np.where(known, numbers, -np.inf).max(axis=1, initial=-np.inf)
            out[some] = lo[some] / 2 + hi[some] / 2
        else:
            out[some] = (known[some] @ np.nan_to_num(numbers)) / known[some].sum(axis=1)
        return np.asarray(out[self.codes])


@dataclass(frozen=True, eq=False)
class Groups:
    """How one side's rows belong to groups: by the group of their label, or by shares of several."""

    names: list[str]
    codes: NDArray[np.int64]  #: label of each row
    mass: Floats  #: labels x groups, rows adding up to at most 1

    def sum(self, values: Floats) -> Floats:
        """Per group, the sum of a number per row, by how much each row belongs to it."""
        return np.asarray(np.bincount(self.codes, weights=values, minlength=len(self.mass)) @ self.mass)

    def share(self, group: int) -> Floats:
        """Of each row, how much it belongs to a group."""
        return np.asarray(self.mass[self.codes, group])


class View:
    """One side of a comparison. Columns are read on first use and kept."""

    def __init__(self, pair: Pair, rows: int) -> None:
        self.pair, self.rows = pair, rows
        self._kept: dict[Any, Any] = {}

    def seen(self, name: str) -> Seen:
        """A column as labels and what they stand for."""
        return self.keep(("seen", name), lambda: self.pair.read(self, name))

    def numbers(self, name: str, read: str) -> Floats:
        """A column as numbers."""
        return self.keep(("numbers", name, read), lambda: self.seen(name).numbers(read))

    def chance(self, conditions: Mapping[str, Any]) -> Floats:
        """Of each row, the chance that it meets all conditions, columns taken one by one."""

        def product() -> Floats:
            out = np.ones(self.rows)
            for name, wanted in conditions.items():
                out = out * self.seen(name).chance(self.pair.meaning(name, wanted, self.seen(name).domain))
            return out

        return self.keep(("chance", repr(dict(conditions))), product)

    def groups(self, name: str, level: int | None = None) -> Groups:
        """The groups of a column, the same on both sides."""
        return self.keep(("groups", name, level), lambda: self.pair.groups(self, name, level))

    def frame(self, read: str | None) -> pl.DataFrame:
        """The released columns; where a reading is named, blurred columns with an order as numbers."""
        original = self is self.pair.before
        rows = self.pair.people.rows if original else self.pair.after_rows
        rows = rows.select(named(self.pair.published.rows.columns))
        if read is None:
            return rows
        numbers = {
            name: self.numbers(name, read)
            for name in rows.columns
            if self.pair.blurred(name) and self.pair.people.column(name).kind.ordered
        }
        return rows.with_columns(pl.Series(name, values).fill_nan(None) for name, values in numbers.items())

    def keep(self, key: Any, make: Callable[[], T]) -> T:
        """What was made for this key before, or is made now."""
        if key not in self._kept:
            self._kept[key] = make()
        kept: T = self._kept[key]
        return kept


class Pair:
    """The original (`before`) and the release (`after`), with the groups and meanings that both share."""

    def __init__(self, people: Table, published: Published, linked: Linked | None) -> None:
        self.people, self.linked = people, linked
        self.published = published if linked is None else linked.published
        self.row = None if linked is None else linked.row
        rows = self.published.rows
        if self.published.recoding.suppressed == "star":
            kept = self._released(rows)
            rows = rows.filter(pl.Series(kept))
            self.row = None if self.row is None else self.row[kept]
            self.published = Published(rows, self.published.recoding, people)
        self.before, self.after = View(self, len(people)), View(self, rows.height)

    @property
    def after_rows(self) -> pl.DataFrame:
        """The released rows, without those that are only stars."""
        return self.published.rows

    def _released(self, rows: pl.DataFrame) -> NDArray[np.bool_]:
        """Which rows are records and not the stars left of one."""
        if self.linked is not None:
            return self.linked.of_row >= 0
        stars = rows.select(pl.all_horizontal(named(self.published.recoding.quasi).cast(pl.String) == STAR))
        starred = stars.to_series().fill_null(False).to_numpy()
        return ~starred if not starred.all() else np.ones(len(starred), dtype=bool)

    def blurred(self, name: str) -> bool:
        """Whether the release shows labels of this column in place of its values."""
        return isinstance(self.published.recoding.columns[name], Generalise | Box)

    def check(self, name: str) -> None:
        """Refuse a column that is not in both tables."""
        if name not in self.people.names:
            raise unknown_column(name, self.people.names, "table")
        if name not in self.published.rows.columns:
            raise RequestError(f"column {name!r} is not in the release.")

    def read(self, view: View, name: str) -> Seen:
        """A column of one side."""
        self.check(name)
        column = self.people.column(name)
        if view is self.before:
            return Seen(column.codes.astype(np.int64), column.domain)
        treatment = self.published.recoding.columns[name]
        if isinstance(treatment, Generalise | Box) and treatment.numbers == "range":
            labels, codes = self.published.labels(name)
            inside = contents(labels, column.domain, treatment)
            used = np.bincount(codes, minlength=len(labels)) > 0
            require_meanings(name, int((used & ~inside.any(axis=1)).sum()))
            return Seen(codes, column.domain, inside / np.maximum(inside.sum(axis=1, keepdims=True), 1))
        theirs = self.published.column(name)
        return Seen(theirs.codes.astype(np.int64), theirs.domain)

    def meaning(self, name: str, wanted: Any, domain: Domain) -> NDArray[np.bool_]:
        """Which values of a domain a condition allows: a value, a list, {from, to}, or a label of the hierarchy."""
        numbers = domain.numbers
        if isinstance(wanted, Mapping):
            strange = set(wanted) - {"from", "to"}
            if strange or not wanted or not domain.kind.ordered:
                raise RequestError(
                    f"column {name!r}: a condition is a value, a list of values, or for ordered columns "
                    "{from = ..., to = ...}, both ends included."
                )
            out = ~np.isnan(numbers)
            for end, value in wanted.items():
                edge = _number(name, value, domain)
                out &= (numbers >= edge) if end == "from" else (numbers <= edge)
            return np.asarray(out)
        out = np.zeros(domain.size, dtype=bool)
        for one in wanted if isinstance(wanted, list | tuple | set | frozenset) else [wanted]:
            found = self._meaning_of_one(name, one, domain)
            if not found.any() and domain is self.people.column(name).domain:
                raise RequestError(
                    f"column {name!r} has no such value and its hierarchy no such label; see the condition on it."
                )
            out |= found
        return out

    def _meaning_of_one(self, name: str, wanted: Any, domain: Domain) -> NDArray[np.bool_]:
        text = str(wanted).lower() if isinstance(wanted, bool) else str(wanted)
        out = np.zeros(domain.size, dtype=bool)
        if domain.kind.numeric and isinstance(wanted, int | float):
            return np.asarray(domain.numbers == float(wanted))
        if text in domain.texts:
            out[domain.texts.index(text)] = True
            return out
        column = self.people.column(name)
        tree = self._tree(name)
        if tree is not None:
            mine = contents([text], column.domain, Generalise(0, tree[0].recipe))[0]
            place = column.domain.find(domain)
            return np.asarray((place >= 0) & mine[place])
        return out

    def _tree(self, name: str) -> tuple[Tree, NDArray[np.int64]] | None:
        """The hierarchy of a column and the codes it knows, where there is one."""
        treatment = self.published.recoding.columns.get(name)
        if isinstance(treatment, Generalise | Box):
            return grow_known(treatment.hierarchy, self.people.column(name).domain)
        if name in self.people.hierarchies:
            tree = self.people.tree(name)
            return tree, np.arange(tree.domain.size)
        return None

    def groups(self, view: View, name: str, level: int | None) -> Groups:
        """How the rows of one side belong to the groups of a column; missing values belong to none."""
        names, of_value = self.grouping(name, level)
        seen = view.seen(name)
        n = len(names)
        onehot = np.zeros((len(of_value), n))
        onehot[of_value >= 0, of_value[of_value >= 0]] = 1.0
        if seen.mass is not None:
            return Groups(names, seen.codes, _exact(seen.mass @ onehot))
        place = self.people.column(name).domain.find(seen.domain)
        return Groups(names, seen.codes, np.where((place >= 0)[:, None], onehot[place], 0.0))

    def grouping(self, name: str, level: int | None) -> tuple[list[str], NDArray[np.int64]]:
        """The groups of a column, and the group of each value of the original (-1: none)."""
        return self.before.keep(("grouping", name, level), lambda: self._grouping(name, level))

    def _grouping(self, name: str, level: int | None) -> tuple[list[str], NDArray[np.int64]]:
        self.check(name)
        domain = self.people.column(name).domain
        treatment = self.published.recoding.columns[name]
        if level is None and isinstance(treatment, Generalise) and treatment.numbers == "range":
            hierarchy, level = treatment.shown
            return self._by_level(name, level, grow_known(hierarchy, domain))
        if level is not None:
            return self._by_level(name, level, self._tree(name))
        if isinstance(treatment, Generalise | Box) and treatment.numbers != "range":
            raise RequestError(
                f"column {name!r} is published as one number per class, so its values name no groups. "
                "Say a `level` of its hierarchy."
            )
        seen = self.after.seen(name)
        texts = [*domain.texts, *(["∅"] if domain.missing else [])]
        inside = np.eye(domain.size, dtype=bool) if seen.mass is None else np.unique(seen.mass > 0, axis=0)
        known = inside[:, : len(domain.values)]
        if (known.sum(axis=0) > 1).any() or (known.sum(axis=1) <= 1).all():
            of_itself = np.arange(domain.size, dtype=np.int64)
            of_itself[len(domain.values) :] = -1
            return domain.texts, of_itself
        labels, _ = self.published.labels(name)
        of_value = np.full(domain.size, -1, dtype=np.int64)
        names: list[str] = []
        for label, covered in zip(labels, seen.mass if seen.mass is not None else [], strict=True):
            codes = np.flatnonzero(covered[: len(domain.values)])
            if len(codes):
                of_value[codes] = len(names)
                names.append(str(label))
        for code in np.flatnonzero(of_value[: len(domain.values)] < 0).tolist():
            of_value[code] = len(names)  # a value that nobody released has a group of its own
            names.append(texts[code])
        return names, of_value

    def _by_level(
        self, name: str, level: int, found: tuple[Tree, NDArray[np.int64]] | None
    ) -> tuple[list[str], NDArray[np.int64]]:
        domain = self.people.column(name).domain
        if found is None or not 0 <= level <= found[0].height:
            height = "no hierarchy" if found is None else f"levels 0 to {found[0].height}"
            raise RequestError(f"column {name!r} has {height}; `level` is {level}.")
        tree, known = found
        of_value = np.full(domain.size, -1, dtype=np.int64)
        of_value[known] = tree.up[level]
        if domain.missing:
            of_value[-1] = -1
        used = np.unique(of_value[of_value >= 0])
        place = np.full(len(tree.labels[level]) + 1, -1, dtype=np.int64)
        place[used] = np.arange(len(used))
        return [str(tree.published(level)[node]) for node in used.tolist()], place[of_value]

    def how_grouped(self, name: str, level: int | None) -> str:
        """In words, how blurred values are put into the groups of a column."""
        mass = self.after.groups(name, level).mass
        if np.isin(mass, (0.0, 1.0)).all():
            return f"{name}: in groups by what is published, the original brought to the same groups"
        return f"{name}: labels overlap, so a record counts in every group it may be in, by the share of its values"

    @cached_property
    def persons(self) -> NDArray[np.int64]:
        """The person of each row of the original: by the column that tells people apart, else by what the row holds."""
        unit, n = self.people.unit, len(self.people)
        if unit is not None:
            return self.people.column(unit).codes.astype(np.int64)
        columns = (self.people.column(name) for name in self.people.names)
        order = order_rows(n, ((column.codes, column.domain.size) for column in columns))
        persons = np.empty(n, dtype=np.int64)
        persons[order] = np.arange(n)
        return persons


def _exact(shares: Floats) -> Floats:
    """Shares that are nothing or everything but for rounding, made so."""
    return np.where(shares < 1e-12, 0.0, np.where(shares > 1 - 1e-12, 1.0, shares))


def _number(name: str, value: Any, domain: Domain) -> float:
    """The end of a range on the scale of a domain's numbers."""
    if domain.kind == "date":
        try:
            return float(np.datetime64(str(value), "D").astype(np.int64))
        except ValueError:
            raise RequestError(f"column {name!r}: a range of dates has ends such as 2024-02-29.") from None
    if domain.kind.numeric:
        try:
            return float(value)
        except (TypeError, ValueError):
            raise RequestError(f"column {name!r}: a range of numbers has numbers as its ends.") from None
    if str(value) not in domain.texts:
        raise RequestError(f"column {name!r}: the end of a range must be one of its values.")
    return float(domain.texts.index(str(value)))
