"""Columns that hold a quasi-identifier in another form: in bands, inside longer values, or added up."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np
from numpy.typing import NDArray

from lookalike.recognition.links.coarsening import find_bands
from lookalike.recognition.links.dependence import RankedCodes
from lookalike.recognition.links.differences import amounts_of
from lookalike.recognition.links.embedding import find_embedded
from lookalike.recognition.links.link import How
from lookalike.recognition.links.running import find_running_sums
from lookalike.tables.table import Table


def find_copies(
    people: Table,
    known: Mapping[str, RankedCodes],
    others: Mapping[str, RankedCodes],
    places: NDArray[np.int64],
    rows: NDArray[np.int64],
) -> Iterator[tuple[str, str, How, float]]:
    """A column, the quasi-identifier it is a copy of, how, and how strongly; the most telling first.

    places: some places in the codes of the columns, in an order that says nothing; rows: the rows that these are.
    """
    yield from find_bands(known, others, places)
    quasi, beside = ({name: people.column(name) for name in side} for side in (known, others))
    for other, name, strength in find_embedded(quasi, beside, rows):
        yield other, name, "holds", strength
    every = np.arange(len(people))
    amounts, sums = (amounts_of(people, side, every) for side in (known, others))
    for other, name, strength in find_running_sums(amounts, sums):
        yield other, name, "adds up", strength
