"""ARX's hierarchy files: one row per value, leaf first, `;` between levels, no header."""

from __future__ import annotations

import csv
from pathlib import Path

from lookalike.errors import FileError, HierarchyError
from lookalike.hierarchies.recipe import Hierarchy
from lookalike.hierarchies.tree import Tree


def read_rows(path: Path, delimiter: str = ";", encoding: str = "utf-8") -> list[list[str]]:
    """The rows of a hierarchy file. Blank lines are passed over; rows of unequal depth are allowed (see `rows`)."""
    try:
        with path.open(newline="", encoding=encoding + "-sig" if encoding == "utf-8" else encoding) as file:
            rows = [row for row in csv.reader(file, delimiter=delimiter) if row]
    except FileNotFoundError:
        raise FileError(f"{path}: no such hierarchy file.") from None
    except UnicodeDecodeError as problem:
        raise FileError(
            f"{path}: byte {problem.start} is not {encoding}; pass the file's encoding."
        ) from None
    if not rows:
        raise HierarchyError(f"{path}: the hierarchy file is empty.")
    return rows


def write_tree(tree: Tree, path: str | Path, *, delimiter: str = ";") -> None:
    """Write a tree in ARX's format, values in depth-first order."""
    rows = tree.rows()
    with Path(path).open("w", newline="", encoding="utf-8") as file:
        csv.writer(file, delimiter=delimiter, lineterminator="\n").writerows(
            rows[code] for code in tree.order.tolist()
        )


def read_folder(folder: str | Path) -> dict[str, Hierarchy]:
    """Every `COLUMN.csv` of a folder as that column's hierarchy (ARX's `DATASET_hierarchy_COLUMN.csv` works too)."""
    folder = Path(folder)
    if not folder.is_dir():
        raise FileError(f"{folder}: no such folder of hierarchy files.")
    found = {
        path.stem.split("_hierarchy_")[-1]: Hierarchy.read(path) for path in sorted(folder.glob("*.csv"))
    }
    if not found:
        raise FileError(f"{folder}: holds no .csv hierarchy files.")
    return found
