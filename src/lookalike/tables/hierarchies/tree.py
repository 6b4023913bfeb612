"""Tree: a generalisation hierarchy grown over one domain, as integer tables.

Level 0 holds the values themselves, the last level one root. `up[level][code]` is the node of a code on a level.
Lowest common ancestors cost O(1) after O(d log d): codes are laid out in depth-first order, the ancestor of two
codes is then the highest join between neighbours on the way, a range maximum from a sparse table
(Bender and Farach-Colton 2000, https://doi.org/10.1007/10719839_9).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from lookalike.base.charts import icicle
from lookalike.base.errors import HierarchyError, UnseenValues
from lookalike.tables.columns.domains import Codes, Domain, nominal
from lookalike.tables.columns.notation import write_value

if TYPE_CHECKING:
    from lookalike.tables.hierarchies.hierarchy import Hierarchy

ROOT = "*"
RAREST_FIRST = "the automatic hierarchy"  #: source of a hierarchy that merges the rarest values first
_MOST_BOXES = 150  # groups of a level that can be told apart in a picture
_SHOWN = 40  # children of one node that are printed
DEEPEST = 127  #: levels that fit the 8-bit table of joins


@dataclass(frozen=True, eq=False)
class GrowingLevel:
    """One level while a tree is being grown: the node of each value (without missing), and each node's label."""

    nodes: NDArray[np.integer[Any]]
    labels: Sequence[str]


