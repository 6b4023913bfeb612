"""Hierarchy: how to grow a generalisation tree over whatever values a column has.

A hierarchy is a recipe (a name and its options), so it can be written down, saved and grown again over new rows.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lookalike.base.errors import HierarchyError
from lookalike.tables.columns.domains import Domain
from lookalike.tables.hierarchies.forms import DEEPEST, check_options
from lookalike.tables.hierarchies.tree import RAREST_FIRST, Tree

Edge = float | str | date


@dataclass(frozen=True)
class Hierarchy:
    """A recipe for a generalisation tree. Use one of the constructors below.

    Examples:
        >>> import lookalike as la
        >>> la.Hierarchy.mask()
        Hierarchy.mask()
        >>> la.Hierarchy.intervals(5, 10, 20)
        Hierarchy.intervals(widths=[5, 10, 20])
    """

    how: str  #: the name of the constructor
    options: Mapping[str, Any] = field(default_factory=dict)  #: its arguments

    def __post_init__(self) -> None:
        check_options(self.how, self.options)

    @staticmethod
    def intervals(
        *widths: float, start: Edge = 0, bottom: Edge | None = None, top: Edge | None = None
    ) -> Hierarchy:
        """Half-open intervals of the given widths, one level each: 5, 10 gives `[20, 25)`, then `[20, 30)`.

        `bottom` and `top` put all smaller values, and all values from there on, into one group each. Widths of dates
        are days, their edges dates such as "2024-01-31".
        """
        edges = {"start": _edge(start), "bottom": _edge(bottom), "top": _edge(top)}
        return _recipe("intervals", widths=[_edge(width) for width in widths], **edges)

    @staticmethod
    def cuts(*points: Sequence[Edge]) -> Hierarchy:
        """Half-open intervals between explicit cut points, finest level first; a level's cuts are among the finer's."""
        return _recipe("cuts", points=[[_edge(point) for point in level] for level in points])

    @staticmethod
    def quantiles(*groups: int) -> Hierarchy:
        """Intervals with about equally many records: `quantiles(8, 4, 2)`. Each number divides the one before."""
        return _recipe("quantiles", groups=list(groups))

    @staticmethod
    def top_bottom(*, bottom: Edge | None = None, top: Edge | None = None) -> Hierarchy:
        """Top and bottom coding: values below `bottom`, and values from `top` on, become one group each."""
        return Hierarchy.intervals(bottom=bottom, top=top)

    @staticmethod
    def dates(*levels: str) -> Hierarchy:
        """Calendar levels, finest first, out of day, month, quarter, year, decade (default: all but day)."""
        return _recipe("dates", levels=list(levels) or ["month", "quarter", "year", "decade"])

    @staticmethod
    def mask(*, character: str = "*", direction: str = "right", length: int | None = None) -> Hierarchy:
        """Blank out one more character per level: `8010 → 801* → 80** → ****`, from the right or from the left.

        There are as many levels as `length`, by default the length of the longest value.
        """
        return _recipe("mask", character=character, direction=direction, length=length)

    @staticmethod
    def prefixes(*lengths: int) -> Hierarchy:
        """Keep the first characters only, one level per length: `prefixes(3, 1)` gives `E11.9 → E11* → E*`."""
        return _recipe("prefixes", lengths=list(lengths))

    @staticmethod
    def parts(separator: str) -> Hierarchy:
        """Codes by their parts, the last one going first: `parts("-")` gives `25-00503 → 25-*`.

        `parts("letters")` cuts where letters turn into digits or back: `TR1 4FB → TR1 4* → TR1* → TR*`.
        """
        return _recipe("parts", separator=separator)

    @staticmethod
    def groups(groups: Mapping[str, Any], *, others: str = "refuse") -> Hierarchy:
        """Groupings by name: `{"north": ["Leeds", "York"]}`, a nested tree of such, or parents `{"Leeds": "north"}`.

        Values not named are refused, or stay by themselves below the root with `others="keep"`.
        """
        return _recipe("groups", groups=_spelled(groups), others=others)

    @staticmethod
    def ordering(values: Sequence[str] | None = None, *, fanout: int = 2) -> Hierarchy:
        """Merge neighbours in a given order (default: the domain's own), `fanout` groups at a time."""
        return _recipe("ordering", values=None if values is None else [str(v) for v in values], fanout=fanout)

    @staticmethod
    def rows(rows: Sequence[Sequence[str]], *, source: str = "the hierarchy") -> Hierarchy:
        """One row per value, leaf first, root last, as in ARX's files."""
        written = [["" if cell is None else str(cell) for cell in row] for row in rows]
        return _recipe("rows", rows=written, source=source)

    @staticmethod
    def read(path: str | Path, *, delimiter: str = ";", encoding: str = "utf-8") -> Hierarchy:
        """Read ARX's CSV format: one row per value, leaf first, `;` between levels, no header."""
        from lookalike.tables.hierarchies.files import read_rows

        return Hierarchy.rows(read_rows(Path(path), delimiter, encoding), source=Path(path).name)

    @staticmethod
    def automatic(concept: str | None = None) -> Hierarchy:
        """Grown from the data and what it is about: round intervals, the calendar, parts of codes, groups of values."""
        return _recipe("automatic", concept=concept)

    @property
    def is_grown(self) -> bool:
        """Whether its groups were read off the values of a table, so that they may tell of people who were left out."""
        return self.options.get("source") in (GROWN, RAREST_FIRST)

    def marked_as_grown(self) -> Hierarchy:
        """The same cuts or the same order, said to be read off the values of a table."""
        return Hierarchy(self.how, {**self.options, "source": GROWN})

    def grow(self, domain: Domain, counts: NDArray[np.int64] | None = None) -> Tree:
        """Grow the tree over a domain; `counts` (records per code) are used by recipes that balance groups."""
        from lookalike.tables.hierarchies import builders

        if counts is None:
            counts = np.ones(domain.size, dtype=np.int64)
        return builders.BUILDERS[self.how](self, domain, counts)

    def to_dict(self) -> dict[str, Any]:
        """The recipe as plain JSON values."""
        return {"how": self.how, **self.options}

    @staticmethod
    def from_dict(written: Mapping[str, Any]) -> Hierarchy:
        """Read back what `to_dict` wrote."""
        if not isinstance(written, Mapping):
            raise HierarchyError(f"a hierarchy is written as a mapping, not as {type(written).__name__}.")
        options = {name: value for name, value in written.items() if value is not None}
        return Hierarchy(options.pop("how", None), options)

    def __repr__(self) -> str:
        shown = {name: value for name, value in self.options.items() if name != "source"}
        options = ", ".join(
            f"{name}=…" if name in _LONG else f"{name}={value!r}" for name, value in shown.items()
        )
        return f"Hierarchy.{self.how}({options})"


GROWN = "its values"  #: source of cuts and orders that were read off the values of a table
_LONG = ("rows", "groups", "values", "points")
_DEFAULTS = {
    "concept": None,
    "start": 0,
    "bottom": None,
    "top": None,
    "character": "*",
    "direction": "right",
    "length": None,
    "fanout": 2,
    "values": None,
    "others": "refuse",
}


def _recipe(how: str, **options: Any) -> Hierarchy:
    return Hierarchy(how, {k: v for k, v in options.items() if k not in _DEFAULTS or v != _DEFAULTS[k]})


def _edge(edge: Any) -> Any:
    """An edge as a plain JSON value: a number, or an ISO date."""
    if isinstance(edge, date | np.datetime64):
        return str(edge)[:10]
    return edge.item() if isinstance(edge, np.generic) else float(edge) if isinstance(edge, Decimal) else edge


def _spelled(groups: Any, deepest: int = DEEPEST) -> Any:
    """Groups with every label and value as text, and sets in order."""
    if isinstance(groups, Mapping):
        if not deepest:
            raise HierarchyError(f"groups stand within groups more than {DEEPEST} deep.")
        return {str(label): _spelled(below, deepest - 1) for label, below in groups.items()}
    if isinstance(groups, str):
        return groups
    return sorted(map(str, groups)) if isinstance(groups, set | frozenset) else [str(leaf) for leaf in groups]
