"""Classes by peeling a lattice: at each full-domain node, finest first, classes that are large enough are settled.

This is the idea of iterated full-domain generalisation (Prasser et al. 2016, https://doi.org/10.1145/2983622), in one
pass: rows settled at a fine node are not looked at again. O(nodes x rows not yet settled).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from lookalike.kernels.bits import popcount
from lookalike.kernels.compiling import kernel
from lookalike.kernels.local.boxes import LocalProblem

_ODD = np.uint64(0x9E3779B97F4A7C15)


class Slots(NamedTuple):
    """A hash table of the tuples at a node."""

    turn: Any  #: the node this slot is used for
    key: Any
    found: Any  #: records with the tuple
    seen: Any  #: their kinds
    label: Any  #: their class, or -1
    free: Any  #: records without a class
    slot: Any  #: per free record


def peel(problem: LocalProblem, nodes: Any) -> tuple[Any, int]:
    """Settle classes at each node (levels per column) in turn: (label per record, how many); -1 for the never settled.

    Tuples are grouped by a 64-bit hash. Two tuples of one hash would share a class, which costs loss, not privacy.
    """
    n = len(problem.rows)
    bits = max(4, (2 * n - 1).bit_length())
    slots = Slots(
        np.full(1 << bits, -1, np.int32),
        np.empty(1 << bits, np.uint64),
        np.empty(1 << bits, np.int32),
        np.empty(1 << bits, np.uint64),
        np.empty(1 << bits, np.int32),
        np.arange(n),
        np.empty(n, np.int64),
    )
    labels = np.full(n, -1, np.int32)
    return labels, int(_peel(problem, nodes, slots, bits, labels))


@kernel
def _peel(problem: Any, nodes: Any, slots: Any, bits: Any, labels: Any) -> Any:
    shape, rows, kinds, k, variety = problem
    turn, key_in, found, seen, label, free, slot = slots
    up = shape.up
    last = len(turn) - 1
    left = len(rows)
    classes = 0
    for z in range(len(nodes)):
        if left < k:
            break
        hit = False
        for j in range(left):
            key = np.uint64(0)
            for a in range(rows.shape[1]):
                key = (key ^ np.uint64(up[nodes[z, a], rows[free[j], a]] + 1)) * _ODD
                key ^= key >> np.uint64(29)
            at = np.int64((key * _ODD) >> np.uint64(64 - bits))
            while turn[at] == z and key_in[at] != key:
                at = (at + 1) & last
            if turn[at] != z:
                turn[at] = z
                key_in[at] = key
                found[at] = 0
                seen[at] = np.uint64(0)
                label[at] = -1
            found[at] += 1
            seen[at] |= kinds[free[j]]
            slot[j] = at
            hit = hit or found[at] >= k
        if not hit:
            continue
        kept = 0
        for j in range(left):
            at = slot[j]
            if found[at] >= k and popcount(seen[at]) >= variety:
                if label[at] < 0:
                    label[at] = classes
                    classes += 1
                labels[free[j]] = label[at]
            else:
                free[kept] = free[j]
                kept += 1
        left = kept
    return classes
