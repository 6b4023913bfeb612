"""Basic semantic risk where people have several rows: different people are counted, not rows.

People in two groups of rows do not add up, so nothing can be taken away or merged here; every distinct row is held
against every person's rows: O(distinct rows x pairs of a person and a distinct row x words).
"""

from __future__ import annotations

from typing import Any

from lookalike.kernels.bits import ONE, ZERO, has, lowest, within
from lookalike.kernels.compiling import kernel


@kernel
def people_gaps(
    rows: Any,
    everything: Any,
    begin: Any,
    row_of: Any,
    lacked: Any,
    tally: Any,
    gap: Any,
    extent: Any,
    witness: Any,
) -> None:
    """Of each distinct row e: how many people of its extent are left when one further attribute is set aside, at least.

    begin: where the rows of each person start in `row_of`, and the end. A person is left after setting attribute m
    aside who has a row with all of e and without m. lacked, tally: a set and a count per attribute to work in.
    Also found: people in the extent, and the attribute set aside (-1 where nobody has more than e).
    """
    for e in range(rows.shape[0]):
        inside = 0
        tally[:] = 0
        for person in range(begin.shape[0] - 1):
            lacked[:] = ZERO
            found = False
            for i in range(begin[person], begin[person + 1]):
                if within(rows[e], rows[row_of[i]]):
                    found = True
                    for w in range(rows.shape[1]):
                        lacked[w] |= everything[w] & ~rows[row_of[i], w]
            if found:
                inside += 1
                for w in range(rows.shape[1]):
                    left = lacked[w]
                    while left != ZERO:
                        tally[64 * w + lowest(left)] += 1
                        left &= left - ONE
        gap[e] = inside
        extent[e] = inside
        witness[e] = -1
        for m in range(tally.shape[0]):
            if has(everything, m) and not has(rows[e], m) and tally[m] < gap[e]:
                gap[e] = tally[m]
                witness[e] = m
