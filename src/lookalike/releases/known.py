"""How small classes become when one more published column is known. One grouping per column, O(n)."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from lookalike.columns.coding import distinct
from lookalike.links.link import class_sizes


def smallest_known(texts: pl.DataFrame, quasi: Sequence[str], stars: Sequence[str | None]) -> dict[str, int]:
    """Records in the smallest class when each single column is known besides the quasi-identifiers.

    `texts` is the release as text. Rows whose quasi-identifiers all say nothing (`stars`, where rows were kept as
    stars) stand in no class.
    """
    if stars:
        blank = [pl.col(name).eq_missing(pl.lit(star, dtype=pl.String)) for name, star in zip(quasi, stars)]
        texts = texts.filter(~pl.all_horizontal(blank))
    n = texts.height
    of_row, _ = class_sizes([distinct(texts[name]).codes + 1 for name in quasi], n)
    rest = [name for name in texts.columns if name not in quasi]
    by_column = {name: class_sizes([of_row, distinct(texts[name]).codes + 1], n)[1] for name in rest}
    return {name: int(sizes.min(initial=n)) for name, sizes in by_column.items()}
