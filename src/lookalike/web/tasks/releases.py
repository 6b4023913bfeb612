"""The step Release: written whole into a folder, packed for download, verified on the spot."""

from __future__ import annotations

import json
import tempfile
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from lookalike.progress import Report
from lookalike.recodings.files import PRIVATE
from lookalike.web.tasks.running import Shop


def save(
    shop: Shop, recipe: Mapping[str, Any], report: Report, *, folder: str, format: str = "csv"
) -> dict[str, Any]:
    """Write the release into a folder and check it there, as its receiver would."""
    release = shop.release(recipe, report)
    written = release.save(folder, format=format)
    _keep_decisions(written, recipe)
    return {"folder": str(written), **_told(written)}


def pack(
    shop: Shop, recipe: Mapping[str, Any], report: Report, *, folder: str, format: str = "csv"
) -> dict[str, Any]:
    """The release as two zip files in the session's own folder: what goes out, and what stays."""
    release = shop.release(recipe, report)
    with tempfile.TemporaryDirectory(dir=folder) as beside:
        written = release.save(Path(beside) / "release", format=format)
        _keep_decisions(written, recipe)
        told = _told(written)
        for name, files in (("release", told["goes_out"]), ("private", told["stays"])):
            with zipfile.ZipFile(Path(folder) / f"{name}.zip", "w", zipfile.ZIP_DEFLATED) as bundle:
                for file in files:
                    bundle.write(written / file, f"release/{file}")
    return told


def _keep_decisions(folder: Path, recipe: Mapping[str, Any]) -> None:
    """What was decided, and who signed, beside what else stays."""
    path = folder / PRIVATE / "workbench.json"
    path.touch(mode=0o600)
    kept = {**recipe, "source": recipe["source"].get("name", recipe["source"])}
    path.write_text(json.dumps(kept, ensure_ascii=False, indent=2) + "\n", encoding="utf-8")


def _told(folder: Path) -> dict[str, Any]:
    """The files with their sizes, those that go out and those that stay, and what the check found."""
    import lookalike as la

    sizes = {
        path.relative_to(folder).as_posix(): path.stat().st_size
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }
    table = next(path for path in sorted(folder.iterdir()) if path.stem == "release")
    return {
        "goes_out": {name: size for name, size in sizes.items() if not name.startswith(f"{PRIVATE}/")},
        "stays": {name: size for name, size in sizes.items() if name.startswith(f"{PRIVATE}/")},
        "verification": la.verify(table, folder / "certificate.json").to_dict(),
    }
