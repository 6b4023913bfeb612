"""Downcoding: what a minimal method publishes betrays finer values than it shows.

Cohen 2022, "Attacks on Deidentification's Defenses", https://doi.org/10.48550/arXiv.2202.13470. A class is published at
a node only because its members could not have been published below it. Of all splits of the class over the node's
children, those that the method would have refined are ruled out; what the remaining ones agree on is certain. A tight
range has a member at each end, a set of values one for each, whatever the method. O(classes x children x k).
"""

from __future__ import annotations

from functools import lru_cache
from math import lgamma, log, log2

import numpy as np
from numpy.typing import NDArray

from lookalike.measures.attacks.exposure import CoveredColumn, Exposure, Held, PublishedCodes
from lookalike.measures.attacks.results import Attacked

MINIMAL = ("optimal", "datafly")  #: methods by levels that stop as soon as they may
_LARGEST = 200_000  #: members x children for which chances are computed


def attack(exposure: Exposure) -> list[Attacked]:
    """All generalised cells of the release."""
    certain = cells = alone = 0
    bits: list[float] = []
    for side, codes in zip(exposure.sides, exposure.cells.codes, strict=True):
        wide = side.inside.sum(axis=1)[side.label] > 1
        cells += int(exposure.sizes[wide].sum())
        held = exposure.held(PublishedCodes(codes[exposure.cells.of_row].astype(np.int64), side.domain.size))
        if side.style == "set":
            certain += int(np.diff(held.starts)[wide].sum())
        elif side.style == "range":
            certain += _ends(side, held, wide)
        elif side.tree is not None and side.tree.domain.size == side.domain.size:
            found = _from_nodes(exposure, side, held, np.flatnonzero(wide))
            certain, alone = certain + found[0], alone + found[1]
            bits += found[2]
    return [
        Attacked(
            "downcoding",
            "inference",
            "The attacker knows the hierarchies and that the method blurs no more than it must, and works out finer "
            "values than were published. Success is a blurred cell whose finer value is certain and right (that "
            "somebody of the class has it, not who). The ends of tight ranges and the members of sets are such cells.",
            cells,
            certain,
            baseline=0.0,
            details={
                "bits_per_class_mean": float(np.mean(bits)) if bits else 0.0,
                "classes_with_one_member_under_a_child": alone,
            },
        )
    ]


def _ends(side: CoveredColumn, held: Held, wide: NDArray[np.bool_]) -> int:
    """Cells that ranges give away: a member at each end, and one that is missing where a range says so."""
    inside = side.inside.copy()
    size = side.domain.size
    missing = np.asarray(inside[:, -1] & side.domain.missing)
    inside[missing, -1] = False
    some = np.asarray(inside.any(axis=1))
    lo, hi = inside.argmax(axis=1), size - 1 - inside[:, ::-1].argmax(axis=1)
    apart = np.asarray(hi > lo)
    classes = np.flatnonzero(wide)
    label = side.label[classes]
    owner = np.repeat(np.arange(len(held.starts) - 1), np.diff(held.starts))
    present = owner * size + held.value
    claims = [
        classes[some[label]] * size + lo[label][some[label]],
        classes[apart[label]] * size + hi[label][apart[label]],
        classes[missing[label]] * size + size - 1,
    ]
    return int(np.isin(np.concatenate(claims), present).sum())


def _from_nodes(
    exposure: Exposure, side: CoveredColumn, held: Held, wide: NDArray[np.int64]
) -> tuple[int, int, list[float]]:
    """Certain cells, classes with one member under a child, and bits learnt, from classes published at nodes."""
    by_size = not any(model.columns for model in exposure.models)  # else values may have been the reason
    level = side.style == "level"
    if level and not (by_size and exposure.method in MINIMAL and exposure.kept.all() and exposure.k > 1):
        return 0, 0, []
    children = {int(label): _children(side, int(label)) for label in np.unique(side.label[wide])}
    wide = np.array([c for c in wide if children[int(side.label[c])].max() > 0], dtype=np.int64)
    certain = alone = 0
    bits, spared = [], 1.0
    for c in wide:
        of_code = children[int(side.label[c])]
        part = slice(held.starts[c], held.starts[c + 1])
        parts = int(of_code.max()) + 1
        true = np.bincount(of_code[held.value[part]], weights=held.times[part], minlength=parts)
        m = int(exposure.sizes[c])
        alone += bool((true == 1).any())
        if level:  # one level lower some class is too small; where one class alone can be it, it is
            spared *= _chance(m, parts, (0, *range(exposure.k, m + 1)))
            least = int(len(wide) == 1 and parts == 2)
        else:
            allowed = _unrefined(m, exposure.k) if by_size else tuple(range(m))
            least = _least(m, parts, allowed)
            chance = _chance(m, parts, allowed)
            bits.append(-log2(chance) if chance > 0 else 0.0)
        certain += int(np.minimum(true, least).sum())
    if level and 0 < spared < 1:
        bits.append(-log2(1 - spared))
    return certain, alone, bits


def _children(side: CoveredColumn, label: int) -> NDArray[np.int64]:
    """The child of each code under a published node (-1: not under it); a node with one child is passed on to it."""
    assert side.tree is not None
    assert side.level is not None
    out = np.full(side.domain.size, -1, dtype=np.int64)
    codes = np.flatnonzero(side.inside[label])
    for level in range(int(side.level[label]) - 1, -1, -1):
        out[codes] = np.unique(side.tree.up[level][codes], return_inverse=True)[1]
        if out.max() > 0:
            break
    return out


def _unrefined(m: int, k: int) -> tuple[int, ...]:
    """Sizes that a child may have in a class of m that a minimal method published at the node above it.

    k or more together would have been published at the child, unless fewer than k (but some) were left behind.
    """
    return tuple(n for n in range(m) if n < k or m - n < k)


@lru_cache(maxsize=4096)
def _least(m: int, children: int, allowed: tuple[int, ...]) -> int:
    """The fewest members that a child has in any split that is left; 0 where none is."""
    if len(allowed) == m:  # all but everybody in one child
        return int(children == 2)
    rest = {0}
    for _ in range(min(children - 1, m + 1)):
        fresh = {a + b for a in rest for b in allowed if a + b <= m}
        if fresh == rest:
            break
        rest = fresh
    return next((n for n in allowed if m - n in rest), 0)


@lru_cache(maxsize=4096)
def _chance(m: int, children: int, allowed: tuple[int, ...]) -> float:
    """The chance that all children have allowed sizes when members choose among them by lot; 1 where it is too long."""
    if m * children > _LARGEST or len(allowed) * m > 10 * _LARGEST:
        return 1.0
    factorials = np.array([lgamma(n + 1) for n in range(m + 1)])
    logs = np.full(m + 1, -np.inf)
    logs[0] = 0.0
    for _ in range(children):
        fresh = np.full(m + 1, -np.inf)
        for n in allowed:
            fresh[n:] = np.logaddexp(fresh[n:], logs[: m + 1 - n] - factorials[n])
        logs = fresh
    return float(min(1.0, np.exp(logs[m] + factorials[m] - m * log(children))))
