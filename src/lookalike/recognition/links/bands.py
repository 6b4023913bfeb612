"""Numbers that stay nearly the same in all rows of a person: cut into bands, as wide as it takes, they stay the same.

A weight that is measured again differs a little each time; beside what people differ by, that is nothing. Bands hold
about as many rows each, and the narrowest in which a person's rows agree are taken. O(n) per width.
"""

from __future__ import annotations

import numpy as np

from lookalike.recognition.links.agreement import Codes, rows_of_people

_BANDS = (48, 32, 24, 16, 12, 8, 6, 4)  #: how many are tried; fewer tell next to nothing


def steady_bands(codes: Codes, ranks: Codes, unit: Codes, looked_at: Codes) -> Codes | None:
    """The band of each row by the order of its numbers, 0 where it has none; None where a person's rows do not agree.

    codes: what is published; ranks: the places of the numbers in their order, negative where there is none; looked_at:
    the rows by which is told whether they agree.
    """
    order = np.full(int(codes.max(initial=0)) + 1, int(ranks.max(initial=-1)), dtype=np.int64)
    np.minimum.at(order, codes, ranks)  # numbers that are published as one have one place
    places = order[codes]
    known = places >= 0
    if not known.any():
        return None
    times = np.bincount(places[known])
    middle = (np.cumsum(times) - times / 2) / times.sum()
    some = looked_at[known[looked_at]]
    rows = rows_of_people(unit[some])

    def cut(many: int) -> Codes:
        return np.where(known, 1 + np.minimum((middle * many).astype(np.int64), many - 1)[places], 0)

    def steady(bands: Codes) -> bool:
        return bool(rows.agreement(bands[some]).stays[0])

    if not len(some) or not steady(cut(_BANDS[-1])):
        return None
    return next(bands for bands in map(cut, _BANDS) if steady(bands))
