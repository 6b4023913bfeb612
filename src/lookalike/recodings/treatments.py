"""What happens to each column of a table on its way into a release."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from lookalike.base.errors import RequestError
from lookalike.recodings.publishing import LEVEL
from lookalike.tables.hierarchies import Hierarchy


@dataclass(frozen=True)
class Keep:
    """Published as it is."""

    def __str__(self) -> str:
        return "kept as it is"


@dataclass(frozen=True)
class Drop:
    """Left out of the release."""

    def __str__(self) -> str:
        return "left out"


@dataclass(frozen=True)
class Generalise:
    """Every value is replaced by its ancestor on one level of a hierarchy.

    `numbers` publishes a number instead of a label: the midpoint, or the mean, of the values under it.
    `published` is what goes out in place of a hierarchy that was grown from the data: its level 1 says what the groups
    are called, by the people who are in the release alone. The hierarchy itself decides who that is, and stays private.
    """

    level: int
    hierarchy: Hierarchy
    numbers: str = "range"
    published: Hierarchy | None = None

    @property
    def shown(self) -> tuple[Hierarchy, int]:
        """The hierarchy and the level whose labels are published."""
        return (self.hierarchy, self.level) if self.published is None else (self.published, LEVEL)

    def __str__(self) -> str:
        what = (
            "kept as it is (level 0)"
            if self.level == 0
            else f"generalised to level {self.level} of its hierarchy"
        )
        return what + (f", published as {self.numbers}" if self.numbers != "range" else "")


@dataclass(frozen=True)
class Box:
    """Every value is replaced by its class's range, set of values or hierarchy node.

    `numbers` publishes a number instead of a range: its midpoint, or the mean of the class's values.
    """

    style: str
    hierarchy: Hierarchy
    numbers: str = "range"

    def __str__(self) -> str:
        what = {
            "range": "ranges",
            "set": "sets of values",
            "node": "hierarchy nodes",
            "siblings": "values under one hierarchy node, or that node,",
        }[self.style]
        return f"generalised to {what} of its class" + (
            f", published as {self.numbers}" if self.numbers != "range" else ""
        )


@dataclass(frozen=True)
class Round:
    """Numbers are rounded to a multiple of `to`."""

    to: float

    def __str__(self) -> str:
        return f"rounded to multiples of {self.to:g}"


@dataclass(frozen=True)
class Follow:
    """A linked column, published as blurred as the quasi-identifiers it would give away."""

    of: tuple[str, ...]

    def __str__(self) -> str:
        return f"blurred as {' and '.join(self.of)}, which it would give away"


@dataclass(frozen=True)
class Pseudonymise:
    """The value is replaced by a pseudonym made from `fields`; the key or table that made it is kept elsewhere."""

    how: str
    fields: tuple[str, ...]

    def __str__(self) -> str:
        fields = ", ".join(self.fields)
        return f"replaced by a pseudonym ({self.how} over {fields}): whoever can link it, links the record"


Treatment = Keep | Drop | Generalise | Box | Round | Follow | Pseudonymise
_KINDS: dict[str, type[Treatment]] = {
    "keep": Keep,
    "drop": Drop,
    "generalise": Generalise,
    "box": Box,
    "round": Round,
    "follow": Follow,
    "pseudonymise": Pseudonymise,
}


_HIERARCHIES = {"hierarchy", "published"}


def to_dict(treatment: Treatment) -> dict[str, Any]:
    """A treatment as plain JSON values."""
    how = next(name for name, kind in _KINDS.items() if isinstance(treatment, kind))
    options = {name: value for name, value in vars(treatment).items() if value is not None}
    for one in _HIERARCHIES.intersection(options):
        options[one] = options[one].to_dict()
    for several in ("fields", "of"):
        if several in options:
            options[several] = list(options[several])
    return {"treatment": how, **options}


def from_dict(written: Mapping[str, Any]) -> Treatment:
    """Read back what `to_dict` wrote."""
    options = dict(written)
    how = options.pop("treatment", None)
    if how not in _KINDS:
        raise RequestError(f"unknown treatment {how!r} in a recoding; known are {', '.join(_KINDS)}.")
    for one in _HIERARCHIES.intersection(options):
        options[one] = Hierarchy.from_dict(options[one])
    for several in ("fields", "of"):
        if several in options:
            options[several] = tuple(options[several])
    return _KINDS[how](**options)
