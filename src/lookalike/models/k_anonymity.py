"""k-anonymity: everybody shares their quasi-identifiers with at least k - 1 others.

Samarati and Sweeney 1998; Sweeney 2002, https://doi.org/10.1142/S0218488502001648.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from lookalike.cells import Classes
from lookalike.errors import GuaranteeError, RequestError
from lookalike.models.model import Flags, Model


@dataclass(frozen=True)
class KAnonymity(Model):
    """Every class has at least k people."""

    k: int
    name: ClassVar[str] = "k-anonymity"
    monotone: ClassVar[bool] = True

    def __post_init__(self) -> None:
        if self.k != int(self.k) or self.k < 1:
            raise RequestError(f"k-anonymity: k must be a whole number of at least 1, found {self.k}.")

    def breaks(self, classes: Classes) -> Flags:
        """Classes with fewer than k people."""
        return (classes.counts > 0) & (classes.counts < self.k)

    def achieved(self, classes: Classes) -> float:
        """Size of the smallest class."""
        present = classes.counts[classes.counts > 0]
        return int(present.min(initial=classes.counts.max(initial=0)))

    def check(self, classes: Classes) -> None:
        """No table has classes larger than itself."""
        people = classes.cells.people
        if people < self.k:
            raise GuaranteeError(
                f"k-anonymity with k={self.k} cannot be met: the table has {people} people. The largest reachable k is {people}."
            )
