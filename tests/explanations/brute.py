"""Slow and plain: every box around a record, counted, priced and tried out with loops over rows."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from itertools import combinations, product
from typing import Any

Row = tuple[Any, ...]
Side = tuple[Any, ...]


def boxes(own: Row, domains: Sequence[Sequence[Any]], ordered: Sequence[bool]) -> Iterator[tuple[Side, ...]]:
    """Every box that holds a tuple: contiguous runs of ordered values, all sets of others."""
    sides = []
    for value, domain, is_ordered in zip(own, domains, ordered, strict=True):
        at = domain.index(value)
        if is_ordered:
            sides.append([tuple(domain[i : j + 1]) for i in range(at + 1) for j in range(at, len(domain))])
        else:
            rest = [v for v in domain if v != value]
            sides.append([(value, *more) for n in range(len(rest) + 1) for more in combinations(rest, n)])
    yield from product(*sides)


def covered(box: Sequence[Side], rows: Sequence[Row]) -> list[int]:
    return [i for i, row in enumerate(rows) if all(v in side for v, side in zip(row, box, strict=True))]


def ncp(box: Sequence[Side], domains: Sequence[Sequence[Any]], ordered: Sequence[bool]) -> Fraction:
    total = Fraction(0)
    for side, domain, is_ordered in zip(box, domains, ordered, strict=True):
        if is_ordered:
            width = domain[-1] - domain[0]
            total += Fraction(max(side) - min(side), width) if width else 0
        else:
            total += Fraction(len(side), len(domain)) if len(side) > 1 else 0
    return total / len(domains)


def pureness(box: Sequence[Side], good: Callable[[Row], bool]) -> Fraction:
    outcomes = [good(values) for values in product(*box)]
    return Fraction(sum(outcomes), len(outcomes))


def best(
    own: Row,
    rows: Sequence[Row],
    ordered: Sequence[bool],
    good: Callable[[Row], bool],
    k: int,
    quality: Callable[[Fraction, Fraction], Any],
) -> tuple[Any, tuple[Side, ...]]:
    """The best box around a record that covers k rows."""
    domains = [sorted(set(column)) for column in zip(*rows, strict=True)]
    found = None
    for box in boxes(own, domains, ordered):
        if len(covered(box, rows)) >= k:
            value = quality(ncp(box, domains, ordered), pureness(box, good))
            if found is None or value < found[0]:
                found = value, box
    assert found is not None
    return found
