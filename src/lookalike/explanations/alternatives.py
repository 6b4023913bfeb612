"""Several explanations for one person that differ, and that together still give nobody away.

Each box covers k people; but two boxes around the same k people show the private values of two of them. Here every
group of the boxes covers at least k people per box: each box could be given k people of its own (Hall's theorem), and
of everybody the boxes cover at most one in k is shown. Cost: 2^boxes unions of cells.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lookalike.explanations.explanation import Explanation

Flags = NDArray[np.bool_]
MOST = 8  #: boxes that can be asked for; every group of them is counted


@dataclass(frozen=True)
class Alternatives:
    """Explanations to choose from, nearest first, and how many people they cover together."""

    explanations: tuple[Explanation, ...]
    people: int  #: covered by at least one of the boxes
    k: int  #: over all groups of boxes, the least number of people per box

    @property
    def text(self) -> str:
        """One sentence each."""
        return "\n".join(f"{i}. {one.text}" for i, one in enumerate(self.explanations, 1))

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON values: everything that may leave the house."""
        return {
            "explanations": [one.to_dict() for one in self.explanations],
            "people": self.people,
            "k": self.k,
        }

    def __len__(self) -> int:
        return len(self.explanations)

    def __iter__(self) -> Iterator[Explanation]:
        return iter(self.explanations)

    def __getitem__(self, i: int) -> Explanation:
        return self.explanations[i]

    def __repr__(self) -> str:
        return f"Alternatives({len(self)} explanations, {self.people:,} people covered, k={self.k} together)"


def k_together(boxes: Sequence[Flags], people: Callable[[Flags], int]) -> int:
    """The least number of people per box over all groups of boxes, each given by the cells inside it."""
    return min(
        people(np.logical_or.reduce(group)) // size
        for size in range(1, len(boxes) + 1)
        for group in combinations(boxes, size)
    )


def take_together(boxes: Sequence[Flags], people: Callable[[Flags], int], *, k: int, most: int) -> list[int]:
    """The first boxes, in the order given and no two alike, that keep k together; at most so many."""
    taken: list[int] = []
    for i, box in enumerate(boxes):
        if any((box == boxes[j]).all() for j in taken):
            continue
        if k_together([*(boxes[j] for j in taken), box], people) >= k:
            taken.append(i)
            if len(taken) == most:
                break
    return taken
