"""Read a file in a process of its own, with a limit on its memory.

Workbooks and Arrow files can name any size in a few bytes: a cell in the last row and the last column makes 17 billion
cells. The compiled code that reads them ends its process where memory runs out; here that is not the user's. It costs a
fraction of a second for each file. Linux keeps the limit; elsewhere a file that is too large takes what there is.
"""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from typing import Any

import polars as pl

from lookalike.base.errors import is_out_of_memory
from lookalike.tables.sources.limits import readable

_TOP = 1_000  # rows of a sheet in which something must stand
_SHEETS = 20  # sheets of a workbook among which the table is looked for


class ReaderEnded(Exception):
    """The process that read the file ended without an answer."""


def read_apart(kind: str, content: bytes, **how: Any) -> tuple[dict[str, Any], pl.DataFrame]:
    """What is known about a table besides its rows, and the rows; `how` belongs to the reader of that kind."""
    command = [sys.executable, "-P", "-m", __name__, kind, json.dumps(how), str(readable())]
    there = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    done = subprocess.run(command, input=content, capture_output=True, env=there, check=False)
    if done.returncode:
        raise ReaderEnded
    about, _, rows = done.stdout.partition(b"\n")
    return json.loads(about), pl.read_ipc_stream(rows) if rows else pl.DataFrame()


def _arrow(content: bytes) -> tuple[dict[str, Any], pl.DataFrame]:
    read = pl.read_ipc if content[:6] == b"ARROW1" else pl.read_ipc_stream
    return {}, read(content)


def _parquet(content: bytes) -> tuple[dict[str, Any], pl.DataFrame]:
    return {}, pl.read_parquet(content)


def _sheet(
    content: bytes, sheet: str | None, header: bool, skip_rows: int
) -> tuple[dict[str, Any], pl.DataFrame | None]:
    """One sheet of a workbook. Types are found from all of its rows, so that no value is lost to a wrong guess."""
    import fastexcel

    book = fastexcel.read_excel(content)
    about: dict[str, Any] = {"sheets": book.sheet_names, "sheet": sheet}
    if sheet is not None and sheet not in book.sheet_names:
        return about, None

    def top(name: str) -> list[tuple[Any, ...]]:
        rows = book.load_sheet(name, header_row=None, skip_rows=skip_rows, n_rows=_TOP, dtypes="string")
        return rows.to_polars().rows()

    if sheet is None:
        few = book.sheet_names[:_SHEETS]
        about["sheet"] = few[_with_the_table([top(name) for name in few])] if len(few) > 1 else few[0]
    rows_above = top(about["sheet"])
    first = next(((i, row) for i, row in enumerate(rows_above) if any(row)), None)
    if first is None:
        return about, None
    about["head"] = ["" if value is None else str(value) for value in first[1]]
    above = skip_rows + first[0] + int(header)
    rows = book.load_sheet(about["sheet"], header_row=None, skip_rows=above, schema_sample_rows=None)
    return about, rows.to_polars()


def _with_the_table(tops: list[list[tuple[Any, ...]]]) -> int:
    """Which sheet holds the table: the first one, unless it names the columns of another, or is one column or none."""
    filled = [[row for row in top if any(row)] for top in tops]
    cells = [sum(value is not None for row in rows for value in row) for rows in filled]
    others = [place for place in range(1, len(tops)) if len(filled[place]) > 1]
    first = filled[0]
    columns = [set(column) - {None} for column in zip(*first, strict=True)]
    described = [
        place
        for place in others
        if len(named := set(filled[place][0]) - {None}) > 1
        and any(2 * len(named & column) > len(named) for column in columns)
    ]
    if not described and max((sum(value is not None for value in row) for row in first), default=0) > 1:
        return 0
    return max(described or others, key=lambda place: cells[place], default=0)


def _limit(more: int) -> None:
    """Let this process take so many bytes beside what it has."""
    try:
        import resource
    except ImportError:  # Windows
        return
    _, hard = resource.getrlimit(resource.RLIMIT_AS)
    try:
        with open("/proc/self/statm") as file:
            most = int(file.read().split()[0]) * os.sysconf("SC_PAGE_SIZE") + more
    except OSError:
        return
    resource.setrlimit(resource.RLIMIT_AS, (most if hard < 0 else min(most, hard), hard))


def _answer(kind: str, how: str, more: str) -> None:
    readers: dict[str, Any] = {"arrow": _arrow, "parquet": _parquet, "sheet": _sheet}
    content = sys.stdin.buffer.read()
    pl.thread_pool_size()  # threads are there before the limit, as it counts their stacks
    _limit(int(more))
    rows: pl.DataFrame | None = None
    try:
        about, rows = readers[kind](content, **json.loads(how))
    except BaseException as problem:
        if is_out_of_memory(problem):
            sys.exit(1)
        about = {"problem": type(problem).__name__}
    out = io.BytesIO()
    if rows is not None and rows.width:
        rows.write_ipc_stream(out)
    sys.stdout.buffer.write(json.dumps(about).encode() + b"\n" + out.getvalue())


if __name__ == "__main__":
    _answer(*sys.argv[1:])
