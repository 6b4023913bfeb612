"""The de-identification study: what the print alone says, and every part of it computed on the synthetic population."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from lookalike.papers import dei, dei_study

pytest.importorskip("scipy")


def test_two_of_the_first_three_regions_stay_in_print() -> None:
    found = dei_study.printed_ranking()
    assert not found.impact
    assert found.summary["overlap"] == 2
    assert found.summary["tau"] == pytest.approx(0.4666666666666666)
    assert found.summary["largest shift"] == pytest.approx(0.175559)


def test_all_seven_decisions_agree_in_print_at_five_per_cent_and_six_at_ten() -> None:
    assert dei_study.printed_decisions().summary["agree"] == 7
    assert not dei_study.printed_decisions().impact
    assert dei_study.printed_decisions(0.10).summary["decided differently"] == ["6 and 7"]
    assert not any(p < 0.05 / 7 for both in dei_study.PRINTED_P.values() for p in both)


def test_the_printed_tables_are_those_of_the_fixture(shared_data: Path) -> None:
    path = shared_data.parent / "papers" / "fixtures" / "p004_published.json"
    if not path.exists():
        pytest.skip("the fixtures of the papers are not here")
    printed = json.loads(path.read_text())
    for i, side in enumerate(("original", "deidentified")):
        assert {name: both[i] for name, both in dei_study.PRINTED_SHARES.items()} == printed["table2"][side]
        assert [both[i] for both in dei_study.PRINTED_P.values()] == printed["table3"][side]
    assert printed["chosen_k"] == dei_study.PRINTED_K
    assert printed["entropy_ratio"] == dei_study.PRINTED_ENTROPY_RATIO


def test_the_studys_pseudonym_is_the_one_it_describes() -> None:
    expected = "30fc612f472a25b288f27add71494ab9db890fe3164b8cbc468750f72ff5fac4"
    assert dei_study.study_pseudonym("Ann Lee", "AB1 2CD", "s") == expected
    assert dei_study.study_pseudonym("Ann LeeA", "B1 2CD", "s") == expected, "ambiguous"


def test_every_part_of_the_study_is_told() -> None:
    found = dei.pipeline(3_000, seed=1)
    assert found.release is not None
    people = found.release.people
    levels = {name: 1 for name in dei.PRINTED_STEPS if name}
    used = dei.study(people, found.release, levels=levels, negative=dei.NEGATIVE, drop=dei.DROPPED, seed=1)
    assert [one.k for one in used.chosen.table] == list(range(2, 12))
    for one in used.chosen.table:
        cost = next(cost for cost in found.costs if cost.k == one.k)
        assert one.suppressed == cost.dropped_k + cost.dropped_directional
    told = dei_study.lines(used, people)
    assert {line.where for line in told} >= {
        "Table 1",
        "Table 2",
        "Table 3",
        "Section 5",
        "Section 6",
        "Pseudonym",
    }
    regions = [line for line in told if line.what.startswith("lower education, ")]
    assert len(regions) == 10
    tests = {one["group"]: one["p"] for one in used.at_nine[dei_study.SECOND].before["tests"]}
    occupations = [line for line in told if line.what.startswith("occupation ")]
    assert len(occupations) == 7
    for line in occupations:
        group = line.what.partition(", ")[2]
        assert group in tests
        assert line.computed.startswith(f"p {tests[group]:.3f} → ")
    assert any("gap inference" in line.what for line in told)
    repair = next(line for line in told if line.what.startswith("repair"))
    assert repair.computed == "2 for the two people; 0 of 1,000 found without the key"


def test_the_print_is_held_against_itself() -> None:
    found = dei.pipeline(2_000, seed=1)
    lines = [line for line in dei.pipeline_lines(found) if line.what.endswith("from the print")]
    assert [(line.where, line.computed, line.verdict) for line in lines] == [
        ("Steps", "true", "agrees"),
        ("Steps", "99,290", "-"),
        ("Table 1", "2,561", "agrees"),
    ]


def test_figure_1_has_a_panel_for_every_step(tmp_path: Path) -> None:
    pytest.importorskip("altair")
    chart = dei.figure_1(dei.pipeline(2_000, seed=1))
    bars = chart.to_dict()["data"]["values"]
    assert len({bar["step"] for bar in bars}) == 7
    assert {bar["people in a class"] for bar in bars} == set(range(1, 13))
    chart.save(str(tmp_path / "figure.svg"))
    assert (tmp_path / "figure.svg").read_text().startswith("<svg")


def test_the_printed_table_1_adds_up() -> None:
    sizes = dei.printed_class_sizes()
    assert list(sizes.values()) == [2561, 1182, 662, 460, 402, 327, 292, 284, 291, 277]
    assert dei.PRINTED_CLASSES - sum(sizes.values()) == 3173
    assert dei.PRINTED_L[9] == 4185  # the text says 4,195


def test_the_papers_page_shows_printed_beside_computed() -> None:
    found = dei.pipeline(2_000, seed=1)
    assert found.release is not None
    people = found.release.people
    levels = {name: 1 for name in dei.PRINTED_STEPS if name}
    used = dei.study(people, found.release, levels=levels, negative=dei.NEGATIVE, drop=dei.DROPPED, seed=1)
    text = dei.page(found, used, people)
    assert "| Table 3 | decisions that agree at .05, from the print | 7 of 7 | 7 of 7 | agrees |" in text
    assert "97,358" in text
    assert f"{found.steps[-1].classes:,}" in text
    assert len(found.steps) == 7
    uniques = [step.uniques for step in found.steps]
    assert uniques == sorted(uniques, reverse=True)
