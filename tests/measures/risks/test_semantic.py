"""`la.semantic_risk`: one result a person can read, and numbers that agree with the definitions."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import lookalike as la
from fca.known import SEX, YEARS
from lookalike import fca

BOUNDS = [(1935, 1955), (1945, 1965), (1955, 1975), (1965, 1985), (1975, 1995)]
SCALES = {"sex": "nominal", "year": la.Scale.intervals(BOUNDS)}


def people(frame=pl.DataFrame):
    columns = {"sex": list(SEX), "year": YEARS}
    made = pa.table(columns) if frame is pa.table else frame(columns)
    return la.table(made, quasi=["sex", "year"])


@pytest.fixture(scope="module")
def result():
    return la.semantic_risk(people(), scales=SCALES, threshold=0.35)


def test_the_numbers_of_the_running_example(result):
    assert len(result.records) == 27
    assert result.max == 1
    assert result.mean == pytest.approx(10 / 27)
    assert result.chain.mean() == pytest.approx(19 / 54)
    assert result.chain.max() == 1
    assert tuple(np.flatnonzero(result.records > 0.35) + 1) == (5, 6, 8, 20, 24, 25, 26)
    assert result.at_risk == 7
    assert (result.safe.kept, result.safe.cost) == (20, 7)
    assert result.uniques == 3


def test_classical_risk_stands_beside_and_never_below(result):
    keys = [(s, tuple(a <= y < b for a, b in BOUNDS)) for s, y in zip(SEX, YEARS, strict=True)]
    np.testing.assert_allclose(result.classical, [1 / keys.count(key) for key in keys])
    assert (result.records <= result.classical).all()


def test_every_frame_gives_the_same_answer(result):
    for frame in (pd.DataFrame, pa.table):
        other = la.semantic_risk(people(frame), scales=SCALES, threshold=0.35)
        np.testing.assert_array_equal(other.records, result.records)
        assert other.to_dict() == result.to_dict()


def test_a_finding_says_who_and_why(result):
    finding = result.explain(8)
    assert finding.rows == (8,)
    assert finding.attributes == ("sex=F", "year [1975, 1995)")
    assert (finding.shared_by, finding.further, finding.left) == (3, "year [1965, 1985)", 1)
    assert finding.text == (
        "row 8: sex=F, year [1975, 1995): 3 records in all, 2 of them also with year [1965, 1985); that leaves 1. "
        "Risk 1.00 (classical 1.00)."
    )
    assert {row for f in result.findings for row in f.rows} == {5, 6, 8, 20, 24, 25, 26}
    with pytest.raises(la.RequestError, match="rows 1 to 27"):
        result.explain(0)


def test_dropping_a_column_is_measured_on_the_smaller_table(result):
    by_name = {option.name: option for option in result.columns}
    alone = la.semantic_risk(
        la.table(pl.DataFrame({"year": YEARS}), quasi=["year"]),
        scales={"year": SCALES["year"]},
        threshold=0.35,
    )
    assert by_name["sex"].at_risk == alone.at_risk
    assert by_name["sex"].kept == alone.safe.kept
    assert by_name["sex"].mean == pytest.approx(alone.mean)
    assert [option.kept for option in result.columns] == sorted(
        (o.kept for o in result.columns), reverse=True
    )


def test_the_report_reads_and_the_json_is_plain(result):
    text = result.text
    for word in (
        "semantic",
        "classical",
        "Who is at risk",
        "Without the column",
        "What to do next",
        "no larger set",
    ):
        assert word in text
    plain = json.loads(json.dumps(result.to_dict()))
    assert plain["records"] == 27
    assert (plain["chain_max"], plain["chain_mean"]) == (1.0, pytest.approx(19 / 54))
    assert plain["safe_set"] == {"threshold": 0.35, "kept": 20, "cost": 7, "removed_per_round": [7]}
    assert plain["three_way"]["alpha"] == 0.2
    assert plain["scales"]["sex"] == "nominal"
    assert "knows attributes a person has" in plain["attacker"]
    assert repr(result) == "SemanticRisk(27 records: maximum 1, mean 0.37, 7 above 0.35; 20 can stay)"


def test_rules_that_no_bound_controls_are_listed(result):
    rules = result.uncontrolled()
    assert {(rule.premise, rule.conclusion, rule.premise_support) for rule in rules} == {
        (("sex=M", "year [1945, 1965)"), ("year [1955, 1975)",), 3),
        (("sex=M", "year [1975, 1995)"), ("year [1965, 1985)",), 1),
        (("year [1935, 1955)", "year [1945, 1965)"), ("sex=F",), 1),
    }
    assert result.exact_rules.rules == rules
    assert result.exact_rules.complete
    assert "sex=M, year [1945, 1965) (3) -> year [1955, 1975)" in result.text
    for rule in rules:
        assert not fca.confidence_bound(result.basic, rule.premise, rule.conclusion).controlled


def test_chains_lattice_deletion_and_picture_come_on_demand(result):
    assert len(result.lattice()) == 27
    chains = {tuple(tuple(x + 1 for x in c.extent) for c in chain.concepts) for chain in result.chains()}
    assert ((24,), (5, 24), (5, 24, 26)) in chains
    states = result.delete([24])
    assert [x + 1 for x in states[1].unique] == [5, 20, 26]
    assert result.draw().startswith("<svg")
    gone = result.forget(["sex=M", "sex=F"])
    assert 0 < gone.knowledge_loss <= 1
    assert {o.name: o.knowledge_loss for o in result.columns}["sex"] == pytest.approx(gone.knowledge_loss)


def test_nothing_at_risk_is_said_plainly():
    table = la.table(pl.DataFrame({"x": ["a"] * 5 + ["b"] * 5}), quasi=["x"])
    result = la.semantic_risk(table, threshold=0.35)
    assert result.at_risk == 0
    assert result.findings == ()
    assert "nothing has to go" in result.next_steps[0]
    assert "Without the column" not in result.text


def test_an_attacker_who_knows_what_people_lack_is_pointed_out():
    table = la.table(pl.DataFrame({"age": [10, 20, 30]}), quasi=["age"])
    ordinal = la.semantic_risk(table, scales={"age": "ordinal:15,25"})
    assert ordinal.records.tolist() == [1.0, 1.0, 1.0]
    gaps = la.table(pl.DataFrame({"age": [10, 25, 40]}), quasi=["age"])
    overlapping = la.semantic_risk(gaps, scales={"age": "intervals:0..20,30..50"}, uncovered="empty")
    assert overlapping.records.tolist() == [1.0, 0.5, 1.0]
    assert overlapping.classical.tolist() == [1.0, 1.0, 1.0]
    assert overlapping.basic.mean(overlapping.basic.basic) < overlapping.basic.mean(
        overlapping.basic.classical
    )


def test_words_leave_out_what_follows_from_a_sharper_attribute():
    table = la.table(pl.DataFrame({"age": [10, 20, 30, 30], "sex": list("mfmf")}), quasi=["age", "sex"])
    finding = la.semantic_risk(table, scales={"age": "interordinal:15,25", "sex": "nominal"}).explain(3)
    assert finding.attributes == ("age >= 15", "age >= 25", "sex=m")
    assert finding.words == ("age >= 25", "sex=m")
    assert finding.text.startswith("row 3: age >= 25, sex=m: 1 record in all.")


def test_missing_values_are_a_group_of_their_own():
    table = la.table(pl.DataFrame({"x": [None, None, None, "a"]}), quasi=["x"])
    result = la.semantic_risk(table)
    assert result.records.tolist() == pytest.approx([1 / 3, 1 / 3, 1 / 3, 1])


@pytest.mark.parametrize("threshold", [0, -1, 1.5])
def test_a_threshold_must_be_a_probability(threshold):
    with pytest.raises(la.RequestError, match="threshold"):
        la.semantic_risk(people(), threshold=threshold)


def test_regions_follow_alpha_and_beta():
    regions = la.semantic_risk(people(), scales=SCALES, threshold=0.1).regions
    assert (regions.alpha, regions.beta) == (0.05, 0.1)
    regions = la.semantic_risk(people(), scales=SCALES, alpha=0.3, beta=0.6).regions
    assert len(regions.keep) + len(regions.look) + len(regions.discard) == 27
    with pytest.raises(la.RequestError, match="alpha"):
        la.semantic_risk(people(), scales=SCALES, alpha=0.5, beta=0.4)


def test_the_order_of_rows_does_not_matter(result):
    order = np.random.default_rng(0).permutation(27)
    shuffled = pl.DataFrame({"sex": list(SEX), "year": YEARS})[order]
    other = la.semantic_risk(la.table(shuffled, quasi=["sex", "year"]), scales=SCALES)
    np.testing.assert_array_equal(other.records, result.records[order])


def test_what_is_kept_is_safe_on_random_tables():
    for seed in range(60):
        rng = np.random.default_rng(seed)
        frame = pl.DataFrame(
            {"a": rng.integers(0, 60, 80), "b": rng.integers(0, 3, 80), "c": rng.integers(0, 6, 80)}
        )
        scales = {"a": "windows:20/10", "b": "nominal", "c": "ordinal"}
        result = la.semantic_risk(la.table(frame, quasi=["a", "b", "c"]), scales=scales, threshold=0.3)
        kept = frame.filter(pl.Series(result.safe.keep))
        if len(kept):
            again = la.semantic_risk(la.table(kept, quasi=["a", "b", "c"]), scales=scales, threshold=0.3)
            assert again.max <= 0.3, seed
            assert again.at_risk == 0
