"""What every kept class must have, in a form that also bounds what can be kept of a coarser class.

A requirement gives each sensitive value v a weight and asks that a class of s records with h(v) of them having v has
sum of min(h(v), weight(v) s) >= need s. A union of classes that meet it meets it as well, so all that is kept of a
class, in whatever parts, does; that bounds how many records can be kept, also for models that are not monotone once
records may be suppressed. For small s only the values present count: the sum of their weights must reach the need. Some
requirements say no more than that (not sized).

k-anonymity, k-map    at least k records (people are never more than records)
l-diversity           weight 1, need l, not sized: exp(entropy) <= distinct values, and a tail must not be empty
t-closeness, equal    weight = share in the table, need 1 - t: what the class has above the table must be moved
   hierarchical       the same for every node of the tree, added up over its levels
KL-closeness          weight = share, need exp(-t), not sized: the divergence is at least -log(share present) (Jensen)
beta-likeness         weight = (1 + allowed gain) share, need 1: the shares in the class add up to 1
delta-disclosure      weight = exp(delta) share, need 1; and every value of the table, not sized
(alpha,k)-anonymity   weight alpha, need 1, besides k
directional           weight 1 for all but the negative value, need 1, not sized
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from lookalike.columns.domains import Domain
from lookalike.models import (
    AlphaK,
    BetaLikeness,
    DeltaDisclosure,
    DirectionalDiversity,
    KAnonymity,
    KLCloseness,
    KMap,
    LDiversity,
    Model,
    Reference,
    TCloseness,
)
from lookalike.models.sensitive import shares
from lookalike.tables.cells import Cells

MARKS = 256  #: values and tree nodes watched at most; what is beyond does not prune
_SLACK = 1e-7  #: conditions are weakened by this much, so that rounding never suppresses a class


@dataclass(frozen=True, eq=False)
class Requirements:
    """Conditions on every kept class."""

    smallest: int  #: records
    marks: dict[str, NDArray[np.int64]]  #: per sensitive column: value x the marks it counts as
    weight: NDArray[np.float64]  #: requirement x mark
    need: NDArray[np.float64]
    sized: NDArray[np.bool_]
    unsettled: tuple[Model, ...]  #: models of which these conditions are only a part


def require(cells: Cells, models: Sequence[Model], reference: Reference) -> Requirements:
    """What follows from some models, and the models that still have to be asked."""
    smallest, used = 1, 0
    marks: dict[str, list[NDArray[np.int64]]] = {}
    rows: list[tuple[NDArray[np.float64], float, bool]] = []
    unsettled = []
    one_row_each = cells.entries.unit is None
    domains = {column.name: column.domain for column in cells.sensitive}
    for model in models:
        size = _records(model)
        smallest = max(smallest, size)
        settled = isinstance(model, KAnonymity | KMap) and size > 0 and one_row_each
        for column in model.columns:
            share = shares(np.asarray(reference[column]))
            required = list(_values(model, share, domains[column]))
            if not required or (column not in marks and used + len(share) > MARKS):
                continue
            if column not in marks:
                marks[column] = [np.arange(used, used + len(share))]
                used += len(share)
            for per_value, need, sized in required:
                weight = np.zeros(MARKS)
                weight[marks[column][0]] = per_value
                levels = [per_value]
                if isinstance(model, TCloseness) and model.distance == "hierarchical":
                    tree = cells.sensitive_trees[column]()
                    for level in range(1, tree.height):
                        if used + len(tree.labels[level]) > MARKS:
                            break
                        marks[column].append(used + tree.up[level].astype(np.int64))
                        levels.append(
                            np.asarray(np.bincount(tree.up[level], weights=share), dtype=np.float64)
                        )
                        weight[used : used + len(levels[-1])] = levels[-1]
                        used += len(tree.labels[level])
                    # Distances add up over the levels, over the height; a level that is not watched may be perfect.
                    need = weight.sum() - tree.height * (1 - need)
                sized = sized and one_row_each
                if sized:
                    smallest = max(smallest, _least(levels, need))
                rows.append((weight, need, sized))
            settled = not getattr(model, "strict", False) and (
                (isinstance(model, LDiversity) and model.kind == "distinct")
                or (isinstance(model, DirectionalDiversity) and one_row_each)
            )
        if not settled:
            unsettled.append(model)
    return Requirements(
        smallest,
        {column: np.stack(found, axis=1) for column, found in marks.items()},
        np.array([weight for weight, _, _ in rows]).reshape(-1, MARKS)[:, :used],
        np.array([need for _, need, _ in rows]),
        np.array([sized for _, _, sized in rows], dtype=bool),
        tuple(unsettled),
    )


def _records(model: Model) -> int:
    """Fewest records that a class of this model has; 0 where it says nothing about that."""
    if isinstance(model, KAnonymity | AlphaK):
        return model.k
    if isinstance(model, KMap) and model.sampling_fraction is not None:
        return model.smallest
    return 0


def _values(
    model: Model, share: NDArray[np.float64], domain: Domain
) -> Iterator[tuple[NDArray[np.float64], float, bool]]:
    """Weight of each value, what they must add up to, and whether sizes matter."""
    ones = np.ones(len(share))
    if isinstance(model, LDiversity):
        yield ones, model.l - _SLACK, False
    elif isinstance(model, AlphaK):
        only = [text == str(model.value) for text in domain.texts] + [False] * domain.missing
        yield (
            np.where(only, model.alpha, 1.0) if model.value is not None else ones * model.alpha,
            1 - _SLACK,
            True,
        )
    elif isinstance(model, DirectionalDiversity):
        others = [text != str(model.negative) for text in domain.texts] + [True] * domain.missing
        yield np.array(others, dtype=np.float64), 1.0, False
    elif isinstance(model, DeltaDisclosure):
        yield ones * (share > 0), float(np.count_nonzero(share)), False
        yield math.exp(min(model.delta, 700)) * share, 1 - _SLACK, True
    elif isinstance(model, KLCloseness):
        yield share, math.exp(-model.t) - _SLACK, False
    elif isinstance(model, BetaLikeness):
        gain = np.full(len(share), model.beta)
        if model.enhanced:
            gain = np.minimum(gain, -np.log(np.where(share > 0, share, 1)))
        yield (1 + gain) * share, 1 - _SLACK, True
    elif isinstance(model, TCloseness):
        distance = model.distance or ("ordered" if domain.kind.ordered else "equal")
        if distance != "ordered":
            yield share, 1 - model.t - _SLACK, True


def _least(weights: Sequence[NDArray[np.float64]], need: float) -> int:
    """The fewest records that can meet a sized requirement at all, as records cannot be parted.

    The marks of a level are filled best when each gets the whole part of weight x size, the rest the largest fractions.
    """
    for size in range(1, 1000):
        best = 0.0
        for level in weights:
            whole = np.floor(level * size + 1e-9)
            rest = max(int(size - whole.sum()), 0)
            best += whole.sum() + np.sort(level * size - whole)[::-1][:rest].sum()
        if best >= need * size - 1e-9:
            return size
    return 1
