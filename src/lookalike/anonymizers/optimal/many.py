"""What to do instead where quasi-identifiers are too many for one level per column: in words, with what it gains."""

from __future__ import annotations

from collections.abc import Mapping

from lookalike.anonymizers.optimal.lattice import attribute_weights
from lookalike.anonymizers.optimal.searching import OptimalSearch
from lookalike.base.errors import percent, shown_names
from lookalike.tables.cells import Cells

MANY = 20  #: quasi-identifiers from which on most of them tend to be withheld


def instead(cells: Cells, search: OptimalSearch, weights: Mapping[str, float] | None = None) -> str | None:
    """What to try where most of many columns went to their coarsest level; None where there is no need."""
    share = attribute_weights(cells, weights or {})
    gone = [i for i, a in enumerate(cells.attributes) if search.levels[i] == a.tree.height]
    left = 1 - float(share[gone].sum())
    if len(share) <= MANY or 2 * len(gone) < len(share) or left <= 0:
        return None
    # On the same levels: who is kept loses all of what is withheld, and who is left out loses everything.
    out = float(cells.records[search.suppressed].sum() / cells.records.sum())
    others = (search.loss - out - (1 - out) * (1 - left)) / left + out
    return (
        f"{len(share)} quasi-identifiers are many for one level per column: {len(gone)} tell nothing any more "
        f"({shown_names(cells.names[i] for i in gone)}). Local recoding keeps more of each (method 'local'). Or name "
        f"fewer: were these dropped, or not quasi-identifying, the others would lose {percent(others)} of their detail "
        f"on the same levels; together they lose {percent(search.loss)}."
    )
