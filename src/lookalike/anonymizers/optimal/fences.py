"""Levels that no allowed node has where nobody may be left out, told by one attribute at a time.

What is left of the lattice begins at coarser levels, where many rows are equal. `kernels.lattice.fences` says why.
"""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from lookalike.anonymizers.optimal.lattice import Fences, GeneralisationLattice

if TYPE_CHECKING:
    from lookalike.kernels.lattice.fences import FencePlan, FenceScratch


_SHARE = 4  #: pairs of nodes are counted where the rows are so many times as many


def fenced(lattice: GeneralisationLattice) -> GeneralisationLattice:
    """The lattice without the levels at which an attribute breaks a promise whatever the others do."""
    from lookalike.kernels.lattice.fences import FencePlan, finest_levels, finest_pairs

    cells, known, low, high = lattice.cells, lattice.requirements, lattice.low, lattice.high
    rows, marks = lattice.rows, lattice.marks
    levels = np.array(high) - np.array(low) + 1
    place = np.zeros((len(levels), levels.max(initial=1)), dtype=np.int64)
    nodes, up, at = np.zeros_like(place), [], 0
    for a, attribute in enumerate(cells.attributes):
        for level in range(low[a], high[a] + 1):
            place[a, level - low[a]], nodes[a, level - low[a]] = at, len(attribute.tree.labels[level])
            up.append(attribute.tree.up[level])
            at += len(up[-1])
    spans, crowd = np.array(cells.sizes), known.crowd
    one_row_each = cells.entries.unit is None
    plan = FencePlan(
        codes=cells.codes,
        cell=np.arange(len(cells), dtype=np.int32) if isinstance(rows.cell, slice) else rows.cell,
        count=rows.records,
        crowd=rows.crowd,
        tuples=rows.tuples,
        place=place,
        up=np.concatenate(up),
        nodes=nodes,
        levels=levels,
        spans=spans,
        marks=marks,
        weight=known.weight,
        need=known.need,
        sized=known.sized,
        smallest=known.smallest,
        least=crowd.least if crowd else 0,
        low=crowd.low if crowd else 0.0,
        high=crowd.high if crowd and one_row_each else np.inf,
    )
    kinds, widest = len(marks), max(int(spans.max(initial=0)), int(nodes.max(initial=0)))
    finest = np.zeros(len(levels), dtype=np.int64)
    records = np.zeros((len(levels), widest), dtype=np.int64)
    offset = np.cumsum(spans) - spans
    finest_levels(plan, _scratch(plan, offset, spans, int(spans.sum()), widest), finest, records)
    out = copy.copy(lattice)
    out.low = tuple(int(above) + least for above, least in zip(finest, low))
    lead = next((a for a in lattice.order if out.low[a] < high[a]), None)
    if lead is None:
        return out
    width = np.array([of_level[least] for of_level, least in zip(nodes, finest)])
    most = np.array([of_level[least:].max() for of_level, least in zip(nodes, finest)])
    many, room = most[lead] * most, len(rows.records) // (_SHARE * kinds)
    asked = (many <= room) & (finest < levels - 1) & (np.arange(len(levels)) != lead)
    sizes = np.where(asked, width[lead] * width, 0)
    offset = np.where(asked, np.cumsum(sizes) - sizes, -1)
    pairs = np.zeros((levels[lead], len(levels)), dtype=np.int64)
    scratch = _scratch(plan, offset, width, int(sizes.sum()), int(max(many[asked].max(initial=0), widest)))
    finest_pairs(plan, scratch, lead, finest, pairs)
    floors = (pairs + np.array(low)).tolist()
    out.fences = Fences(lead, {low[lead] + i: tuple(floor) for i, floor in enumerate(floors)}, records)
    return out


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
