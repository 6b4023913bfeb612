"""Local recoding with the lowest loss we can reach: build classes, then improve them; nothing is suppressed.

`stages.py` has the stages; here they are run, with larger classes where models ask for more than was built in,
and for as long as there is time. O(n log n).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from lookalike.anonymizers.local.classes import Labels, check_models
from lookalike.anonymizers.local.shape import SHORT, shape_cells
from lookalike.anonymizers.local.stages import Clock, LocalSearch
from lookalike.base.progress import Report
from lookalike.models.model import Model
from lookalike.recodings.boxes import Style
from lookalike.tables.cells import Cells


@dataclass(frozen=True, eq=False)
class Local:
    """Classes of rows, what publishing their boxes loses, and how each column is published."""

    of_row: Labels
    classes: int
    loss: float  #: mean over records and columns, 0 to 1
    styles: Mapping[str, Style]
    stages: tuple[tuple[str, float], ...] = field(default=())  #: loss after each stage

    def to_dict(self) -> dict[str, Any]:
        """Everything but the class of each row, as plain JSON values."""
        return {
            "classes": self.classes,
            "loss": self.loss,
            "styles": dict(self.styles),
            "stages": [{"stage": stage, "loss": loss} for stage, loss in self.stages],
        }

    def __repr__(self) -> str:
        return f"Local({self.classes:,} classes of {len(self.of_row):,} rows; loss {self.loss:.4f})"


def recode(
    cells: Cells,
    models: Sequence[Model],
    *,
    weights: Mapping[str, float] | None = None,
    output: Literal["meaning", "sets", "hierarchy"] = "meaning",
    short: int = SHORT,
    seconds: float | None = None,
    rounds: int | None = None,
    unit: NDArray[np.integer[Any]] | None = None,
    seed: int = 0,
    progress: Report = lambda share: None,
) -> Local:
    """Put rows into classes that keep every model, so that publishing each class's box loses little.

    output: "meaning" publishes ranges of ordered columns, and of others values that are children of one node of a
        hierarchy, or else their lowest common node; "sets" sets of any values, however far apart; "hierarchy" nodes.
    short: a nominal column without a hierarchy of its own and with at most so many values is published in sets.
    seconds: go on improving for so long (the answer then depends on the machine); by default a fixed amount of work.
    rounds: of improvement; by default 2 to 12 (of nodes for k above 8: to 20), fewer the more rows there are.
    unit: the person of each row, where the cells count people.
    """
    clock = Clock(seconds, progress)
    check_models(cells, models, unit)
    shaped = shape_cells(cells, output, weights, short=short)
    search = LocalSearch(shaped, cells, models, unit, seed, rounds)
    best = found = search.run(search.least, clock)
    # Larger classes from the start lose less than many mergers, where models ask for more than was built in.
    while found.many_mergers and 2 * found.built.size <= len(cells.of_row) and clock.goes_on:
        found = search.run(2 * found.built.size, clock)
        if found.loss >= best.loss:
            break
        best = found
    built = best.built
    while seconds is not None and clock.goes_on and len(built.rows):
        built = search.improve(built, clock)
        best = min(best, search.mend(built), key=lambda found: found.loss)
    progress(1.0)
    return Local(best.of_row, best.classes, best.loss, shaped.styles, best.stages)
