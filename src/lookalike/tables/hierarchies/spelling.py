"""Hierarchies read off the spelling of codes: masks and prefixes."""

from __future__ import annotations

import re

import numpy as np
from numpy.typing import NDArray

from lookalike.base.errors import HierarchyError, UnseenValues
from lookalike.tables.columns.domains import Domain
from lookalike.tables.hierarchies.forms import LETTERS
from lookalike.tables.hierarchies.hierarchy import Hierarchy
from lookalike.tables.hierarchies.tree import DEEPEST, GrowingLevel, Tree, grow_tree

_RUN = re.compile(r"\W*(?:\d+|[^\W\d]+)|\W+$")  # letters or digits, with what stands before them


def grow_mask(recipe: Hierarchy, domain: Domain, counts: NDArray[np.int64]) -> Tree:
    """One more character blanked out per level; the root is as many masks as the longest value has characters.

    The tree's recipe remembers that length, so that next month's values get the same levels.
    """
    character = str(recipe.options.get("character", "*"))
    direction = recipe.options.get("direction", "right")
    if len(character) != 1 or direction not in ("left", "right"):
        raise HierarchyError("a mask needs one character, and direction 'left' or 'right'.")
    texts = domain.texts
    length = int(recipe.options.get("length") or max((len(t) for t in texts), default=1))
    if not 0 < length < DEEPEST:
        raise HierarchyError(f"a mask has from 1 to {DEEPEST - 1} characters, not {length:,}.")
    longer = [code for code, text in enumerate(texts) if len(text) > length]
    if longer:
        raise UnseenValues(
            f"{len(longer)} of {domain.size} distinct values are longer than the mask, which has {length} characters.",
            longer,
        )
    right = direction == "right"
    levels = []
    for hidden in range(1, length):
        stars = [character * min(hidden, size) for size in range(length + 1)]
        if right:
            labels = [t[: max(len(t) - hidden, 0)] + stars[len(t)] for t in texts]
        else:
            labels = [stars[len(t)] + t[hidden:] for t in texts]
        levels.append(name_level(labels))
    levels.append(GrowingLevel(np.zeros(len(texts), dtype=np.int64), [character * length]))
    return grow_tree(
        domain, levels, Hierarchy.mask(character=character, direction=direction, length=length), rooted=True
    )


def grow_prefixes(recipe: Hierarchy, domain: Domain, counts: NDArray[np.int64]) -> Tree:
    """The first characters of a code and a star, fewer per level; a code shorter than that stays itself.

    The star tells `E1*`, everything that begins so, from the code `E1`, whichever codes the table happens to have.
    """
    lengths = [int(n) for n in recipe.options["lengths"]]
    if not lengths or min(lengths) < 1 or lengths != sorted(set(lengths), reverse=True):
        raise HierarchyError(
            "prefix lengths must be positive and shrink from level to level, such as prefixes(3, 1)."
        )
    texts = domain.texts
    levels = [name_level([t[:n] + "*" if len(t) >= n else t for t in texts]) for n in lengths]
    return grow_tree(domain, levels, recipe)


def grow_parts(recipe: Hierarchy, domain: Domain, counts: NDArray[np.int64]) -> Tree:
    """The first parts of a code and a star, one fewer per level: `25-00503` becomes `25-*`."""
    mark = recipe.options["separator"]
    if mark == LETTERS:
        split, mark = [_RUN.findall(text) for text in domain.texts], ""
    else:
        split = [text.split(mark) for text in domain.texts]
    most = max((len(parts) for parts in split), default=1)
    levels = [
        name_level([mark.join(p[:n]) + mark + "*" if len(p) > n else mark.join(p) for p in split])
        for n in range(most - 1, 0, -1)
    ]
    return grow_tree(domain, levels, recipe)


def name_level(texts: list[str]) -> GrowingLevel:
    """A level from the label of each value."""
    place: dict[str, int] = {}
    nodes = np.fromiter((place.setdefault(t, len(place)) for t in texts), dtype=np.int64, count=len(texts))
    return GrowingLevel(nodes, list(place))
