"""A table as the kernels of local recoding see it: one number per value of any column, and what covering values loses.

Loss of a published value = (leaves of the hierarchy it covers - 1) / (all leaves - 1), weighted and averaged over the
columns. A range covers every leaf between its ends, a node every leaf under it, a set the values it names. Values that
are no children of one node are published, and measured, as their lowest common node: a set of them is of no use.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from math import prod
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from lookalike.base.checks import whole_number
from lookalike.base.errors import RequestError, unknown_column
from lookalike.recodings.boxes import Style, leaf_bounds
from lookalike.tables.cells import Attribute, Cells
from lookalike.tables.layout import lay_out, values_of

if TYPE_CHECKING:
    from lookalike.kernels.columns import Shape

Rows = NDArray[np.int32]
OUTPUTS = ("meaning", "sets", "hierarchy")
SHORT = 16  #: values of a nominal column without a hierarchy up to which any set of them says something
_NODES = (
    "node",
    "siblings",
)  #: a set of siblings never costs more than their node, which is what is searched by
_MOST_NODES = 20_000  #: lattice nodes looked at; larger lattices are sampled
_FEW_NODES = 5_000  #: of a sample, for many rows
_OFFERS = 300_000_000  #: nodes of a sample times rows, as far as these limits go


@dataclass(frozen=True, eq=False)
class Shaped:
    """Rows as values in the numbering of `shape`; columns in an order that lets sums exceed a bound early."""

    rows: Rows  #: rows x columns
    shape: Shape
    styles: dict[str, Style]
    heights: tuple[int, ...]

    def part(self, where: NDArray[np.integer[Any]]) -> tuple[Rows, Shape]:
        """Some of the rows, with the values that occur in them numbered anew."""
        rows = self.rows[where]
        used = np.zeros(len(self.shape.rank), dtype=bool)
        used[rows] = True
        number = (np.cumsum(used) - 1).astype(np.int32)
        off = np.concatenate([[0], np.cumsum(used)])[self.shape.off]
        shape = self.shape._replace(
            rank=self.shape.rank[used],
            up=np.ascontiguousarray(self.shape.up[:, used]),
            cost=np.ascontiguousarray(self.shape.cost[:, used]),
            off=off.astype(np.int64),
        )
        return np.ascontiguousarray(number[rows]), shape

    def lattice(self, seed: int) -> tuple[NDArray[np.int8], NDArray[np.float64], bool]:
        """Full-domain nodes (a level per column) that lose least first, what they lose, and whether they are a sample.

        They are one where there are too many.
        """
        mean = [
            [float(self.shape.cost[level, self.rows[:, a]].mean()) for level in range(height + 1)]
            for a, height in enumerate(self.heights)
        ]
        sampled = prod(height + 1 for height in self.heights) > _MOST_NODES
        if not sampled:
            nodes = np.array(list(product(*(range(h + 1) for h in self.heights))), dtype=np.int8)
        else:
            draw = np.random.default_rng([seed, 1])
            many = int(np.clip(_OFFERS // len(self.rows), _FEW_NODES, _MOST_NODES))
            nodes = np.stack([draw.integers(0, h + 1, many, dtype=np.int8) for h in self.heights], axis=1)
            nodes[0], nodes[1] = 0, self.heights
        loss = np.sum([np.array(mean[a])[nodes[:, a]] for a in range(len(mean))], axis=0)
        order = np.argsort(loss, kind="stable")
        return np.ascontiguousarray(nodes[order]), np.ascontiguousarray(loss[order]), sampled


def shape_cells(
    cells: Cells, output: str, weights: Mapping[str, float] | None, *, short: int = SHORT
) -> Shaped:
    """Number the values of all columns and tabulate their losses."""
    if output not in OUTPUTS:
        raise RequestError(f"local recoding publishes {' or '.join(map(repr, OUTPUTS))}, not {output!r}.")
    short = whole_number(short, "short")
    share = share_weights(cells.names, weights)
    styles = {a.name: _style(a, output, short) for a in cells.attributes}
    steps = [w * _first_step(a, styles[a.name]) for a, w in zip(cells.attributes, share, strict=True)]
    order = sorted(range(len(steps)), key=lambda i: -steps[i])
    attributes = [cells.attributes[i] for i in order]
    published = [styles[a.name] for a in attributes]
    heights = tuple(
        a.tree.height if style in _NODES else 0 for a, style in zip(attributes, published, strict=True)
    )
    shape = lay_out(
        attributes,
        published,
        ranks=[_ranks(a, style) for a, style in zip(attributes, published, strict=True)],
        scale=np.array([share[i] / max(cells.attributes[i].tree.total - 1, 1) for i in order]),
        cost=lambda a, tree, level: share[order[a]] * tree.loss(level),
    )
    rows = values_of(cells.codes[order][:, cells.of_row], shape)
    return Shaped(rows, shape, styles, heights)


def _ranks(attribute: Attribute, style: Style) -> NDArray[np.int32]:
    """The place of each value among the leaves of an ordered column, -1 for missing."""
    if style != "range":
        return np.zeros(attribute.domain.size, dtype=np.int32)
    rank = np.full(attribute.domain.size, -1, dtype=np.int32)
    rank[: len(attribute.domain.values)] = leaf_bounds(attribute)[0][: len(attribute.domain.values)]
    return rank


def share_weights(names: Sequence[str], weights: Mapping[str, float] | None) -> NDArray[np.float64]:
    """Weights as shares of their sum; a column not named weighs 1."""
    for name in weights or {}:
        if name not in names:
            raise unknown_column(name, names, "weights")
    given = np.array([float((weights or {}).get(name, 1.0)) for name in names])
    if not np.isfinite(given).all() or (given < 0).any() or given.sum() <= 0:
        raise RequestError("weights must be numbers of at least 0, and not all of them 0.")
    return np.asarray(given / given.sum())


def _style(attribute: Attribute, output: str, short: int) -> Style:
    """Meaningful values: ranges along an order; values under one node, or the node; sets of a few nameless kinds."""
    if output == "hierarchy":
        return "node"
    if output == "sets" and not attribute.domain.kind.numeric:
        return "set"
    if attribute.domain.kind.ordered:
        return "range"
    if len(attribute.domain.values) <= short and not attribute.tree.has_meaning:
        return "set"
    return "siblings"


def _first_step(attribute: Attribute, style: Style) -> float:
    """Loss of the smallest generalisation."""
    tree = attribute.tree
    if tree.total < 2:
        return 0.0
    return float(tree.loss(min(1, tree.height)).min()) if style in _NODES else 1 / (tree.total - 1)
