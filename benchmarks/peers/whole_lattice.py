"""Every node of a lattice judged by the definitions, written out in numpy: what a search must find, and must look at.

`bars/pairs.py` compares the search with it. Nothing is shared with the search but the codes and hierarchies of the
table: a model is one line in `BROKEN`, in the words of its paper. Judging a node costs O(cells + classes x values).
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from lookalike.models import Model
from lookalike.tables.cells import Cells

Flags = NDArray[np.bool_]
Node = tuple[int, ...]
NEAR = 1e-9  #: shares that are equal on paper may differ by so much


@dataclass
class Seen:
    """The classes of a node as the definitions see them."""

    n: NDArray[np.int64]  #: people of each class
    crowd: NDArray[np.int64]  #: of the population
    h: NDArray[np.float64]  #: class x sensitive value
    q: NDArray[np.float64]  #: share of each value in the table
    texts: Sequence[str]
    nodes: list[
        tuple[NDArray[np.float64], NDArray[np.float64]]
    ]  #: per level of the column's tree: class x node, share

    @property
    def p(self) -> NDArray[np.float64]:
        """Share of each value in each class."""
        return np.asarray(self.h / np.maximum(self.n, 1)[:, None])


def _diversity(m: Any, c: Seen) -> Flags:
    if m.kind == "distinct":
        return (c.h > 0).sum(axis=1) < m.l
    if m.kind == "entropy":
        logs = np.log(c.p, out=np.zeros_like(c.p), where=c.h > 0)
        return -(c.p * logs).sum(axis=1) < np.log(m.l) - NEAR
    r = -np.sort(-c.h, axis=1)
    return np.asarray(r[:, 0] >= m.c * r[:, int(m.l) - 1 :].sum(axis=1))


def _closeness(m: Any, c: Seen) -> Flags:
    if m.distance == "equal":
        moved = np.abs(c.p - c.q).sum(axis=1) / 2
    elif m.distance == "ordered":
        moved = np.abs(np.cumsum(c.p - c.q, axis=1)).sum(axis=1) / (len(c.q) - 1)
    else:
        n = np.maximum(c.n, 1)[:, None]
        moved = sum(np.abs(h / n - q).sum(axis=1) / 2 for h, q in c.nodes) / len(c.nodes)
    return np.asarray(moved > m.t + NEAR)


def _likeness(m: Any, c: Seen) -> Flags:
    gain = c.p / c.q - 1
    return np.asarray((gain > np.minimum(m.beta, -np.log(c.q)) + NEAR).any(axis=1))


def _disclosure(m: Any, c: Seen) -> Flags:
    with np.errstate(divide="ignore"):
        return np.asarray((np.abs(np.log(c.p / c.q)) >= m.delta - NEAR).any(axis=1))


def _divergence(m: Any, c: Seen) -> Flags:
    logs = np.log(c.p / c.q, out=np.zeros_like(c.p), where=c.h > 0)
    return np.asarray((c.p * logs).sum(axis=1) > m.t + NEAR)


#: Which classes break a promise about single classes.
BROKEN: dict[str, Any] = {
    "k-anonymity": lambda m, c: c.n < m.k,
    "k-map": lambda m, c: c.crowd < m.k,
    "delta-presence": lambda m, c: (c.n < m.low * c.crowd - NEAR) | (c.n > (m.high + NEAR) * c.crowd),
    "l-diversity": _diversity,
    "t-closeness": _closeness,
    "(alpha,k)-anonymity": lambda m, c: (c.n < m.k) | (c.p.max(axis=1) > m.alpha + NEAR),
    "beta-likeness": _likeness,
    "delta-disclosure privacy": _disclosure,
    "KL-closeness": _divergence,
    "directional diversity": lambda m, c: c.h[:, c.texts.index(m.negative)] == c.n,
}


def _average(m: Any, n: NDArray[np.int64]) -> Flags:
    """The fewest smallest classes to leave out, so that classes / people is at most the limit."""
    order = np.argsort(n, kind="stable")
    people = np.cumsum(n[order][::-1])[::-1]
    fine = np.append(np.arange(len(n), 0, -1) <= (m.limit + NEAR) * people, True)
    gone = np.zeros(len(n), dtype=bool)
    gone[order[: int(np.argmax(fine))]] = True
    return gone


def _uniqueness(m: Any, n: NDArray[np.int64]) -> Flags:
    """The fewest unique people to leave out, so that at most a share of the rest is unique."""
    alone, people, gone = np.flatnonzero(n == 1), int(n.sum()), np.zeros(len(n), dtype=bool)
    for many in range(len(alone) + 1):
        if len(alone) - many <= (m.limit + NEAR) * (people - many):
            gone[alone[:many]] = True
            break
    return gone


#: Which classes must go for a promise about all of them, given the sizes of those that are left.
TOGETHER: dict[str, Any] = {"average risk": _average, "sample uniqueness": _uniqueness}


class WholeLattice:
    """All nodes of a table: what each class of each loses, and which of some models it breaks."""

    def __init__(self, cells: Cells, models: Sequence[Model]) -> None:
        tops = [attribute.tree.height for attribute in cells.attributes]
        self.models = [model for model in models if self._speaks_of(cells, model)]
        self.alone = [model for model in self.models if model.name in BROKEN]
        self.total, self.nodes = (
            int(cells.records.sum()),
            list(itertools.product(*(range(t + 1) for t in tops))),
        )
        self.place = {node: i for i, node in enumerate(self.nodes)}
        self.tops = tuple(tops)
        lost = [
            [np.asarray(a.tree.loss(level)) for level in range(t + 1)]
            for a, t in zip(cells.attributes, tops, strict=True)
        ]
        self.least = np.empty(len(self.nodes))  #: what a node loses when nobody is left out
        self.sizes: list[NDArray[np.int64]] = []
        self.lost: list[NDArray[np.float64]] = []
        self.broken: list[Flags] = []  #: per node: model x class, of the promises about single classes
        for i, node in enumerate(self.nodes):
            up = [
                a.tree.up[level][codes]
                for a, level, codes in zip(cells.attributes, node, cells.codes, strict=True)
            ]
            key = np.zeros(len(cells), dtype=np.int64)
            for a, level, mine in zip(cells.attributes, node, up, strict=True):
                key = key * len(a.tree.labels[level]) + mine
            _, first, of_cell = np.unique(key, return_index=True, return_inverse=True)
            seen = self._look(cells, of_cell, len(first))
            of_class = sum(lost[a][level][up[a][first]] for a, level in enumerate(node)) / len(tops)
            there = seen.n > 0
            flags = np.array([BROKEN[m.name](m, seen) for m in self.alone]).reshape(-1, len(first))
            for j, model in enumerate(
                self.alone
            ):  # who is absent of a class of the population is known to be
                if model.name != "delta-presence":
                    flags[j] &= there
            self.sizes.append(seen.n)
            self.lost.append(np.asarray(of_class))
            self.least[i] = of_class @ seen.n / self.total
            self.broken.append(flags)

    @staticmethod
    def _speaks_of(cells: Cells, model: Model) -> bool:
        known = {column.name for column in cells.sensitive}
        return set(model.columns) <= known and (cells.population is not None or not model.needs_population)

    def _look(self, cells: Cells, of_cell: NDArray[Any], classes: int) -> Seen:
        n = np.bincount(of_cell, weights=cells.records, minlength=classes).astype(np.int64)
        crowd = n
        if cells.population is not None:
            crowd = np.bincount(of_cell, weights=cells.population, minlength=classes).astype(np.int64)
        if not cells.sensitive:
            return Seen(n, crowd, np.zeros((classes, 1)), np.ones(1), [], [])
        column, entries = cells.sensitive[0], cells.entries
        size = column.domain.size
        slot = of_cell[entries.cell] * size + entries.codes[0]
        h = np.bincount(slot, weights=entries.count, minlength=classes * size).reshape(classes, size)
        q = h.sum(axis=0) / h.sum()
        tree, nodes = cells.sensitive_trees[column.name](), []
        for up in tree.up[: tree.height]:
            member = np.zeros((size, int(up.max()) + 1))
            member[np.arange(size), up] = 1
            nodes.append((h @ member, q @ member))
        return Seen(n, crowd, h, q, column.domain.texts, nodes)

    def judge(self, i: int, models: Sequence[Model]) -> tuple[int, float, bool]:
        """Records that go on a node, what it loses, and whether a class breaks that nobody could leave."""
        sizes, gone = self.sizes[i], np.zeros(len(self.sizes[i]), dtype=bool)
        for model in models:
            if model.name in BROKEN:
                broken = self.broken[i][self.alone.index(model)]
                gone |= broken
        # Whoever is left out of a class of the population is known to be absent.
        absent = bool(gone.any()) and any(getattr(model, "low", 0) > 0 for model in models)
        gone |= sizes == 0
        # Each of them is asked again until all hold: what one takes out changes what the other asks.
        together = [model for model in models if model.name in TOGETHER]
        while together:
            left = np.flatnonzero(~gone)
            more = np.zeros(len(left), dtype=bool)
            for model in together:
                more |= TOGETHER[model.name](model, sizes[left])
            if not more.any():
                break
            gone[left[more]] = True
        out = int(sizes[gone].sum())
        return out, (float(self.lost[i][~gone] @ sizes[~gone]) + out) / self.total, absent

    def judge_all(self, models: Sequence[Model]) -> Judged:
        """Every node for some models."""
        judged = [self.judge(i, models) for i in range(len(self.nodes))]
        lasting = [model for model in models if model.absorbing]
        small = (
            [self.judge(i, lasting)[0] for i in range(len(self.nodes))] if lasting else [0] * len(self.nodes)
        )
        gone, loss, absent = (np.array(column) for column in zip(*judged, strict=True))
        return Judged(gone, loss, np.asarray(absent | (gone == self.total)), np.array(small))


class Judged(NamedTuple):
    """What all nodes come to."""

    gone: NDArray[np.int64]  #: records left out
    loss: NDArray[np.float64]
    refused: Flags  #: whoever is left out, it is not allowed
    #: Records in classes that break a promise which no merger with others breaks again: fewer and fewer upwards.
    small: NDArray[np.int64]

    def best(self, limit: int) -> float:
        """The least loss of a node that leaves out so many records at most; infinite where there is none."""
        return float(self.loss[(self.gone <= limit) & ~self.refused].min(initial=np.inf))


def plain_search(lattice: WholeLattice, judged: Judged, limit: int) -> tuple[int, float]:
    """Nodes that the published rules look at, and the loss they come to.

    Flash (Kohlmayer, Prasser, Eckert, Kemper and Kuhn 2012): chains from the finest node not decided upwards, the
    lowest allowed node of a chain by bisection; what is coarser than an allowed node, or finer than one that is not,
    is decided with it. With suppression only promises that no merger breaks decide finer nodes, and allowed nodes are
    all looked at, unless what they lose without leaving anybody out reaches the best loss known.
    """
    shape = tuple(top + 1 for top in lattice.tops)
    least = lattice.least.reshape(shape)
    decided = np.zeros(shape, dtype=bool)
    looked, best = 0, np.inf
    order = sorted(lattice.nodes, key=lambda node: (sum(node), least[node]))

    def look(node: Node) -> bool:
        nonlocal looked, best
        i = lattice.place[node]
        looked += 1
        decided[node] = True
        allowed = judged.gone[i] <= limit and not judged.refused[i]
        if allowed:
            best = min(best, float(judged.loss[i]))
        if judged.small[i] > limit or (limit == 0 and not allowed):
            decided[tuple(slice(level + 1) for level in node)] = True
            return False
        if limit == 0:
            decided[tuple(slice(level, None) for level in node)] = True
        return True

    for start in order:
        if decided[start] or least[start] >= best:
            continue
        chain, last = [start], start
        while True:
            above = [
                (*last[:a], level + 1, *last[a + 1 :])
                for a, level in enumerate(last)
                if level < lattice.tops[a]
            ]
            steps = [node for node in above if not decided[node] and least[node] < best]
            if not steps:
                break
            last = min(steps, key=lambda node: least[node])
            chain.append(last)
        low, high = 0, len(chain) - 1
        while low <= high:  # the lowest node of the chain that is not decided against
            middle = (low + high) // 2
            if not decided[chain[middle]] and least[chain[middle]] < best:
                if look(chain[middle]):
                    high = middle - 1
                else:
                    low = middle + 1
            elif limit == 0:
                break
            else:
                high = middle - 1
    return looked, best
