"""The recipe that the decisions describe, as text to read on the page and as files to take away."""

from __future__ import annotations

import zipfile
from dataclasses import replace
from pathlib import Path
from typing import Any

from lookalike.base.progress import Report
from lookalike.web.tasks.decisions import Decisions
from lookalike.web.tasks.running import Cache


def write(cache: Cache, decisions: Decisions, report: Report) -> dict[str, Any]:
    """The recipe as TOML, and the names of the hierarchies that lie in files beside it."""
    files = _files(cache, decisions)
    return {"text": files.pop("recipe.toml"), "files": list(files)}


def pack(cache: Cache, decisions: Decisions, report: Report, *, place: str) -> dict[str, Any]:
    """The recipe as a file in the session's own folder: alone, or as a zip with its hierarchies."""
    files = _files(cache, decisions)
    name = "recipe.zip" if len(files) > 1 else "recipe.toml"
    if len(files) == 1:
        (Path(place) / name).write_text(files[name], encoding="utf-8")
    else:
        with zipfile.ZipFile(Path(place) / name, "w", zipfile.ZIP_DEFLATED) as bundle:
            for path, text in files.items():
                bundle.writestr(path, text)
    return {"name": name}


def _files(cache: Cache, decisions: Decisions) -> dict[str, str]:
    """What is written; the table is named as the person knows it, to lie beside the recipe."""
    recipe = cache.recipe(decisions)
    return replace(recipe, source={**recipe.source, "file": decisions["source"]["name"]}).files()
