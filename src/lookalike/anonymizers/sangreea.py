"""SaNGreeA: greedy clustering into classes of k, with a weight per column; the tabular part.

Campan and Truta 2008 (https://doi.org/10.1007/978-3-642-01718-6_4), with weights as in Malle, Kieseberg and Holzinger
2017, Interactive anonymisation for privacy-aware machine learning. Exact: the same classes as the quadratic algorithm,
from cells and bounds. Whole Adult (48,842 rows, 8 columns) takes seconds.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lookalike.anonymizers.local.classes import Labels, breaking, check_models, classes_of_rows
from lookalike.anonymizers.local.shape import share_weights
from lookalike.base.checks import whole_number
from lookalike.base.errors import GuaranteeError, RequestError, amount, unknown_column
from lookalike.base.progress import Report
from lookalike.models import KAnonymity
from lookalike.models.model import Model
from lookalike.tables.cells import Cells
from lookalike.tables.columns.domains import Domain
from lookalike.tables.layout import lay_out, values_of

_AT_ONCE = 512  #: classes grown between two reports of progress


@dataclass(frozen=True, eq=False)
class Clustering:
    """The class of each row, and the generalised information loss (GIL) of publishing each class as one tuple."""

    of_row: Labels
    classes: int
    gil: float  #: sum over classes of size x the columns' losses
    ngil: float  #: the same, 0 to 1
    gil_weighted: float
    losses: NDArray[np.float64]  #: classes x columns

    def to_dict(self) -> dict[str, Any]:
        """The numbers, without the class of each row."""
        return {
            "classes": self.classes,
            "gil": self.gil,
            "ngil": self.ngil,
            "gil_weighted": self.gil_weighted,
        }

    def __repr__(self) -> str:
        return f"Clustering({self.classes:,} classes of {len(self.of_row):,} rows; NGIL {self.ngil:.4f})"


def cluster(
    cells: Cells,
    *,
    k: int,
    weights: Mapping[str, float] | None = None,
    ranges: Collection[str] | None = None,
    order: Sequence[int] | NDArray[np.integer[Any]] | str | None = None,
    candidates: int | None = None,
    seed: int = 0,
    models: Sequence[Model] = (),
    unit: NDArray[np.integer[Any]] | None = None,
    progress: Report = lambda share: None,
) -> Clustering:
    """Grow classes of k rows one after another; what is left at the end joins the class it hurts least.

    ranges: numeric columns to publish as ranges (default: all numeric ones); the others go up their hierarchy.
    order: seed rows in this order, the rest by position; "file" seeds from the first row to the last, as the paper
        does, so that the answer depends on how the file is sorted (default: shuffled by `seed`).
    candidates: let each pick look at a random sample of so many rows instead of all that are left.
    models: promises beyond k; classes that break one are merged with the class whose union loses least.
    unit: the person of each row, where the cells count people.
    """
    from lookalike.kernels.sangreea import classes as sangreea_classes
    from lookalike.kernels.sangreea import growth as sangreea_growth
    from lookalike.kernels.sangreea import mending as sangreea_mending

    n = len(cells.of_row)
    promises = (KAnonymity(k), *models)
    check_models(cells, promises, unit)
    if candidates is not None:
        candidates = whole_number(candidates, "candidates", least=1)
    share = share_weights(cells.names, weights)
    measure, values = _measure(cells, share, ranges)
    seeds = _order(order, n, seed)
    labels = np.full(n, -1, dtype=np.int32)
    if candidates is None:
        rows = np.argsort(cells.of_row, kind="stable")
        ends = np.cumsum(cells.records)
        stock = sangreea_growth.Stock(cells.of_row, rows, ends - cells.records, ends, labels, seeds)
        at, classes, free = 0, 0, n
        while free >= k:
            at, classes, free = sangreea_growth.grow(measure, values, stock, at, classes, free, k, _AT_ONCE)
            progress(0.99 * (1 - free / n))
    else:
        classes = sangreea_growth.grow_sampled(
            measure, values, cells.of_row, labels, seeds, k, candidates, int(seed)
        )
    sangreea_mending.place_leftovers(measure, values, cells.of_row, labels, classes)
    if models or unit is not None:
        labels, classes = _repair(cells, promises, measure, values, labels, classes, unit)
    losses = sangreea_classes.losses(measure, values, cells.of_row, labels, classes)
    size = np.bincount(labels, minlength=classes)
    gil = float((size * losses.sum(axis=1)).sum())
    progress(1.0)
    return Clustering(
        labels,
        classes,
        gil,
        gil / (n * len(share)),
        float((size * (losses @ share)).sum()),
        losses,
    )


def _measure(
    cells: Cells, share: NDArray[np.float64], ranges: Collection[str] | None
) -> tuple[Any, NDArray[np.int32]]:
    """The kernel's tables: values of all columns in one numbering."""
    from lookalike.kernels.sangreea.classes import Measure

    for name in ranges or ():
        if name not in cells.names:
            raise unknown_column(name, cells.names, "ranges")
        if not cells.attributes[cells.names.index(name)].domain.kind.numeric:
            raise RequestError(f"ranges: column {name!r} holds no numbers. Publish it by its hierarchy.")
    attributes = cells.attributes
    by_range = [a.domain.kind.numeric and (ranges is None or a.name in ranges) for a in attributes]
    shape = lay_out(
        attributes,
        ["range" if is_range else "node" for is_range in by_range],
        ranks=[
            a.domain.places if r else np.zeros(a.domain.size)
            for a, r in zip(attributes, by_range, strict=True)
        ],
        scale=np.array([_reach(a.domain) if r else 0.0 for a, r in zip(attributes, by_range, strict=True)]),
        cost=lambda a, tree, level: tree.heights[level] / max(int(tree.heights[-1].max()), 1),
    )
    return Measure(shape, share), values_of(cells.codes, shape)


