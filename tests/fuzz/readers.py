"""Every reader of the library with a valid file for it: those in `corpus`, and documents that a release brings along.

Cells that begin with `canary` are private: no message may show one.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import lookalike as la
from lookalike.recodings.files import read_recoding
from lookalike.releases.recipes.recipe import Recipe

CORPUS = Path(__file__).parent / "corpus"
CANARY = "canary"
_ROLES: dict[str, Any] = {
    "identifiers": ["name"],
    "quasi": ["age", "town"],
    "sensitive": ["ill"],
    "others": [],
}


@dataclass(frozen=True)
class Reader:
    """A file, and what reads it. `read` gets the path of a damaged copy in its place among the others."""

    file: str
    read: Callable[[Path], object]


def home(folder: Path) -> Path:
    """A folder with every file a reader reads, all valid."""
    shutil.copytree(CORPUS, folder, dirs_exist_ok=True)
    people = la.read(folder / "people.csv", **_ROLES)
    for name, options in (
        ("boxes", {"method": "local"}),
        ("levels", {"levels": {"age": 1}, "method": "levels"}),
    ):
        release = la.anonymize(people, la.KAnonymity(2), suppression=0.5, linked={"ill": "accept"}, **options)
        release.save(folder / name)
    la.generate_signing_key(folder / "office.key")
    la.sign(folder / "boxes", key=folder / "office.key")
    la.prepare(people).save(folder / "recipe.toml")
    dialogue = la.interact(people, k=2)
    dialogue.answer(dialogue.ask(), "A")
    dialogue.save(folder / "session.json")
    return folder


def _table(path: Path) -> None:
    people = la.read(path, **_ROLES)
    for name in people.names:
        people.column(name)
    assert len(people) == people.rows.height
    people.cells()


def _hierarchy(path: Path) -> None:
    la.read(path.parent / "people.csv", hierarchies={"town": path}, **_ROLES).tree("town")


def _apply(path: Path) -> None:
    folder = path.parent.parent
    read_recoding(folder).apply(la.read(folder.parent / "people.csv", **_ROLES))


def _verify(path: Path) -> None:
    la.verify(path.parent / "release.csv", path.parent / "certificate.json", allow_unknown=True)


def _signed(path: Path) -> None:
    la.verify(
        path.parent / "release.csv",
        path.parent / "certificate.json",
        signer=path.parent.parent / "office.key.pub",
    )


def _signer(path: Path) -> None:
    out = path.parent / "boxes"
    la.verify(out / "release.csv", out / "certificate.json", signer=path)


def _resume(path: Path) -> None:
    la.interact(la.read(path.parent / "people.csv", **_ROLES), resume=path)


READERS: dict[str, Reader] = {
    "csv": Reader("people.csv", _table),
    "tsv": Reader("people.tsv", _table),
    "xlsx": Reader("people.xlsx", _table),
    "parquet": Reader("people.parquet", _table),
    "arrow": Reader("people.arrow", _table),
    "hierarchy": Reader("town.csv", _hierarchy),
    "questions": Reader("questions.toml", la.read_questions),
    "recoding of boxes": Reader("boxes/private/recoding.json", _apply),
    "recoding of levels": Reader("levels/private/recoding.json", _apply),
    "assignment": Reader("boxes/private/assignment.json", _apply),
    "certificate": Reader("levels/certificate.json", _verify),
    "release": Reader("levels/release.csv", _verify),
    "signature": Reader("boxes/certificate.json.sig", _signed),
    "public key": Reader("office.key.pub", _signer),
    "recipe": Reader("recipe.toml", Recipe.load),
    "session": Reader("session.json", _resume),
}
