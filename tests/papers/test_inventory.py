"""`lookalike paper all`: every table and figure of the five papers has one verdict, and nothing is left out."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from typer.testing import CliRunner

from lookalike.cli import app
from lookalike.papers import cfk, dei, fca, iml, inventory, qid
from lookalike.papers.cfk import statements as cfk_statements
from lookalike.papers.comparison import (
    AGREES,
    CONTRADICTS,
    DIFFERS,
    NOT_RUN,
    OURS,
    UNTOLD,
    WITHIN,
    Line,
    outcomes,
    over_seeds,
    same,
)
from lookalike.papers.dei import paper as dei_paper
from lookalike.papers.dei.pipeline import print_alone
from lookalike.papers.iml import statements as iml_statements
from lookalike.papers.inventory import ITEMS, judge
from lookalike.papers.qid import experiment
from lookalike.papers.qid import paper as qid_paper
from lookalike.papers.qid.definitions import definitions
from lookalike.papers.qid.printed import TABLE_4

run = CliRunner().invoke


def numbered(word: str, first: int, last: int) -> set[str]:
    return {f"{word} {i}" for i in range(first, last + 1)}


#: what the papers print, counted by hand
PRINTED = {
    "cfk": numbered("Table", 1, 6) | numbered("Figure", 1, 7) | {"Appendix"},
    "iml": numbered("Figure", 2, 4),
    "qid": {"Tables 1 to 3"} | numbered("Table", 4, 7) | numbered("Figure", 1, 2),
    "fca": {"Table 1"} | numbered("Figure", 1, 10),
    "dei": numbered("Table", 1, 3) | {"Figure 1"},
}


def test_the_inventory_holds_every_table_and_figure() -> None:
    assert {paper: set(items) for paper, items in ITEMS.items()} == PRINTED


def test_every_table_and_figure_that_our_notes_on_the_papers_name_is_in_the_inventory(
    shared_data: Path,
) -> None:
    notes = shared_data.parent / "papers" / "SPEC.md"
    if not notes.is_file():
        pytest.skip("the notes on the papers are not beside the data sets")
    sections = re.split(r"^## \d\. ", notes.read_text(encoding="utf-8"), flags=re.MULTILINE)
    of_paper = {section[:3].lower(): section for section in sections if section[:3].lower() in PRINTED}
    assert list(of_paper) == list(PRINTED)
    named = {
        (paper, f"{'Table' if word.startswith('Table') else 'Figure'} {number}")
        for paper, section in of_paper.items()
        for word, first, last in re.findall(
            r"\b(Tables?|Fig(?:ure|s)?\.?) (\d+)(?:(?:-| to | and |, )(\d+))?", section
        )
        for number in range(int(first), int(last or first) + 1)
    }
    assert len(named) > 25
    listed = {(paper, item) for paper, items in ITEMS.items() for item in items}
    listed |= {("qid", f"Table {number}") for number in (1, 2, 3)}  # told together, as "Tables 1 to 3"
    assert named - listed == set()


#: the errors that are known of each paper: where it is told, and a word of what is printed or why it is wrong
ERRORS = {
    "cfk": [("Text", "CMC"), ("Text", "Dobby")],
    "iml": [("Text", "3,000 and 5,000"), ("Section 4.2", "775")],
    "qid": [
        *(("Table 4", ", ".join(quasi)) for quasi in TABLE_4),
        ("Table 4", "best set"),
        ("Table 7", "TN equals FN"),
        ("Table 7", "14 in Table 5"),
        ("Table 7", "adult: columns in all"),
        ("Tables 1 to 3", "Dice"),
        ("Tables 1 to 3", "entropy"),
        ("Tables 1 to 3", "KL"),
        ("Tables 1 to 3", "the mean"),
        ("Tables 1 to 3", "opposite ways"),
        ("Section 5.1", "sign of k"),
    ],
    "fca": [
        ("Section 2.1", "0.33"),
        ("Figure 1, right", "records 6, 20, 23, 25"),
        ("Figure 1, right", "1960-1959"),
        ("Figure 4", "35-55 and 55-75"),
        ("Section 3.1", "28"),
        ("Section 3.1", "Figure 1"),
        ("Table 1", "support of the premise alone"),
        ("Table 1", "Coast -> River is missing"),
        ("Definition 3.2", "counts"),
        ("Proposition 5.1", "|e'| is printed for |e''|"),
        ("Corollary 5.2, proof", "gap"),
        ("Theorem 5.3, proof", "union of closed sets"),
        ("Theorem 5.3, proof", "product"),
        ("Theorem 5.3", "exact rules"),
        ("Section 4", "classical maximum"),
    ],
    "dei": [("Section 5", "4,195")],
}


@pytest.fixture(scope="module")
def without_data() -> dict[str, list[Line]]:
    """The lines of every paper that need no data set."""
    adult = pl.DataFrame({"education-num": [1 + i % 16 for i in range(600)]})
    return {
        "cfk": [*cfk_statements.toy(), *cfk_statements.in_print()],
        "iml": iml_statements.in_print(adult),
        "qid": [*definitions(), *qid_paper.table_4(), *experiment.table_6(None), *experiment.table_7()],
        "fca": fca.lines(output=None, full=False, seed=0, folder=None, shown=False),
        "dei": print_alone(),
    }


@pytest.mark.parametrize(
    ("paper", "where", "told"), [(paper, *one) for paper, known in ERRORS.items() for one in known]
)
def test_every_known_error_of_a_paper_is_on_its_list(
    without_data: dict[str, list[Line]], paper: str, where: str, told: str
) -> None:
    wrong = [line for line in without_data[paper] if line.where == where and line.verdict == CONTRADICTS]
    assert all(line.proof for line in wrong)
    assert any(told in f"{line.what} | {line.printed} | {line.computed} | {line.remark}" for line in wrong)


def one(verdict: str, i: int = 0) -> Line:
    proof = {"one": 1, "two": 2} if verdict == CONTRADICTS else {}
    return Line(
        "Table 1", str(i), "", "", verdict, f"reason {i}", seeds=20 * (verdict == WITHIN), proof=proof
    )


def test_the_verdict_of_an_item_is_the_gravest_of_its_lines() -> None:
    def entry(*verdicts: str) -> Any:
        found = judge("dei", [one(verdict, i) for i, verdict in enumerate(verdicts)])
        return next(each for each in found if each.item == "Table 1")

    assert entry(AGREES, OURS).verdict == AGREES
    assert entry(AGREES, OURS).because == ""
    assert entry(AGREES, WITHIN).verdict == WITHIN
    assert entry(WITHIN, UNTOLD).verdict == UNTOLD
    assert entry(UNTOLD, NOT_RUN).verdict == NOT_RUN
    assert entry(UNTOLD, DIFFERS, AGREES).verdict == DIFFERS
    worst = entry(DIFFERS, CONTRADICTS, CONTRADICTS, AGREES)
    assert (worst.verdict, worst.because) == (CONTRADICTS, "reason 1; reason 2")
    assert (worst.lines, worst.agree) == (4, 1)
    assert entry(AGREES, WITHIN).agree == 2


def test_an_item_nobody_looked_at_was_not_checked_and_says_so() -> None:
    found = judge("iml", [])
    assert {entry.item for entry in found} == PRINTED["iml"]
    assert all(entry.verdict == NOT_RUN and entry.because for entry in found)


def test_sections_with_comparisons_follow_the_tables() -> None:
    lines = [
        same("Text", "x", 1, 2, "a slip", proof={"x": 1, "also x": 2}),
        Line("Section 9", "y", "", "1", OURS),
        same("Text", "z", 1, 1, ""),
    ]
    assert [(entry.item, entry.verdict) for entry in judge("iml", lines)][3:] == [("Text", CONTRADICTS)]


def test_what_does_not_agree_must_say_why() -> None:
    for verdict in (DIFFERS, UNTOLD, NOT_RUN):
        with pytest.raises(ValueError, match="because of what"):
            Line("Table 1", "x", "1", "2", verdict)
    with pytest.raises(ValueError, match="no verdict"):
        Line("Table 1", "x", "1", "2", "partly")


def test_a_contradiction_has_its_proof_and_nothing_else_has_one() -> None:
    with pytest.raises(ValueError, match="a contradiction has a proof"):
        Line("Table 1", "x", "1", "2", CONTRADICTS, "a slip")
    with pytest.raises(ValueError, match="a contradiction has a proof"):
        Line("Table 1", "x", "1", "1", AGREES, proof={"x": 1})
    assert same("Table 1", "x", 1, 2, "ours is other").verdict == DIFFERS
    assert same("Table 1", "x", 1, 1, "", proof={"x": 1}).proof == {}


def test_a_spread_says_of_how_many_seeds() -> None:
    with pytest.raises(ValueError, match="how many seeds"):
        Line("Table 1", "x", "1", "2", WITHIN)
    assert one(WITHIN).judged == "agrees within the spread of 20 seeds"


def test_printed_numbers_agree_where_all_lie_in_the_range_of_the_seeds_as_printed() -> None:
    def line(*values: tuple[float, float]) -> Line:
        return over_seeds("T", "x", (0.5, 10.0), values, "other people", template="{} and {}", show="{:.2f}")

    inside = line((0.4, 10.004), (0.6, 10.2))
    assert (inside.verdict, inside.computed) == (WITHIN, "0.40 to 0.60 and 10.00 to 10.20")
    assert inside.printed == "0.50 and 10.00"
    assert line((0.4, 10.1), (0.6, 10.2)).verdict == UNTOLD, "one of two"
    assert line((0.51, 10.0), (0.6, 10.0)).computed == "0.51 to 0.60 and 10.00"


def test_printed_outcomes_agree_where_some_seed_has_them() -> None:
    line = outcomes("T", "k", "9", ["4", "9", "4"], "other people")
    assert (line.verdict, line.computed) == (WITHIN, "4 in 2; 9 in 1 of 3 seeds")
    assert outcomes("T", "k", "8", ["4", "9", "4"], "other people").verdict == UNTOLD


@pytest.fixture
def few(monkeypatch: pytest.MonkeyPatch) -> None:
    """Fewer invented people, and fewer times."""
    monkeypatch.setattr(dei_paper, "PEOPLE", 2_000)
    for study in (dei_paper, qid_paper):
        monkeypatch.setattr(study, "SEEDS", 2)


def test_all_lists_every_item_with_a_verdict_even_without_data(
    few: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("LOOKALIKE_DATA", raising=False)
    (tmp_path / "data").mkdir()
    done = run(app, ["paper", "all", "--json", "--data", str(tmp_path / "data"), "-o", str(tmp_path / "out")])
    assert done.exit_code == 0, done.output
    found = json.loads(done.stdout)
    for paper, items in PRINTED.items():
        listed = {one["item"]: one for one in found["items"] if one["paper"] == paper}
        assert items <= set(listed)
        assert all(one["verdict"] == AGREES or one["because"] for one in listed.values())
        strange = {item for item in listed if item.startswith(("Table", "Figure"))} - items
        assert not strange, "a line about a table that the paper does not have"
    verdicts = {(one["paper"], one["item"]): one["verdict"] for one in found["items"]}
    assert verdicts["cfk", "Table 6"] == NOT_RUN
    assert verdicts["cfk", "Table 3"] == verdicts["cfk", "Figure 3"] == AGREES
    needs_no_data = {one for one in verdicts if one[0] in ("fca", "dei")} | {
        ("qid", item) for item in ("Tables 1 to 3", "Table 4", "Table 7", "Figure 1", "Figure 2")
    }
    assert {one for one in needs_no_data if verdicts[one] == NOT_RUN} == {("fca", "Figure 10")}
    assert verdicts["fca", "Figure 9"] == AGREES
    assert verdicts["qid", "Table 4"] == CONTRADICTS
    lines = found["lines"]
    assert {line["paper"] for line in lines} == set(PRINTED)
    assert all(bool(line["proof"]) == (line["verdict"] == CONTRADICTS) for line in lines)
    assert sum(found["verdicts"].values()) == len(found["items"])
    assert (tmp_path / "out" / "all.csv").is_file()
    assert (tmp_path / "out" / "fca" / "figure2_fish.svg").is_file()
    for paper in PRINTED:
        written = (tmp_path / "out" / paper / f"{paper}.md").read_text(encoding="utf-8")
        assert "| | printed | computed | verdict |" in written, f"no page of {paper}"
        assert (tmp_path / "out" / paper / f"{paper}.csv").is_file()


def test_every_paper_offers_its_lines_to_the_list() -> None:
    assert all(callable(module.lines) for module in (cfk, iml, qid, fca, dei))
    assert list(inventory.ITEMS) == ["cfk", "iml", "qid", "fca", "dei"]
