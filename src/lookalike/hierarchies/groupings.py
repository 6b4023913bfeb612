"""Hierarchies given by hand: rows of a file, named groups, a nested tree, parents, or an order to merge along."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lookalike.domains import Domain, nominal, number_text, texts_of
from lookalike.errors import HierarchyError, UnseenValues
from lookalike.hierarchies.recipe import Hierarchy
from lookalike.hierarchies.spelling import name_level
from lookalike.hierarchies.tree import ROOT, Level, Tree, grow_tree


def grow_rows(recipe: Hierarchy, domain: Domain, counts: NDArray[np.int64]) -> Tree:
    """A tree from rows leaf → root. Shorter rows are right-aligned: the leaf repeats itself on the way up.

    A row with an empty leaf is the path of missing values. The leaves that the table does not use still count.
    """
    source = recipe.options.get("source", "the hierarchy")
    rows = recipe.options["rows"]
    depth = max(len(row) for row in rows)
    paths: dict[str, list[str]] = {}
    missing: list[str] | None = None
    parent: list[dict[str, str]] = [{} for _ in range(depth)]
    for number, row in enumerate(rows, start=1):
        leaf = _canonical(str(row[0]).strip(), domain)
        path = [leaf] * (depth - len(row) + 1) + [str(label).strip() for label in row[1:]]
        for level, (below, above) in enumerate(zip(path, path[1:])):
            if parent[level].setdefault(below, above) != above:
                raise HierarchyError(
                    f"{source}, row {number}: a label of level {level} stands under two different labels of level "
                    f"{level + 1}. Give it one parent, or another name."
                )
        if leaf == "":
            missing = path[1:]
        elif leaf in paths and paths[leaf] != path:
            raise HierarchyError(
                f"{source}, row {number}: the same value was given another path in an earlier row."
            )
        else:
            paths[leaf] = path
    full = nominal(list(paths), missing=missing is not None or domain.missing)
    columns = list(zip(*(paths[text] for text in full.texts))) if paths else [() for _ in range(depth)]
    levels = [name_level(list(column)) for column in columns[1:]]
    tree = grow_tree(full, levels, recipe, missing=missing)
    try:
        return tree.over(domain)
    except UnseenValues as problem:
        raise UnseenValues(f"{source}: {problem}", problem.codes) from None


def grow_groups(recipe: Hierarchy, domain: Domain, counts: NDArray[np.int64]) -> Tree:
    """A tree from named groups, a nested tree or parents (see `Hierarchy.groups`)."""
    groups: Mapping[str, Any] = recipe.options["groups"]
    flat = all(isinstance(above, str) for above in groups.values())
    paths = _follow_parents(groups) if flat else _walk(groups, ())
    roots = {path[-1] for path in paths}
    if len(roots) > 1 or (len(paths) > 1 and all(len(path) == 1 for path in paths)):
        paths = [[*path, ROOT] for path in paths]
    if recipe.options.get("others", "refuse") == "keep":
        named = {_canonical(path[0], domain) for path in paths}
        paths += [[text, paths[0][-1] if paths else ROOT] for text in domain.texts if text not in named]
    grown = grow_rows(Hierarchy.rows(paths, source="the groups"), domain, counts)
    return Tree(grown.domain, grown.up, grown.labels, grown.leaves, recipe)


def grow_ordering(recipe: Hierarchy, domain: Domain, counts: NDArray[np.int64]) -> Tree:
    """Neighbours merge, `fanout` groups at a time, and are called `first … last`."""
    fanout = int(recipe.options.get("fanout", 2))
    values: Sequence[str] | None = recipe.options.get("values")
    if fanout < 2:
        raise HierarchyError(f"fanout must be at least 2, found {fanout}.")
    full = nominal(list(values), missing=domain.missing) if values is not None else domain
    order = [_canonical(v, domain) for v in values] if values is not None else domain.texts
    rank = {text: i for i, text in enumerate(order)}
    if len(rank) < len(order):
        raise HierarchyError("the order names a value twice.")
    ranks = np.array([rank[text] for text in full.texts], dtype=np.int64)
    levels = []
    size = fanout
    while size < len(order):
        starts = range(0, len(order), size)
        labels = [_span(order[i], order[min(i + size, len(order)) - 1]) for i in starts]
        levels.append(Level(ranks // size, labels))
        size *= fanout
    resolved = Hierarchy.ordering(order, fanout=fanout)
    return grow_tree(full, levels, resolved).over(domain)


def _span(first: str, last: str) -> str:
    return first if first == last else f"{first} … {last}"


def _walk(tree: Mapping[str, Any] | Sequence[Any], above: tuple[str, ...]) -> list[list[str]]:
    """Paths leaf → root of a nested tree."""
    if isinstance(tree, Mapping):
        return [path for label, below in tree.items() for path in _walk(below, (str(label), *above))]
    return [[str(leaf), *above] for leaf in tree]


def _follow_parents(parents: Mapping[str, str]) -> list[list[str]]:
    """Paths leaf → root when each label names its parent."""
    inner = set(parents.values())
    paths = []
    for leaf in parents:
        if leaf in inner:
            continue
        path = [leaf]
        while path[-1] in parents:
            if parents[path[-1]] in path:
                raise HierarchyError("the parents run in a circle.")
            path.append(parents[path[-1]])
        paths.append([str(label) for label in path])
    return paths


def _canonical(text: str, domain: Domain) -> str:
    """The text of a leaf in the form the domain's own values have: `3.50` is `3.5` in a column of numbers."""
    if not domain.kind.numeric or text == "":
        return text
    try:
        value = np.array([text], dtype="datetime64[D]") if domain.kind == "date" else None
        return texts_of(value, domain.kind)[0] if value is not None else number_text(float(text))
    except ValueError:
        return text
