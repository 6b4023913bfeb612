"""What answering on could still gain: the share of a release's loss that knowing the weights better would save.

Members of the belief are weights the person may have. The release by the centre of the belief and the release by a
member are both judged by that member; the mean difference is what perfect information is worth (Raiffa and Schlaifer
1961, Applied Statistical Decision Theory). Cost: a release of a sample for each member, and one more.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from lookalike.anonymizers.anonymization import anonymize
from lookalike.models import Model
from lookalike.releases.release import Release
from lookalike.tables.columns.roles import Role
from lookalike.tables.table import Table

SAMPLE = 1_500  #: rows of the table that are enough to compare weights
MEMBERS = 4
_LEAST = 1e-6  # no weight is quite nothing


def sample_of(people: Table) -> Table:
    """Some rows, the same ones each time; columns that nobody is found by, or protected from, are left aside."""
    needed = {*people.quasi, *people.sensitive}
    few = people.with_roles(**{name: Role.IDENTIFIER for name in people.names if name not in needed})
    return few.some_rows(SAMPLE)


def expected_gain(
    people: Table,
    models: Sequence[Model],
    centre: np.ndarray[Any, Any],
    members: np.ndarray[Any, Any],
    **options: Any,
) -> float:
    """The mean share of the loss that the release by the centre has too much, over members who may be right."""

    def release(weights: np.ndarray[Any, Any]) -> Release:
        weighted = np.maximum(weights, _LEAST) * len(weights)
        return anonymize(
            people, *models, weights=dict(zip(people.quasi, weighted.tolist(), strict=True)), **options
        )

    def loss(made: Release, weights: np.ndarray[Any, Any]) -> float:
        return float(weights @ [1 - made.kept[name] for name in people.quasi]) / float(weights.sum())

    usual = release(centre)
    saved = []
    for member in members:
        by_centre = loss(usual, member)
        saved.append(0.0 if by_centre == 0 else 1 - loss(release(member), member) / by_centre)
    return max(float(np.mean(saved)), 0.0)
