"""Contexts in and out of files: Burmeister's .cxt and a CSV cross table.

A .cxt file is: a line `B`, a line for the name, the two counts, an empty line, one object name per line, one
attribute name per line, and one line of `X` and `.` per object. A CSV cross table has attribute names in its header,
object names in its first column, and 1/0 (or X and nothing) in its cells.
"""

from __future__ import annotations

import csv
import io
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from lookalike.base.errors import FileError
from lookalike.base.writing import write_file
from lookalike.fca.contexts import Context

_CROSS = frozenset({"1", "x", "X", "true", "True"})
_BLANK = frozenset({"0", "", ".", "false", "False"})


def read_context(path: str | Path) -> Context:
    """A context from a .cxt or .csv file; objects are named as in the file."""
    path = Path(path)
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as problem:
        raise FileError(f"{path}: cannot be read as text ({type(problem).__name__}).") from None
    return _parse_cxt(path, text) if path.suffix.lower() == ".cxt" else _parse_csv(path, text)


def write_context(context: Context, path: str | Path) -> None:
    """Write a context as .cxt or .csv, by the file's ending; for its owner only, since it tells who has what."""
    path = Path(path)
    matrix = context.to_matrix()
    objects = [str(label) for label in context.objects]
    if path.suffix.lower() == ".cxt":
        if any("\n" in name or "\r" in name for name in (*objects, *context.attributes)):
            raise FileError(f"{path}: a .cxt file cannot hold names with line breaks; write a .csv instead.")
        crosses = ["".join("X" if cross else "." for cross in row) for row in matrix]
        head = ["B", "", str(len(objects)), str(len(context.attributes)), ""]
        write_file(path, "\n".join([*head, *objects, *context.attributes, *crosses, ""]), mode=0o600)
        return
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(["object", *context.attributes])
    writer.writerows([name, *row] for name, row in zip(objects, matrix.astype(int).tolist(), strict=True))
    write_file(path, out.getvalue(), mode=0o600)


def _parse_cxt(path: Path, text: str) -> Context:
    lines = text.splitlines()
    try:
        n, m = int(lines[2]), int(lines[3])
    except (IndexError, ValueError):
        raise FileError(
            f"{path}: lines 3 and 4 of a .cxt file must be the counts of objects and attributes."
        ) from None
    # The empty line after the counts is missing in files of some tools.
    start = 5 if lines[4:5] == [""] else 4
    objects = lines[start : start + n]
    attributes = lines[start + n : start + n + m]
    crosses = lines[start + n + m : start + 2 * n + m]
    if lines[0].strip() != "B" or len(crosses) < n:
        raise FileError(f"{path}: not a .cxt file, or it ends before its {n} rows of crosses.")
    matrix = np.zeros((n, m), dtype=bool)
    for i, row in enumerate(crosses):
        if len(row) != m or set(row) - set("Xx."):
            raise FileError(f"{path}: line {start + n + m + i + 1} must be {m} characters, each X or a dot.")
        matrix[i] = [cross in "Xx" for cross in row]
    return _context(path, matrix, objects, attributes)


def _parse_csv(path: Path, text: str) -> Context:
    rows = [row for row in csv.reader(text.splitlines()) if row]
    if not rows:
        raise FileError(f"{path}: the file is empty; a cross table starts with a line of attribute names.")
    attributes = rows[0][1:]
    matrix = np.zeros((len(rows) - 1, len(attributes)), dtype=bool)
    for i, row in enumerate(rows[1:]):
        cells = [cell.strip() for cell in row[1:]]
        strange = next((j for j, cell in enumerate(cells) if cell not in _CROSS and cell not in _BLANK), None)
        if len(cells) != len(attributes) or strange is not None:
            where = (
                f"{len(cells)} cells for {len(attributes)} attributes"
                if strange is None
                else f"column {strange + 2}"
            )
            raise FileError(
                f"{path}: row {i + 2}, {where}: a cross table holds 1 or 0 (X or nothing) in every cell."
            )
        matrix[i] = [cell in _CROSS for cell in cells]
    return _context(path, matrix, [row[0] for row in rows[1:]], attributes)


def _context(path: Path, matrix: NDArray[np.bool_], objects: list[str], attributes: list[str]) -> Context:
    if len(set(objects)) < len(objects) or len(set(attributes)) < len(attributes):
        raise FileError(f"{path}: two objects or two attributes have the same name.")
    return Context.from_matrix(matrix, objects=objects, attributes=attributes)
