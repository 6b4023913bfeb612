"""ARX's hierarchy files: one row per value, leaf first, `;` between levels, no header."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from lookalike.base.checks import per_column
from lookalike.base.errors import FileError, HierarchyError, in_words, unknown_column
from lookalike.base.writing import write_file
from lookalike.tables.hierarchies.hierarchy import Hierarchy
from lookalike.tables.hierarchies.texts import is_text, parse_hierarchy
from lookalike.tables.hierarchies.tree import Tree

#: What a caller may give: a hierarchy per column (itself, its text, groups or file), or a folder of files.
Hierarchies = Mapping[str, "Hierarchy | Mapping[str, Any] | str | Path"] | str | Path


def read_rows(path: Path, delimiter: str = ";", encoding: str = "utf-8") -> list[list[str]]:
    """The rows of a hierarchy file. Lines with nothing on them are passed over; rows may be of unequal depth."""
    try:
        with path.open(newline="", encoding=encoding + "-sig" if encoding == "utf-8" else encoding) as file:
            rows = list(csv.reader(file, delimiter=delimiter))
    except FileNotFoundError:
        raise FileError(f"{path}: no such hierarchy file.") from None
    except UnicodeDecodeError as problem:
        raise FileError(
            f"{path}: byte {problem.start} is not {encoding}. Save it as UTF-8, or read it with Hierarchy.read and "
            "its encoding."
        ) from None
    except OSError as problem:
        raise FileError(f"{path}: cannot be read as a hierarchy file ({in_words(problem)}).") from None
    except (LookupError, csv.Error) as problem:
        raise FileError(f"{path}: cannot be read as a hierarchy file ({problem}).") from None
    rows = [row for row in rows if any(cell.strip() for cell in row)]
    if not rows:
        raise HierarchyError(f"{path}: the hierarchy file is empty.")
    if max(len(row) for row in rows) == 1 and all("," in row[0] or "\t" in row[0] for row in rows):
        raise HierarchyError(
            f"{path}: its rows have one level each. Put ';' between levels, as ARX does, or read it with "
            "Hierarchy.read and its delimiter."
        )
    return rows


def write_tree(tree: Tree, path: str | Path, *, delimiter: str = ";") -> None:
    """Write a tree in ARX's format, all of its leaves, in depth-first order; for its owner only: leaves are values."""
    tree = tree.whole()
    rows = tree.rows()
    text = io.StringIO()
    csv.writer(text, delimiter=delimiter, lineterminator="\n").writerows(
        rows[code] for code in tree.order.tolist()
    )
    write_file(path, text.getvalue(), what="the hierarchy", mode=0o600)


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


def collect(given: Hierarchies | None, columns: Sequence[str]) -> dict[str, Hierarchy]:
    """The hierarchy of each column that has one."""
    if given is None:
        return {}
    if isinstance(given, str | Path):
        found = read_folder(given)
        fitting = {name: recipe for name, recipe in found.items() if name in columns}
        if not fitting:
            raise FileError(
                f"{given}: none of its {len(found)} hierarchy files is named after a column. Call them COLUMN.csv."
            )
        return fitting
    per_column(given, "hierarchies")
    recipes, there = {}, set(columns)
    for name, one in given.items():
        if name not in there:
            raise unknown_column(name, columns, "hierarchies")
        if isinstance(one, Hierarchy):
            recipes[name] = one
        elif isinstance(one, str) and is_text(one):
            recipes[name] = parse_hierarchy(one)
        elif isinstance(one, str | Path):
            recipes[name] = Hierarchy.read(one)
        elif not isinstance(one, Mapping):
            raise HierarchyError(
                f"hierarchies: column {name!r} has a {type(one).__name__}; give a Hierarchy, groups of values "
                "({'north': ['Leeds', 'York']}), a text such as 'mask' or a file."
            )
        elif isinstance(one.get("how"), str):
            recipes[name] = Hierarchy.from_dict(one)
        else:
            recipes[name] = Hierarchy.groups(one)
    return recipes
