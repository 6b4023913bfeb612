"""Hierarchies of the step Columns: a tree to look at, intervals by their widths, values moved between groups."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from lookalike.columns.coding import Column
from lookalike.columns.domains import Codes
from lookalike.errors import HierarchyError
from lookalike.hierarchies import Hierarchy, Tree
from lookalike.progress import Report
from lookalike.web.tasks.running import Shop
from lookalike.web.tasks.tables import show

_CHILDREN = 12  # of one node that are drawn
_EDITABLE = 400  # values that can be moved by hand
_KINDS = ("integer", "decimal", "date")


def look(shop: Shop, recipe: Mapping[str, Any], report: Report, *, column: str) -> dict[str, Any]:
    """The tree of a column, cut to what a person can read."""
    people = shop.table(recipe)
    tree, coded = people.tree(column), people.column(column)
    given = people.hierarchies.get(column)
    widths = given.options.get("widths", []) if given is not None else []
    return {
        "how": "automatic"
        if given is None
        else given.how
        if given.how in ("intervals", "rows", "groups")
        else "given",
        "sizes": [len(np.unique(up)) for up in tree.up],
        "tree": _nested(tree, coded),
        "numeric": str(coded.kind) in _KINDS and str(coded.kind) != "date",
        "widths": widths,
        "editable": coded.domain.size <= _EDITABLE,
        "groups": _groups(tree) if coded.domain.size <= _EDITABLE else [],
    }


def _nested(tree: Tree, coded: Column) -> dict[str, Any]:
    def node(level: int, codes: Codes) -> dict[str, Any]:
        label = tree.labels[level][tree.up[level][codes[0]]]
        while level and len(np.unique(tree.up[level - 1][codes])) == 1:
            level -= 1
        out: dict[str, Any] = {
            "label": None if label is None else show(label),
            "records": int(coded.counts[codes].sum()),
        }
        if level:
            below = tree.up[level - 1][codes]
            parts = np.split(codes, np.flatnonzero(below[1:] != below[:-1]) + 1)
            out["children"] = [node(level - 1, part) for part in parts[:_CHILDREN]]
            if len(parts) > _CHILDREN:
                out["children"].append({"more": len(parts) - _CHILDREN})
        return out

    return node(tree.height, tree.order)


def _groups(tree: Tree) -> list[dict[str, Any]]:
    """The groups of the first level that groups anything, with their values."""
    level = next(
        (i for i, up in enumerate(tree.up) if 1 < len(np.unique(up)) < tree.domain.size), tree.height
    )
    texts = [*tree.domain.texts, *([""] if tree.domain.missing else [])]
    out: dict[int, dict[str, Any]] = {}
    for code in tree.order.tolist():
        at = int(tree.up[level][code])
        out.setdefault(at, {"label": tree.labels[level][at] or "", "values": []})["values"].append(
            texts[code]
        )
    return list(out.values())


def widths(
    shop: Shop, recipe: Mapping[str, Any], report: Report, *, column: str, typed: str
) -> dict[str, Any]:
    """Intervals of typed widths, refused in words where they do not nest."""
    try:
        wanted = [float(part) for part in typed.replace(";", ",").split(",") if part.strip()]
    except ValueError:
        raise HierarchyError("give the widths as numbers, finest first, such as 5, 10, 20.") from None
    plain = [int(width) if width.is_integer() else width for width in wanted]
    return _tried(shop, recipe, column, Hierarchy.intervals(*plain))


def take(shop: Shop, recipe: Mapping[str, Any], report: Report, *, column: str, path: str) -> dict[str, Any]:
    """A hierarchy from a file in ARX's format."""
    return _tried(shop, recipe, column, Hierarchy.read(path))


def write(shop: Shop, recipe: Mapping[str, Any], report: Report, *, column: str, path: str) -> dict[str, Any]:
    """The hierarchy as a file in ARX's format."""
    shop.table(recipe).tree(column).write(Path(path))
    return {}


def regroup(
    shop: Shop,
    recipe: Mapping[str, Any],
    report: Report,
    *,
    column: str,
    groups: Sequence[Mapping[str, Any]],
) -> dict[str, Any]:
    """A hierarchy of three levels, values, groups, everything, from groups that were put together by hand."""
    labels = [str(one["label"]).strip() for one in groups]
    if "" in labels or len(set(labels)) < len(labels):
        raise HierarchyError("every group needs a name of its own.")
    rows = [[value, str(one["label"]).strip(), "*"] for one in groups for value in one["values"]]
    return _tried(shop, recipe, column, Hierarchy.rows(rows, source="the workbench"))


def _tried(shop: Shop, recipe: Mapping[str, Any], column: str, hierarchy: Hierarchy) -> dict[str, Any]:
    """The hierarchy, once it was grown over the column without complaint."""
    shop.table({**recipe, "hierarchies": {**recipe["hierarchies"], column: hierarchy.to_dict()}}).tree(column)
    return {"hierarchy": hierarchy.to_dict()}
