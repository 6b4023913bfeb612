"""The truth table for public data sets: which columns published work treats as quasi-identifiers (truths.toml)."""

from __future__ import annotations

import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from pathlib import Path

from lookalike.base.errors import RequestError


@dataclass(frozen=True)
class Truth:
    """The quasi-identifiers of a data set and who says so."""

    name: str
    quasi: tuple[str, ...]
    source: str
    cfk: tuple[str, ...] | None  #: the choice of one paper alone, where it used the set

    @property
    def path(self) -> Path:
        """Where the set lies inside a folder of data sets."""
        folder, _, file = self.name.partition("/")
        return Path(folder, f"{file or folder}.csv")


@cache
def truths() -> dict[str, Truth]:
    """All truths by name of the data set."""
    raw = tomllib.loads(files(__package__).joinpath("truths.toml").read_text(encoding="utf-8"))
    return {
        name: Truth(
            name, tuple(entry["quasi"]), entry["source"], tuple(entry["cfk"]) if "cfk" in entry else None
        )
        for name, entry in raw.items()
    }


def truth_of(name: str, columns: Sequence[str]) -> Truth:
    """The truth of a data set, checked against the columns it really has."""
    if name not in truths():
        raise RequestError(f"there is no truth for {name!r}; known are {', '.join(truths())}.")
    truth = truths()[name]
    absent = [column for column in (*truth.quasi, *(truth.cfk or ())) if column not in columns]
    if absent:
        raise RequestError(f"the table is not {name!r}: it lacks {', '.join(absent)}.")
    return truth