@dataclass(frozen=True, eq=False)
class Tree:
    """A hierarchy over a domain. Build it with `Hierarchy(...).grow(domain)`."""

    domain: Domain
    up: tuple[Codes, ...]  #: per level: code -> node of that level
    labels: tuple[tuple[str | None, ...], ...]  #: per level: node -> what is published; None is missing
    leaves: tuple[NDArray[np.int64], ...]  #: per level: node -> number of leaves of the hierarchy under it
    recipe: Hierarchy  #: grows the same tree over next month's values

    @property
    def height(self) -> int:
        """Level of the root."""
        return len(self.up) - 1

    @property
    def has_meaning(self) -> bool:
        """Whether its groups say more than how frequent values are, as those of a hierarchy grown for want of one."""
        return self.recipe.options.get("source") != RAREST_FIRST

    @cached_property
    def total(self) -> int:
        """Number of leaves of the hierarchy, also those that the table does not use."""
        return int(self.leaves[-1].sum())

    def plot(self) -> Any:
        """The tree as boxes, the root on top, each as wide as the values of the table below it; with altair.

        Levels of more than 150 groups, most often that of the values themselves, are not drawn.
        """
        drawn = [level for level in range(self.height + 1) if len(self.labels[level]) <= _MOST_BOXES]
        rows = []
        for level in drawn:
            labels = self.published(level)
            nodes = self.up[level][self.order]
            starts = np.flatnonzero(np.diff(nodes, prepend=-1))
            for start, end in zip(starts.tolist(), [*starts[1:].tolist(), len(nodes)], strict=True):
                label = labels[nodes[start]]
                box = {"level": level, "label": "missing" if label is None else str(label)}
                rows.append({**box, "from": start, "to": end, "values": end - start})
        return icicle(
            rows,
            title=str(self.recipe.options.get("source", repr(self.recipe))),
            levels=max(drawn),
            width=self.domain.size,
        )

    def share(self, level: int) -> NDArray[np.float64]:
        """Per node of a level: the share of all leaves that lie under it."""
        return self.leaves[level] / self.total

    def loss(self, level: int) -> NDArray[np.float64]:
        """Per node of a level: 0 for a single leaf, 1 for the root, (share - 1/d) / (1 - 1/d) between."""
        if self.total == 1:
            return np.zeros(len(self.leaves[level]))
        return (self.leaves[level] - 1) / (self.total - 1)

    def published(self, level: int) -> list[str | None]:
        """What each node of a level is published as: its label, or its value where it stands for one by that name."""
        return _published(self.labels[level], self.leaves[level], set(self.labels[0]))

    @cached_property
    def heights(self) -> tuple[NDArray[np.int32], ...]:
        """Per level and node: height of the subtree under it. A label that only repeats its child's adds nothing.

        Leaves that the table does not use count: the height of a hierarchy is not the table's business.
        """
        whole = self.whole()
        if whole is not self:
            known = [
                dict(zip(labels, tall.tolist(), strict=True))
                for labels, tall in zip(whole.labels, whole.heights, strict=True)
            ]
            return tuple(
                np.array([there[label] for label in here], dtype=np.int32)
                for there, here in zip(known, self.labels, strict=True)
            )
        out = [np.zeros(len(self.labels[0]), dtype=np.int32)]
        for level in range(1, self.height + 1):
            below, here = self.up[level - 1], self.up[level]
            mine = np.array([*self.labels[level], None], dtype=object)[:-1]
            theirs = np.array([*self.labels[level - 1], None], dtype=object)[:-1]
            steps = out[-1][below] + (mine[here] != theirs[below]).astype(np.int32)
            height = np.zeros(len(mine), dtype=np.int32)
            np.maximum.at(height, here, steps)
            out.append(height)
        return tuple(out)

    @cached_property
    def order(self) -> Codes:
        """The codes in depth-first order: every node is a run of neighbours."""
        order: Codes = np.lexsort(self.up).astype(np.int32)
        return order

    @cached_property
    def position(self) -> Codes:
        """Where each code stands in `order`."""
        out = np.empty(self.domain.size, dtype=np.int32)
        out[self.order] = np.arange(self.domain.size, dtype=np.int32)
        return out

    @cached_property
    def joins(self) -> NDArray[np.int8]:
        """Sparse table of range maxima: `joins[j, i]` = highest join among neighbours i .. i + 2**j in `order`."""
        first = np.zeros(max(self.domain.size - 1, 1), dtype=np.int8)
        for level in range(1, self.height + 1):
            below = self.up[level - 1][self.order]
            first[: len(below) - 1][below[1:] != below[:-1]] = level
        rows = [first]
        while 2 ** len(rows) <= len(first):
            half = 2 ** (len(rows) - 1)
            wider = rows[-1].copy()
            wider[:-half] = np.maximum(rows[-1][:-half], rows[-1][half:])
            rows.append(wider)
        return np.stack(rows)

    def join(self, a: int, b: int) -> int:
        """The lowest level on which two codes are the same node."""
        lo, hi = sorted((int(self.position[a]), int(self.position[b])))
        if lo == hi:
            return 0
        j = (hi - lo).bit_length() - 1
        return int(max(self.joins[j, lo], self.joins[j, hi - 2**j]))

    def ancestor(self, codes: NDArray[np.integer[Any]]) -> tuple[int, int]:
        """Level and node of the lowest common ancestor of some codes."""
        where = self.position[codes]
        level = self.join(int(self.order[where.min()]), int(self.order[where.max()]))
        return level, int(self.up[level][codes[0]])

    def over(self, domain: Domain) -> Tree:
        """The same hierarchy over another domain, every value of which must be one of its leaves."""
        known = self.domain
        if domain.missing and not known.missing:
            known = Domain(known.kind, known.values, missing=True)
            return self.recipe.grow(known).over(domain)
        codes = known.find(domain)
        unknown = np.flatnonzero(codes < 0)
        if len(unknown):
            raise UnseenValues(
                f"{len(unknown)} of {domain.size} distinct values are not leaves of the hierarchy. "
                "Add a row for each of them, or treat them as missing.",
                unknown.tolist(),
            )
        return Tree(domain, tuple(u[codes] for u in self.up), self.labels, self.leaves, self.recipe)

    def whole(self) -> Tree:
        """The same hierarchy over all of its leaves, also those that the table does not use."""
        if self.total == self.domain.size:
            return self
        leaves = [label for label in self.labels[0] if label is not None]
        return self.recipe.grow(nominal(leaves, missing=len(leaves) < len(self.labels[0])))

    def rows(self) -> list[tuple[str, ...]]:
        """One row per value from leaf to root, as in ARX's files; missing is the empty text."""
        columns = [
            [labels[node] or "" for node in up.tolist()]
            for up, labels in zip(self.up, self.labels, strict=True)
        ]
        return list(zip(*columns, strict=True))

    def write(self, path: str | Path, *, delimiter: str = ";") -> None:
        """Write the hierarchy as ARX's CSV: one row per value, leaf first. `Hierarchy.read` reads it back."""
        from lookalike.tables.hierarchies.files import write_tree

        write_tree(self, path, delimiter=delimiter)

    def __str__(self) -> str:
        lines: list[str] = []

        def draw(level: int, codes: Codes, indent: str) -> None:
            label = self.labels[level][self.up[level][codes[0]]]
            while level and (self.up[level - 1][codes] == self.up[level - 1][codes[0]]).all():
                level -= 1
                if self.labels[level][self.up[level][codes[0]]] != label:
                    level += 1
                    break
            lines.append(indent + ("(missing)" if label is None else label))
            if level:
                below = self.up[level - 1][codes]
                parts = np.split(codes, np.flatnonzero(below[1:] != below[:-1]) + 1)
                for part in parts[:_SHOWN]:
                    draw(level - 1, part, indent + "  ")
                if len(parts) > _SHOWN:
                    lines.append(f"{indent}  … {len(parts) - _SHOWN} more")

        if self.domain.size:
            draw(self.height, self.order, "")
        return "\n".join(lines)

    def __repr__(self) -> str:
        sizes = " → ".join(str(len(labels)) for labels in self.labels)
        return f"Tree({sizes})"


