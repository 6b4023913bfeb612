"""One box for each training record: searched for when first needed and kept, whoever asks.

CF-K (`cfk.py`) does the search. Here it is told who is near, and given the model's answers about records with other
quasi-identifiers. The same record gets the same box in whatever order records stand or are asked for.
"""

from __future__ import annotations

from functools import cached_property
from typing import Literal
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from lookalike.base.progress import Progress, track
from lookalike.explanations.cfk import Ground, Rules, Solution, Task, Tuples, search
from lookalike.explanations.features import Features
from lookalike.explanations.outcomes import Outcomes
from lookalike.explanations.training import Trained
from lookalike.kernels.heom import distances
from lookalike.tables.columns.grouping import first_of_each

_LARGEST_CALL = 50_000  # rows per call of the model: bounds memory


class FixedBoxes:
    """The boxes found so far (`known`), by distinct training row."""

    def __init__(
        self,
        outcomes: Outcomes,
        features: Features,
        trained: Trained,
        ground: Ground,
        rules: Rules,
        *,
        distance_on: Literal["qi", "all"],
        p: Literal[1, 2],
    ) -> None:
        self.outcomes, self.features, self.trained = outcomes, features, trained
        self.ground, self.space, self.rules = ground, ground.space, rules
        self.distance_on, self.p = distance_on, p
        self.known: dict[int, Solution] = {}

    def __getitem__(self, record: int) -> Solution:
        return self.known[record]

    def find(self, records: NDArray[np.int64], progress: Progress) -> None:
        """Find the box of each record that has none yet."""
        new = [int(r) for r in records if int(r) not in self.known]
        if not new:
            return
        tasks = [self.task(record) for record in new]

        def ask(questions: list[tuple[int, Tuples]]) -> list[NDArray[np.bool_]]:
            return self.ask([(new[at], tuples) for at, tuples in questions])

        with track(progress, "Searching for explanations") as advance:
            solutions = search(self.ground, tasks, self.rules, ask, advance=advance)
        self.known.update(zip(new, solutions, strict=True))

    def task(self, record: int) -> Task:
        """What the search must know about a record."""
        space = self.space
        cell = int(space.cells.of_row[self.features.first[record]])
        own = np.ascontiguousarray(space.codes[cell])
        # whoever sits in the same row order or another, the same record gets the same random numbers
        words = [crc32(self.features.values[record].tobytes()), crc32(own.tobytes())]
        values, nominal = self._cell_values
        cells = np.argsort(distances(values[cell], values, nominal, self.p == 2), kind="stable")
        spare = cells[self.ground.spare[cells] > 0]
        if self.distance_on == "qi":
            near = cells[self.ground.pool[cells] > 0]
            pool = self.ground.pool[near]
        else:
            distinct = np.flatnonzero(self.trained.desired)
            values, nominal = self.features.values, self.features.nominal
            far = distances(values[record], values[distinct], nominal, self.p == 2)
            distinct = distinct[np.argsort(far, kind="stable")]
            near = space.cells.of_row[self.features.first[distinct]].astype(np.int64)
            pool = self._times[distinct]
        return Task(own, near, pool, spare, tuple(words))

    def ask(self, questions: list[tuple[int, Tuples]]) -> list[NDArray[np.bool_]]:
        """Outcomes of counterfactuals (distinct rows) with other values: one call of the model for all.

        Of a step with several values each tuple takes one, always the same.
        """
        sizes = [len(tuples) for _, tuples in questions]
        tuples = np.concatenate([tuples for _, tuples in questions])
        base = np.repeat(self.trained.record[[record for record, _ in questions]], sizes)
        where = dict.fromkeys(self.outcomes.features, base)
        scatter = np.random.Generator(np.random.PCG64(0)).integers(
            2**62, size=len(self.space), dtype=np.uint64
        )
        drawn = tuples.astype(np.uint64) @ scatter
        for a, name in enumerate(self.space.names):
            begin, rows = self._holders[a]
            held = tuples[:, a]
            among = (drawn * scatter[a] >> np.uint64(33)).astype(np.int64) % (begin[held + 1] - begin[held])
            where[name] = rows[begin[held] + among]
        parts = []
        for start in range(0, len(base), _LARGEST_CALL):
            piece = slice(start, start + _LARGEST_CALL)
            parts.append(self.outcomes.desired_at({name: rows[piece] for name, rows in where.items()}))
        return np.split(np.concatenate(parts), np.cumsum(sizes)[:-1])

    @cached_property
    def _cell_values(self) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
        """The columns of the box in each cell, on the scales of the distance."""
        where = [self.features.names.index(name) for name in self.space.names]
        rows = np.full(len(self.space.cells), len(self.features.first))
        np.minimum.at(rows, self.space.cells.of_row, self.features.of_row)
        return np.ascontiguousarray(self.features.values[rows][:, where]), self.features.nominal[where]

    @cached_property
    def _times(self) -> NDArray[np.int64]:
        """How often each distinct row occurs with the desired outcome."""
        return np.bincount(self.features.of_row, weights=self.trained.favoured).astype(np.int64)

    @cached_property
    def _holders(self) -> list[tuple[NDArray[np.int64], NDArray[np.int64]]]:
        """For each column of the box: where the values of each step begin, and a training row that has each value."""
        out = []
        for steps in self.space.columns:
            column = self.features.people.column(steps.column.name)
            first = first_of_each(column.codes, column.domain.size)
            order = np.argsort(steps.of_value, kind="stable")
            start = np.searchsorted(steps.of_value[order], np.arange(steps.column.domain.size + 1))
            out.append((start, first[order]))
        return out
