"""The promises by their definitions, in plain arithmetic on counts: what the verifier recomputes releases with.

Written apart from `lookalike.models` on purpose: whoever checks must not repeat the mistakes of whoever made.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from decimal import Decimal
from typing import Any

from lookalike.releases.certificate import label_digest

Class = Mapping[str | None, int]  #: how often each sensitive value occurs in a class
_ROUNDING = 1e-9


_NO_DEFINITION = "stated, not checked: its model brings no definition of its own"


class NotKnown(Exception):
    """The release alone does not say what a check needs."""


def by_size(model: Mapping[str, Any], sizes: Sequence[int]) -> tuple[list[int], float]:
    """Classes that break a promise about class sizes, and the level reached."""
    everyone = sum(sizes)
    alone = [i for i, size in enumerate(sizes) if size == 1]
    match model["model"]:
        case "k-anonymity":
            return [i for i, size in enumerate(sizes) if size < model["k"]], min(sizes)
        case "k-map":
            needed = _smallest_sample(
                model["k"], model["sampling_fraction"], model["significance"], max(sizes)
            )
            return [i for i, size in enumerate(sizes) if size < needed], min(sizes) / model[
                "sampling_fraction"
            ]
        case "average risk":
            level = len(sizes) / everyone
            return (list(range(len(sizes))) if level > model["limit"] + _ROUNDING else []), level
        case "sample uniqueness":
            level = len(alone) / everyone
            return (alone if level > model["limit"] + _ROUNDING else []), level
    raise NotKnown(_NO_DEFINITION)


def by_values(
    model: Mapping[str, Any],
    sizes: Sequence[int],
    histograms: Sequence[Class],
    overall: Class,
    meanings: Mapping[str, Any],
) -> tuple[list[int], float]:
    """Classes that break a promise about sensitive values, and the level reached."""
    column = model["column"]
    table = {value: count / sum(overall.values()) for value, count in overall.items()}

    def judge(
        level: Callable[[Class], float],
        fine: Callable[[float], bool],
        worst: Callable[[Iterable[float]], float],
    ) -> tuple[list[int], float]:
        levels = [level(h) for h in histograms]
        return [i for i, x in enumerate(levels) if not fine(x)], worst(levels)

    match model["model"]:
        case "l-diversity":
            measure = {
                "distinct": len,
                "entropy": _effective,
                "recursive": lambda h: _recursive(h, model["c"]),
            }[model["kind"]]
            return judge(measure, lambda x: x >= model["l"] - _ROUNDING, min)
        case "t-closeness":
            known = meanings.get(column, {})
            return judge(
                _mover(model["distance"], table, column, known), lambda x: x <= model["t"] + _ROUNDING, max
            )
        case "KL-closeness":
            return judge(lambda h: _divergence(h, table), lambda x: x <= model["t"] + _ROUNDING, max)
        case "(alpha,k)-anonymity":
            value = model["value"]
            limited = None if value is None else _text_of(value, table, column, meanings)

            def share(h: Class) -> float:
                most = max(h.values()) if limited is None else h.get(limited, 0)
                return most / sum(h.values())

            broken, level = judge(share, lambda x: x <= model["alpha"] + _ROUNDING, max)
            small = [i for i, size in enumerate(sizes) if size < model["k"]]
            return sorted({*broken, *small}), level
        case "directional diversity":
            harmful = _text_of(model["negative"], table, column, meanings)
            return judge(lambda h: h.get(harmful, 0) / sum(h.values()), lambda x: x < 1, max)
        case "beta-likeness":
            return judge(
                lambda h: _gain(h, table, model["enhanced"]), lambda x: x <= model["beta"] + _ROUNDING, max
            )
        case "delta-disclosure privacy":
            return judge(lambda h: _ratio(h, table), lambda x: x < model["delta"], max)
    raise NotKnown(_NO_DEFINITION)


def _text_of(value: Any, table: Mapping[str | None, float], column: str, meanings: Mapping[str, Any]) -> str:
    """How the release spells a value that a promise names."""
    digest = meanings.get(column, {}).get("named", {}).get(str(value))
    found = [text for text in table if text is not None and label_digest(column, text) == digest]
    return found[0] if digest is not None and found else str(value)


def _effective(h: Class) -> float:
    n = sum(h.values())
    return math.exp(-sum(c / n * math.log(c / n) for c in h.values()))


def _recursive(h: Class, c: float) -> float:
    """The largest l with r1 < c (r_l + … + r_m)."""
    counts = sorted(h.values(), reverse=True)
    level = 0
    for place in range(1, len(counts) + 1):
        if counts[0] < c * sum(counts[place - 1 :]) - _ROUNDING:
            level = place
    return level


def _divergence(h: Class, table: Mapping[str | None, float]) -> float:
    n = sum(h.values())
    return sum(c / n * math.log(c / n / table[v]) for v, c in h.items())


def _gain(h: Class, table: Mapping[str | None, float], enhanced: bool) -> float:
    n, worst = sum(h.values()), 0.0
    for value, count in h.items():
        p, q = count / n, table[value]
        if p > q:
            gain = (p - q) / q
            worst = max(worst, math.inf if enhanced and gain > -math.log(q) + _ROUNDING else gain)
    return worst


def _ratio(h: Class, table: Mapping[str | None, float]) -> float:
    n = sum(h.values())
    return max(abs(math.log(h[v] / n / q)) if v in h else math.inf for v, q in table.items())


def _mover(
    distance: str | None, table: Mapping[str | None, float], column: str, known: Mapping[str, Any]
) -> Callable[[Class], float]:
    """The earth mover's distance from a class to the table; `known` is what the certificate says of the values."""
    if distance == "equal":

        def equal(h: Class) -> float:
            n = sum(h.values())
            return sum(abs(h.get(v, 0) / n - q) for v, q in table.items()) / 2

        return equal
    if distance == "ordered":
        order = _order(table, column, known)

        def ordered(h: Class) -> float:
            n, carried, work = sum(h.values()), 0.0, 0.0
            for value in order:
                carried += h.get(value, 0) / n - table[value]
                work += abs(carried)
            return work / max(len(order) - 1, 1)

        return ordered
    nodes = known.get("nodes", {})
    if distance is None or any(label_digest(column, value) not in nodes for value in table):
        raise NotKnown("needs to know how far values are apart, which the certificate does not say")
    paths = {value: nodes[label_digest(column, value)] for value in table}
    height = len(next(iter(paths.values())))

    def by_tree(h: Class) -> float:
        # Li et al.: moving mass through a node costs that node's height over the tree's; what cannot be balanced
        # below a node goes through it, so each level adds 1/height times half the absolute differences on it.
        n, work = sum(h.values()), 0.0
        for level in range(height - 1):
            extra: dict[Any, float] = {}
            for value, q in table.items():
                node = paths[value][level]
                extra[node] = extra.get(node, 0.0) + h.get(value, 0) / n - q
            work += sum(abs(x) for x in extra.values()) / 2
        return work / max(height - 1, 1)

    return by_tree


