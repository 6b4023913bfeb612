"""What a class must bring together whatever is merged into it: conditions that let the optimal search prune.

A class that lacks them breaks a model, and so does every part of it. So the records of such a class are suppressed in
every finer generalisation as well, also for models that are not monotone under suppression. Each condition is a number
of records, or weights of the sensitive values present that must add up to a need:

k-anonymity, k-map    at least k records (people are never more than records)
l-diversity           at least l distinct values, whichever kind: exp(entropy) <= distinct, and a tail must not be empty
t-closeness, equal    the values present have a share of at least 1 - t in the table, as the rest must be moved
   hierarchical       the same on every level of the tree, added up over the levels
KL-closeness          a share of at least exp(-t), as the divergence is at least -log(share) (Jensen)
beta-likeness         (1 + beta) x share over the values present is at least 1, as the class's shares add up to 1
delta-disclosure      every value of the table
(alpha,k)-anonymity   at least 1 / alpha distinct values
directional           somebody with another value than the negative one
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from lookalike.cells import Cells
from lookalike.domains import Domain
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

BITS = 64
_SLACK = 1e-7  #: conditions are weakened by this much, so that rounding never suppresses a class


@dataclass(frozen=True, eq=False)
class Requirements:
    """Conditions on every kept class."""

    smallest: int  #: records
    bits: dict[str, NDArray[np.uint64]]  #: per sensitive column: the bits of each value
    weight: NDArray[np.float64]  #: requirement x bit
    need: NDArray[np.float64]
    unsettled: tuple[Model, ...]  #: models of which these conditions are only a part


def require(cells: Cells, models: Sequence[Model], reference: Reference) -> Requirements:
    """The conditions that follow from some models, and the models that still have to be asked."""
    smallest, used = 1, 0
    bits: dict[str, NDArray[np.uint64]] = {}
    start: dict[str, int] = {}
    rows: list[tuple[NDArray[np.float64], float]] = []
    unsettled = []
    one_row_each = cells.entries.unit is None
    domains = {column.name: column.domain for column in cells.sensitive}
    for model in models:
        size = _records(model)
        smallest = max(smallest, size)
        settled = isinstance(model, KAnonymity | KMap) and size > 0 and one_row_each
        for column in model.columns:
            share = shares(np.asarray(reference[column]))
            found = _values(model, share, domains[column])
            if found is None:
                continue
            if column not in bits and used + len(share) <= BITS:
                start[column] = used
                bits[column] = np.uint64(1) << np.arange(used, used + len(share), dtype=np.uint64)
                used += len(share)
            if column not in bits:
                continue
            weight = np.zeros(BITS)
            weight[start[column] : start[column] + len(share)], need = found
            if isinstance(model, TCloseness) and model.distance == "hierarchical":
                tree = cells.sensitive_trees[column]()
                weight /= tree.height
                for level in range(1, tree.height):
                    nodes = tree.up[level].astype(np.int64)
                    if used + len(tree.labels[level]) > BITS:
                        need -= 1 / tree.height  # a level that cannot be watched may be perfect
                        continue
                    bits[column] = bits[column] | (np.uint64(1) << (used + nodes).astype(np.uint64))
                    np.add.at(weight, used + nodes, share / tree.height)
                    used += len(tree.labels[level])
            rows.append((weight, need))
            settled = not model.strict and (  # type: ignore[attr-defined]
                (isinstance(model, LDiversity) and model.kind == "distinct")
                or (isinstance(model, DirectionalDiversity) and one_row_each)
            )
        if not settled:
            unsettled.append(model)
    weights = np.array([weight for weight, _ in rows]).reshape(-1, BITS)
    return Requirements(smallest, bits, weights, np.array([need for _, need in rows]), tuple(unsettled))


def _records(model: Model) -> int:
    """Fewest records that a class of this model has; 0 where it says nothing about that."""
    if isinstance(model, KAnonymity | AlphaK):
        return model.k
    if isinstance(model, KMap) and model.sampling_fraction is not None:
        return model.smallest
    return 0


def _values(
    model: Model, share: NDArray[np.float64], domain: Domain
) -> tuple[NDArray[np.float64], float] | None:
    """Weight of each value and what they must add up to; None where nothing follows from the model."""
    ones = np.ones(len(share))
    if isinstance(model, LDiversity):
        return ones, model.l - _SLACK
    if isinstance(model, AlphaK):
        return None if model.value is not None else (ones, 1 / model.alpha - _SLACK)
    if isinstance(model, DirectionalDiversity):
        others = [text != str(model.negative) for text in domain.texts] + [True] * domain.missing
        return np.array(others, dtype=np.float64), 1.0
    if isinstance(model, DeltaDisclosure):
        return ones, float(np.count_nonzero(share))
    if isinstance(model, KLCloseness):
        return share, math.exp(-model.t) - _SLACK
    if isinstance(model, BetaLikeness):
        gain = np.full(len(share), model.beta)
        if model.enhanced:
            gain = np.minimum(gain, -np.log(np.where(share > 0, share, 1)))
        return (1 + gain) * share, 1 - _SLACK
    if isinstance(model, TCloseness):
        distance = model.distance or ("ordered" if domain.kind.ordered else "equal")
        return None if distance == "ordered" else (share, 1 - model.t - _SLACK)
    return None
