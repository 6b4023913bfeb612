"""`lookalike paper fca` prints what the paper prints beside what we compute, and says where and why they differ."""

from __future__ import annotations

import json
import re
from collections import Counter
from pathlib import Path
from xml.etree import ElementTree

import pytest

from lookalike.fca import Context
from lookalike.papers import fca as paper
from lookalike.papers.comparison import CONTRADICTS, DIFFERS, NOT_RUN, OURS, UNTOLD, Line
from lookalike.papers.fca.examples import TABLE_1, forced_contexts
from lookalike.papers.fca.figures import LUXENBURGER, NAMES, STEM, lattice_figure


@pytest.fixture(scope="module")
def lines() -> list[Line]:
    return paper.lines(output=None, full=False, seed=0, folder=None, shown=False)


def about(lines: list[Line], where: str) -> list[Line]:
    return [line for line in lines if line.where == where]


def test_rules_are_compared_one_by_one(lines: list[Line]) -> None:
    for where, rules in (("Figure 8, top", len(STEM)), ("Figure 9", len(STEM) + len(LUXENBURGER))):
        found = about(lines, where)
        assert len(found) == rules + 1
        assert {line.verdict for line in found} == {"agrees"}
        assert (found[-1].printed, found[-1].computed) == (str(rules), str(rules))


def test_three_of_five_wrong_supports_are_those_of_the_premise(lines: list[Line]) -> None:
    rows = [line for line in about(lines, "Table 1") if line.what.endswith("confidence, support")]
    assert len(rows) == len(TABLE_1)
    assert sum(line.verdict == CONTRADICTS for line in rows) == 5
    assert sum("support of the premise alone" in line.remark for line in rows) == 3


def test_nothing_inexact_is_in_the_stricter_half_of_table_1(lines: list[Line]) -> None:
    strict = next(line for line in lines if line.what.startswith("L(.8, 1)"))
    assert (strict.printed, strict.computed, strict.verdict) == ("{} -> Coast", "none", CONTRADICTS)


def test_the_printed_confidences_leave_one_context_for_figure_2() -> None:
    assert [Counter(rows) for rows in forced_contexts()] == [Counter(["CSR", "CR", "R", "CS", "CS"])]


def test_every_known_correction_is_on_the_list(lines: list[Line]) -> None:
    wrong = {line.where: line for line in lines if line.verdict == CONTRADICTS}
    for where in (
        "Section 2.1",
        "Section 3.1",
        "Definition 3.2",
        "Section 4",
        "Proposition 5.1",
        "Corollary 5.2, proof",
        "Theorem 5.3",
        "Theorem 5.3, proof",
        "Figure 1, right",
        "Figure 4",
    ):
        assert wrong[where].remark
    assert [line.computed for line in about(lines, "Theorem 5.3, proof")] == ["a, b, c", "0"]
    assert [line.printed for line in about(lines, "Section 3.1")][:2] == [
        "{25} < {25,28} < {25,28,20}",
        "Figure 1",
    ]
    assert wrong["Figure 1, right"].printed == "1960-1959"
    assert about(lines, "Section 3")[0].verdict == UNTOLD, (
        "a case the definition leaves out is no contradiction"
    )
    assert wrong["Definition 3.2"].printed.endswith(": 0")
    assert any(line.computed == "rows p, p, q: 1; without q: 0.5" for line in lines)


def test_what_the_paper_says_elsewhere_is_found_in_the_lattice_figures(lines: list[Line]) -> None:
    for where, agree in (("Figure 5", ["8", "2"]), ("Figure 6", ["8 after 25, 20 after 8"])):
        found = [line for line in about(lines, where) if line.verdict == "agrees"]
        assert [line.computed for line in found] == agree
    other = Context.of({i: ["S:M"] for i in range(1, 28)}, attributes=list(NAMES.values()))
    assert [line.verdict for line in lattice_figure(other)] == [DIFFERS] * 2, "of another context they fail"


def test_the_slip_in_record_23_touches_four_risks_only(lines: list[Line]) -> None:
    others = next(line for line in lines if "the other 23 records" in line.what)
    assert others.verdict == "agrees"
    assert sum(int(part.rpartition(" ")[2]) for part in others.computed.split(", ")) == 23


def test_what_is_left_of_the_fixpoint_is_safe(lines: list[Line]) -> None:
    (line,) = about(lines, "Theorem 4.1")
    assert line.verdict == "agrees"
    assert int(line.computed.partition(" ")[0]) > 100


def test_both_principles_hold_for_inexact_rules(lines: list[Line]) -> None:
    (line,) = about(lines, "Section 5, PDC and PLC")
    assert line.computed.startswith("49 of 49 inexact; 10 exact")


def test_pictures_and_table_are_written(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    paper.run(output=tmp_path / "out", full=False, seed=0, json=False)
    assert "printed and computed" in capsys.readouterr().out
    names = {path.name for path in (tmp_path / "out").iterdir()}
    assert names == {
        "fca.csv",
        "fca.md",
        "figure2_fish.svg",
        "figure3_living.svg",
        "figure5_lattice.svg",
        "figure6_step1.svg",
        "figure6_step2.svg",
        "figure6_step3.svg",
        "figure7_risk.svg",
    }
    for path in (tmp_path / "out").glob("*.svg"):
        ElementTree.parse(path)


def test_lines_are_json_with_their_verdicts(capsys: pytest.CaptureFixture[str]) -> None:
    paper.run(output=None, full=False, seed=0, json=True)
    found = json.loads(capsys.readouterr().out)
    assert {line["verdict"] for line in found["lines"]} == {
        "agrees",
        DIFFERS,
        CONTRADICTS,
        UNTOLD,
        NOT_RUN,
        OURS,
    }
    assert all(line["proof"] for line in found["lines"] if line["verdict"] == CONTRADICTS)


def test_figure_4_says_which_rows_are_others_and_contradicts_figure_8(lines: list[Line]) -> None:
    rows, rule, births = about(lines, "Figure 4")
    assert (rows.computed, rows.verdict) == ("21", DIFFERS)
    assert "2, 5, 15, 16, 17, 24" in rows.remark
    assert rule.proof == {
        "rows of Figure 4 with 35-55 and 55-75, at least": [3, 16],
        "records of the rule": 1,
    }
    assert births.verdict == UNTOLD


def test_the_largest_risk_may_fall_or_rise_and_a_records_own_cannot_fall(lines: list[Line]) -> None:
    said = next(line for line in about(lines, "Section 4") if "r_BS,M" in line.what)
    assert said.verdict == "agrees"
    fell, rose = map(int, re.findall(r"in (\d+)", said.computed))
    assert fell > 0
    assert rose > 0
    assert any(line.computed == "fell in 0 of 300 random contexts" for line in about(lines, "Beyond"))


def test_the_forgotten_rules_agree_since_they_say_the_same(lines: list[Line]) -> None:
    (line,) = about(lines, "Figure 8, bottom")
    assert line.verdict == "agrees"
    assert "two of them follow from the others" in line.remark


def test_the_corollary_holds_although_its_proof_has_a_gap(lines: list[Line]) -> None:
    (statement,) = about(lines, "Corollary 5.2")
    assert statement.verdict == "agrees"
    assert int(statement.computed.partition(" ")[0]) > 100
    (proof,) = about(lines, "Corollary 5.2, proof")
    assert proof.proof["records whose own concept it is"] == []
