"""Numbers in the documentation name the command that produces them, and the tables that need no data are its output."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from lookalike.papers import fca
from lookalike.papers.comparison import markdown

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


def test_the_table_of_the_fca_page_is_what_the_command_writes() -> None:
    lines = fca.lines(output=None, full=False, seed=0, folder=None, shown=False)
    assert markdown(lines) in (ROOT / "docs" / "papers" / "fca.md").read_text(encoding="utf-8")


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
