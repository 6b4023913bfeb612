"""Find the box that covers a tuple of new values: the smallest one, all boxes tried at once as bit sets."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lookalike.base.errors import UnseenValues
from lookalike.recodings.labels import ValueSet, named_in, read_label
from lookalike.tables.cells import Cells
from lookalike.tables.columns.domains import Domain
from lookalike.tables.hierarchies import Hierarchy, Tree

NAMED_BY_VALUES = -1  #: in place of a level, where a box names its values instead of a node


@dataclass(frozen=True, eq=False)
class BoxTexts:
    """One column of all boxes as published: the style, each box's text, and the hierarchy level of nodes."""

    style: str
    texts: list[Any]
    labels: list[str | None]  #: the label behind the text, where a number is published instead
    levels: list[int] | None = None

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON values."""
        return dict(vars(self))

    @staticmethod
    def from_dict(written: Mapping[str, Any]) -> BoxTexts:
        """Read back what `to_dict` wrote."""
        return BoxTexts(**written)

    def contains(self, domain: Domain, recipe: Hierarchy) -> NDArray[np.bool_]:
        """Which codes of a domain each box contains: boxes x codes."""
        found, side = self.sides(domain, recipe)
        return found[side]

    def sides(self, domain: Domain, recipe: Hierarchy) -> tuple[NDArray[np.bool_], NDArray[np.int64]]:
        """Which codes of a domain each different side of a box contains: sides x codes; and the side of each box.

        A million boxes have some thousand different ranges and sets of values in a column.
        """
        place: dict[tuple[str | None, int], int] = {}
        levels = self.levels or [0] * len(self.labels)
        side = [place.setdefault(one, len(place)) for one in zip(self.labels, levels, strict=True)]
        once = [label for label, _ in place]
        each = replace(self, labels=once, levels=self.levels and [level for _, level in place])
        return each._contain(domain, recipe), np.array(side, dtype=np.int64)

    def _contain(self, domain: Domain, recipe: Hierarchy) -> NDArray[np.bool_]:
        if self.style in ("node", "siblings"):
            return self._under_nodes(domain, recipe)
        order = (
            recipe.options.get("values") if recipe.how == "ordering" and domain.kind == "ordinal" else None
        )
        out = np.ones((len(self.labels), domain.size), dtype=bool)
        labels = [read_label(text) for text in self.labels]
        named = named_in(labels)
        for box, label in enumerate(labels):
            if isinstance(label, ValueSet):
                out[box] = label.matches(domain, named=named)
            elif label is not None:
                out[box] = label.matches(domain, order=order)
        return out

    def _under_nodes(self, domain: Domain, recipe: Hierarchy) -> NDArray[np.bool_]:
        tree, known = grow_known(recipe, domain)
        out = np.zeros((len(self.labels), domain.size), dtype=bool)
        places = [
            {label: node for node, label in enumerate(labels)}
            for labels in map(tree.published, range(tree.height + 1))
        ]
        levels = self.levels or []
        sets = [
            read_label(text)
            for text, level in zip(self.labels, levels, strict=True)
            if level == NAMED_BY_VALUES
        ]
        named, by_values = named_in(sets), iter(sets)
        for box, (text, level) in enumerate(zip(self.labels, levels, strict=True)):
            if level == NAMED_BY_VALUES:
                label = next(by_values)
                out[box] = not isinstance(label, ValueSet) or label.matches(domain, named=named)
                continue
            node = places[min(level, tree.height)].get(text, -1)
            out[box, known] = tree.up[min(level, tree.height)] == node
        return out


def cover(
    cells: Cells, boxes: Mapping[str, BoxTexts], recipes: Mapping[str, Hierarchy]
) -> tuple[NDArray[np.int32], NDArray[np.bool_]]:
    """The smallest box that covers each cell (-1: none), and which cells hold a value that no box contains."""
    inside = [boxes[a.name].contains(a.domain, recipes[a.name]) for a in cells.attributes]
    size = sum(part.mean(axis=1) for part in inside)
    order = np.argsort(size, kind="stable")
    masks = [np.packbits(part[order].T, axis=1) for part in inside]
    unseen = np.zeros(len(cells), dtype=bool)
    for part, codes in zip(inside, cells.codes, strict=True):
        unseen |= ~np.any(part, axis=0)[codes]
    out = np.full(len(cells), -1, dtype=np.int32)
    step = max(1, 2**24 // max(masks[0].shape[1], 1))
    for start in range(0, len(cells), step):
        block = masks[0][cells.codes[0, start : start + step]]
        for mask, codes in zip(masks[1:], cells.codes[1:], strict=True):
            block = block & mask[codes[start : start + step]]
        byte = (block != 0).argmax(axis=1)
        found = block[np.arange(len(block)), byte]
        bit = 7 - np.frexp(np.maximum(found, 1).astype(float))[1] + 1
        first = byte * 8 + bit
        out[start : start + step] = np.where(found > 0, order[np.minimum(first, len(order) - 1)], -1)
    return out, unseen


def grow_known(recipe: Hierarchy, domain: Domain) -> tuple[Tree, NDArray[np.int64]]:
    """The tree over the part of a domain that its hierarchy knows, and the codes of that part."""
    codes = np.arange(domain.size)
    try:
        return recipe.grow(domain), codes
    except UnseenValues as problem:
        codes = np.delete(codes, problem.codes)
    missing = domain.missing and domain.size - 1 in codes
    values = domain.values[codes[: len(codes) - missing]]
    return recipe.grow(Domain(domain.kind, values, missing)), codes
