"""The stages of local recoding: classes are built, improved in rounds, and merged where they break a model.

Build, chunk by chunk: for hierarchy nodes take the offers of a lattice of full-domain levels, for ranges and sets the
better of two greedy clusterings. Improve, in rounds over other chunks each time: records move, classes dissolve,
neighbours are built anew; last, records change places along chains. k and distinct l-diversity are kept by every
step; other models by merging classes at the end. O(n log n).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from time import perf_counter
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from lookalike.anonymizers.local.chunks import cut, places, rows_of, share_out
from lookalike.anonymizers.local.classes import Labels, breaking, classes_of_rows, relabel
from lookalike.anonymizers.local.shape import Shaped
from lookalike.base.errors import GuaranteeError
from lookalike.base.progress import Report
from lookalike.models.model import Model
from lookalike.tables.cells import Cells

if TYPE_CHECKING:
    from lookalike.kernels.local.boxes import LocalProblem

_CHUNK = 16_384  #: rows a class is built among
_NODES = 65_536  #: rows a class of nodes is built among: tuples are counted, not compared with one another
_ROUND = 8_192  #: rows a class is improved among
_WORK = 4_000_000  #: rows looked at in all rounds together, as far as the numbers of rounds go
_QUICK = 15_000  #: rows up to which twice as many rounds take no time worth saving
_AMONG = 1_600  #: classes that exchange records
_CLASSES = 400  #: classes of nodes that are improved among each other: many short rounds gain more than few long ones


class Clock:
    """Whether there is time left, and how much of the work is done."""

    def __init__(self, seconds: float | None, progress: Report) -> None:
        self.start, self.seconds, self.progress = perf_counter(), seconds, progress

    @property
    def goes_on(self) -> bool:
        """There is time left, or no limit to it."""
        return self.seconds is None or perf_counter() < self.start + self.seconds

    def report(self, share: float) -> None:
        """Tell how much is done: of the rounds, or of the time where that is what limits the work."""
        if self.seconds is not None:
            share = (perf_counter() - self.start) / max(self.seconds, 1e-9)
        self.progress(min(share, 0.99))


@dataclass(frozen=True, eq=False)
class Built:
    """Classes of at least `size` records: of rows in play, and of those that were settled from the start."""

    size: int
    rows: NDArray[np.int64]
    labels: Labels  #: of the rows in play
    settled: Labels  #: of all rows, -1 where in play
    rounds: int = 0  #: of improvement
    stages: tuple[tuple[str, float], ...] = ()

    @property
    def of_row(self) -> Labels:
        """The class of every row."""
        out = self.settled.copy()
        out[self.rows] = self.labels + int(self.settled.max(initial=-1)) + 1
        return out


@dataclass(frozen=True, eq=False)
class Found:
    """What classes came to once those that broke a model were merged."""

    built: Built
    of_row: Labels
    classes: int
    loss: float
    many_mergers: bool

    @property
    def stages(self) -> tuple[tuple[str, float], ...]:
        """Loss after each stage."""
        return (*self.built.stages, ("all models hold", self.loss))


class LocalSearch:
    """The stages of the search, for a smallest class size to be chosen."""

    def __init__(
        self,
        shaped: Shaped,
        cells: Cells,
        models: Sequence[Model],
        unit: NDArray[np.integer[Any]] | None,
        seed: int,
        rounds: int | None = None,
    ) -> None:
        self.shaped, self.cells, self.models, self.unit, self.seed = shaped, cells, models, unit, seed
        self.rounds = rounds
        self.by_nodes = set(shaped.styles.values()) == {"node"} and any(shaped.heights)
        self.least = max((model.smallest_class for model in models), default=1)
        self.variety, self.kinds = 1, np.ones(len(shaped.rows), dtype=np.uint64)
        diverse = max(models, key=lambda model: model.fewest_values, default=None)
        if diverse is not None and diverse.fewest_values > 1:
            codes = next(c.codes for c in cells.sensitive if c.name == diverse.columns[0])
            # values beyond the 64th share bits: fewer kinds are seen than there are, never more
            self.kinds = np.uint64(1) << (codes.astype(np.uint64) % np.uint64(64))
            self.variety = min(diverse.fewest_values, len(np.unique(self.kinds)))
            self.least = max(self.least, self.variety)

    def run(self, size: int, clock: Clock) -> Found:
        """Build classes of at least so many records, improve them, and mend what breaks a model."""
        rows, settled = self._in_play(size)
        built = Built(size, rows, np.empty(0, dtype=np.int32), settled)
        if len(rows):
            built = replace(built, labels=self._build(rows, size))
            built = replace(built, stages=(("built", self.loss(built.of_row)),))
            built = self.improve(built, clock)
        return self.mend(built)

    def improve(self, built: Built, clock: Clock) -> Built:
        """A number of rounds, given or by the rows only, or as many of them as there is time for."""
        most, every = _pace(self.by_nodes, built.size, len(built.rows))
        rounds = self.rounds or int(np.clip(_WORK // len(built.rows), 2, most))
        exchanges = rounds // every if every and rounds >= 2 * every else 0  # few rounds have to be quick
        labels, done = built.labels, 0
        while done < rounds and clock.goes_on:
            way = self._exchange if rounds - done <= exchanges else self._improve
            labels = way(built.rows, labels, built.size, built.rounds + done)
            done += 1
            clock.report(done / rounds)
        built = replace(built, labels=labels, rounds=built.rounds + done)
        return replace(built, stages=(*built.stages, ("improved", self.loss(built.of_row))))

    def mend(self, built: Built) -> Found:
        """Merge classes until every model holds."""
        of_row, mergers, reach = built.of_row, 0, _ROUND
        while True:
            of_row, classes = relabel(of_row)
            counted = classes_of_rows(self.cells, of_row, classes, self.unit)
            flags = breaking(self.models, counted)
            if not flags.any():
                break
            if classes == 1:
                broken = [str(model) for model in self.models if model.breaks(counted).any()]
                raise GuaranteeError(
                    f"{' and '.join(broken)} cannot be met: even one class of all {len(of_row):,} rows breaks it. "
                    "Ask for less."
                )
            merged = self._merge(of_row, classes, flags, reach, mergers)
            mergers += merged
            if not merged:  # every breaking class was alone in its chunk
                reach *= 4
        return Found(built, of_row, classes, self.loss(of_row), mergers > 0.05 * classes)

    def loss(self, of_row: Labels) -> float:
        """Mean loss of all records, measured some classes at a time, so that each part has few values."""
        from lookalike.kernels.local.steps import place

        order = np.argsort(of_row, kind="stable")
        starts = np.flatnonzero(np.diff(of_row[order], prepend=-1))
        marks = np.searchsorted(starts, np.arange(0, len(order), _CHUNK))
        parts = np.split(order, np.unique(starts[marks[marks < len(starts)]])[1:])

        def one(which: int) -> float:
            labels = of_row[parts[which]] - of_row[parts[which][0]]
            return place(self._problem(parts[which]), labels, int(labels[-1]) + 1)[0]

        return sum(share_out(one, len(parts))) / len(of_row)

    def _problem(self, rows: NDArray[np.int64], k: int = 1) -> LocalProblem:
        """Some of the rows, as kernels see them."""
        from lookalike.kernels.local.boxes import LocalProblem

        mine, shape = self.shaped.part(rows)
        return LocalProblem(shape, mine, self.kinds[rows], k, self.variety)

    def _in_play(self, k: int) -> tuple[NDArray[np.int64], Labels]:
        """Rows to place, and the classes of those that are settled: a tuple with far more than k rows keeps most.

        Such rows lose nothing where they are. k rows of the tuple stay in play, for others to join; with nodes as many
        again, to be lent.
        """
        cells, n = self.cells, len(self.cells.of_row)
        stay = 2 * k if self.by_nodes else k
        core = np.full(n, -1, dtype=np.int32)
        many = np.flatnonzero(cells.records >= 4 * k)
        if not len(many):
            return np.arange(n), core
        order = np.argsort(cells.of_row, kind="stable")
        starts = np.concatenate([[0], np.cumsum(cells.records)])
        number = 0
        for cell in many.tolist():
            rows = order[starts[cell] : starts[cell + 1]][stay:]
            if len(np.unique(self.kinds[rows])) >= self.variety:
                core[rows] = number
                number += 1
        return np.flatnonzero(core < 0), core

    def _build(self, rows: NDArray[np.int64], k: int) -> Labels:
        """Classes from nothing, chunk by chunk. The first chunk tries every way of building, the others the best."""
        from lookalike.kernels.local.build import WIDE
        from lookalike.kernels.local.peel import peel
        from lookalike.kernels.local.steps import GATHER, WIDEN, build, place

        shaped = self.shaped
        nodes, least, sampled = shaped.lattice(self.seed) if self.by_nodes else (None, None, True)
        chunks = cut(shaped.rows[rows], shaped.shape, max(_CHUNK if sampled else _NODES, 200 * k))
        other = [] if len(shaped.shape.style) > WIDE else [WIDEN]
        ways: list[int | None] = [GATHER, *other] if nodes is None else [GATHER, None] if sampled else [None]

        def one(number: int, way: int | None) -> tuple[float, Labels, int]:
            problem = self._problem(rows[chunks[number]], k)
            order = np.random.default_rng([self.seed, number]).permutation(len(problem.rows))

            def classes_of(problem: LocalProblem) -> tuple[Labels, int]:
                if way is None:
                    return peel(problem, places(problem.shape), nodes, least)
                return build(problem, order, way)

            labels, classes = classes_of(problem)
            if not classes:  # too few kinds in this chunk: build for k alone, mergers find the rest
                labels, classes = classes_of(problem._replace(k=min(k, len(order)), variety=1))
            return place(problem, labels, classes)[0], labels, classes

        tried = share_out(lambda number: one(0, ways[number]), len(ways))
        best = min(range(len(ways)), key=lambda number: tried[number][0])
        built = [tried[best], *share_out(lambda number: one(number + 1, ways[best]), len(chunks) - 1)]
        out = np.empty(len(rows), dtype=np.int32)
        base = 0
        for chunk, (_, labels, classes) in zip(chunks, built, strict=True):
            out[chunk] = labels + base
            base += classes
        return out

    def _improve(self, rows: NDArray[np.int64], labels: Labels, k: int, number: int) -> Labels:
        """One round: neighbouring classes are built anew, classes dissolve, records move."""
        from lookalike.kernels.local.steps import move, rebuild

        def improve(problem: LocalProblem, local: Labels, made: int, which: int) -> None:
            if number:
                seed = int(np.random.default_rng([self.seed, 3, number, which]).integers(1 << 60))
                made = rebuild(problem, local, made, made, seed)
            move(problem, local, made)

        among = min(_ROUND, max(1024, _CLASSES * k)) if self.by_nodes else _ROUND
        return self._in_chunks(improve, rows, labels, k, max(among, 40 * k), number)

    def _exchange(self, rows: NDArray[np.int64], labels: Labels, k: int, number: int) -> Labels:
        """One round: records change places along chains of classes."""
        from lookalike.kernels.local.exchange import exchange

        def improve(problem: LocalProblem, local: Labels, made: int, _: int) -> None:
            exchange(problem, local, made)

        return self._in_chunks(improve, rows, labels, k, min(_ROUND, _AMONG * k), number)

    def _in_chunks(
        self,
        improve: Callable[[LocalProblem, Labels, int, int], None],
        rows: NDArray[np.int64],
        labels: Labels,
        k: int,
        among: int,
        number: int,
    ) -> Labels:
        """Classes are cut into chunks of about `among` rows, and each chunk is improved on its own."""
        labels, classes = relabel(labels)
        chunks = self._chunks(rows, labels, classes, among * classes // len(rows) + 1, [self.seed, 2, number])

        def one(which: int) -> Labels:
            local, made = relabel(labels[chunks[which]])
            improve(self._problem(rows[chunks[which]], k), local, made, which)
            return local

        out = np.empty(len(rows), dtype=np.int32)
        base = 0
        for chunk, local in zip(chunks, share_out(one, len(chunks)), strict=True):
            out[chunk] = local + base
            base += int(local.max(initial=0)) + 1
        return out

    def _merge(self, of_row: Labels, classes: int, flags: NDArray[np.bool_], reach: int, number: int) -> int:
        """Merge each breaking class with one among the `reach` records around it; changes the labels in place."""
        from lookalike.kernels.local.merge import merge_breaking

        rows = np.arange(len(of_row))
        chunks = self._chunks(rows, of_row, classes, reach * classes // len(rows) + 1, [self.seed, 4, number])

        def one(which: int) -> int:
            used, labels = np.unique(of_row[chunks[which]], return_inverse=True)
            if not flags[used].any():
                return 0
            labels = labels.astype(np.int32)
            merged = merge_breaking(self._problem(chunks[which]), labels, len(used), flags[used])
            of_row[chunks[which]] = used[labels]
            return merged

        return sum(share_out(one, len(chunks)))

    def _chunks(
        self, rows: NDArray[np.int64], labels: Labels, classes: int, limit: int, seed: list[int]
    ) -> list[NDArray[np.int64]]:
        """Places of the rows of `limit` or fewer similar classes, cut elsewhere for another seed."""
        draw = np.random.default_rng(seed)
        face = np.empty(classes, dtype=np.int64)
        shuffled = draw.permutation(len(rows))
        face[labels[shuffled]] = rows[shuffled]
        moods = draw.random((int(self.shaped.rows.shape[1]),))
        return rows_of(cut(self.shaped.rows[face], self.shaped.shape, limit, moods=moods), labels)


def _pace(by_nodes: bool, k: int, rows: int) -> tuple[int, int]:
    """Rounds at most, and of how many rounds one, at the end, exchanges records; 0 where classes are too large for it.

    An exchange gains as much as many other rounds, and nodes, which are steps, less by it than ranges and sets.
    """
    if by_nodes:
        return (8, 4) if k <= 8 else (20, 0)
    return (6 if rows > _QUICK else 12, 3) if k <= 12 else (12, 0)
