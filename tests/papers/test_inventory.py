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
from lookalike.papers import cfk, dei, dei_study, fca, iml, inventory, qid
from lookalike.papers.cfk import statements as cfk_statements
from lookalike.papers.comparison import AGREES, DIFFERS, OURS, UNCHECKED, WRONG, Line, same
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
    "cfk": [("Text", "CMC"), ("Text", "Dobby"), ("Table 3", "shifted")],
    "iml": [("Text", "3,000 and 5,000"), ("Text", "775"), ("Text", "14"), ("Text", "1 June 2018")],
    "qid": [
        *(("Table 4", ", ".join(quasi)) for quasi in TABLE_4),
        ("Table 4", "best set"),
        ("Table 6", "f A of nursery"),
        ("Table 6", "at most 2.20"),
        ("Table 7", "TN equals FN"),
        ("Table 7", "14 in Table 5"),
        ("Table 7", "adult: columns in all"),
        ("Table 7", "printed is recall"),
        ("Tables 1 to 3", "Dice"),
        ("Tables 1 to 3", "recall under another name"),
        ("Tables 1 to 3", "entropy"),
        ("Tables 1 to 3", "KL"),
        ("Tables 1 to 3", "one formula"),
        ("Tables 1 to 3", "the mean"),
        ("Tables 1 to 3", "opposite ways"),
        ("Section 5.1", "sign of k"),
    ],
    "fca": [
        ("Section 2.1", "0.33"),
        ("Figure 1, right", "records 6, 20, 23, 25"),
        ("Figure 1, right", "1960-1959"),
        ("Figure 4", "1955"),
        ("Section 3.1", "28"),
        ("Section 3.1", "Figure 1"),
        ("Table 1", "support of the premise alone"),
        ("Table 1", "Coast -> River is missing"),
        ("Definition 3.2", "counts"),
        ("Proposition 5.1", "|e'| is printed for |e''|"),
        ("Corollary 5.2", "gap"),
        ("Theorem 5.3, proof", "union of closed sets"),
        ("Theorem 5.3, proof", "product"),
        ("Theorem 5.3", "exact rules"),
        ("Section 4", "classical maximum"),
        ("Section 4", "fall or rise"),
        ("Section 3", "over nothing"),
        ("Figure 8, bottom", "redundant"),
    ],
    "dei": [("Text", "4,195"), ("Pseudonym", "salt"), ("Pseudonym", "joined without lengths")],
}


@pytest.fixture(scope="module")
def without_data() -> dict[str, list[Line]]:
    """The lines of every paper that need no data set."""
    adult = pl.DataFrame({"education-num": [1 + i % 16 for i in range(600)]})
    made = dei.pipeline(2_000, 1)
    assert made.release is not None
    return {
        "cfk": [*cfk_statements.toy(), *cfk_statements.in_print()],
        "iml": iml_statements.in_print(adult),
        "qid": [*definitions(), *qid_paper.table_4(), *experiment.table_6(None), *experiment.table_7()],
        "fca": fca.lines(output=None, full=False, seed=0, folder=None, shown=False),
        "dei": [*dei.pipeline_lines(made), *dei_study.pseudonyms(made.release.people)],
    }


@pytest.mark.parametrize(
    ("paper", "where", "told"), [(paper, *one) for paper, known in ERRORS.items() for one in known]
)
def test_every_known_error_of_a_paper_is_on_its_list(
    without_data: dict[str, list[Line]], paper: str, where: str, told: str
) -> None:
    wrong = [line for line in without_data[paper] if line.where == where and line.verdict == WRONG]
    assert any(told in f"{line.what} | {line.printed} | {line.computed} | {line.remark}" for line in wrong)


def test_the_verdict_of_an_item_is_the_gravest_of_its_lines() -> None:
    def entry(*verdicts: str) -> Any:
        lines = [
            Line("Table 1", str(i), "", "", verdict, f"reason {i}") for i, verdict in enumerate(verdicts)
        ]
        return next(one for one in judge("dei", lines) if one.item == "Table 1")

    assert entry(AGREES, OURS).verdict == AGREES
    assert entry(AGREES, OURS).because == ""
    assert entry(AGREES, UNCHECKED).verdict == UNCHECKED
    assert entry(UNCHECKED, DIFFERS, AGREES).verdict == DIFFERS
    worst = entry(DIFFERS, WRONG, WRONG, AGREES)
    assert (worst.verdict, worst.because) == (WRONG, "reason 1; reason 2")
    assert (worst.lines, worst.agree) == (4, 1)


def test_an_item_nobody_looked_at_cannot_be_checked_and_says_so() -> None:
    found = judge("iml", [])
    assert {entry.item for entry in found} == PRINTED["iml"]
    assert all(entry.verdict == UNCHECKED and entry.because for entry in found)


def test_sections_with_comparisons_follow_the_tables() -> None:
    lines = [
        same("Text", "x", 1, 2, "a slip"),
        Line("Section 9", "y", "", "1", OURS),
        same("Text", "z", 1, 1, ""),
    ]
    assert [(one.item, one.verdict) for one in judge("iml", lines)][3:] == [("Text", WRONG)]


def test_what_does_not_agree_must_say_why() -> None:
    for verdict in (DIFFERS, WRONG, UNCHECKED):
        with pytest.raises(ValueError, match="because of what"):
            Line("Table 1", "x", "1", "2", verdict)
    with pytest.raises(ValueError, match="no verdict"):
        Line("Table 1", "x", "1", "2", "partly")


@pytest.fixture
def few(monkeypatch: pytest.MonkeyPatch) -> None:
    """The de-identification study on fewer people."""
    found = dei.pipeline(2_000, 1)
    monkeypatch.setattr(dei, "pipeline", lambda n, seed: found)


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
    assert verdicts["cfk", "Table 6"] == UNCHECKED
    assert verdicts["cfk", "Table 3"] == WRONG
    needs_no_data = {one for one in verdicts if one[0] in ("fca", "dei")} | {
        ("qid", item) for item in ("Tables 1 to 3", "Table 4", "Table 7", "Figure 1", "Figure 2")
    }
    assert {one for one in needs_no_data if verdicts[one] == UNCHECKED} == {
        ("fca", "Figure 7"),
        ("fca", "Figure 10"),
        ("qid", "Figure 2"),
    }, "only what nothing printed is known of cannot be checked"
    assert verdicts["fca", "Figure 9"] == AGREES
    assert verdicts["qid", "Table 4"] == WRONG
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
