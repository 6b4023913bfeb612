"""The step Release: written whole into a folder, packed for download, verified on the spot."""

from __future__ import annotations

import shutil
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from lookalike.progress import Report
from lookalike.web.tasks.running import Shop


def save(
    shop: Shop,
    recipe: Mapping[str, Any],
    report: Report,
    *,
    folder: str,
    format: str = "csv",
    overwrite: bool = False,
) -> dict[str, Any]:
    """Write the release into a folder and check it there, as its receiver would."""
    release = shop.release(recipe, report)
    written = release.save(folder, format=format, overwrite=overwrite)
    return {"folder": str(written), "files": _files(written), **_verify(written)}


def pack(
    shop: Shop, recipe: Mapping[str, Any], report: Report, *, folder: str, format: str = "csv"
) -> dict[str, Any]:
    """The release as a zip file in the session's own folder, verified before it was packed."""
    release = shop.release(recipe, report)
    out = Path(folder) / "release"
    shutil.rmtree(out, ignore_errors=True)
    written = release.save(out, format=format)
    checked = _verify(written)
    packed = Path(folder) / "release.zip"
    files = _files(written)
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as bundle:
        for name in files:
            bundle.write(written / name, f"release/{name}")
    shutil.rmtree(written)
    return {"zip": str(packed), "files": files, **checked}


def _verify(folder: Path) -> dict[str, Any]:
    import lookalike as la

    table = next(path for path in sorted(folder.iterdir()) if path.stem == "release")
    return {"verification": la.verify(table, folder / "certificate.json").to_dict()}


def _files(folder: Path) -> dict[str, int]:
    """The files of a folder and their sizes."""
    return {
        path.relative_to(folder).as_posix(): path.stat().st_size
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }
