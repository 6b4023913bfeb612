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

from lookalike.tables.sources.limits import readable

_TOP = 1_000  # rows of a sheet in which something must stand


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
    about: dict[str, Any] = {
        "sheets": book.sheet_names,
        "sheet": book.sheet_names[0] if sheet is None else sheet,
    }
    if about["sheet"] not in book.sheet_names:
        return about, None
    top = book.load_sheet(about["sheet"], header_row=None, skip_rows=skip_rows, n_rows=_TOP, dtypes="string")
    first = next(((i, row) for i, row in enumerate(top.to_polars().iter_rows()) if any(row)), None)
    if first is None:
        return about, None
    about["head"] = ["" if value is None else str(value) for value in first[1]]
    above = skip_rows + first[0] + int(header)
    rows = book.load_sheet(about["sheet"], header_row=None, skip_rows=above, schema_sample_rows=None)
    return about, rows.to_polars()


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
    except MemoryError:
        sys.exit(1)
    except BaseException as problem:
        if type(problem).__name__ == "PanicException" and "memory" in str(problem):
            sys.exit(1)
        about = {"problem": type(problem).__name__}
    out = io.BytesIO()
    if rows is not None and rows.width:
        rows.write_ipc_stream(out)
    sys.stdout.buffer.write(json.dumps(about).encode() + b"\n" + out.getvalue())


if __name__ == "__main__":
    _answer(*sys.argv[1:])
