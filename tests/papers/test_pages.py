"""Numbers in the documentation name the command that produces them, and the tables that need no data are its output."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from lookalike.papers import fca
from lookalike.papers.cfk.statements import choices as cfk_choices
from lookalike.papers.comparison import Line, markdown
from lookalike.papers.iml.statements import choices as iml_choices
from lookalike.papers.qid.definitions import choices as qid_choices

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
    "Wrong in print",
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


def test_the_table_of_the_fca_page_is_what_the_command_writes() -> None:
    lines = fca.lines(output=None, full=False, seed=0, folder=None, shown=False)
    assert markdown(lines) in (ROOT / "docs" / "papers" / "fca.md").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("paper", "choices"),
    [("cfk", cfk_choices), ("iml", iml_choices), ("qid", qid_choices)],
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
    for before, part in zip(["", *parts], parts):
        told = part if not part.startswith("```") else before + part
        assert not claims[part] or any(source in told for source in SOURCES), (claims[part], told)
