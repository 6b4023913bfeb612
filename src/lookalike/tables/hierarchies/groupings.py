"""Hierarchies given by hand: rows of a file, named groups, a nested tree, parents, or an order to merge along."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lookalike.base.errors import HierarchyError, UnseenValues
from lookalike.tables.columns.domains import Domain, nominal, number_text, texts_of
from lookalike.tables.columns.notation import write_range
from lookalike.tables.columns.roles import Kind
from lookalike.tables.hierarchies.hierarchy import Hierarchy
from lookalike.tables.hierarchies.spelling import name_level
from lookalike.tables.hierarchies.tree import ROOT, GrowingLevel, Tree, grow_tree


def grow_rows(recipe: Hierarchy, domain: Domain, counts: NDArray[np.int64]) -> Tree:
    """A tree from rows leaf → root. In a shorter row the leaf repeats itself on the way up, so that the roots meet.

    A row with an empty leaf is the path of missing values. The leaves that the table does not use still count.
    """
    source = recipe.options.get("source", "the hierarchy")
    rows = [_trimmed(row) for row in recipe.options["rows"]]
    depth = max((len(row) for row in rows), default=1)
    known = set(domain.texts)
    paths: dict[str, list[str]] = {}
    missing: list[str | None] | None = None
    parent: list[dict[str, str]] = [{} for _ in range(depth)]
    for number, row in enumerate(rows, start=1):
        leaf = row[0] if row[0] in known else _canonical(row[0].strip(), domain)
        path = [leaf] * (depth - len(row) + 1) + [label.strip() for label in row[1:]]
        if leaf == "":
            missing = _same([label or None for label in path[1:]], missing, source, number)
            continue
        if "" in path:
            raise HierarchyError(
                f"{source}, row {number}: level {path.index('')} has no label. Give one, or repeat the one below."
            )
        _same(path, paths.setdefault(leaf, path), source, number)
        for level, (below, above) in enumerate(pairwise(path)):
            if parent[level].setdefault(below, above) != above:
                raise HierarchyError(
                    f"{source}, row {number}: a label of level {level} stands under two different labels of level "
                    f"{level + 1}. Give it one parent, or another name."
                )
    full = nominal(list(paths), missing=missing is not None or domain.missing)
    levels = [name_level([paths[text][level] for text in full.texts]) for level in range(1, depth)]
    tree = grow_tree(full, levels, recipe, missing=missing, rooted=True)
    try:
        return tree.over(domain)
    except UnseenValues as problem:
        raise UnseenValues(f"{source}: {problem}", problem.codes) from None


def grow_groups(recipe: Hierarchy, domain: Domain, counts: NDArray[np.int64]) -> Tree:
    """A tree from named groups, a nested tree or parents (see `Hierarchy.groups`)."""
    groups: Mapping[str, Any] = recipe.options["groups"]
    others = recipe.options.get("others", "refuse")
    if others not in ("refuse", "keep"):
        raise HierarchyError(f"others must be 'refuse' or 'keep', found {others!r}.")
    flat = all(isinstance(above, str) for above in groups.values())
    paths = _follow_parents(groups) if flat else _walk(groups, ())
    if not paths:
        raise HierarchyError(
            "the groups are empty. Give a name and its values, such as {'north': ['Leeds', 'York']}."
        )
    # One name on top of a nested tree is its root; one flat group is not, and what is in no group is not below it.
    roots = {path[-1] for path in paths}
    nested = max(len(path) for path in paths) > 2
    if roots != {ROOT} and (len(roots) > 1 or not nested or others == "keep"):
        paths = [[*path, ROOT] for path in paths]
    if others == "keep":
        named = {_canonical(path[0], domain) for path in paths}
        paths += [[text, ROOT] for text in domain.texts if text not in named]
    grown = grow_rows(Hierarchy.rows(paths, source="the groups"), domain, counts)
    return replace(grown, recipe=recipe)


def grow_ordering(recipe: Hierarchy, domain: Domain, counts: NDArray[np.int64]) -> Tree:
    """Neighbours merge, `fanout` groups at a time, and are called `[first, last]`."""
    fanout = int(recipe.options.get("fanout", 2))
    given: Sequence[str] | None = recipe.options.get("values")
    if fanout < 2:
        raise HierarchyError(f"fanout must be at least 2, found {fanout}.")
    order = domain.texts if given is None else [_canonical(value, domain) for value in given]
    rank = {text: i for i, text in enumerate(order)}
    if len(rank) < len(order):
        raise HierarchyError("the order names a value twice.")
    full = nominal(order, missing=domain.missing)
    ranks = np.array([rank[text] for text in full.texts], dtype=np.int64)
    levels = []
    size = fanout
    while size < len(order):
        ends = [(i, min(i + size, len(order)) - 1) for i in range(0, len(order), size)]
        levels.append(GrowingLevel(ranks // size, [write_range(order[a], order[b]) for a, b in ends]))
        size *= fanout
    grown = Hierarchy.ordering(order, fanout=fanout)
    return grow_tree(
        full, levels, grown.marked_as_grown() if recipe.is_grown or given is None else grown
    ).over(domain)


def spell_missing(recipe: Hierarchy, na: Collection[str]) -> Hierarchy:
    """The same hierarchy where leaves spelt like a missing value (`?`) are the path of missing values."""
    if recipe.how == "rows":
        rows = recipe.options["rows"]
        if any(row and row[0].strip() in na for row in rows):
            spelt = [["", *row[1:]] if row and row[0].strip() in na else row for row in rows]
            return replace(recipe, options={**recipe.options, "rows": spelt})
    if recipe.how == "groups":
        return replace(recipe, options={**recipe.options, "groups": _spelt(recipe.options["groups"], na)})
    return recipe


def _spelt(groups: Any, na: Collection[str]) -> Any:
    if isinstance(groups, Mapping):
        flat = all(isinstance(above, str) for above in groups.values())
        return {
            ("" if flat and label in na else label): below if isinstance(below, str) else _spelt(below, na)
            for label, below in groups.items()
        }
    return ["" if leaf in na else leaf for leaf in groups]


def _trimmed(row: Sequence[Any]) -> list[str]:
    """A row without the empty cells that a spreadsheet leaves at its end."""
    cells = ["" if cell is None else str(cell) for cell in row]
    while len(cells) > 1 and not cells[-1].strip():
        cells.pop()
    return cells


def _same(path: list[Any], earlier: list[Any] | None, source: str, number: int) -> list[Any]:
    if earlier is not None and earlier != path:
        raise HierarchyError(
            f"{source}, row {number}: the same value was given another path in an earlier row. Keep one of them."
        )
    return path


def _walk(tree: Any, above: tuple[str, ...]) -> list[list[str]]:
    """Paths leaf → root of a nested tree."""
    if isinstance(tree, Mapping):
        return [path for label, below in tree.items() for path in _walk(below, (label, *above))]
    if isinstance(tree, str):
        raise HierarchyError(
            "groups mix lists of values with single parents. Give {'group': ['value', …]} or {'value': 'group'}."
        )
    return [[leaf, *above] for leaf in tree]


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
        paths.append(path)
    if not paths:
        raise HierarchyError("the parents run in a circle.")
    return paths


def _canonical(text: str, domain: Domain) -> str:
    """The text of a leaf in the form the domain's own values have: `3.50` is `3.5` in a column of numbers."""
    if not domain.kind.numeric or text == "":
        return text
    try:
        if domain.kind is Kind.DATE:
            return texts_of(np.array([text], dtype="datetime64[D]"), domain.kind)[0]
        return str(int(text))
    except ValueError:
        pass
    try:
        return number_text(float(text)) if domain.kind is not Kind.DATE else text
    except ValueError:
        return text
