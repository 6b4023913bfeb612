"""The twelve promises by their definitions, on rows that a stranger could have typed in. Nothing of the library.

A class is a list of (person, sensitive values). A person counts once in a class, and once for each value
it has there; the whole table is one such class.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

from attacker.published import Meaning, Row

Class = list[tuple[Any, Row]]  #: the people of a class with a row each
_SLACK = 1e-7


def broken(
    promise: Mapping[str, Any],
    classes: Sequence[Class],
    *,
    sensitive: Sequence[str],
    meanings: Mapping[str, Meaning],
    population: Sequence[int] | None = None,
    empty: Sequence[int] = (),
) -> str | None:
    """How a promise is broken, or None. `population`: its people per class; `empty`: of its classes not released."""
    sizes = [len({person for person, _ in one}) for one in classes]
    everybody = sum(sizes)
    match promise["model"]:
        case "k-anonymity":
            return _first(size >= promise["k"] for size in sizes)
        case "k-map" if promise["sampling_fraction"] is not None:
            needed = _sampled(promise["k"], promise["sampling_fraction"], promise["significance"])
            return _first(size >= needed for size in sizes)
        case "k-map":
            return _first(many >= promise["k"] for many in population or [])
        case "delta-presence":
            shares = [size / many for size, many in zip(sizes, population, strict=True)] + [0.0] * len(empty)
            return _first(promise["low"] - _SLACK <= share <= promise["high"] + _SLACK for share in shares)
        case "average risk":
            return _first([len(sizes) / everybody <= promise["limit"] + _SLACK])
        case "sample uniqueness":
            return _first([sizes.count(1) / everybody <= promise["limit"] + _SLACK])
    column = promise["column"]
    table = _histogram([entry for one in classes for entry in one], column)
    overall = {value: count / table.total() for value, count in table.items()}
    parts = classes
    if promise["strict"]:
        others = [name for name in sensitive if name != column]
        parts = [part for one in classes for part in _split(one, others)]
    return _first(_keeps(promise, one, overall, meanings[column]) for one in parts) or (
        _first(size >= promise["k"] for size in sizes) if "k" in promise else None
    )


def _first(kept: Any) -> str | None:
    flags = list(kept)
    return None if all(flags) else f"{flags.count(False)} of {len(flags)} classes break it"


def _histogram(one: Class, column: str) -> Counter[str | None]:
    return Counter(value for _, value in {(person, row[column]) for person, row in one})


def _split(one: Class, names: Sequence[str]) -> list[Class]:
    parts: dict[tuple[str | None, ...], Class] = defaultdict(list)
    for person, row in one:
        parts[tuple(row[name] for name in names)].append((person, row))
    return list(parts.values())


def _keeps(promise: Mapping[str, Any], one: Class, q: Mapping[str | None, float], meaning: Meaning) -> bool:
    counts = _histogram(one, promise["column"])
    people = len({person for person, _ in one})
    p = {value: count / counts.total() for value, count in counts.items()}
    match promise["model"]:
        case "(alpha,k)-anonymity":
            value = promise["value"]
            most = max(counts.values()) if value is None else counts[value]
            return most / people <= promise["alpha"] + _SLACK
        case "directional diversity":
            return counts[promise["negative"]] < people
        case "l-diversity":
            return _diverse(promise, counts)
        case "t-closeness":
            return _moved(p, q, promise["distance"], meaning) <= promise["t"] + _SLACK
        case "KL-closeness":
            return sum(x * math.log(x / q[v]) for v, x in p.items()) <= promise["t"] + _SLACK
        case "beta-likeness":
            gains = [(x / q[v] - 1, q[v]) for v, x in p.items()]
            return all(
                gain <= min(promise["beta"], -math.log(b) if promise["enhanced"] else math.inf) + _SLACK
                for gain, b in gains
            )
        case "delta-disclosure privacy":
            return all(v in p and abs(math.log(p[v] / b)) < promise["delta"] + _SLACK for v, b in q.items())
    raise AssertionError(f"no definition of {promise['model']}")


def _diverse(promise: Mapping[str, Any], counts: Counter[str | None]) -> bool:
    total = counts.total()
    if promise["kind"] == "distinct":
        return len(counts) >= promise["l"]
    if promise["kind"] == "entropy":
        return (
            -sum(n / total * math.log(n / total) for n in counts.values()) >= math.log(promise["l"]) - _SLACK
        )
    r = sorted(counts.values(), reverse=True)
    return r[0] < promise["c"] * sum(r[int(promise["l"]) - 1 :]) + _SLACK


def _moved(
    p: Mapping[str | None, float], q: Mapping[str | None, float], distance: str, meaning: Meaning
) -> float:
    """The earth mover's distance between two distributions."""
    if distance == "equal":
        return sum(max(p.get(v, 0) - b, 0) for v, b in q.items())
    if distance == "ordered":
        rank = meaning.order.index if meaning.order else float
        known = sorted((v for v in q if v is not None), key=rank)  # type: ignore[arg-type]
        order: list[str | None] = [*known, *([None] if None in q else [])]
        sums = [sum(p.get(v, 0) - q[v] for v in order[: i + 1]) for i in range(len(order))]
        return sum(map(abs, sums)) / max(len(order) - 1, 1)
    # Li et al. 2007: what a node cannot balance among its children moves through it, at its height over the tree's
    height = len(next(iter(meaning.tree.values()))) - 1
    extra = {(0, v): p.get(v, 0) - b for v, b in q.items()}
    work = 0.0
    for level in range(1, height + 1):
        below: dict[Any, list[float]] = defaultdict(list)
        for (at, name), mass in extra.items():
            path = [None] * height + ["*"] if name is None else meaning.tree[_leaf(name, at, meaning)]
            below[path[level]].append(mass)
        for children in below.values():
            more, less = sum(x for x in children if x > 0), -sum(x for x in children if x < 0)
            work += level / height * min(more, less)
        extra = {(level, name): sum(children) for name, children in below.items()}
    return work


def _leaf(name: str, level: int, meaning: Meaning) -> str:
    return next(leaf for leaf, path in meaning.tree.items() if path[level] == name)


def _sampled(k: int, fraction: float, significance: float) -> int:
    """The smallest sample at which fewer than k people in the population is rejected (zero-truncated Poisson)."""
    mean = (k - 1) * fraction
    for size in range(1, k):
        fewer = sum(math.exp(-mean) * mean**x / math.factorial(x) for x in range(size))
        if 1 - fewer < significance * (1 - math.exp(-mean)):
            return size
    return k
