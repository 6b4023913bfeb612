"""Numbers that stay nearly the same in all rows of a person stay the same in bands."""

from __future__ import annotations

import numpy as np
import pytest

from lookalike.recognition.links.agreement import STAYS, rows_of_people
from lookalike.recognition.links.trajectories import _BANDS, find_trajectories, steady_bands

SEEDS = range(6)


def measured(noise: float, *, seed: int = 0, people: int = 150) -> tuple[np.ndarray, np.ndarray]:
    """Four weights per person, with a little noise, as places in their order; a few are missing."""
    rng = np.random.default_rng(seed)
    whose = rng.permutation(np.repeat(np.arange(people), 4))
    weight = (rng.normal(75, 15, people)[whose] + rng.normal(0, noise, len(whose))).round(1)
    ranks = np.unique(weight, return_inverse=True)[1]
    return np.where(rng.random(len(whose)) < 0.1, -1, ranks), whose


def published(ranks: np.ndarray) -> np.ndarray:
    return np.where(ranks < 0, ranks.max() + 1, ranks)


@pytest.mark.parametrize("seed", SEEDS)
def test_bands_are_the_narrowest_in_which_a_persons_rows_agree(seed: int) -> None:
    ranks, whose = measured(0.4, seed=seed)
    everyone = np.arange(len(whose))
    found = steady_bands(published(ranks), ranks, whose, everyone)
    assert found is not None
    known = ranks >= 0
    assert set(found[~known]) == {0}
    low_to_high = np.argsort(ranks[known], kind="stable")
    assert (np.diff(found[known][low_to_high]) >= 0).all()
    assert len(set(zip(ranks, found, strict=True))) == len(set(ranks))  # a number is in one band

    def agreement(many: int) -> float:
        own = ranks[known]
        middle = np.array([(own < r).sum() + (own == r).sum() / 2 for r in own]) / len(own)
        return float(rows_of_people(whose[known]).agreement((middle * many).astype(int)).kappa[0])

    many = next(many for many in _BANDS if agreement(many) >= STAYS)
    assert int(found.max()) == many


@pytest.mark.parametrize("noise", [8.0, 100.0])
def test_numbers_that_vary_much_have_no_such_bands(noise: float) -> None:
    ranks, whose = measured(noise)
    assert steady_bands(published(ranks), ranks, whose, np.arange(len(whose))) is None


def test_numbers_that_are_published_as_one_are_in_one_band() -> None:
    ranks, whose = measured(0.4)
    rounded = np.where(ranks < 0, ranks.max() + 1, ranks // 7)
    found = steady_bands(rounded, ranks, whose, np.arange(len(whose)))
    assert found is not None
    assert len(set(zip(rounded, found, strict=True))) == len(set(rounded))


def test_where_nothing_is_known_there_are_none() -> None:
    none = np.full(6, -1)
    assert steady_bands(np.zeros(6, dtype=int), none, np.array([0, 0, 1, 1, 2, 2]), np.arange(6)) is None


def test_rows_are_put_together_by_numbers_that_stay_nearly_the_same() -> None:
    weight, whose = measured(0.2)
    height = np.random.default_rng(3).integers(0, 40, 150)[whose]
    columns = {"weight": published(weight), "height": height}
    exact, nearly = (find_trajectories(columns, whose, numbers) for numbers in (None, {"weight": weight}))
    assert exact is not None
    assert nearly is not None
    assert (exact.text, nearly.text) == ("height", "height, weight (nearly)")
    assert nearly.nearly == ("weight",)
    assert nearly.told > exact.told + 50
    place = np.random.default_rng(4).permutation(len(whose))
    again = find_trajectories(
        {n: c[place] for n, c in columns.items()}, whose[place], {"weight": weight[place]}
    )
    assert again is not None
    assert again.of_row.tolist() == nearly.of_row[place].tolist()