def _order(table: Mapping[str | None, float], column: str, known: Mapping[str, Any]) -> list[str | None]:
    values = [value for value in table if value is not None]
    given = known.get("order")
    if given is not None:
        rank = {digest: i for i, digest in enumerate(given)}
        if any(label_digest(column, value) not in rank for value in values):
            raise NotKnown("holds values that the order in the certificate does not name")
        ordered = sorted(values, key=lambda v: rank[label_digest(column, v)])
    else:
        try:
            ordered = sorted(values, key=lambda v: Decimal(v.replace(",", "")))
        except ArithmeticError:
            try:
                ordered = sorted(values, key=_day)
            except ValueError:
                raise NotKnown(
                    "needs the order of the column's values, which the certificate does not say"
                ) from None
    return [*ordered, *([None] if None in table else [])]


def _day(text: str) -> int:
    from datetime import date

    return date.fromisoformat(text[:10]).toordinal()


def _smallest_sample(k: int, fraction: float, significance: float, most: int) -> int:
    """The smallest sample class at which fewer than k in the population is rejected (zero-truncated Poisson).

    Sizes above `most` need not be told apart: no class is larger.
    """
    mean = (k - 1) * fraction
    nobody = math.exp(-mean)
    below = 0.0
    for size in range(1, min(k, most + 1) + 1):
        x = size - 1
        below += math.exp(x * math.log(mean) - mean - math.lgamma(size)) if mean else float(x == 0)
        if 1 - below < significance * (1 - nobody):
            return size
    return min(k, most + 1)
