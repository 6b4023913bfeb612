"""Every Python example of the README, the documentation and the docstrings runs and gives what the page shows;
every page is in the menu. `risk.k  # → 1 · in words` on a page shows that risk.k is 1.
"""

from __future__ import annotations

import doctest
import re
from importlib import import_module
from pathlib import Path

import pytest

import lookalike

ROOT = Path(__file__).resolve().parents[1]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
SOURCE = Path(lookalike.__file__).parent
WITH_EXAMPLES = sorted(path for path in SOURCE.rglob("*.py") if ">>> " in path.read_text(encoding="utf-8"))
SHOWN = re.compile(r"^( *)(\S.*?)  # → (.+?)(?: · .*)?$", re.MULTILINE)
FENCE = re.compile(r"^```python[^\n]*\n(.*?)^```", re.MULTILINE | re.DOTALL)


def name(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_examples_run_in_one_namespace_per_page(
    page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    text = page.read_text(encoding="utf-8")
    namespace: dict[str, object] = {"__name__": "__main__"}
    blocks = list(FENCE.finditer(text))
    assert len(blocks) == text.count("```python"), "an example is not closed, or its fence is indented"
    assert not re.search(r"^ *assert ", "".join(block.group(1) for block in blocks), re.MULTILINE), (
        "show, do not assert"
    )
    for block in blocks:
        # the blank lines above make a failure point at its line of the page
        source = "\n" * text.count("\n", 0, block.start(1)) + block.group(1)
        exec(compile(SHOWN.sub(r"\1assert (\2) == (\3)", source), name(page), "exec"), namespace)


@pytest.mark.parametrize("page", PAGES[1:], ids=name)
def test_every_page_is_in_the_menu(page: Path) -> None:
    menu = (ROOT / "mkdocs.yml").read_text(encoding="utf-8").partition("\nnav:")[2]
    assert f": {page.relative_to(ROOT / 'docs').as_posix()}\n" in menu


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_links_between_pages_lead_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\(([^)#\s]+)[^)]*\)", page.read_text(encoding="utf-8")):
        if "://" not in target and not target.startswith("mailto:"):
            assert (page.parent / target).exists(), target


@pytest.mark.parametrize("file", WITH_EXAMPLES, ids=lambda file: file.relative_to(SOURCE).as_posix())
def test_examples_in_docstrings_run(file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    parts = file.relative_to(SOURCE.parent).with_suffix("").parts
    found = doctest.testmod(import_module(".".join(parts)), optionflags=doctest.ELLIPSIS)
    assert (found.failed, found.attempted > 0) == (0, True)
