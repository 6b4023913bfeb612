"""Which pairs some maximum matching has: the same as by trying out all matchings."""

from __future__ import annotations

import numpy as np
import pytest

from lookalike.kernels.matching import in_some_matching


def all_matchings(fits: np.ndarray, capacity: np.ndarray) -> np.ndarray:
    """The pairs of all maximum matchings, found by trying out every way to give each task a place or none."""
    most, pairs = -1, np.zeros(fits.shape, dtype=bool)

    def go(task: int, load: np.ndarray, chosen: list[tuple[int, int]]) -> None:
        nonlocal most, pairs
        if task == len(fits):
            if len(chosen) > most:
                most, pairs = len(chosen), np.zeros(fits.shape, dtype=bool)
            if len(chosen) == most:
                for pair in chosen:
                    pairs[pair] = True
            return
        go(task + 1, load, chosen)
        for place in np.flatnonzero(fits[task] & (load < capacity)):
            load[place] += 1
            go(task + 1, load, [*chosen, (task, int(place))])
            load[place] -= 1

    go(0, np.zeros(len(capacity), dtype=int), [])
    return pairs


@pytest.mark.parametrize("seed", range(120))
def test_the_pairs_are_those_of_all_maximum_matchings(seed: int) -> None:
    rng = np.random.default_rng(seed)
    tasks, places = rng.integers(1, 6), rng.integers(1, 6)
    fits = rng.random((tasks, places)) < rng.choice([0.3, 0.5, 0.8])
    capacity = rng.integers(0, 3, places)
    task, place = np.nonzero(fits)
    start = np.searchsorted(task, np.arange(tasks + 1))
    assert (in_some_matching(start, place, capacity) == all_matchings(fits, capacity)[task, place]).all()


def test_a_chain_of_a_thousand_tasks_with_one_way_out_is_forced() -> None:
    n = 1000
    start = np.concatenate([[0], np.cumsum([1] + [2] * (n - 1))])
    place = np.concatenate([[0], *([i - 1, i] for i in range(1, n))])
    allowed = in_some_matching(start, place, np.ones(n, dtype=np.int64))
    task = np.repeat(np.arange(n), np.diff(start))
    assert (allowed == (task == place)).all()
