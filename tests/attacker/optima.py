"""The best full-domain release of a tiny table by trying everything: every level of every column, everybody left out
or not. O(levels x 2^people); what the promises mean is counted by `counting`, not by the library."""

from __future__ import annotations

import itertools
import random
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import polars as pl

import lookalike as la
from attacker.counting import broken
from attacker.published import Meaning, Row

TREES = {
    "town": {"a": ["a", "ab", "*"], "b": ["b", "ab", "*"], "c": ["c", "cd", "*"], "d": ["d", "cd", "*"]},
    "sex": {"f": ["f", "*"], "m": ["m", "*"]},
}
MEANINGS = {"ill": Meaning()}


def best(
    rows: Sequence[Row],
    promises: Sequence[Mapping[str, Any]],
    suppression: float,
    weights: Mapping[str, float],
) -> float | None:
    """The least loss of any release that keeps the promises; None where none does."""
    people = sorted({str(row["pid"]) for row in rows})
    most = int(suppression * len(people) + 1e-9)
    found = None
    total = sum(weights.values())
    for levels in itertools.product(range(3), range(2)):
        labels = [
            tuple(TREES[name][str(row[name])][level] for name, level in zip(TREES, levels, strict=True))
            for row in rows
        ]
        losses = [
            sum(weights[n] * _loss(n, label) for n, label in zip(TREES, tuple_, strict=True))
            for tuple_ in labels
        ]
        for gone in itertools.chain.from_iterable(itertools.combinations(people, n) for n in range(most + 1)):
            if len(gone) == len(people):
                continue
            loss = (
                sum(total if row["pid"] in gone else one for row, one in zip(rows, losses, strict=True))
                / total
                / len(rows)
            )
            if (found is None or loss < found - 1e-12) and _kept(rows, labels, gone, promises):
                found = loss
    return found


def _loss(name: str, label: str) -> float:
    paths = TREES[name].values()
    return (sum(label in path for path in paths) - 1) / (len(paths) - 1)


def _kept(
    rows: Sequence[Row], labels: Sequence[Any], gone: Sequence[str], promises: Sequence[Mapping[str, Any]]
) -> bool:
    classes: dict[Any, list[tuple[Any, Row]]] = defaultdict(list)
    for row, label in zip(rows, labels, strict=True):
        if row["pid"] not in gone:
            classes[label].append((row["pid"], row))
    some = list(classes.values())
    return not any(broken(one, some, sensitive=["ill"], meanings=MEANINGS) for one in promises)


def optimum(seed: int, folder: Path, done: Counter[str]) -> Iterator[str]:
    """`optimal` against all there is; allowing more to be left out must never give less."""
    draw = random.Random(seed)
    several = draw.random() < 0.6
    n = draw.randint(2, 7)
    rows: list[Row] = [
        {
            "pid": str(draw.randrange(max(2, n // 2 + 1)) if several else i),
            "town": draw.choice("abcd"[: draw.choice([2, 4])]),
            "sex": draw.choice("fm"),
            "ill": draw.choice(["flu", "cold", "ulcer"][: draw.choice([2, 3])]),
        }
        for i in range(n)
    ]
    models = [draw.choice(_models(draw)), *([la.KAnonymity(2)] if draw.random() < 0.3 else [])]
    weights = {"town": draw.choice([1.0, 1.0, 0.5, 3.0]), "sex": 1.0}
    people = la.table(
        pl.DataFrame(rows),
        quasi=list(TREES),
        sensitive=["ill"],
        unit="pid" if several else None,
        identifiers=[] if several else ["pid"],
        hierarchies={name: la.Hierarchy.rows(list(tree.values())) for name, tree in TREES.items()},
        types={"town": "nominal", "sex": "nominal", "ill": "nominal"},
    )
    before = None
    for suppression in sorted(draw.sample([0.0, 0.2, 0.34, 0.5, 0.7, 0.9], 2)):
        done["optima"] += 1
        asked = f"suppression {suppression}, {[str(model) for model in models]}"
        try:
            release = la.anonymize(
                people,
                *models,
                method="optimal",
                suppression=suppression,
                weights=weights,
                linked={"ill": "accept"},
            )
        except la.GuaranteeError:
            release = None
        except la.RequestError:  # a value nobody has was named
            return
        wanted = best(rows, [model.to_dict() for model in models], suppression, weights)
        if release is None:
            if before is not None:
                yield f"refused with more suppression than sufficed before: {asked}"
            if wanted is not None and _told(models, several, suppression, rows):
                yield f"refused, though loss {wanted:.4f} is possible: {asked}"
            continue
        if wanted is None or release.loss < wanted - 1e-9:
            yield f"loss {release.loss:.4f} is less than the least possible, {wanted}: {asked}"
            continue
        if release.loss > wanted + 1e-9 and (
            release.proven_optimal or _told(models, several, suppression, rows)
        ):
            yield f"loss {release.loss:.4f} is said to be the least, {wanted:.4f} is possible: {asked}"
        if before is not None and release.loss > before + 1e-9:
            yield f"more suppression gives a larger loss, {release.loss:.4f} after {before:.4f}: {asked}"
        before = release.loss


def _told(models: Sequence[la.Model], several: bool, suppression: float, rows: Sequence[Row]) -> bool:
    """Where docs/optimal-search.md claims the optimum over everybody who could be left out."""
    if suppression * len({row["pid"] for row in rows}) < 1:
        return True
    return not any(
        model.relative or not model.absorbing or (several and not model.holds_for_units) for model in models
    )


def _models(draw: random.Random) -> list[la.Model]:
    return [
        la.KAnonymity(2),
        la.KAnonymity(3),
        la.LDiversity("ill", 2),
        la.LDiversity("ill", 1.8, kind="entropy"),
        la.AlphaK("ill", 0.6, 2),
        la.AverageRisk(0.5),
        la.SampleUniqueness(0.2),
        la.TCloseness("ill", draw.choice([0.15, 0.3]), distance="equal"),
        la.BetaLikeness("ill", 0.5, enhanced=False),
        la.DeltaDisclosure("ill", 1.2),
        la.DirectionalDiversity("ill", "flu"),
    ]
