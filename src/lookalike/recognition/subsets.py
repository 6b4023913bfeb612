"""Measure many sets of columns at once: distinction, separation, uniqueness and class sizes of each, on all cores.

A set is an integer, bit i for column i. The table is counted once; sets that share columns share work
(see kernels/subsets.py). Answers are exact integers, so they do not depend on the number of threads.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lookalike.base.checks import whole_number
from lookalike.base.errors import ColumnError, RequestError, unknown_column
from lookalike.base.progress import Report
from lookalike.recognition.metrics.view import count_cells
from lookalike.tables.columns.roles import Role
from lookalike.tables.table import Table

_MANY = 512
MOST_COLUMNS = 20  # 2**20 sets is what "all of them" may mean


@dataclass(frozen=True, eq=False)
class Measures:
    """How finely sets of columns divide a table, one entry per set."""

    records: int
    width: int  #: columns in the universe
    sizes: NDArray[np.int64]  #: columns in each set
    classes: NDArray[np.int64]
    pairs: NDArray[np.int64]  #: pairs of records that look alike
    uniques: NDArray[np.int64]  #: records that look like no other
    k_min: NDArray[np.int64]

    @property
    def distinction(self) -> NDArray[np.float64]:
        """Classes / records."""
        return self.classes / self.records

    @property
    def separation(self) -> NDArray[np.float64]:
        """Share of pairs told apart; 0 where there is no pair."""
        all_pairs = self.records * (self.records - 1) // 2
        return 1 - self.pairs / all_pairs if all_pairs else np.zeros(len(self.pairs))

    @property
    def uniqueness(self) -> NDArray[np.float64]:
        """Share of the records that look like no other."""
        return self.uniques / self.records

    @property
    def k_mean(self) -> NDArray[np.float64]:
        """Mean class size."""
        return self.records / self.classes

    @property
    def length_penalty(self) -> NDArray[np.float64]:
        """(1-p)^2 + p^2 for a set of the share p of all columns."""
        share = self.sizes / self.width
        return (1 - share) ** 2 + share**2

    def __len__(self) -> int:
        return len(self.sizes)


class Universe:
    """The candidate columns of a table, counted once, ready to measure any set of them."""

    def __init__(
        self, table: Table, columns: Sequence[str] | None = None, *, threads: int | None = None
    ) -> None:
        """columns: where to look; all columns but the identifiers unless given. threads: all cores unless given."""
        named = [name for name in table.names if table.roles[name] is not Role.IDENTIFIER]
        self.names = tuple(columns if columns is not None else named)
        for name in self.names:
            if name not in table.roles:
                raise unknown_column(name, table.names, "columns")
        if not self.names:
            raise RequestError("columns: name at least one column to search in.")
        if len(set(self.names)) < len(self.names):
            raise ColumnError("columns: a column is named twice.")
        if threads is not None:
            whole_number(threads, "threads", least=1)
        self.records = len(table)
        self.threads = threads or os.cpu_count() or 1
        # columns that divide most go first: what they leave undivided is little
        self._order = sorted(range(len(self.names)), key=lambda i: -table.column(self.names[i]).domain.size)
        cells = count_cells(table, [self.names[i] for i in reversed(self._order)], ())
        self._codes = np.ascontiguousarray(cells.codes[::-1])
        self._rests = _label_rests(self._codes)
        self._widest = int(self._codes.max(initial=0)) + 1
        self._counts = cells.records
        self._known: dict[int, tuple[int, ...]] = {}

    def __len__(self) -> int:
        return len(self.names)

    @property
    def measured(self) -> int:
        """Sets measured so far."""
        return len(self._known)

    def subset(self, names: Iterable[str]) -> int:
        """The set of these columns."""
        bits = 0
        for name in names:
            if name not in self.names:
                raise unknown_column(name, self.names, "columns")
            bits |= 1 << self.names.index(name)
        return bits

    def columns(self, subset: int) -> tuple[str, ...]:
        """The columns of a set, in the table's order."""
        return tuple(name for i, name in enumerate(self.names) if subset >> i & 1)

    def measure(self, subsets: Sequence[int], *, progress: Report | None = None) -> Measures:
        """Measure these sets, in this order; sets measured before are remembered."""
        new = [s for s in dict.fromkeys(subsets) if s not in self._known]
        if new:
            packed = b"".join(s.to_bytes(-(-len(self) // 8), "little") for s in new)
            bits = np.frombuffer(packed, dtype=np.uint8).reshape(len(new), -1)
            bits = np.unpackbits(bits, axis=1, bitorder="little")[:, self._order]
            for s, row in zip(new, self._run(bits, progress).tolist(), strict=True):
                self._known[s] = tuple(row)
        table = np.array([self._known[s] for s in subsets], dtype=np.int64).reshape(-1, 4)
        return self._measures(table, np.array([s.bit_count() for s in subsets], dtype=np.int64))

    def measure_all(self, *, progress: Report | None = None) -> Measures:
        """Measure every set of columns; entry s is the set with the bits of s, entry 0 the empty one."""
        width = len(self)
        if width > MOST_COLUMNS:
            raise RequestError(
                f"{width} columns have {2**width:,} subsets; all of them are measured up to {MOST_COLUMNS} columns. "
                "Name fewer columns, or use another method (greedy, tabu, annealing, evolutionary)."
            )
        every = np.arange(2**width, dtype=np.int64)
        bits = ((every[:, None] >> np.array(self._order)) & 1).astype(np.uint8)
        return self._measures(self._run(bits, progress), np.bitwise_count(every).astype(np.int64))

    def _measures(self, table: NDArray[np.int64], sizes: NDArray[np.int64]) -> Measures:
        return Measures(self.records, len(self), sizes, *table.T)

    def _run(self, bits: NDArray[np.uint8], progress: Report | None) -> NDArray[np.int64]:
        """Sort the sets so that neighbours share columns, cut them into pieces, measure these on all cores."""
        order = np.lexsort(tuple(bits.T[::-1]))[::-1]
        rows = bits[order]
        out = np.empty((len(rows), 4), dtype=np.int64)
        # few sets: one piece per thread, so that more of them share their first columns; many: pieces to balance
        longest = -(-len(rows) // (self.threads if len(rows) < _MANY else 8 * self.threads))
        pieces = [(a, min(a + longest, len(rows))) for a in range(0, len(rows), longest)]
        done = 0
        with ThreadPoolExecutor(self.threads) as pool:
            waiting = [pool.submit(self._measure_piece, rows[a:b]) for a, b in pieces]
            try:
                for (a, b), piece in zip(pieces, waiting, strict=True):
                    out[a:b] = piece.result()
                    done += b - a
                    if progress:
                        progress(done / len(rows))
            except BaseException:
                pool.shutdown(cancel_futures=True)  # an interruption waits for the running pieces only
                raise
        back = np.empty_like(out)
        back[order] = out
        return back

    def _measure_piece(self, rows: NDArray[np.uint8]) -> Any:
        from lookalike.kernels.subsets import measure_sorted

        lines = int(rows.sum(axis=1).max()) + 1
        return measure_sorted(self._codes, self._rests, self._widest, self._counts, rows, lines)


def _label_rests(codes: NDArray[np.int32]) -> NDArray[np.int32]:
    """For each column, a label per cell that tells apart the tuples of all later columns; cells are sorted by these."""
    changes = codes[:, 1:] != codes[:, :-1]
    out = np.zeros(codes.shape, dtype=np.int32)
    changed = np.zeros(changes.shape[1], dtype=bool)
    for column in range(len(codes) - 1, 0, -1):
        changed |= changes[column]
        out[column - 1, 1:] = np.cumsum(changed)
    return out
