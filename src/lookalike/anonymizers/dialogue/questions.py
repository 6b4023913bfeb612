"""Questions of a dialogue: one record, two partly built clusters, which of them should take it?

Clusters are grown as SaNGreeA grows them (Campan and Truta 2008, https://doi.org/10.1007/978-3-642-01718-6_4), out of a
sample of records under the weights believed in so far; of all records and pairs of clusters, that question is asked
whose answer teaches most. The cost does not depend on the size of the table.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from lookalike.anonymizers.dialogue.preferences import Beliefs, Matrix, Vector
from lookalike.base.errors import amount
from lookalike.tables.cells import Attribute, Cells
from lookalike.tables.columns.notation import write_range
from lookalike.tables.hierarchies.tree import Tree
from lookalike.tables.layout import lay_out, values_of

if TYPE_CHECKING:
    from lookalike.kernels.columns import Shape

SAMPLE = 640  #: records looked at for one question
CLUSTERS = 64
RECORDS = 160  #: records that might be asked about
NEAREST = 8  #: clusters considered for each of them that it would join most readily
STRANGERS = 4  #: and clusters it would not
_CLOSE = 768  #: questions nearest to a tie whose worth is computed


@dataclass(frozen=True)
class Option:
    """A cluster that might take the record: what it publishes now and then, and the loss added per column."""

    records: int
    now: Mapping[str, str | None]
    then: Mapping[str, str | None]
    cost: Mapping[str, float]

    @property
    def size(self) -> str:
        """The number of records in words."""
        return amount(self.records, "record")


@dataclass(frozen=True)
class ClusterQuestion:
    """Which cluster should take the record, A or B? `str(question)` asks it in words."""

    number: int
    record: Mapping[str, str | None]
    a: Option
    b: Option

    @property
    def difference(self) -> Vector:
        """Loss per column by joining B minus that by joining A."""
        return np.array([self.b.cost[name] - self.a.cost[name] for name in self.record])

    def to_dict(self) -> dict[str, Any]:
        """The question as plain JSON values."""
        sides = {word: {**vars(side)} for word, side in (("A", self.a), ("B", self.b))}
        return {"number": self.number, "record": dict(self.record), **sides}

    def __str__(self) -> str:
        names = list(self.record)
        grid: list[tuple[str, ...]] = [("", "the record", f"A ({self.a.size})", f"B ({self.b.size})")]
        for name in names:
            sides = (_change(side.now[name], side.then[name]) for side in (self.a, self.b))
            grid.append((name, _shown(self.record[name]), *sides))
        widths = [max(len(row[i]) for row in grid) for i in range(4)]
        lines = [
            "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
            for row in grid
        ]
        return "\n".join([f"Question {self.number}: which group should take the record?", "", *lines])


@dataclass(frozen=True, eq=False)
class QuestionSpace:
    """The attributes as kernels see them: numbers scaled to 0..1, or nodes and their losses."""

    attributes: tuple[Attribute, ...]
    is_range: NDArray[np.bool_]
    shape: Shape
    most: Vector  #: the loss of all records in one cluster; 0 for a column that has one value

    def label(self, a: int, codes: NDArray[np.int32]) -> str | None:
        """What a cluster of these codes publishes for attribute `a`."""
        attribute = self.attributes[a]
        if not self.is_range[a]:
            level, node = attribute.tree.ancestor(codes)
            return attribute.tree.labels[level][node]
        known = codes[codes < len(attribute.domain.values)]
        if not len(known):
            return None
        texts = attribute.domain.texts
        return write_range(texts[known.min()], texts[known.max()], missing=len(known) < len(codes))


def question_space(cells: Cells, ranges: Collection[str]) -> QuestionSpace:
    """Lay the attributes out for the kernels: `ranges` as numbers, the others as trees."""
    attributes = cells.attributes
    is_range = np.array([attribute.name in ranges for attribute in attributes])
    shape = lay_out(
        attributes,
        ["range" if as_range else "node" for as_range in is_range],
        ranks=[
            _ranks(a) if r else np.zeros(a.domain.size) for a, r in zip(attributes, is_range, strict=True)
        ],
        scale=np.ones(len(attributes)),
        cost=lambda a, tree, level: tree.heights[level] / _top(tree),
    )
    most = []
    for attribute, as_range, codes in zip(attributes, is_range, cells.codes, strict=True):
        seen = np.flatnonzero(np.bincount(codes))
        if as_range:
            most.append(float(len(seen) > 1))
        else:
            level, node = attribute.tree.ancestor(seen)
            most.append(attribute.tree.heights[level][node] / _top(attribute.tree))
    return QuestionSpace(attributes, is_range, shape, np.array(most))


def _ranks(attribute: Attribute) -> Vector:
    """Numbers from the least (0) to the greatest (1), NaN for missing."""
    values = attribute.domain.places
    known = values[~np.isnan(values)]
    width = float(known.max() - known.min()) if len(known) else 0.0
    return (values - known.min()) / width if width else 0 * values


def _top(tree: Tree) -> int:
    return max(int(tree.heights[-1][0]), 1)


def ask(
    cells: Cells,
    space: QuestionSpace,
    beliefs: Beliefs,
    *,
    k: int,
    number: int,
    seed: Sequence[int],
    teach: bool = True,
) -> ClusterQuestion | None:
    """The next question, or None where no answer could teach anything. `teach=False` asks any sensible one."""
    from lookalike.kernels.dialogue import clusters as dialogue

    rng = np.random.default_rng((*seed, number))
    ends = np.cumsum(
        cells.records
    )  # records in the order of their cells, so that the order of rows does not matter
    sample = np.sort(rng.choice(ends[-1], min(SAMPLE, int(ends[-1])), replace=False))
    columns = cells.codes[:, np.searchsorted(ends, sample, side="right")]
    codes, values = columns.T, values_of(columns, space.shape)
    seeds = rng.choice(len(sample), min(CLUSTERS, len(sample)), replace=False)
    sizes = rng.integers(1, max(k, 2), len(seeds))
    members = dialogue.grow_clusters(space.shape, values, beliefs.weights, seeds, sizes)
    rows = rng.choice(len(sample), min(RECORDS, len(sample)), replace=False)
    before, after, low, high = dialogue.joining_losses(space.shape, values, members, rows)
    cost = after - before
    barred = (after >= space.most - 1e-12).all(axis=2)  # a cluster with nothing left to lose tells nothing
    barred |= (members[None] == rows[:, None, None]).any(axis=2)
    triples, difference = _candidates(cost, barred, beliefs, rng)
    alike = _come_out_alike(triples, after, low, high)
    triples, difference = np.delete(triples, alike, axis=0), np.delete(difference, alike, axis=0)
    if not len(triples):
        return None
    if teach:
        close = np.argsort(beliefs.tension(difference), kind="stable")[:_CLOSE]
        best = close[int(np.argmax(beliefs.worth(difference[close])))]
    else:
        best = rng.integers(len(triples))
    r, a, b = triples[best]
    if rng.random() < 0.5:
        a, b = b, a
    record = codes[rows[r]]
    side_a, side_b = (_side(space, codes, members[c], record, cost[r, c]) for c in (a, b))
    return ClusterQuestion(
        number,
        {x.name: space.label(i, record[i : i + 1]) for i, x in enumerate(space.attributes)},
        side_a,
        side_b,
    )


def _candidates(
    cost: NDArray[np.float64], barred: NDArray[np.bool_], beliefs: Beliefs, rng: np.random.Generator
) -> tuple[NDArray[np.int64], Matrix]:
    """(record, cluster, cluster) triples in which each cluster spares what the other loses, and their cost difference.

    The nearest clusters are the natural ones; the strangers ask about what the weights so far never put at stake.
    """
    weighted = np.where(barred, np.inf, cost @ beliefs.weights)
    order = np.argsort(weighted, axis=1, kind="stable")
    strangers = rng.permuted(order[:, NEAREST:], axis=1)[:, :STRANGERS]
    chosen = np.hstack([order[:, :NEAREST], strangers])
    i, j = np.triu_indices(chosen.shape[1], 1)
    r = np.repeat(np.arange(len(cost)), len(i))
    triples = np.stack([r, chosen[:, i].ravel(), chosen[:, j].ravel()], axis=1)
    triples = triples[np.isfinite(weighted[r, triples[:, 1]]) & np.isfinite(weighted[r, triples[:, 2]])]
    difference = cost[triples[:, 0], triples[:, 2]] - cost[triples[:, 0], triples[:, 1]]
    torn = (difference > 1e-9).any(axis=1) & (difference < -1e-9).any(axis=1)
    return triples[torn], difference[torn]


def _come_out_alike(triples: NDArray[np.int64], *shown: NDArray[np.float64]) -> NDArray[np.intp]:
    """Where both clusters would publish the same with the record in them: equal losses, and equal ends of ranges.

    Equal losses in a tree are one node, since both nodes lie above the record's value.
    """
    alike = np.arange(len(triples))
    for part in shown:
        r, a, b = triples[alike].T
        alike = alike[(part[r, a] == part[r, b]).all(axis=1)]
    return alike


def _side(
    space: QuestionSpace,
    codes: NDArray[np.int32],
    members: NDArray[np.int64],
    record: NDArray[np.int32],
    cost: Matrix,
) -> Option:
    inside = codes[members[members >= 0]]
    names = [attribute.name for attribute in space.attributes]
    return Option(
        len(inside),
        {name: space.label(i, inside[:, i]) for i, name in enumerate(names)},
        {name: space.label(i, np.append(inside[:, i], record[i])) for i, name in enumerate(names)},
        dict(zip(names, cost.tolist(), strict=True)),
    )


def _change(now: str | None, then: str | None) -> str:
    return _shown(now) if now == then else f"{_shown(now)} → {_shown(then)}"


def _shown(label: str | None) -> str:
    return "(missing)" if label is None else label
