"""Average risk: over all people of the release, the mean of 1 / (people who look alike) is at most a limit.

El Emam 2013, Guide to the De-Identification of Personal Health Information, https://doi.org/10.1201/b14764. The mean
over people equals classes / people.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np

from lookalike.base.errors import GuaranteeError
from lookalike.models.k_anonymity import KAnonymity
from lookalike.models.model import ROUNDING, ClassBudget, Flags, Model, PerClass, Reference
from lookalike.models.parameters import parameter
from lookalike.models.registry import register
from lookalike.tables.cells import Classes


@register
@dataclass(frozen=True)
class AverageRisk(Model):
    """The average risk over people is at most `limit`.

    This is a promise about the whole table, so single classes cannot break it. `breaks` answers what a release needs
    to know: the fewest people to leave out, as classes, so that the rest keeps the promise. Those are the smallest
    classes (ties in the order of the classes): for any number of classes left out, the smallest ones lower
    classes / people most and cost the fewest people.

    Examples:
        >>> import polars as pl
        >>> import lookalike as la
        >>> ages, illnesses = [31, 32, 33, 71, 72, 73], ["flu", "flu", "cold", "flu", "cold", "cold"]
        >>> frame = pl.DataFrame({"age": ages, "disease": illnesses})
        >>> people = la.table(frame, quasi=["age"], sensitive=["disease"])
        >>> release = la.anonymize(people, la.AverageRisk(0.4), method="optimal", suppression=0)
        >>> release.classes, release.achieved
        (2, {'average risk': 0.3333333333333333})
    """

    limit: float = field(
        metadata=parameter(
            "the largest average risk: classes over people", first=0.1, least=0, most=1, above=True, step=0.01
        )
    )
    name: ClassVar[str] = "average risk"
    source: ClassVar[str] = "https://doi.org/10.1201/b14764"
    # A merger lowers the number of classes and leaves the number of people. What had to be left out before it still
    # suffices after it, and the merged class is larger than its parts, so it is left out no sooner.
    monotone: ClassVar[bool] = True
    absorbing: ClassVar[bool] = True
    relative: ClassVar[bool] = True
    whole_table: ClassVar[bool] = True

    @property
    def in_words(self) -> str:
        """The promise in plain words."""
        return f"Whoever tries to recognise everybody is right about at most {self.limit:.1%} of them on average."

    @property
    def largest_average_risk(self) -> float:
        """The limit."""
        return float(self.limit)

    @property
    def class_budget(self) -> ClassBudget:
        """Every class counts."""
        return ClassBudget(self.limit + ROUNDING, np.inf)

    def for_each_class(self) -> Model:
        """Where every class is so large, the average is."""
        return KAnonymity(int(np.ceil(1 / self.limit - ROUNDING)))

    def levels(self, classes: Classes, *, reference: Reference | None = None) -> PerClass:
        """Risk of the people of each class: 1 / size."""
        return np.where(classes.counts > 0, 1 / np.maximum(classes.counts, 1), np.nan)

    def keeps(self, levels: PerClass) -> Flags:
        """Risks that lower the average, or do not raise it above the limit."""
        return levels <= self.limit + ROUNDING

    def breaks(self, classes: Classes, *, reference: Reference | None = None) -> Flags:
        """The smallest classes that must go so that the average of the rest is at most the limit."""
        order = np.argsort(classes.counts, kind="stable")
        order = order[classes.counts[order] > 0]
        sizes = classes.counts[order]
        left_classes = len(sizes) - np.arange(len(sizes) + 1)
        left_people = int(sizes.sum()) - np.concatenate([[0], np.cumsum(sizes)])
        fine = left_classes <= (self.limit + ROUNDING) * left_people
        out = np.zeros(len(classes), dtype=bool)
        out[order[: int(np.argmax(fine))]] = True
        return out

    def achieved(self, classes: Classes, *, reference: Reference | None = None) -> float:
        """Classes / people."""
        return int((classes.counts > 0).sum()) / max(int(classes.counts.sum()), 1)

    def check(self, classes: Classes) -> None:
        """One class of everybody has the lowest average there is."""
        people = classes.cells.people
        if people * (self.limit + ROUNDING) < 1:
            raise GuaranteeError(
                f"average risk of at most {self.limit} cannot be met: with {people} people it is at least "
                f"{1 / people:.3g}."
            )
