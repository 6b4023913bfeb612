"""A csv file from codes: each distinct value is spelt once, by Polars, and its bytes are copied wherever it occurs.

So a file costs what copying costs, and has the bytes that Polars would write row by row. O(bytes).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from io import BytesIO
from pathlib import Path
from typing import Any, Literal

import numpy as np
import polars as pl
from numpy.typing import NDArray

from lookalike.base.errors import ColumnError
from lookalike.tables.sources.spreadsheets import escape

ROOM = 1 << 28  #: bytes of distinct values that are spelt at once; of more, rows are
_OUT = 1 << 17  # words that are written at a time
_ROWS = 1 << 14  # rows that are looked at in one go
_MARKS = (0, 31, 30, 29, 28)  # bytes that end a value; one of them will not be in any


class Lines:
    """The values of a table's columns, each spelt as it stands in a csv file."""

    def __init__(self, begins: list[NDArray[np.int32]], words: list[NDArray[np.uint64]]) -> None:
        sizes = np.cumsum([0, *map(len, words)])
        self._begins = np.concatenate(
            [each + size for each, size in zip(begins, sizes[:-1].tolist(), strict=True)]
        )
        self._words = np.concatenate(words)
        self._first = np.cumsum([0, *map(len, begins)])[:-1].astype(np.int32)

    @staticmethod
    def spelt(values: Sequence[pl.Series], *, safe: bool, room: int = ROOM) -> Lines | None:
        """Columns with these distinct values; None where they take too much room, or no byte can stand between them."""
        if sum(each.estimated_size() for each in values) > room:
            return None
        begins, words = [], []
        for place, each in enumerate(values, start=1):
            found = _spell(each, "\n" if place == len(values) else ",", safe=safe)
            if found is None:
                return None
            begins.append(found[0])
            words.append(found[1])
        return Lines(begins, words)

    def write(self, file: Any, pieces: Iterable[Sequence[NDArray[np.integer[Any]]]]) -> None:
        """Write rows a piece at a time, each as the codes of its columns, -1 for missing."""
        from lookalike.kernels.lines import BLOCK, lay_out

        columns = len(self._first)
        state, out = np.zeros(2, dtype=np.uint64), np.empty(_OUT, dtype=np.uint64)
        places = np.empty(columns * BLOCK, dtype=np.int32)
        # a little more than a power of two, so that columns do not compete for the same lines of the cache
        codes = np.empty((columns, _ROWS + 16), dtype=np.int32)
        for piece in pieces:
            height = len(piece[0])
            for start in range(0, height, _ROWS):
                some = codes[:, : min(_ROWS, height - start)]
                for row, first, each in zip(some, self._first, piece, strict=True):
                    np.add(each[start : start + _ROWS], first + 1, out=row, casting="unsafe")
                done = 0
                while done < some.shape[1]:
                    stopped, used = lay_out(some, done, self._begins, self._words, places, out, state)
                    if stopped == done:
                        out = np.empty(4 * len(out), dtype=np.uint64)
                    file.write(out[:used].astype("<u8", copy=False).data)
                    done = stopped
        file.write(state[:1].astype("<u8").tobytes()[: int(state[1])])


def write_csv(
    values: Mapping[str, pl.Series],
    codes: Iterable[Sequence[NDArray[np.integer[Any]]]],
    path: Path,
    *,
    safe: bool,
    room: int = ROOM,
) -> bool:
    """Write rows given by codes into distinct values; False, and no file, where they must be written row by row."""
    lines = Lines.spelt(list(values.values()), safe=safe, room=room)
    if lines is None:
        return False
    head = pl.DataFrame([each.clear().alias(name) for name, each in values.items()])
    with path.open("wb") as file:
        write_frame(head, file, safe=safe, header=True)
        lines.write(file, codes)
    return True


def write_frame(rows: pl.DataFrame, file: Any, *, safe: bool, header: bool, end: str = "\n") -> None:
    """Write rows as Polars does; `safe` for spreadsheets."""
    how: Literal["non_numeric", "necessary"] = "non_numeric" if safe else "necessary"
    try:
        (escape(rows) if safe else rows).write_csv(
            file, include_header=header, quote_style=how, line_terminator=end
        )
    except pl.exceptions.PanicException:  # such as PostgreSQL's infinity, and no ordinary exception
        raise ColumnError(
            "a column of days or times holds some that no calendar has, and no text can. Make them missing."
        ) from None


def _spell(
    values: pl.Series, delimiter: str, *, safe: bool
) -> tuple[NDArray[np.int32], NDArray[np.uint64]] | None:
    """Where each value begins, missing first, and their lengths and bytes."""
    from lookalike.kernels.lines import spell

    column = pl.concat([pl.Series("", [None], dtype=values.dtype), values.alias("")])
    for mark in _MARKS:
        file = BytesIO()
        write_frame(column.to_frame(), file, safe=safe, header=False, end=chr(mark))
        text = np.frombuffer(file.getbuffer(), dtype=np.uint8)
        if int((text == mark).sum()) == len(column):
            begins = np.empty(len(column), dtype=np.int32)
            words = np.empty(len(text) // 8 + 2 * len(column), dtype=np.uint64)
            used = spell(text, mark, ord(delimiter), begins, words)
            return begins, words[:used]
    return None
