"""Local recoding with the lowest loss we can reach: build classes, then improve them; nothing is suppressed.

Build, chunk by chunk: for hierarchy nodes peel a lattice of full-domain levels, for ranges and sets the better of two
greedy clusterings. Improve, in rounds over other chunks each time: records move, classes dissolve, neighbours are built
anew. k and distinct l-diversity are kept by every step; other models by merging classes at the end. O(n log n).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from time import perf_counter
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from lookalike.anonymizers.local_chunks import cut, rows_of, share_out
from lookalike.anonymizers.local_classes import (
    Labels,
    breaking,
    classes_of_rows,
    relabel,
    require_units,
)
from lookalike.anonymizers.local_shape import Shaped, shape_cells
from lookalike.cells import Cells
from lookalike.errors import GuaranteeError
from lookalike.models import KAnonymity, LDiversity
from lookalike.models.model import Model
from lookalike.progress import Report
from lookalike.recodings.boxes import Style

_CHUNK = 16_384  #: rows a class is built among
_ROUND = 8_192  #: rows a class is improved among
_WORK = 4_000_000  #: rows looked at in all rounds together, as far as 2 to _ROUNDS rounds go
_ROUNDS = 12


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
    output: Literal["sets", "hierarchy"] = "sets",
    seconds: float | None = None,
    unit: NDArray[np.integer[Any]] | None = None,
    seed: int = 0,
    progress: Report = lambda share: None,
) -> Local:
    """Put rows into classes that keep every model, so that publishing each class's box loses little.

    output: "sets" publishes ranges of ordered columns and sets of values of the others, "hierarchy" hierarchy nodes.
    seconds: go on improving for so long (the answer then depends on the machine); by default a fixed amount of work.
    unit: the person of each row, where the cells count people.
    """
    require_units(cells, unit)
    start = perf_counter()
    alone = classes_of_rows(cells, cells.of_row, len(cells), unit)
    for model in models:
        model.check(alone)
    shaped = shape_cells(cells, output, weights)
    search = _Search(shaped, cells, models, seed)
    size = search.k
    best: Local | None = None
    while best is None or size <= len(cells.of_row):
        until = None if seconds is None else start + seconds
        of_row, stages = search.run(size, until, progress)
        repaired, merged = _repair(cells, models, shaped, of_row, unit)
        loss = search.loss(repaired)
        found, classes = relabel(repaired)
        stages.append(("all models hold", loss))
        better = best is None or loss < best.loss
        if better:
            best = Local(found, classes, loss, shaped.styles, tuple(stages))
        # Larger classes from the start lose less than many mergers, where models ask for more than was built in.
        if merged <= 0.05 * classes or not better or (until is not None and perf_counter() > until):
            break
        size *= 2
    progress(1.0)
    assert best is not None
    return best


class _Search:
    """The stages of the search, for a smallest class size to be chosen."""

    def __init__(self, shaped: Shaped, cells: Cells, models: Sequence[Model], seed: int) -> None:
        n = len(shaped.rows)
        self.shaped, self.seed = shaped, seed
        self.k = max([1, *(int(m.k) for m in models if isinstance(m, KAnonymity))])
        self.variety, self.kinds = 1, np.ones(n, dtype=np.uint64)
        diverse = [m for m in models if isinstance(m, LDiversity)]
        if diverse:
            most = max(diverse, key=lambda m: m.l)
            codes = next(c.codes for c in cells.sensitive if c.name == most.column)
            # values beyond the 64th share bits: fewer kinds are seen than there are, never more
            self.kinds = np.uint64(1) << (codes.astype(np.uint64) % np.uint64(64))
            self.variety = min(int(np.ceil(most.l)), len(np.unique(self.kinds)))
            self.k = max(self.k, self.variety)
        self.cells = cells

    def loss(self, of_row: Labels) -> float:
        """Mean loss of all records."""
        from lookalike.kernels.local_search import total_loss

        classes = int(of_row.max(initial=0)) + 1
        return float(total_loss(self.shaped.shape, self.shaped.rows, of_row, classes)) / len(of_row)

    def run(self, k: int, until: float | None, progress: Report) -> tuple[Labels, list[tuple[str, float]]]:
        """Build classes of at least k records and improve them."""
        self.k = k
        rows, core = self._in_play()
        of_row = core.copy()
        base = int(core.max(initial=-1)) + 1
        stages = []
        if len(rows):
            built = self._build(rows)
            of_row[rows] = built + base
            stages.append(("built", self.loss(of_row)))
            rounds = int(np.clip(_WORK // len(rows), 2, _ROUNDS))
            number = 0
            while perf_counter() < until if until is not None else number < rounds:
                built = self._improve(rows, built, number)
                number += 1
                progress(min(number / rounds, 0.99))
            of_row[rows] = built + base
            stages.append(("improved", self.loss(of_row)))
        return of_row, stages

    def _in_play(self) -> tuple[NDArray[np.int64], Labels]:
        """Rows to place, and the classes of those that are settled: a tuple with far more than k rows keeps most.

        Such rows lose nothing where they are. k rows of the tuple stay in play, for others to join.
        """
        cells, n = self.cells, len(self.cells.of_row)
        core = np.full(n, -1, dtype=np.int32)
        many = np.flatnonzero(cells.records >= 4 * self.k)
        if not len(many):
            return np.arange(n), core
        order = np.argsort(cells.of_row, kind="stable")
        starts = np.concatenate([[0], np.cumsum(cells.records)])
        number = 0
        for cell in many.tolist():
            rows = order[starts[cell] : starts[cell + 1]][self.k :]
            if len(np.unique(self.kinds[rows])) >= self.variety:
                core[rows] = number
                number += 1
        return np.flatnonzero(core < 0), core

    def _build(self, rows: NDArray[np.int64]) -> Labels:
        """Classes from nothing, chunk by chunk. The first chunk tries every way of building, the others the best."""
        from lookalike.kernels.local_build import gather, widen_boxes
        from lookalike.kernels.local_peel import peel
        from lookalike.kernels.local_search import settle, total_loss

        shaped, k, variety = self.shaped, self.k, self.variety
        chunks = cut(shaped.rows[rows], shaped.shape, max(_CHUNK, 200 * k))
        nodes = shaped.lattice(self.seed) if any(shaped.heights) else None
        ways = [gather, widen_boxes if nodes is None else peel]

        def build(number: int, way: Any) -> tuple[float, Labels, int]:
            here = rows[chunks[number]]
            mine, shape = shaped.part(here)
            order = np.random.default_rng([self.seed, number]).permutation(len(mine))
            told = nodes if way is peel else order
            labels, classes = way(shape, mine, self.kinds[here], k, variety, told)
            if not classes:  # too few kinds in this chunk: build for k alone, mergers find the rest
                labels, classes = way(shape, mine, self.kinds[here], min(k, len(mine)), 1, told)
            settle(shape, mine, labels, classes)
            return float(total_loss(shape, mine, labels, classes)), labels, classes

        tried = share_out(lambda number: build(0, ways[number]), len(ways))
        best = min(range(len(ways)), key=lambda number: tried[number][0])
        built = [tried[best], *share_out(lambda number: build(number + 1, ways[best]), len(chunks) - 1)]
        out = np.empty(len(rows), dtype=np.int32)
        base = 0
        for chunk, (_, labels, classes) in zip(chunks, built):
            out[chunk] = labels + base
            base += classes
        return out

    def _improve(self, rows: NDArray[np.int64], labels: Labels, number: int) -> Labels:
        """One round: classes are cut into chunks, and each chunk is improved on its own."""
        from lookalike.kernels.local_search import move, rebuild

        shaped, k, variety = self.shaped, self.k, self.variety
        draw = np.random.default_rng([self.seed, 2, number])
        labels, classes = relabel(labels)
        face = np.empty(classes, dtype=np.int64)
        shuffled = draw.permutation(len(rows))
        face[labels[shuffled]] = rows[shuffled]
        limit = max(_ROUND, 40 * k) * classes // len(rows) + 1
        moods = draw.random(shaped.rows.shape[1])
        chunks = rows_of(cut(shaped.rows[face], shaped.shape, limit, moods=moods), labels)

        def one(which: int) -> Labels:
            mine, shape = shaped.part(rows[chunks[which]])
            kinds = self.kinds[rows[chunks[which]]]
            local, made = relabel(labels[chunks[which]])
            steps = made if number else 0
            if steps:
                seed = int(np.random.default_rng([self.seed, 3, number, which]).integers(1 << 60))
                made, _ = rebuild(shape, mine, kinds, local, made, k, variety, steps, seed)
            move(shape, mine, kinds, local, made, k, variety)
            return local

        out = np.empty(len(rows), dtype=np.int32)
        base = 0
        for chunk, local in zip(chunks, share_out(one, len(chunks))):
            out[chunk] = local + base
            base += int(local.max(initial=0)) + 1
        return out


def _repair(
    cells: Cells,
    models: Sequence[Model],
    shaped: Shaped,
    of_row: Labels,
    unit: NDArray[np.integer[Any]] | None,
) -> tuple[Labels, int]:
    """Merge classes until every model holds; the number of mergers says how far off the classes were."""
    from lookalike.kernels.local_merge import merge_breaking

    mergers = 0
    while True:
        of_row, classes = relabel(of_row)
        flags = breaking(models, classes_of_rows(cells, of_row, classes, unit))
        if not flags.any():
            return of_row, mergers
        if classes == 1:
            broken = [str(m) for m in models if m.breaks(classes_of_rows(cells, of_row, 1, unit)).any()]
            raise GuaranteeError(
                f"{' and '.join(broken)} cannot be met: even one class of all {len(of_row):,} rows breaks it. "
                "Ask for less."
            )
        mergers += int(merge_breaking(shaped.shape, shaped.rows, of_row, classes, flags))
