"""Hierarchies read off the spelling of codes: masks and prefixes."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from lookalike.domains import Domain
from lookalike.errors import HierarchyError
from lookalike.hierarchies.recipe import Hierarchy
from lookalike.hierarchies.tree import Level, Tree, grow_tree


def grow_mask(recipe: Hierarchy, domain: Domain, counts: NDArray[np.int64]) -> Tree:
    """One more character blanked out per level; the root is as many masks as the longest value has characters."""
    character = str(recipe.options.get("character", "*"))
    direction = recipe.options.get("direction", "right")
    if len(character) != 1 or direction not in ("left", "right"):
        raise HierarchyError("a mask needs one character, and direction 'left' or 'right'.")
    longest = max((len(t) for t in domain.texts), default=1)

    def blank(text: str, number: int) -> str:
        number = min(number, len(text))
        kept = len(text) - number
        return (
            text[:kept] + character * number if direction == "right" else character * number + text[number:]
        )

    levels = [name_level([blank(t, i) for t in domain.texts]) for i in range(1, longest)]
    levels.append(name_level([character * longest for _ in domain.texts]))
    return grow_tree(domain, levels, recipe)


def grow_prefixes(recipe: Hierarchy, domain: Domain, counts: NDArray[np.int64]) -> Tree:
    """The first characters of a code, fewer per level."""
    lengths = [int(n) for n in recipe.options["lengths"]]
    if not lengths or min(lengths) < 1 or lengths != sorted(set(lengths), reverse=True):
        raise HierarchyError(
            "prefix lengths must be positive and shrink from level to level, such as prefixes(3, 1)."
        )
    return grow_tree(domain, [name_level([t[:n] for t in domain.texts]) for n in lengths], recipe)


def name_level(texts: list[str]) -> Level:
    """A level from the label of each value."""
    labels = list(dict.fromkeys(texts))
    place = {label: node for node, label in enumerate(labels)}
    return Level(np.array([place[t] for t in texts], dtype=np.int64), labels)
