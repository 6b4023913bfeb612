"""A sort that takes as little memory as it is told: rows go into buckets by their first word, each is sorted alone.

Few rows stay in memory as one bucket; more go into files without a name, which vanish with the process, however it
ends. First words must be spread evenly, as mixed ones are. O(n log n), a pass over the disk each way.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from itertools import pairwise
from typing import IO

import numpy as np
from numpy.typing import NDArray

from lookalike.base.errors import FileError, in_words
from lookalike.tables.engines.stored.packing import Words

_MOST = 256  # files that are open at a time
_TIMES = 3  # what sorting takes, in copies of the rows


class Buckets:
    """So many rows of so many words; `put` them, then go through them `in_order`, as often as needed."""

    def __init__(self, rows: int, words: int, *, memory: int) -> None:
        self.words = words
        wanted = rows * words * 8 * _TIMES / max(memory, 1)
        self.bits = 0 if wanted <= 1 else min(int(np.ceil(np.log2(wanted))), _MOST.bit_length() - 1)
        self._here = np.empty((rows if not self.bits else 0, words), dtype=np.uint64)
        self._filled = 0
        self._ordered = False
        self._files: list[IO[bytes]] = []
        try:
            for _ in range(1 << self.bits if self.bits else 0):
                self._files.append(tempfile.TemporaryFile(prefix="lookalike-"))  # noqa: SIM115
        except OSError as problem:
            raise _full(problem) from None

    def put(self, rows: Words) -> None:
        """Take in some rows."""
        if not self.bits:
            if self._filled + len(rows) > len(self._here):
                self._here = np.concatenate([self._here[: self._filled], rows])
            else:
                self._here[self._filled : self._filled + len(rows)] = rows
            self._filled += len(rows)
            return
        rows = sorted_rows(rows)
        edges = np.arange(1, 1 << self.bits, dtype=np.uint64) << np.uint64(64 - self.bits)
        ends = [0, *np.searchsorted(rows[:, 0], edges).tolist(), len(rows)]
        try:
            for file, (start, end) in zip(self._files, pairwise(ends), strict=True):
                if end > start:
                    file.write(rows[start:end].tobytes())
        except OSError as problem:
            raise _full(problem) from None

    def in_order(self) -> Iterator[Words]:
        """The rows of one bucket after the other, sorted by their words."""
        if not self.bits:
            if not self._ordered:
                self._here = sorted_rows(self._here[: self._filled])
                self._ordered = True
            yield self._here
            return
        for file in self._files:
            try:
                file.seek(0)
                rows = np.frombuffer(file.read(), dtype=np.uint64).reshape(-1, self.words)
            except OSError as problem:
                raise _full(problem) from None
            yield sorted_rows(rows)


def sorted_rows(rows: Words) -> Words:
    """Rows by their first word, those that tie by the others."""
    if rows.shape[1] == 1:
        return np.sort(rows, axis=0)
    order: NDArray[np.int64] = np.argsort(rows[:, 0])
    first = rows[order, 0]
    if (first[1:] == first[:-1]).any():
        order = np.lexsort(rows.T[::-1])
    return np.asarray(rows[order])


def _full(problem: OSError) -> FileError:
    return FileError(
        f"rows cannot be kept in {tempfile.gettempdir()} while they are sorted ({in_words(problem)}). Nothing was "
        "released. Set TMPDIR to a folder with more room, or allow more `memory`."
    )
