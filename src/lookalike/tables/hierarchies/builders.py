"""Which function grows which recipe."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from lookalike.tables.columns.domains import Domain
from lookalike.tables.hierarchies import automatic, calendar, groupings, numeric, spelling
from lookalike.tables.hierarchies.hierarchy import Hierarchy
from lookalike.tables.hierarchies.tree import Tree

BUILDERS: dict[str, Callable[[Hierarchy, Domain, NDArray[np.int64]], Tree]] = {
    "intervals": numeric.grow_intervals,
    "cuts": numeric.grow_cuts,
    "quantiles": numeric.grow_quantiles,
    "dates": calendar.grow_dates,
    "mask": spelling.grow_mask,
    "prefixes": spelling.grow_prefixes,
    "parts": spelling.grow_parts,
    "groups": groupings.grow_groups,
    "rows": groupings.grow_rows,
    "ordering": groupings.grow_ordering,
    "automatic": automatic.grow_automatic,
}
