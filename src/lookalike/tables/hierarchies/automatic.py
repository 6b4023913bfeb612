"""A hierarchy for a column nobody described, so that a first run needs none.

What a column is about decides first (`by_meaning`). Then: numbers are cut at round points; dates follow the
calendar; codes with separators go by their parts, codes of one length by masks, of several lengths by prefixes.
Ordered values: neighbours merge. Other values: groups of values merge level by level, the rarest two first, so that
groups become about equally frequent and frequent values stay by themselves longest; a group is called by all of its
values. Many different texts (names, remarks) are grouped by their first letters.
"""

from __future__ import annotations

import heapq
import re

import numpy as np
from numpy.typing import NDArray

from lookalike.tables.columns.domains import Domain
from lookalike.tables.columns.notation import write_set
from lookalike.tables.columns.roles import Kind
from lookalike.tables.hierarchies.by_meaning import by_days, by_meaning, by_parts, round_intervals
from lookalike.tables.hierarchies.hierarchy import Hierarchy
from lookalike.tables.hierarchies.tree import RAREST_FIRST, ROOT, Tree

MANY = 64  #: distinct texts from which on first letters group them: sets of more are no labels for people
_LONGEST = 24  #: characters of a beginning that is still a label

_CODE = re.compile(r"[A-Z]{0,4}[0-9][A-Z0-9.\-/]*( [0-9][A-Z]{2})?")  # 8010, E11.9, AB12-3, SW1A 1AA


def grow_automatic(recipe: Hierarchy, domain: Domain, counts: NDArray[np.int64]) -> Tree:
    """Choose a recipe by the column's kind and grow it; the tree remembers the chosen recipe."""
    chosen = choose(domain, counts, recipe.options.get("concept"))
    return (chosen.marked_as_grown() if chosen.how in ("cuts", "ordering") else chosen).grow(domain, counts)


def choose(domain: Domain, counts: NDArray[np.int64], concept: str | None = None) -> Hierarchy:
    """The recipe that fits a column without one."""
    meant = None if concept is None else by_meaning(concept, domain, counts)
    if meant is not None:
        return meant
    if domain.kind is Kind.DATE:
        return Hierarchy.dates()
    if domain.kind.numeric:
        return round_intervals(domain, counts)
    if domain.kind is Kind.ORDINAL:
        return Hierarchy.ordering()
    codes = by_days(domain.texts) or by_parts(domain.texts) or _codes(domain.texts)
    if codes is not None:
        return codes
    if len(domain.values) > MANY:
        return Hierarchy.prefixes(*_telling_lengths(domain.texts))
    return Hierarchy.rows(_merge_rarest(domain, counts), source=RAREST_FIRST)


def goes_by_first_letters(recipe: Hierarchy, texts: list[str]) -> bool:
    """Whether words are grouped by how they begin, which tells a reader little: Leeds and London are not near."""
    return recipe.how == "prefixes" and not all(_CODE.fullmatch(text) for text in texts)


def _codes(texts: list[str]) -> Hierarchy | None:
    """Postcodes, ICD codes and the like: capitals and digits, at least ten of them."""
    if len(texts) < 10 or not all(_CODE.fullmatch(text) for text in texts):
        return None
    lengths = {len(text) for text in texts}
    if len(lengths) == 1 and 3 <= max(lengths) <= 12:
        return Hierarchy.mask()
    kept = sorted(range(1, max(lengths)), reverse=True)[-6:]
    return Hierarchy.prefixes(*kept) if 1 < max(lengths) <= 12 else None


def _telling_lengths(texts: list[str]) -> list[int]:
    """Lengths of beginnings, longest first, each of which leaves at most half as many groups as the one before."""
    lengths, groups = [], len(texts)
    for length in range(min(max(map(len, texts)) - 1, _LONGEST), 0, -1):
        found = len({text[:length] for text in texts})
        if found <= groups / 2 and found > 1:
            lengths.append(length)
            groups = found
    return lengths or [1]


def _merge_rarest(domain: Domain, counts: NDArray[np.int64]) -> list[list[str]]:
    """Rows of a tree whose levels halve the number of groups, merging the two rarest groups at a time."""
    texts = domain.texts
    groups: list[tuple[int, int, list[int]]] = [(int(counts[i]), i, [i]) for i in range(len(texts))]
    paths = [[text] for text in texts]
    while len(groups) > 2:
        target = (len(groups) + 1) // 2
        heapq.heapify(groups)
        while len(groups) > target:
            a, i, left = heapq.heappop(groups)
            b, j, right = heapq.heappop(groups)
            heapq.heappush(groups, (a + b, min(i, j), left + right))
        for _, _, members in groups:
            if len(members) > 1:  # a value by itself repeats itself on the way up
                label = str(write_set(texts[i] for i in sorted(members)))
                for i in members:
                    paths[i].append(label)
    if set(texts).intersection(label for path in paths for label in path[1:]):
        return [
            [text, ROOT] for text in texts
        ]  # a value that is written like a set of others: no set is told from it
    return [[*path, ROOT] for path in paths]
