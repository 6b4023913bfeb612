"""Basic semantic risk by its definition, in plain counting: what the verifier recomputes releases with.

Written apart from `semantics` and its kernels on purpose: whoever checks must not repeat the mistakes of whoever made.
Aranda-Corral, Borrego-Díaz and Galán-Páez (2023). O(rows asked x distinct rows x words); for people times
the attributes.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence

import numpy as np
from numpy.typing import NDArray


def risks_by_definition(
    attributes: Sequence[Iterable[int]], objects: Sequence[int], asked: Iterable[int]
) -> list[float]:
    """r_BS of the asked rows, given the attributes of every distinct row and how many objects have it.

    One over the objects that have all attributes of the row and lack some further one, fewest over all further ones;
    one over all objects that have them where there is no further one.
    """
    has = _crosses(attributes)
    packed = np.packbits(has, axis=1)
    weights = np.asarray(objects, dtype=np.int64)
    risks = []
    for i in asked:
        extent = ((packed & packed[i]) == packed[i]).all(axis=1)
        everybody = int(weights[extent].sum())
        with_it = weights[extent] @ has[extent]
        further = with_it[~has[i]]
        risks.append(1 / (everybody - int(further.max(initial=0))))
    return risks


def risks_of_people(
    attributes: Sequence[Iterable[int]], people: Sequence[Sequence[Hashable]], asked: Iterable[int]
) -> list[float]:
    """The same where people may have several rows, given who has each distinct row: different people are counted."""
    has = _crosses(attributes)
    risks = []
    for i in asked:
        extent = np.flatnonzero(has[:, has[i]].all(axis=1)).tolist()
        left = [len(set().union(*(people[row] for row in extent)))]
        left += [
            len(set().union(*(people[row] for row in extent if not has[row, further])))
            for further in np.flatnonzero(~has[i] & has[extent].any(axis=0))
        ]
        risks.append(1 / min(left))
    return risks


def _crosses(attributes: Sequence[Iterable[int]]) -> NDArray[np.bool_]:
    """Which row has which attribute."""
    place = {attribute: m for m, attribute in enumerate(sorted(set().union(*attributes)))}
    has = np.zeros((len(attributes), len(place)), dtype=bool)
    for i, row in enumerate(attributes):
        has[i, [place[attribute] for attribute in row]] = True
    return has
