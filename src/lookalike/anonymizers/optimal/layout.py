"""A lattice laid out for the kernels: rows, what each level does to them, what a record saves, what classes must have.

`kernels.lattice.rows` says what the tables are and how they are named. O(rows x attributes + values x levels).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from lookalike.anonymizers.optimal.fences import pair_floors
from lookalike.anonymizers.optimal.lattice import MEASURES, GeneralisationLattice
from lookalike.kernels.lattice import rows as kernels
from lookalike.tables.columns.grouping import first_of_each, group_codes, sum_by
from lookalike.tables.hierarchies.losses import ADDITIVE

Integers = NDArray[np.int64]
_NODES = 400  #: nodes below a choice of levels from which on models are asked about the choice


@dataclass(frozen=True, eq=False)
class Steps:
    """What each level of each attribute makes of a code, in the order of decision."""

    spans: list[int]  #: codes of each attribute at its lowest level
    levels: Integers
    place: Integers
    up: NDArray[np.int32]
    extra: NDArray[np.float64]
    least: NDArray[np.float64]
    nodes: Integers  #: depth, level -> their number


def lay_out_steps(
    lattice: GeneralisationLattice, order: Sequence[int], folded: FoldedColumns | None
) -> Steps:
    """Nodes and losses by level. An open attribute loses as much as at its lowest level."""
    cells, low = lattice.cells, lattice.low
    levels = np.array([1] * (folded is not None) + [lattice.high[a] - low[a] + 1 for a in order])
    place = np.zeros((len(levels), levels.max(initial=1)), dtype=np.int64)
    least, nodes = np.zeros(place.shape), np.zeros_like(place)
    spans, up, extra, at = [], [], [], 0
    if folded is not None:
        at = nodes[0, 0] = len(folded.extra)
        spans, up, extra = [at], [np.arange(at, dtype=np.int32)], [folded.extra]
        least[0, 0] = folded.extra.min(initial=np.inf)
    for d, a in enumerate(order, len(spans)):
        tree, own = cells.attributes[a].tree, range(low[a], lattice.high[a] + 1)
        node = np.array([tree.up[level] for level in own])
        more = np.array([added_losses(lattice, a, level) for level in own])
        here = d, slice(len(own))
        # Where nobody may go, it is known what all records together lose.
        mean = lattice.marginals[a] / lattice.total if not lattice.spare else None
        least[here] = more.min(axis=1, initial=np.inf) if mean is None else more @ mean
        if low[a]:
            code = _code_of_each(lattice, a)
            node, more = node[:, code], more[:, code]
        spans.append(node.shape[1])
        nodes[here] = [len(tree.labels[level]) for level in own]
        place[here] = at + spans[d] * np.arange(len(own))
        up.append(node.ravel())
        extra.append(more.ravel())
        at += node.size
    return Steps(spans, levels, place, np.concatenate(up), np.concatenate(extra), least, nodes)


@dataclass(frozen=True, eq=False)
class FoldedColumns:
    """Attributes that have one level only, as one attribute: rows that agree in all of them have one code."""

    attributes: Sequence[int]
    codes: NDArray[np.int32]  #: of each cell
    extra: NDArray[np.float64]  #: of each code: loss per record


def fold_columns(lattice: GeneralisationLattice, attributes: Sequence[int]) -> FoldedColumns:
    """Fold attributes into one; the search then has fewer columns, and fewer rows once equal ones are merged."""
    cells, low = lattice.cells, lattice.low
    nodes = {
        a: len(cells.attributes[a].tree.labels[low[a]]) if low[a] else cells.sizes[a] for a in attributes
    }
    telling = [a for a in attributes if nodes[a] > 1]
    columns = [
        cells.attributes[a].tree.up[low[a]][cells.codes[a]] if low[a] else cells.codes[a] for a in telling
    ]
    codes, groups = group_codes(columns, [nodes[a] for a in telling], len(cells))
    first = first_of_each(codes, groups)
    extra = sum(
        (added_losses(lattice, a, low[a])[cells.codes[a][first]] for a in attributes), np.zeros(groups)
    )
    return FoldedColumns(attributes, codes, extra)


def added_losses(lattice: GeneralisationLattice, a: int, level: int) -> NDArray[np.float64]:
    """Per code: how much more a record loses on a level than while the attribute is open."""
    if lattice.measure not in ADDITIVE:
        return np.zeros(lattice.cells.sizes[a])
    weight = lattice.weights[a] / lattice.total
    return np.asarray((lattice.losses(a, level) - _lowest(lattice, a)) * weight)


def _code_of_each(lattice: GeneralisationLattice, a: int) -> Integers:
    """A code of each node at the lowest level allowed; by entropy one that somebody has, as others lose nothing."""
    tree, codes = lattice.cells.attributes[a].tree, np.arange(lattice.cells.sizes[a])
    if lattice.measure == "entropy":
        codes = np.argsort(lattice.marginals[a] > 0, kind="stable")
    out = np.zeros(len(tree.labels[lattice.low[a]]), dtype=np.int64)
    out[tree.up[lattice.low[a]][codes]] = codes
    return out


def _lowest(lattice: GeneralisationLattice, a: int) -> NDArray[np.float64] | float:
    """What an open attribute loses: nothing, but for entropy, where it differs from value to value."""
    return lattice.losses(a, lattice.low[a]) if lattice.measure == "entropy" else 0.0


def savings(
    lattice: GeneralisationLattice, attributes: Sequence[int], suffix: NDArray[np.int32], records: Integers
) -> tuple[NDArray[np.float64] | float, float]:
    """How much less is lost if a row (or a record, where all are even) is kept; the loss when everything goes.

    Rows with one suffix are one row, of so many records.
    """
    total, rows = lattice.total, lattice.rows
    if lattice.measure == "discernibility":
        return np.asarray(records * (total - records), dtype=np.float64), float(total) * total
    if lattice.measure == "average class size":
        return (records > 0).astype(np.float64), 1.0
    if lattice.measure != "entropy":
        share = float(lattice.weights[list(attributes)].sum())
        return share / total, share
    saving, ceiling = np.zeros(len(suffix)), 0.0
    for a in attributes:
        codes, weight = lattice.cells.codes[a], lattice.weights[a] / total
        worst = lattice.worst(a) * weight
        ceiling += float(worst @ lattice.marginals[a])
        saving += (worst - _lowest(lattice, a) * weight)[codes[rows.cell]] * rows.records
    return np.asarray(np.bincount(suffix, weights=saving, minlength=len(records)), dtype=np.float64), ceiling


def _worth_checking(levels: Integers) -> int:
    """Up to which depth a look at what is decided so far costs less than the nodes it may spare."""
    below = np.append(np.cumprod(levels[::-1])[::-1], 1)
    return int(np.count_nonzero(below >= _NODES))


def _losses_after(steps: Steps, floor: Integers, total: int) -> NDArray[np.float64]:
    """Per level of the lead and depth: what all attributes decided afterwards lose at least where nobody may go."""
    finest = np.minimum(floor, steps.levels - 1)
    lost = steps.least[np.arange(len(steps.levels)), finest] * total
    return np.append(np.cumsum(lost[:, :0:-1], axis=1)[:, ::-1], np.zeros((len(floor), 1)), axis=1)


def lay_out(
    lattice: GeneralisationLattice,
    order: Sequence[int],
    folded: FoldedColumns | None,
    *,
    early: bool,
) -> tuple[kernels.LatticePlan, kernels.Walk]:
    """What stays the same during a search, and where it begins.

    What is folded comes before the attributes in `order`.
    early: whether a class that breaks a model that is not settled cannot be mended by splitting it.
    """
    cells, known = lattice.cells, lattice.requirements
    with_population = known.population is not None and cells.population is not None
    rows, steps = lattice.rows, lay_out_steps(lattice, order, folded)
    decided = [*(folded.attributes if folded is not None else ()), *order]
    partial = len(decided) < len(cells.codes)
    depths = len(steps.spans)
    codes = np.empty((depths, len(cells)), dtype=np.int32)
    if folded is not None:
        codes[0] = folded.codes
    for d, a in enumerate(order, depths - len(order)):
        of_cell, base = cells.codes[a], cells.attributes[a].tree.up[lattice.low[a]]
        codes[d] = base.take(of_cell) if lattice.low[a] else of_cell
    distinct = rows.distinct and not (partial or any(lattice.low))
    bits = (len(lattice.marks) - 1).bit_length()
    suffix, row, code, after = kernels.number_suffixes(
        codes, steps.spans, rows.cell, rows.tuples, rows.kinds, bits, distinct
    )
    records, population = rows.records, rows.population
    if not distinct:
        records = sum_by(suffix, records, len(row))
        population = sum_by(suffix, population, len(row)) if len(population) else population
    lead = next((d for d, many in enumerate(steps.levels) if many > 1), 0)
    floor = np.zeros((int(steps.levels[lead]), depths), dtype=np.int64)
    rest = np.zeros(floor.shape)
    if not lattice.spare:
        cell, tuples = rows.cell.take(row), rows.tuples.take(row)
        floor = pair_floors(
            lattice, steps, lead, codes=codes, cell=cell, count=records, population=population, tuples=tuples
        )
        rest = _losses_after(steps, floor, lattice.total)
    saving, ceiling = savings(lattice, decided, suffix, records)
    one_row_each = cells.entries.unit is None
    plan = kernels.LatticePlan(
        code=code,
        bits=bits,
        after=after,
        marks=lattice.marks,
        weight=known.weight,
        need=known.need,
        sized=known.sized,
        width=known.weight.shape[1],
        up=steps.up,
        extra=steps.extra,
        least=steps.least,
        root=steps.nodes == 1,
        place=steps.place,
        levels=steps.levels,
        smallest=known.smallest,
        with_population=with_population,
        least_population=known.population.least if known.population else 0,
        low=known.population.low if known.population else 0.0,
        # With several rows for a person there are more records than people.
        high=known.population.high if known.population and one_row_each else np.inf,
        rate=known.budget.rate if known.budget else 0.0,
        below=int(min(known.budget.below, lattice.total + 1)) if known.budget else 0,
        limit=lattice.spare,
        total=lattice.total,
        ceiling=ceiling,
        measure=MEASURES[lattice.measure],
        even=lattice.measure in ADDITIVE and lattice.measure != "entropy",
        ask=not partial and (bool(known.unsettled) or not one_row_each),
        early=_worth_checking(steps.levels) if not partial and early and lattice.spare == 0 else 0,
        open=partial,
        lead=lead,
        floor=floor,
        rest=rest,
        share=np.zeros(depths),
    )
    nodes = max(int(steps.nodes.max(initial=1)), *steps.spans)
    slots = max(len(records), rows.kinds, nodes << bits)
    walk = kernels.new_walk(plan, records, population, saving, nodes, slots)
    return plan, walk
