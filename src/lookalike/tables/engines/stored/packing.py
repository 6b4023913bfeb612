"""Rows as 64-bit words: the codes of their columns side by side, and words mixed under a key and back again.

Mixing is a bijection (multiply by an odd number, fold the upper half onto the lower one, three times), so rows sorted
by their mixed words are in an order that their content and the key decide, and are themselves still.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Words = NDArray[np.uint64]  #: rows x words
_WIDE = 64
_HALF = np.uint64(32)


@dataclass(frozen=True)
class Layout:
    """In which word, and from which bit on, the code of each column is."""

    places: tuple[tuple[int, int, int], ...]  #: word, bit, how many bits
    words: int

    @staticmethod
    def of(sizes: Sequence[int]) -> Layout:
        """Columns with so many codes each; the next word begins where one is full."""
        places, word, used = [], 0, 0
        for size in sizes:
            bits = max(size - 1, 1).bit_length()
            if used + bits > _WIDE:
                word, used = word + 1, 0
            places.append((word, used, bits))
            used += bits
        return Layout(tuple(places), word + 1)

    def pack(self, columns: Sequence[NDArray[np.integer[Any]]], n: int) -> Words:
        """Rows from the codes of their columns."""
        out = np.zeros((n, self.words), dtype=np.uint64)
        for codes, (word, bit, _) in zip(columns, self.places, strict=True):
            out[:, word] |= codes.astype(np.uint64) << np.uint64(bit)
        return out

    def unpack(self, rows: Words, column: int) -> NDArray[np.int64]:
        """The codes of a column."""
        word, bit, bits = self.places[column]
        mask = np.uint64((1 << bits) - 1)
        return ((rows[:, word] >> np.uint64(bit)) & mask).astype(np.int64)


@dataclass(frozen=True)
class Mixer:
    """A keyed order of words."""

    odd: tuple[int, int, int]

    @staticmethod
    def of(seed: int) -> Mixer:
        """The mixer of a seed."""
        digest = hashlib.sha256(f"order of rows {seed}".encode()).digest()
        odd = (int.from_bytes(digest[i * 8 : i * 8 + 8], "big") | 1 for i in range(3))
        return Mixer(tuple(odd))  # type: ignore[arg-type]

    def mix(self, rows: Words) -> Words:
        """Rows whose first word is mixed from all their words; the others stay, so that nothing is lost."""
        out = rows.copy()
        out[:, 0] = self._forth(rows[:, 0] ^ self._rest(rows))
        return out

    def unmix(self, rows: Words) -> Words:
        """The rows as they were."""
        out = rows.copy()
        out[:, 0] = self._back(rows[:, 0]) ^ self._rest(rows)
        return out

    def _rest(self, rows: Words) -> Words:
        rest = np.zeros(len(rows), dtype=np.uint64)
        for word in range(rows.shape[1] - 1, 0, -1):
            rest = self._forth(rest ^ rows[:, word])
        return rest

    def _forth(self, words: Words) -> Words:
        for odd in self.odd:
            words = words * np.uint64(odd)
            words ^= words >> _HALF
        return words

    def _back(self, words: Words) -> Words:
        for odd in reversed(self.odd):
            words = words ^ (words >> _HALF)
            words *= np.uint64(pow(odd, -1, 1 << _WIDE))
        return words
