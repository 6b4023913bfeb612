"""Hierarchies of the step Columns: a tree to look at, intervals by their widths, values moved between groups."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from lookalike.base.errors import HierarchyError
from lookalike.base.progress import Report
from lookalike.tables.columns.coding import Column
from lookalike.tables.columns.domains import Codes
from lookalike.tables.hierarchies import Hierarchy, Tree
from lookalike.web.tasks.decisions import Decisions
from lookalike.web.tasks.running import Cache
from lookalike.web.tasks.tables import show

_CHILDREN = 12  # of one node that are drawn
_EDITABLE = 400  # values that can be moved by hand
_KINDS = ("integer", "decimal", "date")


def look(cache: Cache, decisions: Decisions, report: Report, *, column: str) -> dict[str, Any]:
    """The tree of a column, cut to what a person can read."""
    people = cache.table(decisions)
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
        "paths": [path for path in tree.rows() if path[0]] if coded.domain.size <= _EDITABLE else [],
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


def widths(cache: Cache, decisions: Decisions, report: Report, *, column: str, typed: str) -> dict[str, Any]:
    """Intervals of typed widths, refused in words where they do not nest."""
    try:
        wanted = [float(part) for part in typed.replace(";", ",").split(",") if part.strip()]
    except ValueError:
        raise HierarchyError("give the widths as numbers, finest first, such as 5, 10, 20.") from None
    plain = [int(width) if width.is_integer() else width for width in wanted]
    return _tried(cache, decisions, column, Hierarchy.intervals(*plain))


def take(cache: Cache, decisions: Decisions, report: Report, *, column: str, path: str) -> dict[str, Any]:
    """A hierarchy from a file in ARX's format."""
    return _tried(cache, decisions, column, Hierarchy.read(path))


def write(cache: Cache, decisions: Decisions, report: Report, *, column: str, path: str) -> dict[str, Any]:
    """The hierarchy as a file in ARX's format."""
    cache.table(decisions).tree(column).write(Path(path))
    return {}


def regroup(
    cache: Cache, decisions: Decisions, report: Report, *, column: str, paths: Sequence[Sequence[str]]
) -> dict[str, Any]:
    """A hierarchy from groups that were put together by hand: per value its way to the root."""
    return _tried(cache, decisions, column, Hierarchy.rows(paths, source="the workbench"))


def _tried(cache: Cache, decisions: Decisions, column: str, hierarchy: Hierarchy) -> dict[str, Any]:
    """The hierarchy, once it was grown over the column without complaint."""
    cache.table({**decisions, "hierarchies": {**decisions["hierarchies"], column: hierarchy.to_dict()}}).tree(
        column
    )
    return {"hierarchy": hierarchy.to_dict()}
