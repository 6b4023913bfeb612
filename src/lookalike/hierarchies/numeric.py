"""Hierarchies of half-open intervals: equal widths, explicit cut points, quantiles. A right edge opens the next group."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lookalike.domains import Domain, number_text
from lookalike.errors import HierarchyError
from lookalike.hierarchies.recipe import Hierarchy
from lookalike.hierarchies.tree import Level, Tree, grow_tree
from lookalike.roles import Kind


def grow_intervals(recipe: Hierarchy, domain: Domain, counts: NDArray[np.int64]) -> Tree:
    """Intervals `[start + i w, start + (i+1) w)`; everything below `bottom` and from `top` on in one group each."""
    numbers = _numbers(domain, "intervals")
    options = recipe.options
    widths = [Decimal(str(w)) for w in options.get("widths", [])]
    start = Decimal(str(options.get("start", 0)))
    bottom, top = options.get("bottom"), options.get("top")
    if any(w <= 0 for w in widths):
        raise HierarchyError("interval widths must be positive.")
    for fine, coarse in zip(widths, widths[1:]):
        if coarse <= fine or coarse % fine:
            raise HierarchyError(
                f"interval widths must nest: {coarse} is not a multiple of {fine}. Give widths such as 5, 10, 20."
            )
    for name, edge in (("bottom", bottom), ("top", top)):
        off = [w for w in widths if edge is not None and (Decimal(str(edge)) - start) % w]
        if off:
            raise HierarchyError(
                f"{name}={edge} is not an edge of the intervals of width {off[0]} from {start}."
            )
    low = numbers < bottom if bottom is not None else np.zeros(len(numbers), dtype=bool)
    high = numbers >= top if top is not None else np.zeros(len(numbers), dtype=bool)
    levels = []
    if bottom is not None or top is not None:
        levels.append(_lump(domain.texts, low, high, bottom, top))
    for width in widths:
        inside = ~(low | high)
        keys, labels = _steps(numbers[inside], start, width)
        texts = np.empty(len(numbers), dtype=object)
        texts[inside] = [labels[key] for key in keys.tolist()]
        levels.append(_lump(texts.tolist(), low, high, bottom, top))
    return grow_tree(domain, levels, recipe)


def grow_cuts(recipe: Hierarchy, domain: Domain, counts: NDArray[np.int64]) -> Tree:
    """Intervals between cut points: `< a`, `[a, b)`, `>= b`."""
    points = [sorted(float(p) for p in level) for level in recipe.options["points"]]
    for number, (fine, coarse) in enumerate(zip(points, points[1:]), start=2):
        strange = sorted(set(coarse) - set(fine))
        if strange:
            raise HierarchyError(
                f"cut points must nest: level {number} cuts at {strange[0]:g}, the finer level does not."
            )
    return grow_tree(
        domain, [_between(_numbers(domain, "cuts"), np.array(p), domain.kind) for p in points], recipe
    )


def grow_quantiles(recipe: Hierarchy, domain: Domain, counts: NDArray[np.int64]) -> Tree:
    """Cut points at quantiles of the records, kept as explicit cuts so that new rows fall into the same groups."""
    groups = [int(g) for g in recipe.options["groups"]]
    for fine, coarse in zip(groups, groups[1:]):
        if coarse >= fine or fine % coarse:
            raise HierarchyError(f"numbers of quantile groups must nest: {coarse} does not divide {fine}.")
    if not groups or groups[-1] < 2:
        raise HierarchyError("quantiles need group numbers of at least 2, such as quantiles(8, 4, 2).")
    return quantile_cuts(domain, counts, groups).grow(domain, counts)


def quantile_cuts(domain: Domain, counts: NDArray[np.int64], groups: list[int]) -> Hierarchy:
    """The recipe of explicit cuts that splits the records into about equal groups."""
    numbers = _numbers(domain, "quantiles")
    if not len(numbers):
        return Hierarchy.cuts([])
    below = np.concatenate([[0], np.cumsum(counts[: len(numbers)])])
    points = []
    for g in groups:
        wanted = below[-1] * np.arange(1, g) / g
        starts = np.searchsorted(below, wanted)  # the first value with at least that many records before it
        starts = np.where(
            (starts > 0)
            & (wanted - below[np.maximum(starts - 1, 0)] <= below[np.minimum(starts, len(numbers))] - wanted),
            starts - 1,
            starts,
        )
        points.append(numbers[np.unique(starts[(starts > 0) & (starts < len(numbers))])])
    finest = points[0] if points else np.array([])
    nested = [finest] + [np.intersect1d(finest, p) for p in points[1:]]
    return Hierarchy.cuts(*[[_plain(x) for x in p] for p in nested if len(p)])


def interval_text(value: float, kind: Kind) -> str:
    """An edge of an interval as text: a number, or a date."""
    if kind is Kind.DATE:
        return str(np.datetime64(int(value), "D"))
    return number_text(value)


def _numbers(domain: Domain, what: str) -> NDArray[np.float64]:
    if not domain.kind.numeric:
        raise HierarchyError(
            f"{what} need numbers or dates; this column is {domain.kind}. Use groups, prefixes or a file, or set its type."
        )
    return domain.numbers[: len(domain.values)]


def _steps(
    numbers: NDArray[np.float64], start: Decimal, width: Decimal
) -> tuple[NDArray[np.int64], dict[int, str]]:
    """Interval number of each value and the label of each interval; edges are exact decimals."""
    keys = np.floor((numbers - float(start)) / float(width)).astype(np.int64)
    edges = {key: float(start + key * width) for key in np.unique(np.concatenate([keys, keys + 1])).tolist()}
    keys -= numbers < np.array([edges[k] for k in keys.tolist()], dtype=float)
    edges.update(
        {key: float(start + key * width) for key in np.unique(np.concatenate([keys, keys + 1])).tolist()}
    )
    keys += numbers >= np.array([edges[k + 1] for k in keys.tolist()], dtype=float)
    return keys, {
        key: f"[{_decimal_text(start + key * width)}, {_decimal_text(start + (key + 1) * width)})"
        for key in np.unique(keys).tolist()
    }


def _lump(texts: list[str], low: NDArray[np.bool_], high: NDArray[np.bool_], bottom: Any, top: Any) -> Level:
    names = np.array(texts, dtype=object)
    names[low] = f"< {bottom}"
    names[high] = f">= {top}"
    labels = list(dict.fromkeys(names.tolist()))
    place = {label: node for node, label in enumerate(labels)}
    return Level(np.array([place[t] for t in names.tolist()], dtype=np.int64), labels)


def _between(numbers: NDArray[np.float64], points: NDArray[np.float64], kind: Kind) -> Level:
    nodes = np.searchsorted(points, numbers, side="right")
    texts = [interval_text(p, kind) for p in points.tolist()]
    if not texts:
        return Level(nodes, ["*"])
    labels = [f"< {texts[0]}", *(f"[{a}, {b})" for a, b in zip(texts, texts[1:])), f">= {texts[-1]}"]
    return Level(nodes, labels)


def _plain(value: float) -> float | int:
    return int(value) if float(value).is_integer() else float(value)


def _decimal_text(value: Decimal) -> str:
    return number_text(float(value))
