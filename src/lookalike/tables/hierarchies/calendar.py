"""Calendar hierarchies: day, month, quarter, year, decade."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from lookalike.base.errors import HierarchyError
from lookalike.tables.columns.domains import Domain
from lookalike.tables.columns.roles import Kind
from lookalike.tables.hierarchies.hierarchy import Hierarchy
from lookalike.tables.hierarchies.tree import GrowingLevel, Tree, grow_tree

LEVELS = ("day", "month", "quarter", "year", "decade")


def grow_dates(recipe: Hierarchy, domain: Domain, counts: NDArray[np.int64]) -> Tree:
    """Dates by the calendar; a `day` level is the dates themselves and adds nothing."""
    if domain.kind is not Kind.DATE:
        raise HierarchyError(
            f"calendar levels need dates; this column is {domain.kind}. Set its type to 'date'."
        )
    wanted = list(recipe.options["levels"])
    unknown = [level for level in wanted if level not in LEVELS]
    if unknown or wanted != sorted(wanted, key=LEVELS.index) or len(set(wanted)) < len(wanted):
        raise HierarchyError(
            f"calendar levels are {', '.join(LEVELS)}, finest first, each once; found {', '.join(wanted)}."
        )
    months = domain.values.astype("datetime64[M]").astype(np.int64)
    return grow_tree(domain, [_level(months, name) for name in wanted if name != "day"], recipe, clear=True)


def _level(months: NDArray[np.int64], name: str) -> GrowingLevel:
    span = {"month": 1, "quarter": 3, "year": 12, "decade": 120}[name]
    since = months + 1970 * 12
    keys, nodes = np.unique(since // span, return_inverse=True)
    labels = []
    for key in keys.tolist():
        year, month = divmod(key * span, 12)
        text = {
            "month": f"{year:04d}-{month + 1:02d}",
            "quarter": f"{year:04d}-Q{month // 3 + 1}",
            "year": f"{year:04d}",
            "decade": f"{year:04d}s",
        }
        labels.append(text[name])
    return GrowingLevel(nodes, labels)
