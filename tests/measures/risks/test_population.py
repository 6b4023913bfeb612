"""Population estimates against populations that are known because they were made."""

from __future__ import annotations

import math

import numpy as np
import pytest
from numpy.typing import NDArray

from lookalike.base.errors import RequestError
from lookalike.measures.risks.population import estimate_uniqueness, expected_risk


def sample(population: NDArray[np.int64], fraction: float, seed: int) -> NDArray[np.int64]:
    """Class sizes of a random sample of a population with these class sizes."""
    chance = np.random.default_rng(seed)
    found = chance.binomial(population, fraction)
    return found[found > 0]


@pytest.mark.parametrize("fraction", [0.1, 0.3, 0.6])
def test_slide_negative_binomial_populations_are_recovered(fraction: float) -> None:
    population = 1 + np.random.default_rng(1).negative_binomial(0.7, 0.25, 30_000)
    truth = (population == 1).sum() / population.sum()
    estimate = estimate_uniqueness(sample(population, fraction, 2), fraction)
    assert estimate.snb == pytest.approx(truth, rel=0.15)


@pytest.mark.parametrize(("theta", "alpha"), [(50.0, 0.6), (500.0, 0.3)])
def test_pitman_populations_are_recovered(theta: float, alpha: float) -> None:
    # Pitman's urn: person n + 1 opens a class with chance (theta + classes alpha) / (theta + n)
    chance = np.random.default_rng(3)
    of_person = np.empty(20_000, dtype=np.int64)
    sizes: list[int] = []
    for n in range(len(of_person)):
        if chance.random() < (theta + len(sizes) * alpha) / (theta + n):
            of_person[n] = len(sizes)
            sizes.append(1)
        else:
            # one more for a class with chance (size - alpha): a random person's class, refused with alpha / size
            while True:
                chosen = of_person[chance.integers(n)]
                if chance.random() < 1 - alpha / sizes[chosen]:
                    break
            of_person[n] = chosen
            sizes[chosen] += 1
    truth = sum(size == 1 for size in sizes) / len(of_person)
    seen = np.bincount(of_person[chance.random(len(of_person)) < 0.1])
    estimate = estimate_uniqueness(seen, 0.1)
    assert estimate.pitman == pytest.approx(truth, rel=0.15)
    assert (estimate.chosen, estimate.dankar) == ("pitman", estimate.pitman)


def test_zayatz_follows_bayes_rule() -> None:
    # three classes of one and one of two in a sample of 5 from 10: hypergeometric chances of one in the sample
    estimate = estimate_uniqueness(np.array([1, 1, 1, 2]), 0.5)
    one, two = 5 / 10, 2 * math.comb(8, 4) / math.comb(10, 5)
    wanted = 3 * (3 * one / (3 * one + 1 * two)) * 2 / 10
    assert estimate.zayatz == pytest.approx(wanted)


def test_dankars_rule_takes_the_smaller_of_zayatz_and_snb_above_a_tenth() -> None:
    population = 1 + np.random.default_rng(5).poisson(2, 5_000)
    for fraction in (0.15, 0.4, 0.8):
        estimate = estimate_uniqueness(sample(population, fraction, 6), fraction)
        assert estimate.dankar == min(estimate.snb, estimate.zayatz)
        assert estimate.chosen in ("snb", "zayatz")


def test_a_whole_population_has_the_uniques_it_has() -> None:
    sizes = np.array([1, 1, 2, 3, 3, 1, 4])
    estimate = estimate_uniqueness(sizes, 1.0)
    assert estimate.zayatz == pytest.approx(3 / 15)
    assert estimate.correct_match == 1


def test_nobody_unique_in_the_sample_means_nobody_estimated() -> None:
    estimate = estimate_uniqueness(np.array([2, 3, 5]), 0.05)
    assert (estimate.zayatz, estimate.pitman, estimate.snb, estimate.dankar) == (0, 0, 0, 0)


def test_everybody_unique_is_estimated_without_a_fit() -> None:
    estimate = estimate_uniqueness(np.ones(50, dtype=np.int64), 0.05)
    assert estimate.chosen == "zayatz"
    assert estimate.to_dict()["pitman"] is None


@pytest.mark.parametrize("fraction", [0.001, 0.05, 0.3, 0.9, 0.999])
@pytest.mark.parametrize("size", [1, 2, 3, 10, 200])
def test_expected_risk_is_the_mean_of_a_negative_binomial(fraction: float, size: int) -> None:
    from scipy.integrate import quad

    odds = (1 - fraction) / fraction
    wanted = quad(lambda x: x ** (size - 1) / (1 + odds * x), 0, 1, points=[min(1.0, 1 / odds)], limit=400)[0]
    assert expected_risk(np.array([size]), fraction)[0] == pytest.approx(wanted, rel=1e-6)


def test_expected_risk_agrees_with_simulated_populations() -> None:
    chance, fraction = np.random.default_rng(8), 0.25
    for size in (1, 2, 5):
        larger = size + chance.negative_binomial(size, fraction, 200_000)
        assert expected_risk(np.array([size]), fraction)[0] == pytest.approx((1 / larger).mean(), rel=0.01)
    assert expected_risk(np.array([1, 4]), 1.0) == pytest.approx([1, 1 / 4])


@pytest.mark.parametrize("fraction", [0.0, -1.0, 1.5])
def test_an_impossible_fraction_is_refused(fraction: float) -> None:
    with pytest.raises(RequestError, match="fraction"):
        estimate_uniqueness(np.array([1, 2]), fraction)
