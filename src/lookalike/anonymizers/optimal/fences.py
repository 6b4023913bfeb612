"""Levels that no allowed node has where nobody may be left out, told by one attribute at a time.

What is left of the lattice begins at coarser levels, where many rows are equal. `kernels.lattice.fences` says why.
"""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from lookalike.anonymizers.optimal.lattice import GeneralisationLattice

if TYPE_CHECKING:
    from lookalike.anonymizers.optimal.layout import Steps
    from lookalike.kernels.lattice.fences import FencePlan, FenceScratch


_SHARE = 2  #: pairs of nodes are counted where the rows are so many times as many


def fenced(lattice: GeneralisationLattice) -> GeneralisationLattice:
    """The lattice without the levels at which an attribute breaks a promise whatever the others do."""
    from lookalike.kernels.lattice.fences import finest_levels

    cells, rows, low, high = lattice.cells, lattice.rows, lattice.low, lattice.high
    levels, spans = np.array(high) - np.array(low) + 1, np.array(cells.sizes)
    place = np.zeros((len(levels), levels.max(initial=1)), dtype=np.int64)
    nodes, up, at = np.zeros_like(place), [], 0
    for a, attribute in enumerate(cells.attributes):
        for level in range(low[a], high[a] + 1):
            place[a, level - low[a]], nodes[a, level - low[a]] = at, len(attribute.tree.labels[level])
            up.append(attribute.tree.up[level])
            at += len(up[-1])
    plan = _plan(
        lattice,
        codes=cells.codes,
        cell=rows.cell,
        count=rows.records,
        population=rows.population,
        tuples=rows.tuples,
        place=place,
        up=np.concatenate(up),
        nodes=nodes,
        levels=levels,
        spans=spans,
    )
    widest = max(int(spans.max(initial=0)), int(nodes.max(initial=0)))
    finest = np.zeros(len(levels), dtype=np.int64)
    records = np.zeros((len(levels), widest), dtype=np.int64)
    offset = np.cumsum(spans) - spans
    finest_levels(plan, _scratch(plan, offset, spans, int(spans.sum()), widest), finest, records)
    out = copy.copy(lattice)
    out.low = tuple(int(above) + least for above, least in zip(finest, low, strict=True))
    out.marginals = [of_code[:size] for of_code, size in zip(records, cells.sizes, strict=True)]
    return out


def pair_floors(lattice: GeneralisationLattice, steps: Steps, lead: int, **rows: Any) -> NDArray[np.int64]:
    """Per level of the lead and depth: the finest level that can go with it where nobody may be left out.

    rows: what `FencePlan` has of them, their codes being nodes of the lowest levels.
    """
    from lookalike.kernels.lattice.fences import finest_pairs

    levels, spans = steps.levels, np.array(steps.spans)
    most = np.maximum(steps.nodes.max(axis=1), spans)
    many, room = most[lead] * most, len(rows["count"]) // (_SHARE * len(lattice.marks))
    asked = (many <= room) & (levels > 1)
    asked[lead] = False
    sizes = np.where(asked, spans[lead] * spans, 0)
    offset = np.where(asked, np.cumsum(sizes) - sizes, -1)
    out = np.zeros((levels[lead], len(levels)), dtype=np.int64)
    if asked.any():
        plan = _plan(
            lattice,
            **rows,
            place=steps.place,
            up=steps.up,
            nodes=steps.nodes,
            levels=levels,
            spans=spans,
        )
        scratch = _scratch(plan, offset, spans, int(sizes.sum()), int(many[asked].max()))
        finest_pairs(plan, scratch, lead, out)
    return out


def _plan(lattice: GeneralisationLattice, **tables: Any) -> FencePlan:
    from lookalike.kernels.lattice.fences import FencePlan

    known = lattice.requirements
    population, one_row_each = known.population, lattice.cells.entries.unit is None
    return FencePlan(
        **tables,
        marks=lattice.marks,
        weight=known.weight,
        need=known.need,
        sized=known.sized,
        smallest=known.smallest,
        least=population.least if population else 0,
        low=population.low if population else 0.0,
        high=population.high if population and one_row_each else np.inf,
    )


def _scratch(
    plan: FencePlan, offset: NDArray[np.int64], width: NDArray[np.int64], cells: int, classes: int
) -> FenceScratch:
    from lookalike.kernels.lattice.fences import FenceScratch

    kinds = len(plan.marks)
    return FenceScratch(
        table=np.zeros(cells * kinds, dtype=np.int64),
        others=np.zeros(cells, dtype=np.int64),
        offset=offset,
        width=width,
        above=np.zeros(classes, dtype=np.int32),
        beyond=np.zeros(classes, dtype=np.int32),
        seen=np.zeros(classes, dtype=np.int64),
        near=np.zeros(classes, dtype=np.int64),
        sums=np.zeros(classes * kinds, dtype=np.int64),
        have=np.zeros(plan.weight.shape[1], dtype=np.int64),
    )
