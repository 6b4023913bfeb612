"""Noise touches only who is at risk, the risk after it is the definition's, and what stays is safe."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

import lookalike as la
from fca.known import SEX, YEARS
from lookalike import fca

SCALES = {"year": "windows:20/10"}


def records(n: int = 27) -> la.Table:
    return la.table(pl.DataFrame({"sex": list(SEX[:n]), "year": YEARS[:n]}), quasi=["sex", "year"])


def test_the_papers_records_with_noise_are_scaled_and_counted_anew() -> None:
    before = la.semantic_risk(records(), scales=SCALES, threshold=0.35)
    for seed in range(8):
        noise = fca.add_noise(records(), scales=SCALES, threshold=0.35, seed=seed)
        again = la.semantic_risk(la.table(noise.frame, quasi=["sex", "year"]), scales=SCALES, threshold=0.35)
        assert noise.rounds[0] == before.at_risk
        assert noise.rounds[-1] == again.at_risk
        assert (noise.keep == again.safe.keep).all()
        changed = (noise.frame.to_numpy() != records().rows.to_numpy()).sum()
        assert noise.changed == changed > 0


def test_whoever_is_safe_in_every_round_stays_as_they_are() -> None:
    people = records()
    risk = la.semantic_risk(people, scales=SCALES, threshold=0.35)
    noise = fca.add_noise(people, scales=SCALES, threshold=0.35, rounds=1)
    untouched = risk.records <= 0.35
    assert (noise.frame.to_numpy()[untouched] == people.rows.to_numpy()[untouched]).all()
    assert fca.add_noise(people, scales=SCALES, rounds=0).frame.equals(people.rows)


def test_the_share_found_is_that_of_an_attacker_who_tries_every_person() -> None:
    for seed in range(6):
        people = records()
        noise = fca.add_noise(people, scales=SCALES, seed=seed)
        true = fca.scale_table(people, scales=SCALES).context.to_matrix()
        for shown, found in ((true, noise.found[0]), (noise.context.to_matrix(), noise.found[1])):
            hits = []
            for i, row in enumerate(true):
                fits = (shown | ~row).all(axis=1)
                hits.append(fits[i] / fits.sum() if fits[i] else 0.0)
            assert found == pytest.approx(np.mean(hits))
        assert noise.found[1] < noise.found[0]


def test_the_same_seed_gives_the_same_noise_and_a_repr_without_values() -> None:
    one, two = (fca.add_noise(records(), scales=SCALES, seed=3) for _ in range(2))
    assert one.frame.equals(two.frame)
    assert repr(one).startswith(
        f"Noise({one.changed} values changed; above 0.35: {one.rounds[0]} records before"
    )
    assert set(one.to_dict()) == {"threshold", "rounds", "changed", "kept", "found_before", "found_after"}


def test_one_record_alone_and_odd_requests() -> None:
    alone = fca.add_noise(records(1), rounds=3)
    assert alone.rounds == (1, 1, 1, 1)
    assert not alone.keep.any()
    with pytest.raises(la.RequestError, match="rounds"):
        fca.add_noise(records(), rounds=-1)
    with pytest.raises(la.RequestError, match="threshold"):
        fca.add_noise(records(), threshold=2)
