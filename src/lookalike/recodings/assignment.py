"""Which row of a table went into which class, kept so that a local recoding can be repeated to the letter.

Rows are told apart by their cell and by the rank of their content within it, so nothing but the shape of the clustering
is kept, and the same rows in any order go where they went.
It still says more about the original than the release does: it is private and never leaves unless asked for.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lookalike.tables.cells import Cells
from lookalike.tables.table import Table


@dataclass(frozen=True, eq=False)
class Assignment:
    """Runs of rows: the next `length` rows of the cells, in the order of their content, go to class `label`."""

    label: NDArray[np.int32]
    length: NDArray[np.int64]
    fingerprint: str

    def recall(self, people: Table, cells: Cells) -> NDArray[np.int32] | None:
        """The class of each row, if these are the cells the assignment was made for, and it is as it was made."""
        if fingerprint(cells, self.label, self.length) != self.fingerprint:
            return None
        out = np.empty(len(cells.of_row), dtype=np.int32)
        out[people.content_order(quasi=cells.names)] = np.repeat(self.label, self.length)
        return out

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON values."""
        return {"label": self.label.tolist(), "length": self.length.tolist(), "fingerprint": self.fingerprint}

    @staticmethod
    def from_dict(written: Mapping[str, Any]) -> Assignment:
        """Read back what `to_dict` wrote."""
        label = np.array(written["label"], dtype=np.int32)
        return Assignment(label, np.array(written["length"], dtype=np.int64), str(written["fingerprint"]))


def remember(people: Table, of_row: NDArray[np.int32], *, quasi: Sequence[str] | None = None) -> Assignment:
    """Write down the class of each row; `quasi`: in the order in which it will be asked for, where not the table's."""
    cells = people.cells(quasi=quasi, sensitive=[])
    labels = of_row[people.content_order(quasi=quasi)]
    edges = np.flatnonzero(np.diff(labels, prepend=labels[0] - 1))
    label = labels[edges].astype(np.int32)
    length = np.diff(edges, append=len(labels)).astype(np.int64)
    return Assignment(label, length, fingerprint(cells, label, length))


def fingerprint(cells: Cells, label: NDArray[np.int32], length: NDArray[np.int64]) -> str:
    """A digest of the cells and of the runs: the same for the same rows in any order, else different."""
    digest = hashlib.sha256()
    for attribute in cells.attributes:
        for text in (attribute.name, *attribute.domain.texts):
            encoded = text.encode()
            digest.update(len(encoded).to_bytes(4, "big") + encoded)
    digest.update(np.ascontiguousarray(cells.codes).tobytes())
    for part in (cells.records, label, length):
        digest.update(part.tobytes())
    return digest.hexdigest()
