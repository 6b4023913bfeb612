"""What an explanation says about each quasi-identifier: a range, a set of values, or a node of a hierarchy.

A side knows which codes of a domain it matches, so whoever holds a table can count the records it covers.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lookalike.columns.domains import Domain
from lookalike.recodings.labels import write_range, write_set

Flags = NDArray[np.bool_]


@dataclass(frozen=True)
class Range:
    """Every value from `lo` to `hi`, both included; `missing` where missing values are meant too."""

    lo: Any
    hi: Any
    texts: tuple[str, str]
    missing: bool = False

    @property
    def single(self) -> bool:
        """One value only."""
        return self.texts[0] == self.texts[1] and not self.missing

    def matches(self, domain: Domain) -> Flags:
        """Which codes of a domain lie inside."""
        lo, hi = (_number(end, text, domain) for end, text in zip((self.lo, self.hi), self.texts))
        with np.errstate(invalid="ignore"):
            out = (domain.numbers >= lo) & (domain.numbers <= hi)
        if domain.missing:
            out[-1] = self.missing
        return out

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON values."""
        return {"range": list(self.texts), "missing": self.missing}

    def __str__(self) -> str:
        return write_range(*self.texts, missing=self.missing)


@dataclass(frozen=True)
class ValueSet:
    """Any of some values; None stands for missing."""

    values: tuple[str | None, ...]

    @property
    def single(self) -> bool:
        """One value only."""
        return len(self.values) == 1

    def matches(self, domain: Domain) -> Flags:
        """Which codes of a domain are among the values."""
        out = np.zeros(domain.size, dtype=bool)
        wanted = set(self.values)
        out[: len(domain.values)] = [text in wanted for text in domain.texts]
        if domain.missing:
            out[-1] = None in wanted
        return out

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON values."""
        return {"values": list(self.values)}

    def __str__(self) -> str:
        return write_set(self.values) or "∅"


@dataclass(frozen=True)
class Node:
    """A node of a hierarchy: its label, and the values under it."""

    label: str
    values: tuple[str | None, ...]

    @property
    def single(self) -> bool:
        """One value only."""
        return len(self.values) == 1

    def matches(self, domain: Domain) -> Flags:
        """Which codes of a domain lie under the node."""
        return ValueSet(self.values).matches(domain)

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON values."""
        return {"node": self.label, "values": list(self.values)}

    def __str__(self) -> str:
        return self.label


Side = Range | ValueSet | Node
Box = Mapping[str, Side]


def _number(value: Any, text: str, domain: Domain) -> float:
    """Where an end of a range stands in a domain: numbers by value, ranks by their text."""
    if domain.kind == "date":
        return float(np.datetime64(text, "D").astype(np.int64))
    if domain.kind.numeric:
        return float(value)
    return float(domain.texts.index(text)) if text in domain.texts else np.nan
