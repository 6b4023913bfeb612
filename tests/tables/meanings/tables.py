"""The tables of tables.toml: kind, source, and for each column the role a person gives it and its values."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from pathlib import Path

import polars as pl

from tables.meanings.headers import draw_values

ROLES = {"i": "identifier", "q": "quasi", "s": "sensitive", "o": "other"}


@dataclass(frozen=True)
class Known:
    """A table with known roles."""

    name: str
    kind: str  #: survey, developed or held out
    source: str | None  #: the dictionary its headers are from
    roles: dict[str, str]
    values: dict[str, str]

    def frame(self, records: int = 300) -> pl.DataFrame:
        """Rows with invented values, the same each time."""
        return pl.DataFrame({name: draw_values(name, drawn, records) for name, drawn in self.values.items()})


def read_tables() -> list[Known]:
    """Every table of the file."""
    raw = tomllib.loads(Path(__file__).with_name("tables.toml").read_text(encoding="utf-8"))
    out = []
    for name, entry in raw.items():
        lines = [line.split("; ", 2) for line in entry["columns"].strip().splitlines()]
        roles = {header: ROLES[role] for header, role, _ in lines}
        out.append(
            Known(name, entry["kind"], entry.get("source"), roles, {head: drawn for head, _, drawn in lines})
        )
    return out
