"""What a stranger reads in a release: its csv file, and which values a published label covers. Nothing of the library.

The notation is the one that `dictionary.md` explains to whoever receives a release.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

Row = dict[str, str | None]

_CELL = re.compile(r'("(?:[^"]|"")*")?([^,\n"]*)(,|\n|\Z)')
_FORMULA = re.compile("'+[=+\\-@\t\r\n＝＋－＠]")
_NUMBER = re.compile(r"'*[+-]?((\d+\.?\d*|\.\d+)([eE][+-]?\d+)?)?")


@dataclass(frozen=True)
class Meaning:
    """What is known about a column besides its values: its tree (leaf to root), its order, whether it holds numbers."""

    tree: Mapping[str, Sequence[str]] = field(default_factory=dict)
    order: Sequence[str] = ()
    numeric: bool = False


def read_csv(path: Path, *, apostrophes: bool = False) -> list[Row]:
    """The rows of a csv file; a cell that is empty and not quoted is missing."""
    text = path.read_bytes().decode("utf-8")
    lines: list[list[str | None]] = [[]]
    for quoted, bare, end in _CELL.findall(text):
        cell = quoted[1:-1].replace('""', '"') if quoted else bare or None
        lines[-1].append(_plain(cell) if apostrophes else cell)
        if end == "\n":
            lines.append([])
    head = [str(name) for name in lines[0]]
    return [dict(zip(head, line, strict=True)) for line in lines[1:-1]]  # nothing stands behind the last line


def _plain(cell: str | None) -> str | None:
    """A cell without the apostrophe that kept spreadsheets from running it."""
    if cell is None or not _FORMULA.match(cell) or _NUMBER.fullmatch(cell):
        return cell
    return cell[1:]


def covers(label: str | None, value: str | None, meaning: Meaning) -> bool:
    """Whether a value lies in what a published label stands for."""
    if label is None:
        return value is None
    if not label.strip("*"):  # a mask with nothing left to see is anything, too
        return True
    if value is not None and label in meaning.tree.get(value, ())[1:]:
        return True
    if label.startswith("{") and label.endswith("}"):
        return any(_is(part, value, meaning) for part in _parts(label[1:-1]))
    if label.endswith(" | ∅") and not _quoted(label):
        return value is None or covers(label[: -len(" | ∅")], value, meaning)
    if value is None:
        return False
    if label.startswith("["):
        return _within(label, value, meaning)
    if label.startswith("< "):
        return _rank(value, meaning) < _rank(label[2:], meaning)
    if label.startswith(">= "):
        return _rank(value, meaning) >= _rank(label[3:], meaning)
    if _is(label, value, meaning) or _is_day_of(value, label):
        return True
    return label.endswith("*") and value.startswith(label.rstrip("*"))


def _within(label: str, value: str, meaning: Meaning) -> bool:
    low, high = (_rank(_unquoted(part), meaning) for part in _parts(label[1:-1]))
    here = _rank(value, meaning)
    return low <= here and (here < high if label.endswith(")") else here <= high)


def _is(part: str, value: str | None, meaning: Meaning) -> bool:
    if value is None or part == "∅":
        return value is None and part == "∅"
    if part == "…":  # any value that is not named
        return True
    if meaning.numeric and _NUMBER.fullmatch(part):
        return float(part) == float(value)
    return _unquoted(part) == value


def _rank(text: str, meaning: Meaning) -> tuple[float, str]:
    """Where a value stands in its column's order: numbers by size, ordinal values by their list, dates as they are."""
    if meaning.order:
        return meaning.order.index(text), ""
    return (float(text), "") if meaning.numeric else (0.0, text)


def _is_day_of(day: str, label: str) -> bool:
    """A day in a month, a quarter, a year or a decade."""
    if not re.fullmatch(r"\d{4}-\d\d-\d\d", day):
        return False
    year, month = day[:4], int(day[5:7])
    return label in (year, day[:7], f"{year}-Q{(month + 2) // 3}", f"{year[:3]}0s")


def _parts(text: str) -> list[str]:
    """What stands between commas that are not in quotes."""
    return [part.strip() for part in re.findall(r'(?:"(?:[^"]|"")*"|[^,"])+', text)]


def _quoted(text: str) -> bool:
    return len(text) > 1 and text[0] == text[-1] == '"'


def _unquoted(text: str) -> str:
    return text[1:-1].replace('""', '"') if _quoted(text) else text