def _reach(domain: Domain) -> float:
    """From the least number to the greatest."""
    known = domain.places[: len(domain.values)]
    return float(known[-1] - known[0]) if len(known) else 0.0


def _order(
    order: Sequence[int] | NDArray[np.integer[Any]] | str | None, n: int, seed: int
) -> NDArray[np.int64]:
    if order is None:
        return np.random.default_rng(seed).permutation(n)
    if isinstance(order, str) and order == "file":
        return np.arange(n)
    try:
        first = np.asarray(order if len(order) else np.empty(0, np.int64))
    except (TypeError, ValueError):  # not a list, or a ragged one
        first = np.empty(())
    if first.ndim != 1 or first.dtype.kind not in "iu":
        raise RequestError(f"`order` must be 'file', or a list of rows by their positions 0 to {n - 1}.")
    if len(np.unique(first)) < len(first) or ((first < 0) | (first >= n)).any():
        raise RequestError(f"`order` must name different rows by their positions 0 to {n - 1}.")
    rest = np.ones(n, dtype=bool)
    rest[first] = False
    return np.concatenate([first, np.flatnonzero(rest)])


def _repair(
    cells: Cells,
    models: Sequence[Model],
    measure: Any,
    values: NDArray[np.int32],
    labels: Labels,
    classes: int,
    unit: NDArray[np.integer[Any]] | None,
) -> tuple[Labels, int]:
    """Merge classes that break a model with the class whose union loses least, until all models hold."""
    from lookalike.kernels.sangreea.mending import merge_breaking

    while True:
        found = classes_of_rows(cells, labels, classes, unit)
        flags = breaking(models, found)
        if not flags.any():
            return labels, classes
        if classes == 1:
            broken = dict.fromkeys(str(model) for model in models if model.breaks(found).any())
            raise GuaranteeError(
                f"{' and '.join(broken)} cannot be met: one class of all {amount(len(labels), 'row')} still breaks "
                f"{'it' if len(broken) == 1 else 'them'}. Ask for less."
            )
        merged = merge_breaking(measure, values, cells.of_row, labels, classes, flags)
        used, inverse = np.unique(merged, return_inverse=True)
        labels, classes = inverse.astype(np.int32), len(used)
