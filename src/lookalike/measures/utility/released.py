"""A release beside the table it was made from: read from memory or a folder, its rows linked to the original's.

Only a release that is made again to the letter is linked (`recodings.again`).
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Protocol, runtime_checkable

import numpy as np
import polars as pl
from numpy.typing import NDArray

from lookalike.base.errors import RequestError
from lookalike.measures.utility.encoding import Published
from lookalike.recodings import Recoding
from lookalike.recodings.again import in_order, make_again
from lookalike.recodings.files import read_recoding, read_release
from lookalike.tables.table import Table


@runtime_checkable
class Made(Protocol):
    """What is needed of a release in memory."""

    @property
    def rows(self) -> pl.DataFrame:
        """The released table."""

    @property
    def recoding(self) -> Recoding:
        """How it was made."""


def open_release(people: Table, release: Made | str | Path) -> Published:
    """What `la.anonymize` returned, or the folder it was saved in, as rows whose labels can be read."""
    if not isinstance(release, str | Path):
        if not isinstance(release, Made):
            raise RequestError(
                "`release` must be what `la.anonymize` returned, or the folder it was saved in; "
                f"found {type(release).__name__}."
            )
        return Published(release.rows, release.recoding, people)
    folder = Path(release)
    recoding = read_recoding(folder)
    rows = read_release(folder)
    missing = [name for name in rows.columns if name not in people.roles]
    if missing:
        raise RequestError(f"the release has columns that the table has not: {', '.join(missing)}.")
    return Published(rows, in_order(recoding, people.names), people)


@dataclass(frozen=True, eq=False)
class Linked:
    """The release made again, its rows beside the rows of the original they come from."""

    published: Published
    row: NDArray[np.int64]  #: of each released row, the row of the original
    of_row: NDArray[np.int32]  #: of each row of the original, its class; -1 where it was held back


def link(people: Table, published: Published) -> Linked | None:
    """The release beside the original, where its recoding makes it again."""
    recoding = published.recoding
    try:
        applied = make_again(people, published.rows, recoding)
    except RequestError:  # the promise speaks about a population, which is not at hand
        return None
    if applied is None:
        return None
    row = np.arange(len(people)) if recoding.suppressed == "star" else np.flatnonzero(applied.of_row >= 0)
    return Linked(Published(applied.rows, recoding, people), row, applied.of_row)
