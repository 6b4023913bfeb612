"""Classes by peeling a lattice: at each full-domain node, finest first, classes that are large enough are settled.

This is the idea of iterated full-domain generalisation (Prasser et al. 2016, https://doi.org/10.1145/2983622), in one
pass: rows settled at a fine node are not looked at again. O(nodes x rows not yet settled).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from lookalike.kernels.bits import popcount
from lookalike.kernels.compiling import making_kernel

_ODD = np.uint64(0x9E3779B97F4A7C15)


@making_kernel
def peel(shape: Any, rows: Any, kinds: Any, k: Any, variety: Any, nodes: Any) -> Any:
    """Settle classes at each node (levels per column) in turn; -1 for records never settled.

    Tuples are grouped by a 64-bit hash. Two tuples of one hash would share a class, which costs loss, not privacy.
    """
    n, columns = rows.shape
    labels = np.full(n, -1, np.int32)
    bits = 4
    while (1 << bits) < 2 * n:
        bits += 1
    slots = 1 << bits
    turn = np.full(slots, -1, np.int32)
    key_in = np.empty(slots, np.uint64)
    found = np.empty(slots, np.int32)
    seen = np.empty(slots, np.uint64)
    label = np.empty(slots, np.int32)
    slot = np.empty(n, np.int32)
    free = np.arange(n)
    left = n
    classes = 0
    for z in range(len(nodes)):
        if left < k:
            break
        hit = False
        for j in range(left):
            key = np.uint64(0)
            for a in range(columns):
                key = (key ^ np.uint64(shape.up[nodes[z, a], rows[free[j], a]] + 1)) * _ODD
                key ^= key >> np.uint64(29)
            at = np.int64((key * _ODD) >> np.uint64(64 - bits))
            while turn[at] == z and key_in[at] != key:
                at = (at + 1) & (slots - 1)
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
    return labels, classes
