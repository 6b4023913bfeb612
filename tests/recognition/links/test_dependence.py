"""mu against its definition over permutations, and rank correlation against the textbook."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lookalike.recognition.links import dependence
from lookalike.recognition.links.dependence import RankedCodes, evidence, in_step, measure


def values(codes: list[int], missing: int | None = None) -> RankedCodes:
    size = max([*codes, -1 if missing is None else missing]) + 1
    return RankedCodes(np.array(codes, dtype=np.int32), size, size if missing is None else missing)


def pdep(x: list[int], y: list[int]) -> float:
    """The chance to guess y of a row right from another row drawn among those with its x."""
    n = len(x)
    return sum((x[i] == x[j]) * (y[i] == y[j]) / x.count(x[i]) for i in range(n) for j in range(n)) / n


@settings(max_examples=40, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 2), st.integers(0, 2)), min_size=3, max_size=6))
def test_mu_is_what_is_left_beyond_the_mean_over_all_pairings(rows: list[tuple[int, int]]) -> None:
    x, y = [a for a, _ in rows], [b for _, b in rows]
    luck = np.mean([pdep(x, list(other)) for other in permutations(y)])
    expected = 0.0 if luck > 1 - 1e-12 else max(0.0, (pdep(x, y) - luck) / (1 - luck))
    found = measure(values(x), [values(y)])
    assert found.onto[0] == pytest.approx(expected, abs=1e-9)
    assert measure(values(y), [values(x)]).back[0] == pytest.approx(expected, abs=1e-9)


def test_a_function_has_one_and_chance_about_nothing() -> None:
    rng = np.random.default_rng(0)
    area = rng.integers(0, 50, 2000)
    found = measure(
        values(area.tolist()),
        [values((area // 7).tolist()), values(rng.integers(0, 9, 2000).tolist()), values(list(range(2000)))],
    )
    assert found.onto.round(9).tolist()[0] == 1
    assert found.onto[1] < 0.02
    assert found.back[1] < 0.02
    assert found.back[2] == 0  # every value distinct: determines everything, and says nothing


def test_batches_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(1)
    one = values(rng.integers(0, 30, 500).tolist())
    others = [values(rng.integers(0, size, 500).tolist()) for size in (2, 40, 300, 3)]
    whole = measure(one, others)
    monkeypatch.setattr(dependence, "_BATCH", 100)
    parts = measure(one, others)
    for name in ("onto", "back", "step"):
        assert getattr(whole, name).tolist() == getattr(parts, name).tolist()


def test_rank_correlation_is_spearmans_and_leaves_missing_out() -> None:
    from scipy.stats import spearmanr

    rng = np.random.default_rng(2)
    x = rng.integers(0, 20, 300)
    y = np.minimum(19, x + rng.integers(0, 4, 300))
    gone = rng.random(300) < 0.1
    kept = spearmanr(x, y).statistic
    assert measure(values(x.tolist()), [values(y.tolist())]).step[0] == pytest.approx(kept)
    assert in_step(values(x.tolist()), values(y.tolist())) == pytest.approx(kept)
    with_missing = values(np.where(gone, 20, y).tolist(), missing=20)
    assert measure(values(x.tolist()), [with_missing]).step[0] > 0.9


def test_evidence_counts_the_rows_that_repeat_a_value() -> None:
    assert evidence(values([0, 0, 0, 1]), values([0, 0, 1, 1])) == pytest.approx(2.0)
    assert evidence(values([0, 1, 2, 3]), values([0, 0, 1, 1])) == 0
    assert evidence(values([0, 0, 0, 0]), values([0, 0, 0, 0])) == 0
