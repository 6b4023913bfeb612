"""Where a recipe says what an option of other commands says."""

from __future__ import annotations

from pathlib import Path

from lookalike.releases.recipes import toml
from lookalike.releases.recipes.recipe import KEYS

#: options whose key in a recipe is called otherwise
_SPELT = {
    "method": ("method", "name"),
    "weights": ("column", "weight"),
    "rounding": ("column", "round"),
    "types": ("column", "type"),
    "sensitive": ("column", "role"),
    "identifiers": ("column", "role"),
    "others": ("column", "role"),
    "targets": ("column", "role"),
    "spreadsheet-safe": ("output", "spreadsheet_safe"),
}
_PROMISES = ("-l", "-t")


def where_to_write(option: str, recipe: str | None) -> str:
    """The line of a recipe that does what an option would; empty where there is none. recipe: its file, if known."""
    name = option.lstrip("-").replace("-", "_")
    section, key = _SPELT.get(option.lstrip("-"), (_section_of(name), name))
    if option in _PROMISES:
        line = '"model", "column" and its parameter in a section [[promise]]'
    elif not section:
        return ""
    else:
        place = "[columns.NAME]" if section == "column" else f"[{section}]"
        line = f"`{key}` ({KEYS[section][key][1]}) under {place}"
    return f" A run is told so by its recipe: write {line}{_place(recipe, section, key)}."


def _section_of(key: str) -> str:
    return next((section for section in ("method", "column", "source", "output") if key in KEYS[section]), "")


def _place(recipe: str | None, section: str, key: str) -> str:
    """The line of the recipe, where it has one; how to get a recipe where there is none."""
    if recipe is None:
        return "; `lookalike prepare` drafts it"
    try:
        line = toml.line_of(Path(recipe).read_text(encoding="utf-8"), section, key)
    except (OSError, UnicodeDecodeError):
        line = None
    return f" in {recipe}" if line is None else f" in {recipe}, line {line}"
