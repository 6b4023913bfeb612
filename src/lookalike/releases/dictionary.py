"""The data dictionary of a release: every column, its role, what was done to it, and which values it has how often.

For people as Markdown, for machines as a Frictionless Data Package with a Table Schema
(https://specs.frictionlessdata.io/table-schema/) and, beside a csv file, as CSV on the Web
(https://www.w3.org/TR/tabular-metadata/). Everything is counted in the release and nothing else. O(n).
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl

from lookalike.base.errors import amount
from lookalike.releases.outcomes import AS_IT_IS
from lookalike.tables.columns.roles import Kind

if TYPE_CHECKING:
    from lookalike.releases.release import Release

DESCRIBED = ("dictionary.md", "datapackage.json", "csv-metadata.json")
TITLE = "A table about people, anonymised"
MOST_VALUES = 50  #: of a column are listed for people; what has more is only counted, quasi-identifiers aside
ROLES = {
    "quasi": "known to outsiders, so it was blurred",
    "sensitive": "what nobody should learn about a person",
    "target": "what models predict",
    "identifier": "published as a pseudonym",
    "other": "published beside the rest",
}
NOT_BLURRED = "known to outsiders, but nothing of it had to be blurred"
_WHOLE = (
    r"^-?(0|[1-9][0-9]{0,14})$"  # 007 is a code, and so is what has more digits than machines count exactly
)
_DECIMAL = r"^-?(0|[1-9][0-9]{0,14})(\.[0-9]+)?$"


def describe(release: Release, folder: Path, *, file: str) -> None:
    """Write the dictionary of a release that lies in `file` into a folder."""
    kept = {one.column for one in release.outcomes if one.what == AS_IT_IS}
    columns = [
        _column(release, name, kind, kept=name in kept, text=file.endswith(".csv"))
        for name, kind in release.coded.schema.items()
    ]
    (folder / DESCRIBED[0]).write_text(_markdown(release, columns, file), encoding="utf-8")
    package = {
        "name": "release",
        "title": TITLE,
        "resources": [
            {
                "name": "release",
                "path": file,
                "format": file.rpartition(".")[2],
                "encoding": "utf-8",
                "schema": {"fields": [_field(column) for column in columns], "missingValues": [""]},
            }
        ],
    }
    _write_json(folder / DESCRIBED[1], package)
    if file.endswith(".csv"):
        _write_json(folder / DESCRIBED[2], _on_the_web(columns, file))


def _write_json(path: Path, content: dict[str, Any]) -> None:
    path.write_text(json.dumps(content, ensure_ascii=False, indent=2) + "\n", encoding="utf-8")


def _on_the_web(columns: list[dict[str, Any]], file: str) -> dict[str, Any]:
    """The table as CSV on the Web describes it; its words for types are those of Table Schema."""
    return {
        "@context": "http://www.w3.org/ns/csvw",
        "url": file,
        "dc:title": TITLE,
        "dialect": {"encoding": "utf-8", "header": True},
        "tableSchema": {
            "columns": [
                {
                    "titles": column["name"],
                    "datatype": column["type"],
                    "required": column["missing"] == 0,
                    "dc:description": _said(column),
                }
                for column in columns
            ]
        },
    }


def _said(column: dict[str, Any]) -> str:
    return f"{column['about']}; {column['done']}"


def _column(release: Release, name: str, kind: pl.DataType, *, kept: bool, text: bool) -> dict[str, Any]:
    """What is said of a column; kept: every value is published itself. text: numbers may be written as words."""
    counts = release.coded.counts(name)
    missing = int(counts.times[0]) if len(counts.times) and counts.values[0] is None else 0
    role, distinct = str(release.people.roles[name]), len(counts.values) - (missing > 0)
    listed = 0 < distinct <= MOST_VALUES or role == "quasi"
    return {
        "name": name,
        "type": (_number(release, name) if text and kind == pl.String else None) or _kind(kind),
        "role": role,
        "about": NOT_BLURRED if kept and role == "quasi" else ROLES[role],
        "done": f"kept {AS_IT_IS}" if kept else str(release.recoding.columns[name]),
        "distinct": distinct,
        "values": counts.pairs()[missing > 0 :] if listed else [],
        "missing": missing,
    }


def _number(release: Release, name: str) -> str | None:
    """The type of words that all are plain numbers, as text files have them, unless somebody calls them codes."""
    given = release.people.kinds.get(name)
    words = release.coded.counts(name).values.drop_nulls()
    if not len(words) or given not in (None, Kind.INTEGER, Kind.DECIMAL):
        return None
    if words.str.contains(_WHOLE).all():
        return "integer"
    return "number" if words.str.contains(_DECIMAL).all() else None


def _kind(kind: pl.DataType) -> str:
    """The type of Table Schema."""
    if kind.is_integer():
        return "integer"
    if kind.is_float() or kind.is_decimal():
        return "number"
    if kind == pl.Boolean:
        return "boolean"
    return "date" if kind == pl.Date else "string"


def _field(column: dict[str, Any]) -> dict[str, Any]:
    field = {
        "name": column["name"],
        "type": column["type"],
        "description": _said(column),
        "role": column["role"],
        "distinct": column["distinct"],
        "missing": column["missing"],
    }
    if column["values"]:
        field["counts"] = dict(column["values"])
        if column["type"] == "string":
            field["constraints"] = {"enum": [value for value, _ in column["values"]]}
    return field


def _markdown(release: Release, columns: list[dict[str, Any]], file: str) -> str:
    promises = [f"* {model}" for model in release.models] or ["* see certificate.json"]
    lines = [
        f"# {file}",
        "",
        f"{amount(release.coded.height, 'row')}, {amount(len(columns), 'column')}. Promised, and to be checked with "
        "`lookalike verify`:",
        "",
        *promises,
        "",
        "`[20, 29]` is a range with both ends, `[20, 30)` one without its upper end, `{a, b}` one of these values, "
        "`{a, …}` a or a value that no label of the column names, `∅` missing, `30 | ∅` 30 or missing, `*` anything.",
    ]
    for column in columns:
        lines += [
            "",
            f"## {_in_markdown(column['name'])}",
            "",
            f"{column['role']} ({column['about']}); {_in_markdown(column['done'])}. {column['type']}, "
            f"{amount(column['distinct'], 'distinct value')}, {column['missing']:,} missing.",
        ]
        if column["values"]:
            lines += ["", "| value | rows |", "| --- | --- |"]
            lines += [f"| {_in_markdown(value)} | {times:,} |" for value, times in _shown(column["values"])]
            more = len(column["values"]) - MOST_VALUES
            if more > 0:
                lines += ["", f"The {MOST_VALUES} commonest; {more:,} more are in {DESCRIBED[1]}."]
    return "\n".join(lines) + "\n"


def _shown(values: list[tuple[str, int]]) -> list[tuple[str, int]]:
    """The values in their order, or the commonest of many."""
    if len(values) <= MOST_VALUES:
        return values
    return sorted(values, key=lambda pair: -pair[1])[:MOST_VALUES]


def _in_markdown(text: str) -> str:
    """Text that Markdown shows as it is, on one line."""
    for sign in "\\`*_{}[]<>#|":
        text = text.replace(sign, f"\\{sign}")
    return " ".join(text.split())
