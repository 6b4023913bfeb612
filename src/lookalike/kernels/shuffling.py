"""Rows in the order of random numbers, which are spread evenly: their first bits nearly say where each belongs.

Rows are dealt into as many heaps as that makes, and the few in a heap are put in order one by one. O(n); sorting by
comparing takes four times as long.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from lookalike.kernels.compiling import kernel

HEAP = 32  #: rows of a heap that are put in order here; larger ones, of which there are hardly any, are left


@kernel
def deal(numbers: Any, shift: int, heaps: Any, ordered: Any, places: Any) -> None:
    """Fill in the numbers in order and the places they had; where each heap begins becomes where it ends."""
    for i in range(len(numbers)):
        heap = numbers[i] >> np.uint64(shift)
        at = np.uint64(heaps[heap])
        ordered[at] = numbers[i]
        places[at] = i
        heaps[heap] += 1
    begin = 0
    for end in heaps:
        if end - begin <= HEAP:
            for i in range(begin + 1, end):
                number, place = ordered[i], places[i]
                at_last = i
                while at_last > begin and ordered[at_last - 1] > number:
                    ordered[at_last], places[at_last] = ordered[at_last - 1], places[at_last - 1]
                    at_last -= 1
                ordered[at_last], places[at_last] = number, place
        begin = end
