"""Causal graphs between columns: supplied as a matrix, or discovered by PC or GES through causal-learn.

PC (Spirtes and Glymour 1991) tests independence with the G-square test, which fits coded columns; GES (Chickering
2002) scores with BDeu. Columns with many values are cut into a few bins of equal count first. Exponential in the
worst case.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lookalike.base.checks import choice, share, whole_number
from lookalike.base.errors import MissingExtra, RequestError, unknown_column
from lookalike.recognition.frames import takes_frames
from lookalike.tables.columns.coding import Column
from lookalike.tables.columns.grouping import group_keys
from lookalike.tables.table import Table


@dataclass(frozen=True, eq=False)
class Graph:
    """A graph over columns: `matrix[i, j]` is the strength of the arrow from i to j; both ways where undirected."""

    names: tuple[str, ...]
    matrix: NDArray[np.float64]

    def place(self, name: str) -> int:
        """The row of a column."""
        if name not in self.names:
            raise unknown_column(name, self.names, "causal graph")
        return self.names.index(name)

    @property
    def arrows(self) -> list[tuple[str, str]]:
        """(cause, effect) pairs; an undirected edge is listed both ways."""
        return [(self.names[i], self.names[j]) for i, j in zip(*np.nonzero(self.matrix), strict=True)]

    def to_dict(self) -> dict[str, Any]:
        """Names and matrix as plain lists."""
        return {"names": list(self.names), "matrix": self.matrix.tolist()}

    def __repr__(self) -> str:
        return f"Graph({len(self.names)} columns, {len(self.arrows)} arrows)"


def as_graph(given: Any, universe: Sequence[str]) -> Graph:
    """A `Graph`, or a square matrix over the universe, in its order."""
    if isinstance(given, Graph):
        return given
    try:
        matrix = np.asarray(given, dtype=np.float64)
    except (TypeError, ValueError):
        raise RequestError("adjacency: give a matrix of numbers, or a graph of la.discover_graph.") from None
    if matrix.shape != (len(universe), len(universe)):
        raise RequestError(
            f"adjacency: expected a {len(universe)} x {len(universe)} matrix over {', '.join(universe)}; "
            f"found shape {matrix.shape}. Pass universe=[...] to say which columns its rows are."
        )
    if not np.isfinite(matrix).all():
        raise RequestError("adjacency: the matrix holds values that are not finite numbers.")
    return Graph(tuple(universe), matrix)


@takes_frames
def discover_graph(
    table: Table,
    *,
    columns: Sequence[str] | None = None,
    method: str = "pc",
    alpha: float = 0.05,
    bins: int = 5,
) -> Graph:
    """Discover a causal graph between columns with causal-learn, by "pc" or "ges".

    alpha: significance level of PC's tests. bins: columns with more values are cut into this many bins of equal count
    (values without an order keep their commonest ones).
    table: the table. columns: those in the graph; all unless given.
    method: "pc" or "ges".

    Examples:
        >>> import numpy as np
        >>> import polars as pl
        >>> import lookalike as la
        >>> smokes = np.random.default_rng(0).integers(0, 2, 300)
        >>> frame = pl.DataFrame({"smokes": smokes, "coughs": smokes, "age": np.arange(300) % 7})
        >>> graph = la.discover_graph(la.table(frame, others=[]))
        >>> graph
        Graph(3 columns, 2 arrows)
    """
    choice(method, "method", ("pc", "ges"), where="causal graph")
    share(alpha, "alpha", above=True, where="causal graph")
    names = tuple(columns if columns is not None else table.names)
    if not names:
        raise RequestError("causal graph: `columns` names no column.")
    coded = np.column_stack([coarsen(table.column(name), bins) for name in names])
    varies = [i for i in range(len(names)) if len(np.unique(coded[:, i])) > 1]
    matrix = np.zeros((len(names), len(names)))
    if len(varies) > 1:
        matrix[np.ix_(varies, varies)] = _discover(coded[:, varies], method, alpha)
    return Graph(names, matrix)


def coarsen(column: Column, bins: int) -> NDArray[np.int64]:
    """Codes with at most `bins` values: ordered ones cut at equal counts, others pooled but for the commonest."""
    whole_number(bins, "bins", least=2, where="causal graph")
    if column.domain.size <= bins:
        return _numbered(column.codes, column.domain.size)
    if column.kind.ordered:
        share = (np.cumsum(column.counts) - column.counts / 2) / len(column.codes)
        of_code = np.minimum((share * bins).astype(np.int64), bins - 1)
    else:
        of_code = np.full(column.domain.size, bins - 1)
        of_code[np.argsort(-column.counts, kind="stable")[: bins - 1]] = np.arange(bins - 1)
    return _numbered(of_code[column.codes], bins)


def _numbered(codes: NDArray[np.integer], size: int) -> NDArray[np.int64]:
    """The codes that occur, numbered from 0 on."""
    return group_keys(codes.astype(np.int64), size)[0].astype(np.int64)


def _discover(coded: NDArray[np.int64], method: str, alpha: float) -> NDArray[np.float64]:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            from causallearn.search.ConstraintBased.PC import pc
            from causallearn.search.ScoreBased.GES import ges
    except ImportError:
        raise MissingExtra("causal-learn", "causal", "Discovering a causal graph") from None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        if method == "pc":
            marks = pc(coded, alpha, "gsq", show_progress=False).G.graph
        else:
            marks = ges(coded, score_func="local_score_BDeu")["G"].graph
    # causal-learn marks an arrow i -> j as [j, i] = 1 and [i, j] = -1, an undirected edge as -1 both ways
    undirected = (marks == -1) & (marks.T == -1)
    both = (marks == 1) & (marks.T == 1)
    arrows: NDArray[np.bool_] = (marks == -1) & (marks.T == 1) | undirected | both
    return arrows.astype(np.float64)
