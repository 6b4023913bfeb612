"""Numbers in the documentation name the command that produces them, and the tables that need no data are its output."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from lookalike.papers import fca
from lookalike.papers.cfk import statements as cfk
from lookalike.papers.comparison import Line, markdown
from lookalike.papers.dei import paper as dei
from lookalike.papers.dei.pipeline import pipeline, pipeline_lines
from lookalike.papers.dei.pseudonyms import pseudonyms
from lookalike.papers.iml import margins
from lookalike.papers.iml import statements as iml
from lookalike.papers.iml.runs import TargetStudy, load
from lookalike.papers.qid import experiment
from lookalike.papers.qid import paper as qid
from lookalike.papers.qid.definitions import choices as qid_choices
from lookalike.papers.qid.definitions import definitions

ROOT = Path(__file__).resolve().parents[2]
PAPERS = ("cfk", "dei", "fca", "iml", "qid")
PAGES = [ROOT / "README.md", *(ROOT / "docs" / "papers" / f"{paper}.md" for paper in PAPERS)]
SOURCES = (
    "`lookalike ",
    "`tests/",
    "`benchmarks/",
    "](docs/",
)  #: a command, a test, a benchmark, or a page that says
NUMBER = re.compile(r"(?<![\w.&-])\.?\d[\d,.]*(?![\w])")


def tables(text: str) -> list[tuple[str, list[str]]]:
    """Each table with the text of its section above it: from the last heading on."""
    found, section, rows = [], "", []  # type: list[tuple[str, list[str]]], str, list[str]
    for line in [*text.splitlines(), ""]:
        if line.startswith("|"):
            rows.append(line)
            continue
        if rows:
            found.append((section, rows))
            rows = []
        section = line + "\n" if line.startswith("#") else section + line + "\n"
    return found


def measured(rows: list[str]) -> bool:
    """Whether a table holds numbers of ours: one with a column of printed or computed ones, or mostly of numbers."""
    cells = [cell.strip() for row in rows[2:] for cell in row.strip("|").split("|")]
    return "computed" in rows[0] or sum(bool(NUMBER.fullmatch(cell.rstrip(" %"))) for cell in cells) > 3


@pytest.mark.parametrize("page", PAGES[1:], ids=lambda page: page.stem)
def test_every_measured_table_of_a_papers_page_names_its_command(page: Path) -> None:
    found = [(section, rows) for section, rows in tables(page.read_text(encoding="utf-8")) if measured(rows)]
    assert found, "no table of numbers"
    for section, rows in found:
        heading = section.splitlines()[0]
        assert re.search(rf"`[^`]*lookalike paper {page.stem}\b[^`]*`", section), f"{heading}: {rows[0]}"


SHAPE = [
    "What the paper says",
    "Where is what",
    "What we ran",
    "Printed and computed",
    "Contradictions in print",
    "Beyond the paper",
    "How to run it",
]


@pytest.mark.parametrize("page", PAGES[1:], ids=lambda page: page.stem)
def test_every_papers_page_has_the_same_shape(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    headings = re.findall(r"^## (.*)$", text, re.MULTILINE)
    assert [heading for heading in headings if heading in SHAPE] == SHAPE
    assert f"lookalike paper {page.stem}" in text.partition("## How to run it")[2]


MEASURED = re.compile(
    r"\d+(?:\.\d+)? ?%"  # shares
    r"|(?<![\w/.])0?\.\d{2,}\b"  # losses, areas, F1
    r"|\d+(?:\.\d+)? (?:CPU )?(?:seconds|minutes|s)\b|\d+(?:\.\d+)? [GM]B\b"  # times and memory
    r"|\d+(?:\.\d+)? times\b|\b\d+ of \d+\b"  # ratios and counts
)
NO_NUMBER = re.compile(
    r"^```.*?^```|`[^`\n]*`|95 % intervals?", re.MULTILINE | re.DOTALL
)  #: examples, options, words
NAMED = (
    "lookalike ",
    "tests/",
    "benchmarks/",
    "python -m benchmarks.",
    "make ",
    "```python",
)  #: what prints or checks them; examples are run


def unbacked(text: str) -> list[tuple[str, list[str]]]:
    """Sections with measured numbers (shares, losses, times, memory, counts) that name nothing that produces them.

    What the page's opening names holds for all of it.
    """
    opening, *sections = re.split(r"^(?=##+ )", text, flags=re.MULTILINE)
    found = []
    for section in (opening, *sections):
        told = MEASURED.findall(NO_NUMBER.sub("", section))
        if told and not any(name in part for name in NAMED for part in (opening, section)):
            found.append((section.splitlines()[0], told))
    return found


@pytest.mark.parametrize("page", sorted((ROOT / "docs").glob("**/*.md")), ids=lambda page: page.stem)
def test_every_measured_number_of_a_page_has_something_named_that_produces_it(page: Path) -> None:
    assert unbacked(page.read_text(encoding="utf-8")) == []


def test_a_number_that_nothing_produces_is_found() -> None:
    page = (
        "# A\n\n## B\n\nIt takes 3 seconds and loses .0123, or 4.5 %.\n\n## C\n\n1.5 s (`benchmarks/x.py`)\n"
    )
    assert unbacked(page) == [("## B", ["3 seconds", ".0123", "4.5 %"])]
    assert unbacked(page.replace("# A\n", "# A\n\nBy `lookalike paper fca`.\n")) == []
    others = "12 % of them, .53, 0.75, 49 of 50, 2.5 times as fast, 7 minutes, 3 GB"
    assert len(unbacked(f"# A\n\n{others}\n")[0][1]) == 7
    assert unbacked("# A\n\n`confidence=0.75`, with 95 % intervals\n") == []


@pytest.mark.parametrize("page", PAGES[1:], ids=lambda page: page.stem)
def test_a_papers_page_that_names_nothing_any_more_is_found(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    for name in NAMED:
        text = text if name.startswith("`") else text.replace(name, "")
    found = [heading for heading, _ in unbacked(text)]
    assert "## Printed and computed" in found
    added = text.replace("## How to run it\n", "## How to run it\n\nIt finds 61 % of them.\n")
    assert [heading for heading, _ in unbacked(added)] == [*found, "## How to run it"]


def rows_not_on(paper: str, lines: list[Line]) -> list[str]:
    """Lines of a program that its page does not have, as it has them."""
    page = (ROOT / "docs" / "papers" / f"{paper}.md").read_text(encoding="utf-8").splitlines()
    rows = markdown(lines).splitlines()[2:]
    assert rows
    return [row for row in rows if row not in page]


def test_the_table_of_the_fca_page_is_what_the_command_writes() -> None:
    lines = fca.lines(output=None, full=False, seed=0, folder=None, shown=False)
    assert markdown(lines) in (ROOT / "docs" / "papers" / "fca.md").read_text(encoding="utf-8")


def test_the_steps_and_losses_of_the_dei_page_are_those_of_twenty_seeds() -> None:
    runs = [pipeline(dei.PEOPLE, seed) for seed in range(dei.SEEDS)]
    assert rows_not_on("dei", [*pipeline_lines(runs), *pseudonyms(0)]) == []


def test_what_the_cfk_page_says_without_experiments_is_what_the_program_says(shared_data: Path) -> None:
    assert rows_not_on("cfk", [*cfk.toy(), *cfk.table_5(shared_data), *cfk.in_print()]) == []


def test_the_qid_page_has_the_programs_numbers(shared_data: Path) -> None:
    drawn = [qid.figure_1(1_000, seed, (*qid.OTHERS, qid.CAUSAL[-1])) for seed in range(qid.SEEDS)]
    lines = [
        *definitions(),
        *qid.table_4(),
        *qid.optimum(),
        *experiment.table_6(shared_data),
        *experiment.table_7(),
        *qid.correlations(drawn[0], drawn)[:-1],
    ]
    assert rows_not_on("qid", lines) == []


def test_the_iml_page_explains_linear_svc_with_the_numbers_of_the_code_that_is_there(
    shared_data: Path,
) -> None:
    pytest.importorskip("sklearn")
    frame = load(shared_data)
    study = TargetStudy(frame.head(iml.BASE_ROWS[0]), iml.TARGETS[-1], 0)
    found = [
        margins.line(what, run()) for what, run in margins.cells(study, seed=0).items() if "Adult" in what
    ]
    assert len(found) == 2
    assert rows_not_on("iml", [*found, *iml.in_print(frame)]) == []


@pytest.mark.parametrize(
    ("paper", "choices"),
    [("cfk", cfk.choices), ("iml", iml.choices), ("qid", qid_choices)],
    ids=["cfk", "iml", "qid"],
)
def test_every_choice_of_ours_is_announced_on_the_page(paper: str, choices: Callable[[], list[Line]]) -> None:
    page = (ROOT / "docs" / "papers" / f"{paper}.md").read_text(encoding="utf-8")
    rows = markdown(choices()).splitlines()[2:]
    assert rows
    assert [row for row in rows if row not in page] == []


def test_every_measured_number_of_the_readme_names_where_it_comes_from() -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    text = re.sub(r"^```python.*?^```", "", text, flags=re.MULTILINE | re.DOTALL)
    whole = re.sub(
        r"^```.*?^```", lambda fence: fence[0].replace("\n\n", "\n"), text, flags=re.MULTILINE | re.DOTALL
    )
    parts = re.split(r"\n\n(?=\S)|\n(?=[*|] )", whole)
    claims = {part: re.findall(r"\d[\d,.]* ?%|\d,\d{3}|(?<!\d)\.\d{2,}", part) for part in parts}
    assert sum(map(len, claims.values())) > 15
    for before, part in zip(["", *parts[:-1]], parts, strict=True):
        told = part if not part.startswith("```") else before + part
        assert not claims[part] or any(source in told for source in SOURCES), (claims[part], told)
