"""The finest levels that attributes can have, all others removed, where nobody may be left out.

A class that breaks a promise there is split further by the other attributes, and splitting never mends it: no finer
level can be part of a node that is allowed. Told of every attribute by itself, and of every level of one of them, the
lead, with another. O(rows x attributes + values x levels).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from lookalike.kernels.compiling import kernel, part
from lookalike.kernels.lattice.bounds import among_others, keepable


class FencePlan(NamedTuple):
    """Rows, levels, and what classes must have; names are those of `rows.LatticePlan`."""

    codes: Any  #: attribute, cell -> code
    cell: Any  #: per row
    count: Any  #: records
    population: Any  #: people of the population; empty where they do not matter
    tuples: Any  #: of sensitive values
    place: Any  #: attribute, level
    up: Any
    nodes: Any  #: attribute, level -> number of nodes; more than codes where a hierarchy has values that do not occur
    levels: Any
    spans: Any  #: attribute -> number of codes
    marks: Any
    weight: Any
    need: Any
    sized: Any
    smallest: int
    least: int  #: fewest people of the population in a class
    low: float
    high: float


class FenceScratch(NamedTuple):
    """Sums by two attributes, or by one as if the other had one node; those by class are all zero between two uses."""

    table: (
        Any  #: offset[attribute] + node of the lead, of the attribute, tuple of sensitive values -> records
    )
    others: Any  #: without the tuples: people of the population
    offset: Any  #: attribute -> where its nodes begin; negative where they are not counted
    width: Any  #: attribute -> its nodes
    above: Any  #: node of the lead in the table -> its node on a level
    beyond: Any  #: the same of the attribute
    seen: Any  #: node, node on their levels -> records
    near: Any  #: the same -> people of the population
    sums: Any  #: the same, tuple of sensitive values -> records
    have: Any  #: mark -> records


@part
def _keeps(plan: Any, scratch: Any, first: int, mine: int, a: int, level: int) -> bool:
    """Whether every class keeps what is asked, the lead as `above` says, an attribute as `beyond` does."""
    kinds, nodes, width = len(plan.marks), plan.nodes[a, level], scratch.width[a]
    choosy, with_population = len(plan.need) > 0, len(plan.population) > 0
    for c in range(first):
        for e in range(width):
            i = scratch.offset[a] + c * width + e
            x = scratch.above[c] * nodes + scratch.beyond[e]
            for v in range(kinds):
                count = scratch.table[i * kinds + v]
                scratch.seen[x] += count
                scratch.sums[x * kinds + v] += count
            if with_population:
                scratch.near[x] += scratch.others[i]
    kept = True
    for x in range(mine * nodes):
        size = scratch.seen[x]
        most = float(size)
        if choosy and kept and size >= plan.smallest:
            for v in range(kinds):
                count = scratch.sums[x * kinds + v]
                for m in range(plan.marks.shape[1] if count > 0 else 0):
                    scratch.have[plan.marks[v, m]] += count
            most = keepable(scratch.have, plan.weight, plan.need, plan.sized, size, plan.smallest)
        if with_population:
            kept = kept and size >= plan.low * scratch.near[x]
            most = among_others(plan.least, plan.high, most, scratch.near[x], False)
            scratch.near[x] = 0
        kept = kept and (size == 0 or (most >= plan.smallest and np.int64(most + 1e-6) >= size))
        scratch.seen[x] = 0
        for v in range(kinds if size > 0 else 0):
            scratch.sums[x * kinds + v] = 0
    return kept


@kernel
def finest_levels(plan: FencePlan, scratch: FenceScratch, out: Any, records: Any) -> None:
    """Per attribute the finest level that keeps what is asked, the coarsest where none does, and records by code."""
    kinds, columns = len(plan.marks), len(plan.levels)
    for r in range(len(plan.cell)):
        cell, v, count = plan.cell[r], plan.tuples[r], plan.count[r]
        for a in range(columns):
            i = scratch.offset[a] + plan.codes[a, cell]
            scratch.table[i * kinds + v] += count
            if len(plan.population) > 0:
                scratch.others[i] += plan.population[r]
    scratch.above[0] = 0
    for a in range(columns):
        out[a] = plan.levels[a]
        kept = True
        while out[a] > 0 and kept:
            level = out[a] - 1
            for c in range(plan.spans[a]):
                scratch.beyond[c] = plan.up[plan.place[a, level] + c]
            kept = _keeps(plan, scratch, 1, 1, a, level)
            if kept or out[a] == plan.levels[a]:
                out[a] = level
        for c in range(plan.spans[a]):
            for v in range(kinds):
                records[a, c] += scratch.table[(scratch.offset[a] + c) * kinds + v]


@kernel
def finest_pairs(plan: FencePlan, scratch: FenceScratch, lead: int, out: Any) -> None:
    """The same for each level of the lead; one more than the coarsest where none does."""
    kinds = len(plan.marks)
    for a in range(len(plan.levels)):
        offset, width = scratch.offset[a], scratch.width[a]
        if offset < 0:
            continue
        for r in range(len(plan.cell)):
            cell = plan.cell[r]
            i = offset + plan.codes[lead, cell] * width + plan.codes[a, cell]
            scratch.table[i * kinds + plan.tuples[r]] += plan.count[r]
            if len(plan.population) > 0:
                scratch.others[i] += plan.population[r]
        floor = plan.levels[a]
        for level in range(plan.levels[lead]):
            if plan.nodes[lead, level] == 1:  # the attribute by itself
                floor = 0
            for c in range(plan.spans[lead]):
                scratch.above[c] = plan.up[plan.place[lead, level] + c]
            kept = True
            while floor > 0 and kept:
                for c in range(plan.spans[a]):
                    scratch.beyond[c] = plan.up[plan.place[a, floor - 1] + c]
                kept = _keeps(plan, scratch, plan.spans[lead], plan.nodes[lead, level], a, floor - 1)
                if kept:
                    floor -= 1
            out[level, a] = floor
