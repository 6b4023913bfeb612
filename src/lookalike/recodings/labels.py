"""Published values, and the values they cover: a range, a set, a node of a hierarchy. `columns.notation` writes them.

`read_label` reads back what was written. A label knows which codes of a domain it matches, so whoever holds a table can
count the records it covers.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lookalike.base.errors import RequestError
from lookalike.tables.columns.domains import Domain
from lookalike.tables.columns.notation import MISSING, OTHERS, STAR, write_range, write_set

Flags = NDArray[np.bool_]
_TOKEN = re.compile(r'\s*(?:"((?:[^"]|"")*)"|([^",{}\[\]|]*[^",{}\[\]|\s]))\s*')


@dataclass(frozen=True)
class Range:
    """Every value from `lo` to `hi`, both included; `missing` where missing values are meant too."""

    lo: str
    hi: str
    missing: bool = False

    @property
    def single(self) -> bool:
        """One value only."""
        return self.lo == self.hi and not self.missing

    def matches(self, domain: Domain, *, order: Sequence[str] | None = None) -> Flags:
        """Which codes of a domain lie inside; `order` ranks the values of an ordinal domain where it has gaps."""
        lo, hi = (domain.number(end, order=order) for end in (self.lo, self.hi))
        numbers = domain.numbers
        if order is not None and not domain.kind.numeric:
            numbers = np.array([domain.number(text, order=order) for text in domain.texts])
            numbers = np.append(numbers, [np.nan] * domain.missing)
        with np.errstate(invalid="ignore"):
            out: Flags = (numbers >= lo) & (numbers <= hi)
        if domain.missing:
            out[-1] = self.missing
        return out

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON values."""
        return {"range": [self.lo, self.hi], "missing": self.missing}

    def __str__(self) -> str:
        return write_range(self.lo, self.hi, missing=self.missing)


@dataclass(frozen=True)
class ValueSet:
    """Any of some values, in the order they are named; None stands for missing."""

    values: tuple[str | None, ...]
    others: bool = False  #: or any value that no label of the column names

    @property
    def single(self) -> bool:
        """One value only."""
        return len(self.values) == 1 and not self.others

    def matches(self, domain: Domain, *, named: Collection[str | None] = ()) -> Flags:
        """Which codes of a domain are among the values; `named` are the values that labels of the column name."""
        wanted = set(self.values)
        out = np.zeros(domain.size, dtype=bool)
        out[: len(domain.values)] = [
            text in wanted or (self.others and text not in named) for text in domain.texts
        ]
        if domain.missing:
            out[-1] = None in wanted
        return out

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON values."""
        return {"values": list(self.values), **({"others": True} if self.others else {})}

    def __str__(self) -> str:
        return write_set(self.values, others=self.others) or MISSING


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


Label = Range | ValueSet | Node


def read_label(text: str | None) -> Range | ValueSet | None:
    """Read back a written range, set or single value (a set of one). `*` reads as None: everything."""
    if text is None:
        return ValueSet((None,))
    if text == STAR:
        return None
    if text.startswith("{"):
        parts, rest = _values(text[1:], "}")
        others = parts[-1:] == [(OTHERS, False)]
        if rest or len(parts) < 2 - others:
            raise RequestError(
                "a set in a label must name its values between braces, with commas between them."
            )
        named = parts[:-1] if others else parts
        return ValueSet(
            tuple(None if not quoted and part == MISSING else part for part, quoted in named), others
        )
    missing = text.endswith(f" | {MISSING}")
    body = text.removesuffix(f" | {MISSING}")
    if text.startswith("["):
        parts, rest = _values(body[1:], "]")
        if rest or len(parts) != 2:
            raise RequestError("a range in a label must have two ends.")
        return Range(parts[0][0], parts[1][0], missing)
    value = body
    if body.startswith('"'):
        parts, _ = _values(body + "]", "]")
        if len(parts) != 1:
            raise RequestError("a quotation mark in a label is never closed, or closed too early.")
        value = parts[0][0]
    return Range(value, value, missing=True) if missing else ValueSet((value,))


def named_in(labels: Iterable[Range | ValueSet | None]) -> set[str | None]:
    """The values that sets with others beside them leave out of these others: those that some label names."""
    return {value for label in labels if isinstance(label, ValueSet) for value in label.values}


def _values(text: str, closing: str) -> tuple[list[tuple[str, bool]], str]:
    """The values up to a closing bracket, each with whether it was quoted, and what stands behind the bracket."""
    parts: list[tuple[str, bool]] = []
    at = 0
    while (found := _TOKEN.match(text, at)) is not None:
        quoted = found[1] is not None
        parts.append((found[1].replace('""', '"') if quoted else found[2], quoted))
        at = found.end()
        if text[at : at + 1] != ",":
            break
        at += 1
    if text[at : at + 1] != closing:
        raise RequestError(f"a label is never closed by {closing!r}, or holds a value without its quotes.")
    return parts, text[at + 1 :]
