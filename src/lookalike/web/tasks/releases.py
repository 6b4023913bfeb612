"""The step Release: written whole into a folder, packed for download, verified on the spot, and read on the page."""

from __future__ import annotations

import json
import shutil
import tempfile
import zipfile
from dataclasses import replace
from pathlib import Path
from typing import Any

from lookalike.base.progress import Report
from lookalike.recodings.files import PRIVATE
from lookalike.releases.release import Release
from lookalike.runs.running import complete
from lookalike.web.tasks.attacks import attacks_on
from lookalike.web.tasks.decisions import Decisions
from lookalike.web.tasks.running import Cache
from lookalike.web.tasks.use import answers_of

REPORTS = {"report.html": "report.html", "report-internal.html": f"{PRIVATE}/report-internal.html"}


def save(
    cache: Cache, decisions: Decisions, report: Report, *, folder: str, place: str, format: str = "csv"
) -> dict[str, Any]:
    """Write the release into a folder and check it there, as its receiver would; `place` is the session's own."""
    written = _signed(cache, decisions, report, Path(folder)).save(folder, format=format)
    _keep_invented(decisions, written)
    return {"folder": str(written), **_told(written, Path(place))}


def pack(
    cache: Cache, decisions: Decisions, report: Report, *, place: str, format: str = "csv"
) -> dict[str, Any]:
    """The release as two zip files in the session's own folder: what goes out, and what stays."""
    with tempfile.TemporaryDirectory(dir=place) as beside:
        folder = Path(beside) / "release"
        written = _signed(cache, decisions, report, folder).save(folder, format=format)
        _keep_invented(decisions, written)
        told = _told(written, Path(place))
        for name, files in (("release", told["goes_out"]), ("private", told["stays"])):
            with zipfile.ZipFile(Path(place) / f"{name}.zip", "w", zipfile.ZIP_DEFLATED) as bundle:
                for file in files:
                    bundle.write(written / file, f"release/{file}")
    return told


def _signed(cache: Cache, decisions: Decisions, report: Report, folder: Path) -> Release:
    """The release with its questions answered, the attacks that were tried, its recipe and who signed."""
    recipe = cache.recipe(decisions)
    release = cache.release(decisions, report)
    answers = answers_of(cache, decisions, report) if decisions["questions"] else ()
    attacks = attacks_on(cache, decisions, report) if decisions["attacks"] else None
    source = decisions["source"]
    if source.get("given"):  # an upload or invented people: their place here is nobody's business tomorrow
        named = {**recipe.source, "file": source["name"]}
        recipe = replace(recipe, source=named, folder=folder.resolve() / PRIVATE)
    return replace(complete(release, recipe, answers, attacks), signature=decisions["signature"])


def _keep_invented(decisions: Decisions, folder: Path) -> None:
    """Nobody is in an invented table, so it can lie beside the recipe that reads it."""
    source = decisions["source"]
    if source.get("invented"):
        shutil.copyfile(source["path"], folder / PRIVATE / source["name"])


def _told(folder: Path, place: Path) -> dict[str, Any]:
    """The files with their sizes, what the check found, and what can be read on the page."""
    import lookalike as la

    sizes = {
        path.relative_to(folder).as_posix(): path.stat().st_size
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }
    table = next(path for path in sorted(folder.iterdir()) if path.stem == "release")
    for shown, file in REPORTS.items():
        shutil.copyfile(folder / file, place / shown)
    recipe = folder / PRIVATE / "recipe.toml"
    return {
        "goes_out": {name: size for name, size in sizes.items() if not name.startswith(f"{PRIVATE}/")},
        "stays": {name: size for name, size in sizes.items() if name.startswith(f"{PRIVATE}/")},
        "verification": la.verify(table, folder / "certificate.json").to_dict(),
        "certificate": (folder / "certificate.json").read_text(encoding="utf-8"),
        "dictionary": _fields(folder / "datapackage.json"),
        "recipe": recipe.read_text(encoding="utf-8") if recipe.is_file() else "",
    }


def _fields(package: Path) -> list[list[str]]:
    """Each column of the release: its name, its type, what it is and what was done to it."""
    schema = json.loads(package.read_text(encoding="utf-8"))["resources"][0]["schema"]
    return [[field["name"], field["type"], field["description"]] for field in schema["fields"]]
