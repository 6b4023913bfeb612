"""NSGA-II: a front of sets, none of which is beaten on both risk and cost, for those who do not want to weigh them.

Deb et al. 2002, https://doi.org/10.1109/4235.996017: non-dominated sorting, crowding distance, binary tournaments.
O(population^2) comparisons per generation.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from lookalike.base.progress import Report
from lookalike.recognition.optimisers.evolutionary import check_sizes, cross, mutate

Objectives = Callable[[Sequence[int]], NDArray[np.float64]]


def nsga2(
    width: int,
    objectives: Objectives,
    *,
    seed: int = 0,
    population: int = 50,
    generations: int = 30,
    crossover: float = 0.9,
    mutation: float | None = None,
    progress: Report | None = None,
) -> tuple[dict[int, tuple[float, float]], list[float]]:
    """The sets that nothing met on the way beats, with (risk, cost) of each; and the front's size per generation.

    objectives: sets -> an array of (risk, cost) rows; risk is wanted high, cost low. mutation: 1/width unless given.
    """
    rate = 1 / width if mutation is None else mutation
    check_sizes(population, generations, crossover, rate)
    rng = np.random.default_rng(seed)
    known: dict[int, tuple[float, float]] = {}

    def look(subsets: Sequence[int]) -> NDArray[np.float64]:
        new = [s for s in dict.fromkeys(subsets) if s not in known]
        if new:
            known.update(zip(new, map(tuple, objectives(new).tolist()), strict=True))
        return np.array([known[s] for s in subsets])

    members = [int(b) for b in _draw(rng, width, population)]
    look(members)
    sizes = []
    for generation in range(generations):
        values = look(members)
        rank, distance = order(values)
        key = list(zip(rank.tolist(), (-distance).tolist(), strict=True))

        def pick(key: list[tuple[float, float]] = key, members: list[int] = members) -> int:
            a, b = (int(i) for i in rng.integers(0, len(members), 2))
            return members[a] if key[a] <= key[b] else members[b]

        children: list[int] = []
        while len(children) < population:
            children += [mutate(rng, c, width, rate) for c in cross(rng, pick(), pick(), width, crossover)]
        pool = list(dict.fromkeys(members + children))
        rank, distance = order(look(pool))
        best = np.lexsort([np.array([s.bit_count() for s in pool]), -distance, rank])
        members = [pool[i] for i in best[:population].tolist()]
        sizes.append(float((rank == 0).sum()))
        if progress:
            progress((generation + 1) / generations)
    met = list(known)
    front = [s for s, r in zip(met, order(look(met))[0].tolist(), strict=True) if r == 0]
    return {s: known[s] for s in sorted(front, key=lambda s: (known[s][1], -known[s][0], s))}, sizes


def order(values: NDArray[np.float64]) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Front number of each point (0 is not dominated) and its crowding distance within its front."""
    points = values * np.array([-1.0, 1.0])
    rank = np.full(len(points), -1, dtype=np.int64)
    distance = np.zeros(len(points))
    left = np.arange(len(points))
    front = 0
    while len(left):
        best = _undominated(points[left])
        rank[left[best]] = front
        distance[left[best]] = _crowding(points[left[best]])
        left = left[~best]
        front += 1
    return rank, distance


def _undominated(points: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Which points no other beats: sorted by the first coordinate, the second must reach a new low."""
    by_both = np.lexsort([points[:, 1], points[:, 0]])
    lowest = np.minimum.accumulate(points[by_both, 1])
    before = np.concatenate([[np.inf], lowest[:-1]])
    same = np.zeros(len(points), dtype=bool)
    fresh = points[by_both, 1] < before
    # equal points do not beat each other
    equal = np.concatenate([[False], (np.diff(points[by_both], axis=0) == 0).all(axis=1)])
    for i in range(len(points)):
        same[i] = fresh[i] or (equal[i] and same[i - 1])
    out = np.zeros(len(points), dtype=bool)
    out[by_both] = same
    return out


def _crowding(points: NDArray[np.float64]) -> NDArray[np.float64]:
    """Distance between the neighbours of each point along the front; the ends are infinitely far."""
    out = np.zeros(len(points))
    for values in points.T:
        by = np.argsort(values, kind="stable")
        span = values[by[-1]] - values[by[0]]
        out[by[[0, -1]]] = np.inf
        if span > 0 and len(points) > 2:
            out[by[1:-1]] += (values[by[2:]] - values[by[:-2]]) / span
    return out


def _draw(rng: np.random.Generator, width: int, population: int) -> list[int]:
    """Random sets of all sizes, so that the first front is wide."""
    return [
        sum(1 << i for i in rng.choice(width, size, replace=False).tolist())
        for size in rng.integers(1, width + 1, population).tolist()
    ]
