"""What a class tells about the sensitive values of its people, column by column: l, t and homogeneity."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from lookalike.models import LDiversity, TCloseness
from lookalike.tables.cells import Classes


@dataclass(frozen=True)
class AttributeRisk:
    """How much the classes give away about one sensitive column."""

    column: str
    l_min: int  #: the fewest different values in a class
    t_max: float  #: the largest distance of a class from the whole table
    distance: str  #: how that distance is measured
    homogeneous: float  #: share of people in classes where everybody has the same value

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON values."""
        return asdict(self)


def measure_attributes(classes: Classes) -> tuple[AttributeRisk, ...]:
    """One line per sensitive column."""
    found = []
    for column in classes.cells.sensitive:
        diversity, closeness = LDiversity(column.name, 1), TCloseness(column.name, 1.0)
        values = diversity.levels(classes)
        alike = int(classes.counts[values == 1].sum())
        present = values[classes.counts > 0]
        found.append(
            AttributeRisk(
                column.name,
                int(present.min()) if len(present) else 0,
                closeness.achieved(classes),
                closeness.distance_for(column.domain.kind),
                alike / max(int(classes.counts.sum()), 1),
            )
        )
    return tuple(found)
