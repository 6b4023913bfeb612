"""`la.anonymize(..., method="semantic")` keeps the greatest safe set, publishes scaled values, forgets on request."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

import lookalike as la
from fca.known import SEX, YEARS
from lookalike import fca
from lookalike.anonymizers.semantic import keep_safe

BOUNDS = [(1935, 1955), (1945, 1965), (1955, 1975), (1965, 1985), (1975, 1995)]
SCALES = {"sex": "nominal", "year": la.Scale.intervals(BOUNDS)}


def people(**more):
    return la.table(
        pl.DataFrame({"sex": list(SEX), "year": YEARS, **more}), quasi=["sex", "year"], others=list(more)
    )


def release(table, **options):
    asked = {"scales": SCALES, "threshold": 0.35, "suppression": 0.5, "shuffle": False, **options}
    return la.anonymize(table, la.KAnonymity(1), method="semantic", **asked)


def test_the_release_is_the_greatest_safe_set():
    out = release(people(id=list(range(1, 28))))
    assert sorted(set(range(1, 28)) - set(out.frame["id"])) == [5, 6, 8, 20, 24, 25, 26]
    assert out.suppressed == 7
    assert out.k >= 3


def test_values_are_published_as_all_values_with_the_same_attributes():
    frame = release(people(id=list(range(1, 28)))).frame
    by_id = dict(zip(frame["id"], frame["year"]))
    assert by_id[1] == "[1955, 1959]"  # 1955, 1956 and 1959 have the same two intervals
    assert by_id[1] == by_id[3] == by_id[18]
    assert by_id[2] == "[1965, 1971]"
    assert set(frame["sex"]) == {"M", "F"}


def test_the_saved_release_verifies(tmp_path):
    folder = la.anonymize(
        people(), la.KAnonymity(3), method="semantic", scales=SCALES, threshold=0.35, suppression=0.5
    ).save(tmp_path / "out")
    assert la.verify(folder / "release.csv", folder / "certificate.json").ok


def test_the_recoding_repeats_the_release():
    table = people()
    out = release(table)
    assert out.recoding.apply(table).rows.equals(out.rows)


def test_too_many_losses_are_refused():
    with pytest.raises(la.GuaranteeError, match="7 of 27 records"):
        release(people(), suppression=0.05)
    with pytest.raises(la.GuaranteeError, match="no record can be released"):
        release(people(), threshold=0.05)


def test_forgetting_attributes_saves_records():
    kept = [
        release(people(), forget=count).records - release(people(), forget=count).suppressed
        for count in (0, 1, 2)
    ]
    assert kept == sorted(kept)
    assert kept[1] > kept[0]
    plan = keep_safe(people(), (), scales=SCALES, threshold=0.35, forget=1)
    best = max(
        fca.safe_set(smaller, threshold=0.35).kept
        for smaller in (
            fca.scale_table(people(), scales=SCALES).context.without_attributes([name])
            for name in fca.scale_table(people(), scales=SCALES).context.attributes
        )
    )
    assert int((plan.of_row >= 0).sum()) == best
    assert len(plan.forgotten) == 1


def test_further_promises_hold_together_with_the_threshold():
    for seed in range(40):
        rng = np.random.default_rng(seed)
        frame = pl.DataFrame({
            "a": rng.integers(0, 60, 120), "b": rng.choice(list("xyz"), 120), "s": rng.choice(list("pqr"), 120),
        })  # fmt: skip
        table = la.table(frame, quasi=["a", "b"], sensitive=["s"])
        scales = {"a": "windows:20/10", "b": "nominal"}
        plan = keep_safe(table, (la.KAnonymity(4), la.LDiversity("s", 2)), scales=scales, threshold=0.5)
        kept = plan.of_row >= 0
        risk = fca.basic_risk(fca.scale_table(table, scales=scales).context.keep(kept))
        assert risk.basic.max() <= 0.5, seed
        for label in np.unique(plan.of_row[kept]):
            rows = frame.filter(pl.Series(plan.of_row == label))
            assert len(rows) >= 4
            assert rows["s"].n_unique() >= 2


def test_published_boxes_hold_every_value_with_the_same_attributes_and_no_other():
    table = people()
    plan = keep_safe(table, (), scales=SCALES, threshold=0.35, forget=2)
    for name, side in plan.sides.items():
        codes = table.column(name).codes
        for box in range(side.boxes):
            members = set(side.code[side.starts[box] : side.starts[box + 1]].tolist())
            group = plan.groups[name]
            assert len({int(group[c]) for c in members}) == 1
            assert members == set(np.flatnonzero(group == group[next(iter(members))]).tolist())
            assert set(codes[plan.of_row == box].tolist()) <= members


def test_a_negative_number_of_attributes_is_refused():
    with pytest.raises(la.RequestError, match="forget"):
        release(people(), forget=-1)
