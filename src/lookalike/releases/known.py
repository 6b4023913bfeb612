"""How small classes become when one more published column is known. One grouping per column, O(n)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from lookalike.columns.coding import Distinct
from lookalike.columns.grouping import group_codes, group_sizes
from lookalike.tables.coded import CodedRows


def smallest_known(rows: CodedRows, quasi: Sequence[str], stars: Sequence[str | None]) -> dict[str, int]:
    """Records in the smallest class when each single column is known besides the quasi-identifiers, all as text.

    Rows whose quasi-identifiers all say nothing (`stars`, where rows were kept as stars) stand in no class.
    """
    kept = np.ones(rows.height, dtype=bool)
    if stars:
        kept = ~np.logical_and.reduce([_says(rows.texts(name), star) for name, star in zip(quasi, stars)])
    n = int(kept.sum())
    known = [rows.texts(name) for name in quasi]
    of_row, classes = group_codes([c.codes[kept] + 1 for c in known], [len(c.values) + 1 for c in known], n)
    rest = {name: rows.texts(name) for name in rows.names if name not in quasi}
    return {
        name: int(group_sizes([of_row, c.codes[kept] + 1], [classes, len(c.values) + 1], n).min(initial=n))
        for name, c in rest.items()
    }


def _says(column: Distinct, text: str | None) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    """Which rows have this text."""
    same = np.append(column.values.eq(text).to_numpy(), False) if text is not None else None
    return column.codes < 0 if same is None else np.asarray(same[column.codes])