def grow_tree(
    domain: Domain,
    levels: Sequence[GrowingLevel],
    recipe: Hierarchy,
    *,
    missing: Sequence[str | None] | None = None,
    rooted: bool = False,
    clear: bool = False,
) -> Tree:
    """Check that levels nest and build the tree: the values below, `levels` above them, a root on top.

    `missing` gives the labels of missing per level; by default it stays by itself until the root. Where `rooted`, the
    last level is the root if it is one node; otherwise a root is put on top even then, since next month's values may
    fill two nodes. Where labels are `clear`, none can stand for different values on different levels.
    """
    n = len(domain.values)
    up: list[Codes] = [np.arange(domain.size, dtype=np.int32)]
    labels: list[list[str | None]] = [[*domain.texts, *([None] if domain.missing else [])]]
    below = np.arange(n)
    for number, level in enumerate(levels, start=1):
        nodes = np.asarray(level.nodes)
        parent = np.full(int(below.max(initial=-1)) + 1, -1, dtype=np.int64)
        parent[below] = nodes
        torn = np.flatnonzero(parent[below] != nodes)
        if len(torn):
            raise HierarchyError(
                f"level {number} does not nest: values that share a label on level {number - 1} get different "
                f"labels on level {number} (first seen at value {int(torn[0]) + 1} of the sorted values). "
                "Give each label one parent."
            )
        here: list[str | None] = list(level.labels)
        codes = np.empty(domain.size, dtype=np.int32)
        codes[:n] = nodes
        if domain.missing:
            is_root = rooted and number == len(levels) and len(here) == 1
            label = here[0] if is_root else missing[number - 1] if missing is not None else None
            if label not in here:
                here.append(label)
            codes[n:] = here.index(label)
        up.append(codes)
        labels.append(here)
        below = nodes
    if not rooted or len(up) == 1 or len(labels[-1]) != 1:
        up.append(np.zeros(domain.size, dtype=np.int32))
        labels.append([ROOT])
    if len(up) > DEEPEST:
        raise HierarchyError(f"the hierarchy has {len(up)} levels; at most {DEEPEST} are possible.")
    leaves = [
        np.bincount(u, minlength=len(names)).astype(np.int64) for u, names in zip(up, labels, strict=True)
    ]
    if not clear:
        _tell_apart(labels, up, leaves)
    return Tree(domain, tuple(up), tuple(tuple(names) for names in labels), tuple(leaves), recipe)


def _published(
    labels: Sequence[str | None], leaves: NDArray[np.int64], values: set[str | None]
) -> list[str | None]:
    """Labels as they go out: one that is its only value's own name is written as values are."""
    return [
        write_value(label) if label is not None and count == 1 and label in values else label
        for label, count in zip(labels, leaves.tolist(), strict=True)
    ]


def _tell_apart(labels: list[list[str | None]], up: list[Codes], leaves: list[NDArray[np.int64]]) -> None:
    """A label that stood for fewer values on a finer level gets its level added, so that it is never read as those.

    Only the root may be called `*`, which stands for everything; a value of that name is quoted when it is published.
    """
    for level in range(1, len(labels) - 1):
        inner = [
            node for node, label in enumerate(labels[level]) if label == ROOT and leaves[level][node] > 1
        ]
        for node in inner:
            labels[level][node] = f"{ROOT} (level {level})"
    values = set(labels[0])
    places: list[dict[str | None, int]] = []
    for level, names in enumerate(labels):
        here = dict(zip(_published(names, leaves[level], values), range(len(names)), strict=True))
        here.pop(ROOT if level == len(labels) - 1 else None, None)
        for finer, there in enumerate(places):
            shared = list(here.keys() & there.keys() - {None})
            mine = np.array([here[label] for label in shared], dtype=np.int64)
            theirs = np.array([there[label] for label in shared], dtype=np.int64)
            member = np.zeros(len(labels[finer]), dtype=np.int32)
            member[up[finer]] = np.arange(len(up[finer]), dtype=np.int32)
            same = (up[level][member[theirs]] == mine) & (leaves[level][mine] == leaves[finer][theirs])
            clashing = set(mine[~same].tolist())
            here = {label: node for label, node in here.items() if node not in clashing}
            for node in clashing:
                names[node] = f"{names[node]} (level {level})"
        places.append(here)
