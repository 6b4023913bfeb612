"""A hierarchy for a column nobody described, so that a first run needs none.

Numbers: nested quantile intervals. Dates: the calendar. Codes of one length: masks. Ordered values: neighbours merge.
Other values: groups of values merge level by level, the rarest two first, so that groups stay about equally frequent.
"""

from __future__ import annotations

import heapq

import numpy as np
from numpy.typing import NDArray

from lookalike.domains import Domain
from lookalike.hierarchies.numeric import quantile_cuts
from lookalike.hierarchies.recipe import Hierarchy
from lookalike.hierarchies.tree import Tree
from lookalike.roles import Kind

FINEST = 32  #: quantile groups on the finest level


def grow_automatic(recipe: Hierarchy, domain: Domain, counts: NDArray[np.int64]) -> Tree:
    """Choose a recipe by the column's kind and grow it; the tree remembers the chosen recipe."""
    return choose(domain, counts).grow(domain, counts)


def choose(domain: Domain, counts: NDArray[np.int64]) -> Hierarchy:
    """The recipe that fits a column without one."""
    distinct = len(domain.values)
    if domain.kind is Kind.DATE:
        return Hierarchy.dates()
    if domain.kind.numeric:
        groups = [g for g in (FINEST, 16, 8, 4, 2) if g < distinct]
        return quantile_cuts(domain, counts, groups) if groups else Hierarchy.cuts([])
    if domain.kind is Kind.ORDINAL:
        return Hierarchy.ordering()
    if looks_like_codes(domain.texts):
        return Hierarchy.mask()
    return Hierarchy.rows(_merge_rarest(domain, counts), source="the automatic hierarchy")


def looks_like_codes(texts: list[str]) -> bool:
    """Postcodes, ICD codes and the like: many values of one length with digits in them."""
    if len(texts) < 10 or len({len(t) for t in texts}) > 1 or not 3 <= len(texts[0]) <= 12:
        return False
    return sum(any(c.isdigit() for c in t) for t in texts) > 0.9 * len(texts)


def _merge_rarest(domain: Domain, counts: NDArray[np.int64]) -> list[list[str]]:
    """Rows of a tree whose levels halve the number of groups, merging the two rarest groups at a time."""
    texts = domain.texts
    groups: list[tuple[int, list[int]]] = [(int(counts[i]), [i]) for i in range(len(texts))]
    paths = [[text] for text in texts]
    while len(groups) > 2:
        target = (len(groups) + 1) // 2
        heap = [(count, members[0], members) for count, members in groups]
        heapq.heapify(heap)
        while len(heap) > target:
            a, _, left = heapq.heappop(heap)
            b, _, right = heapq.heappop(heap)
            merged = sorted(left + right)
            heapq.heappush(heap, (a + b, merged[0], merged))
        groups = [(count, members) for count, _, members in heap]
        for _, members in groups:
            label = _label([texts[i] for i in members])
            for i in members:
                paths[i].append(label)
    for path in paths:
        path.append("*")
    return paths


def _label(texts: list[str]) -> str:
    """A set of values as text; long sets are shortened but still say where they begin and how many they are."""
    if len(texts) == 1:
        return texts[0]
    if len(texts) <= 6:
        return "{" + ", ".join(texts) + "}"
    return "{" + ", ".join(texts[:3]) + f", … {len(texts)} values}}"
