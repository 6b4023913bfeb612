"""A link: columns that give a quasi-identifier away, how, and how far k falls when they are known as well."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from lookalike.tables.columns.grouping import group_codes

How = Literal["one to one", "determines", "follows from", "in step with", "holds", "adds up"]


@dataclass(frozen=True)
class Link:
    """Columns (one, or several together) that give a quasi-identifier (one, or two together) away.

    Examples:
        >>> import polars as pl
        >>> import lookalike as la
        >>> zips = ["8010", "8020", "8030", "8040"] * 25
        >>> frame = pl.DataFrame({"zip": zips, "town": [f"Graz {code}" for code in zips]})
        >>> link = la.linked_columns(frame, quasi=["zip"])[0]
        >>> print(link)
        town is one to one with zip: with zip blurred, k 100 would be 25
        >>> link.k, link.known
        (100, 25)
    """

    columns: tuple[str, ...]  #: the columns that give it away
    quasi: tuple[str, ...]  #: the quasi-identifier that is given away
    how: How  #: kind of link, such as "one to one" or "determines"
    strength: float  #: mu, or the rank correlation; 1 is exact
    k: int  #: the smallest class once the quasi-identifier is blurred
    known: int  #: the smallest class when the columns are known as well
    alone: int  #: people alone in their class once the quasi-identifier is blurred
    alone_known: int  #: people alone when the columns are known as well

    @property
    def text(self) -> str:
        """How the columns are linked, in words."""
        columns, quasi = " and ".join(self.columns), " and ".join(self.quasi)
        if len(self.columns) > 2:
            first, last = self.columns[0], self.columns[-1]
            words = f"{first} to {last} ({len(self.columns)} columns) add up to {quasi}"
        elif len(self.columns) > 1:
            words = f"{columns} together determine {quasi}"
        elif self.how == "one to one":
            words = f"{columns} is one to one with {quasi}"
        elif self.how == "in step with":
            words = f"{columns} goes in step with {quasi}"
        elif self.how == "adds up":
            words = f"{columns} is the running sum of {quasi}"
        else:
            words = f"{columns} {self.how} {quasi}"
        return words if abs(self.strength) == 1 else f"{words} (nearly: {min(abs(self.strength), 0.999):.3f})"

    @property
    def deciding(self) -> tuple[str, ...]:
        """The columns to decide about: one of two that tell together is enough, of more all are needed."""
        return self.columns if len(self.columns) > 2 else self.columns[-1:]

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON values."""
        return {**vars(self), "columns": list(self.columns), "quasi": list(self.quasi)}

    def __str__(self) -> str:
        blurred = " and ".join(self.quasi)
        if self.known < self.k:
            return f"{self.text}: with {blurred} blurred, k {self.k:,} would be {self.known:,}"
        if self.alone_known == self.alone:
            return f"{self.text}: with {blurred} blurred, k stays {self.k:,}"
        return (
            f"{self.text}: with {blurred} blurred, {self.alone:,} people alone would be {self.alone_known:,}"
        )


def class_sizes(
    columns: Sequence[NDArray[np.integer[Any]]], n: int, unit: NDArray[np.integer[Any]] | None = None
) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
    """The class of each of n rows by their codes, and the people (rows where there is no unit) in each class."""
    sizes = [int(codes.max(initial=0)) + 1 for codes in columns]
    of_row, classes = group_codes(columns, sizes, n)
    if unit is None:
        return of_row, np.bincount(of_row, minlength=classes).astype(np.int64)
    one_each, pairs = group_codes([of_row, unit], [classes, int(unit.max(initial=0)) + 1], n)
    owner = np.zeros(pairs, dtype=np.int32)
    owner[one_each] = of_row
    return of_row, np.bincount(owner, minlength=classes).astype(np.int64)
