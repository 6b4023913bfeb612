"""Hierarchies of half-open intervals: equal widths, explicit cut points, quantiles. A right edge opens the next group.

Edges are exact decimals: with widths of 0.1 the value 0.3 opens `[0.3, 0.4)`, although 3 x 0.1 is not 0.3 in floats.
Cost: O(d) for d distinct values, plus one text per interval.
"""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lookalike.base.errors import HierarchyError
from lookalike.tables.columns.domains import Domain, number_text
from lookalike.tables.columns.roles import Kind
from lookalike.tables.hierarchies.hierarchy import Hierarchy
from lookalike.tables.hierarchies.tree import GrowingLevel, Tree, grow_tree

_EXACT = 2**53  # integers up to here are exact as floats
_LOW, _HIGH = np.iinfo(np.int64).min, np.iinfo(np.int64).max


def grow_intervals(recipe: Hierarchy, domain: Domain, counts: NDArray[np.int64]) -> Tree:
    """Intervals `[start + i w, start + (i+1) w)`; everything below `bottom` and from `top` on in one group each."""
    numbers = _numbers(domain, "intervals")
    widths = [Decimal(str(w)) for w in recipe.options.get("widths", [])]
    start = _decimal(recipe.options.get("start", 0), domain.kind)
    ends = {
        name: _decimal(recipe.options[name], domain.kind)
        for name in ("bottom", "top")
        if recipe.options.get(name) is not None
    }
    _check(widths, start, ends, domain.kind)
    outside = np.zeros(len(numbers), dtype=np.int64)
    if "bottom" in ends:
        outside[numbers < float(ends["bottom"])] = _LOW
    if "top" in ends:
        outside[numbers >= float(ends["top"])] = _HIGH
    lumps = {
        _LOW: f"< {_text(ends.get('bottom', start), domain.kind)}",
        _HIGH: f">= {_text(ends.get('top', start), domain.kind)}",
    }

    def level(keys: NDArray[np.int64], name: Callable[[list[int]], list[str]]) -> GrowingLevel:
        found, nodes = np.unique(np.where(outside == 0, keys, outside), return_inverse=True)
        low, high = ([lumps[edge]] if edge in found else [] for edge in (_LOW, _HIGH))
        inner = found[len(low) : len(found) - len(high)].tolist()
        return GrowingLevel(nodes, [*low, *name(inner), *high])

    def values(codes: list[int]) -> list[str]:
        return [domain.texts[code] for code in codes]

    levels = [level(np.arange(len(numbers)), values)] if ends else []
    if widths:
        steps = _Steps(start, widths[0])
        finest = steps.of(numbers)
        for width in widths:
            times = int(width / widths[0])
            levels.append(level(finest // times, _Steps(start, width).labels(domain.kind)))
    return grow_tree(domain, levels, recipe, clear=True)


def grow_cuts(recipe: Hierarchy, domain: Domain, counts: NDArray[np.int64]) -> Tree:
    """Intervals between cut points: `< a`, `[a, b)`, `>= b`."""
    points = [sorted({_decimal(p, domain.kind) for p in level}) for level in recipe.options["points"]]
    for number, (fine, coarse) in enumerate(pairwise(points), start=2):
        strange = sorted(set(coarse) - set(fine))
        if strange:
            raise HierarchyError(
                f"cut points must nest: level {number} cuts at {_text(strange[0], domain.kind)}, "
                "the finer level does not."
            )
    numbers = _numbers(domain, "cuts")
    return grow_tree(
        domain, [_between(numbers, level, domain.kind) for level in points if level], recipe, clear=True
    )


def grow_quantiles(recipe: Hierarchy, domain: Domain, counts: NDArray[np.int64]) -> Tree:
    """Cut points at quantiles of the records, kept as explicit cuts so that new rows fall into the same groups."""
    groups = [int(g) for g in recipe.options["groups"]]
    if min(groups, default=0) < 2:
        raise HierarchyError("quantiles need group numbers of at least 2, such as quantiles(8, 4, 2).")
    for fine, coarse in pairwise(groups):
        if coarse >= fine or fine % coarse:
            raise HierarchyError(f"numbers of quantile groups must nest: {coarse} does not divide {fine}.")
    return quantile_cuts(domain, counts, groups).marked_as_grown().grow(domain, counts)


def quantile_cuts(domain: Domain, counts: NDArray[np.int64], groups: list[int]) -> Hierarchy:
    """The recipe of explicit cuts that splits the records into about equal groups; levels that add nothing go."""
    numbers = _numbers(domain, "quantiles")
    if not len(numbers):
        return Hierarchy.cuts([])
    below = np.concatenate([[0], np.cumsum(counts[: len(numbers)])])
    wanted = below[-1] * np.arange(1, groups[0]) / groups[0]
    after = np.searchsorted(below, wanted)  # the first value with at least that many records before it
    before = np.maximum(after - 1, 0)
    nearest = np.where(wanted - below[before] <= below[after] - wanted, before, after)
    levels: list[list[Any]] = []
    for g in groups:
        every = groups[0] // g
        starts = np.unique(nearest[every - 1 :: every])
        inside = numbers[starts[(starts > 0) & (starts < len(numbers))]]
        level = [_edge(x, domain.kind) for x in inside.tolist()]
        if level and level not in levels:
            levels.append(level)
    return Hierarchy.cuts(*levels) if levels else Hierarchy.cuts([])


class _Steps:
    """Intervals of one width, counted in units of the last decimal place."""

    def __init__(self, start: Decimal, width: Decimal) -> None:
        places = max(0, *(-int(x.normalize().as_tuple().exponent) for x in (start, width)))
        self.scale = 10**places
        self.start, self.width = int(start * self.scale), int(width * self.scale)

    def edge(self, keys: Any) -> Any:
        """Left edge of each interval; correctly rounded, since both numbers are exact."""
        return (self.start + keys * self.width) / self.scale

    def of(self, numbers: NDArray[np.float64]) -> NDArray[np.int64]:
        """Which interval each number lies in."""
        guess = np.floor((numbers * self.scale - self.start) / self.width)
        reach = abs(self.start) + (float(np.abs(guess).max(initial=0)) + 2) * self.width
        if reach >= _EXACT or self.scale > 10**15:
            raise HierarchyError(
                f"intervals of width {number_text(self.width / self.scale)} are too narrow for numbers this large."
            )
        keys: NDArray[np.int64] = guess.astype(np.int64)
        keys -= numbers < self.edge(keys)
        keys += numbers >= self.edge(keys + 1)
        return keys

    def labels(self, kind: Kind) -> Callable[[list[int]], list[str]]:
        """What intervals are called."""

        def names(keys: list[int]) -> list[str]:
            found = np.array(keys, dtype=np.int64)
            low, high = self.edge(found).tolist(), self.edge(found + 1).tolist()
            return [f"[{_text(a, kind)}, {_text(b, kind)})" for a, b in zip(low, high, strict=True)]

        return names


def _check(widths: list[Decimal], start: Decimal, ends: dict[str, Decimal], kind: Kind) -> None:
    if not widths and not ends:
        raise HierarchyError("intervals need at least one width, or a bottom or top.")
    if any(not w.is_finite() or w <= 0 for w in widths):
        raise HierarchyError("interval widths must be positive.")
    if kind is Kind.DATE and any(w % 1 for w in (*widths, start)):
        raise HierarchyError("intervals of dates count in whole days.")
    for fine, coarse in pairwise(widths):
        if coarse <= fine or coarse % fine:
            raise HierarchyError(
                f"interval widths must nest: {coarse} is not a multiple of {fine}. Give widths such as 5, 10, 20."
            )
    if len(ends) == 2 and ends["bottom"] >= ends["top"]:
        raise HierarchyError("bottom must lie below top.")
    for name, edge in ends.items():
        off = [w for w in widths if (edge - start) % w]
        if off:
            raise HierarchyError(
                f"{name}={_text(edge, kind)} is not an edge of the intervals of width {off[0]} from "
                f"{_text(start, kind)}. Choose an edge, or another start."
            )


def _numbers(domain: Domain, what: str) -> NDArray[np.float64]:
    if not domain.kind.numeric:
        raise HierarchyError(
            f"{what} need numbers or dates; this column is {domain.kind}. Use groups, prefixes or a file, "
            "or set its type."
        )
    return domain.numbers[: len(domain.values)]


def _between(numbers: NDArray[np.float64], points: list[Decimal], kind: Kind) -> GrowingLevel:
    nodes = np.searchsorted(np.array(points, dtype=np.float64), numbers, side="right")
    texts = [_text(p, kind) for p in points]
    return GrowingLevel(
        nodes, [f"< {texts[0]}", *(f"[{a}, {b})" for a, b in pairwise(texts)), f">= {texts[-1]}"]
    )


def _decimal(edge: Any, kind: Kind) -> Decimal:
    """An edge as an exact number; that of a date counts days."""
    try:
        if kind is Kind.DATE and isinstance(edge, str):
            return Decimal(int(np.datetime64(edge, "D").astype(np.int64)))
        if (number := Decimal(str(edge))).is_finite():
            return number
    except (ValueError, ArithmeticError):
        pass
    raise HierarchyError(f"{edge!r} is not an edge for a column of kind {kind}.")


def _text(edge: Decimal | float, kind: Kind) -> str:
    return str(np.datetime64(int(edge), "D")) if kind is Kind.DATE else number_text(float(edge))


def _edge(value: float, kind: Kind) -> float | int | str:
    if kind is Kind.DATE:
        return _text(value, kind)
    return int(value) if value.is_integer() else value
