"""Which of the counted tuples a row has, from the codes of its columns: one look into a table, or into a hash table.

Codes are packed into one number; where 63 bits are not enough, the number so far is looked up and its place goes on.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

_LIMIT = 2**62
_TABLE = 1 << 24  # possible numbers that are looked up in a table

Places = NDArray[np.int32]  #: -1 where there is none


class Finder:
    """Tuples of codes, each of which is there once; `find` tells the place of a row's among them."""

    def __init__(
        self, columns: Sequence[NDArray[np.integer[Any]]], sizes: Sequence[int], tuples: int
    ) -> None:
        self._steps: list[
            tuple[list[int], _Numbers]
        ] = []  # columns, and what is known of them and all before
        mine: list[int] = []
        keys, span = np.zeros(tuples, dtype=np.int64), 1
        self._sizes = list(sizes)
        for i, size in enumerate(self._sizes):
            if span * size > _LIMIT:
                known, keys = np.unique(keys, return_inverse=True)
                self._steps.append((mine, _Numbers(known, span, np.arange(len(known), dtype=np.int32))))
                span, mine = len(known), []
            keys = keys * size + columns[i]
            span *= size
            mine.append(i)
        order = np.argsort(keys)
        self._steps.append((mine, _Numbers(keys[order], span, order.astype(np.int32))))

    def find(self, columns: Sequence[NDArray[np.integer[Any]]], n: int) -> Places:
        """The place of each row's tuple, -1 where there is none."""
        keys, lost = np.zeros(n, dtype=np.int64), None
        found: Places = np.empty(0, dtype=np.int32)
        for mine, numbers in self._steps:
            for i in mine:
                keys *= self._sizes[i]
                keys += columns[i]
            found = numbers.find(keys)
            gone = found < 0
            lost = gone if lost is None else lost | gone
            keys = np.maximum(found, 0).astype(np.int64)
        return found if lost is None or not lost.any() else np.where(lost, np.int32(-1), found)


class _Numbers:
    """Sorted numbers below a span, and what each is to be replaced by."""

    def __init__(self, known: NDArray[np.int64], span: int, out: Places) -> None:
        self._table: Places | None = None
        if span <= max(_TABLE, 4 * len(known)) and span < 2**31:
            self._table = np.full(span, -1, dtype=np.int32)
            self._table[known] = out
            return
        from lookalike.kernels.grouping import KnownKeys

        self._out, self._known = np.append(out, np.int32(-1)), KnownKeys(known)

    def find(self, keys: NDArray[np.int64]) -> Places:
        if self._table is not None:
            return np.asarray(self._table[keys])
        return np.asarray(self._out[self._known.find(keys)])
