"""Minimality: a method that never blurs more than needed tells why it blurred, and so whose values made it do so.

Wong, Fu, Wang and Pei 2007 (VLDB, "Minimality attack in privacy preserving data publishing"). The finer classes that
were not published must have broken the promise; of all ways to hand a class's values out to its members, those that
would have allowed the finer classes are ruled out. The credibility of a value for a person is its share among the ways
that are left. All ways are counted where they are few, else a seeded sample of them is.
O(ways x members x columns blurred).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from math import factorial, prod, sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lookalike.measures.attacks.exposure import Exposure
from lookalike.measures.attacks.results import Attacked
from lookalike.models.model import Model
from lookalike.tables.cells import Classes, Histogram
from lookalike.tables.columns.grouping import group_codes

METHODS = ("optimal", "datafly", "mondrian")  #: which look at sensitive values and stop as soon as they may
WAYS = 5000  #: counted one by one
_SMALL = 60  #: members of all classes together, beyond which nobody counts
SAMPLE = 300
_ERRORS = 3  #: standard errors of a sampled credibility that count for nothing
_FIRST = 30  #: draws after which a condition that always holds is taken to tell nothing
_LARGEST = 5_000_000  #: members x values; where there are more, nobody's value is credible by itself

Labels = NDArray[np.int64]


def attack(exposure: Exposure, *, seed: int = 0) -> list[Attacked]:
    """Every promise about a sensitive column that is published."""
    if exposure.method not in METHODS:
        return []
    return [_model(exposure, model, limit, seed) for model, limit in _promises(exposure)]


def _promises(exposure: Exposure) -> Iterator[tuple[Model, NDArray[np.float64]]]:
    """Promises about a column, and how sure of each of its values they mean anybody to be."""
    for model in exposure.models:
        if len(model.columns) != 1 or model.knows_others or model.columns[0] not in exposure.sensitive:
            continue
        held = exposure.classes_of(model.columns).histogram(model.columns[0])
        limit = model.meant_shares(held.whole)
        if limit is not None and int(exposure.kept.sum()) * held.size <= _LARGEST:
            yield model, limit


@dataclass(frozen=True, eq=False)
class _Finer:
    """Classes that were not published: the part of each row, how many there are, the class each belongs to."""

    of_row: Labels
    size: NDArray[np.int64]
    owner: Labels


@dataclass(frozen=True, eq=False)
class _Supposed(Classes):
    """Classes with values handed out in some way."""

    values: Any = None

    def histogram(self, name: str) -> Histogram:
        """The supposed values."""
        found: Histogram = self.values
        return found


def _model(exposure: Exposure, model: Model, limit: NDArray[np.float64], seed: int) -> Attacked:
    rows = np.flatnonzero(exposure.kept)
    owner = exposure.of_row[rows].astype(np.int64)
    column = exposure.people.column(model.columns[0]).part(exposure.kept)
    values = np.asarray(column.codes, dtype=np.int64)
    finer = list(_finer(exposure, rows, owner))
    prior = _shares(owner, values, exposure.classes, column.domain.size)[owner]
    belief, ways, error = prior, 0, 0.0
    if finer:
        asking = _Asking(exposure, model, finer, owner, values, column.domain)
        belief, ways = asking.believe(prior, seed)
        error = 0.0 if asking.few else _ERRORS * sqrt(0.25 / SAMPLE)

    def beyond(share: NDArray[np.float64], margin: Any) -> NDArray[np.bool_]:
        return np.asarray((share > limit + margin + 1e-9).any(axis=1))

    return Attacked(
        "minimality",
        "inference",
        "The attacker knows the method and who is in each class. Finer classes that were not published must have "
        "broken the promise, which rules out some ways to hand the values out. Success is a person for whom some value "
        "is more credible than the promise allows (1/l, or the share in the release plus t); the baseline is the same "
        "without that reasoning.",
        len(rows),
        int(beyond(belief, np.where(belief == prior, 0.0, error)).sum()),
        baseline=float(beyond(prior, 0.0).mean()) if len(rows) else 0.0,
        column=column.name,
        worst=float(belief.max(initial=0.0)),
        details={
            "promise": str(model),
            "finer_tables": len(finer),
            "ways_left": ways,
            "excess_max": float((belief - limit).max(initial=-1.0)),
        },
    )


def _finer(exposure: Exposure, rows: NDArray[np.int64], owner: Labels) -> Iterator[_Finer]:
    """One table for each column: one level lower, or cut at the median, where sizes alone would have allowed it."""
    for side, codes in zip(exposure.sides, exposure.cells.codes, strict=True):
        mine = codes[exposure.cells.of_row[rows]]
        if side.style == "level":
            level = int(side.level[0]) if side.level is not None and len(side.level) else 0
            if level == 0 or side.tree is None or side.tree.domain.size != side.domain.size:
                continue
            below = side.tree.up[level - 1][mine].astype(np.int64)
        elif side.domain.kind.ordered:
            below = (mine > _medians(owner, mine, exposure.classes)[owner]).astype(np.int64)
        else:
            continue
        label, n = group_codes([owner, below], [exposure.classes, int(below.max(initial=0)) + 1], len(rows))
        size = np.bincount(label, minlength=n).astype(np.int64)
        parent = np.zeros(n, dtype=np.int64)
        parent[label] = owner
        enough = size >= exposure.k
        if side.style == "level":
            if enough.all() and n > exposure.classes:
                yield _Finer(label.astype(np.int64), size, parent)
        else:
            cut = np.bincount(parent, minlength=exposure.classes) > 1
            cut[parent[~enough]] = False
            if cut.any():
                yield _Finer(np.where(cut[owner], label, -1).astype(np.int64), size, parent)


def _medians(owner: Labels, codes: NDArray[np.int32], classes: int) -> NDArray[np.int64]:
    """The lower median of each class."""
    order = np.lexsort((codes, owner))
    starts = np.searchsorted(owner[order], np.arange(classes + 1))
    return np.asarray(codes[order][(starts[:-1] + starts[1:] - 1) // 2], dtype=np.int64)


def _shares(owner: Labels, values: Labels, classes: int, size: int) -> NDArray[np.float64]:
    held = _counts(owner, values, classes, size)
    return np.asarray(held / np.maximum(held.sum(axis=1, keepdims=True), 1))


def _counts(owner: Labels, values: Labels, classes: int, size: int) -> NDArray[np.int64]:
    return np.bincount(owner * size + values, minlength=classes * size).reshape(classes, size)


def _arrangements(values: list[int]) -> Iterator[tuple[int, ...]]:
    """The different orders of some values, equal ones not told apart; all are equally likely."""
    if not values:
        yield ()
    for i, value in enumerate(values):
        if i == 0 or value != values[i - 1]:
            for rest in _arrangements(values[:i] + values[i + 1 :]):
                yield (value, *rest)


class _Asking:
    """Which ways to hand out the values would have stopped the method from publishing finer classes."""

    def __init__(
        self,
        exposure: Exposure,
        model: Model,
        finer: list[_Finer],
        owner: Labels,
        values: Labels,
        domain: Any,
    ) -> None:
        self.model, self.finer, self.owner, self.values, self.domain = model, finer, owner, values, domain
        self.classes = exposure.classes
        self.local = exposure.method == "mondrian"
        self.cells = exposure.classes_of(model.columns).cells
        self.reference = {model.columns[0]: np.bincount(values, minlength=domain.size).astype(np.int64)}
        self.tree = self.cells.sensitive_trees.get(model.columns[0])

    def stopped(self, values: Labels) -> NDArray[np.bool_]:
        """Per class, whether every finer table breaks the promise: there (Mondrian), or anywhere (levels)."""
        out = np.ones(self.classes, dtype=bool)
        size = self.domain.size
        for finer in self.finer:
            inside = finer.of_row >= 0
            keys, count = np.unique(finer.of_row[inside] * size + values[inside], return_counts=True)
            owner, value = np.divmod(keys, size)
            parts = len(finer.size)
            present = np.where(np.bincount(owner, minlength=parts) > 0, finer.size, 0)
            held = Histogram(owner, value, count.astype(np.int64), parts, self.domain, self.tree)
            supposed = _Supposed(present, present, np.arange(parts, dtype=np.int32), self.cells, values=held)
            broken = self.model.breaks(supposed, reference=self.reference)
            if self.local:
                hit = np.zeros(self.classes, dtype=bool)
                hit[finer.owner[broken]] = True
                tested = np.zeros(self.classes, dtype=bool)
                tested[self.owner[inside]] = True
                out &= hit | ~tested
            elif not broken.any():
                return np.zeros(self.classes, dtype=bool)
        return out

    def believe(self, prior: NDArray[np.float64], seed: int) -> tuple[NDArray[np.float64], int]:
        """How credible each value is for each row, and how many ways are left."""
        size, n = self.domain.size, len(self.values)
        held = np.zeros((n, size))
        left = np.zeros(self.classes, dtype=np.int64)
        everyone = np.arange(n)
        for drawn, values in enumerate(self._ways(seed), start=1):
            kept = self.stopped(values)
            left += kept
            rows = everyone[kept[self.owner]]
            held[rows, values[rows]] += 1
            if drawn == _FIRST and (left == drawn).all() and not self.few:
                return prior, drawn  # the finer tables always break: nothing is learnt from it
        known = left[self.owner] >= (1 if self.few else _FIRST)
        belief = np.where(known[:, None], held / np.maximum(left[self.owner], 1)[:, None], prior)
        if not self.few:  # members that the finer tables do not part are alike: average them
            label, groups = group_codes(
                [self.owner, *(f.of_row + 1 for f in self.finer)],
                [self.classes, *(len(f.size) + 1 for f in self.finer)],
                n,
            )
            mean = np.zeros((groups, size))
            np.add.at(mean, label, belief)
            belief = (mean / np.bincount(label, minlength=groups)[:, None])[label]
        return belief, int(left.max(initial=0))

    @cached_property
    def few(self) -> bool:
        """Whether all ways can be counted."""
        held = _counts(self.owner, self.values, self.classes, self.domain.size)
        if len(self.values) > _SMALL:
            return False
        ways = (factorial(row.sum()) // prod(map(factorial, row.tolist())) for row in held)
        return prod(ways) <= WAYS

    def _ways(self, seed: int) -> Iterator[Labels]:
        if self.few:
            members = [np.flatnonzero(self.owner == c) for c in range(self.classes)]
            for way in product(*(_arrangements(sorted(self.values[rows].tolist())) for rows in members)):
                out = self.values.copy()
                for rows, given in zip(members, way, strict=True):
                    out[rows] = given
                yield out
            return
        rng = np.random.default_rng(seed)
        order = np.argsort(self.owner, kind="stable")
        for _ in range(SAMPLE):
            shuffled = np.lexsort((rng.random(len(order)), self.owner))
            out = np.empty_like(self.values)
            out[order] = self.values[shuffled]
            yield out
