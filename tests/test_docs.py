"""Every Python example of the README, the documentation and the docstrings runs and gives what the page shows;
every page is in the menu. `risk.k  # → 1 · in words` on a page shows that risk.k is 1.
"""

from __future__ import annotations

import ast
import doctest
import re
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

import pytest
from typer.testing import CliRunner

import lookalike
import reference_hook
from lookalike.cli import app
from lookalike.models import MODELS

ROOT = Path(__file__).resolve().parents[1]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
TOUR = (ROOT / "docs" / "getting-started.md").read_text(encoding="utf-8")
SOURCE = Path(lookalike.__file__).parent
WITH_EXAMPLES = sorted(path for path in SOURCE.rglob("*.py") if ">>> " in path.read_text(encoding="utf-8"))
SHOWN = re.compile(r"^( *)(\S.*?)  # → (.+?)(?: · .*)?$", re.MULTILINE)
FENCE = re.compile(r"^```python[^\n]*\n(.*?)^```", re.MULTILINE | re.DOTALL)


def name(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


@pytest.fixture(autouse=True)
def _own_models() -> Iterator[None]:
    """The models that a page registers are gone when it ends: other tests go over those that are there."""
    known = dict(MODELS)
    yield
    MODELS.clear()
    MODELS.update(known)


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


def assert_shown(shown: str, printed: str) -> None:
    """Every line of a page was printed, in this order, wherever lines were broken; pages may leave lines out."""
    words, place = " ".join(printed.split()), 0
    for line in shown.splitlines():
        if found := " ".join(line.split()):
            place = words.find(found, place)
            assert place >= 0, f"not printed, or not here: {found}"


def test_the_tour_shows_what_python_prints(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    namespace: dict[str, object] = {}
    for block in re.finditer(f"{FENCE.pattern}(?:\n\n```text\n(.*?)^```)?", TOUR, FENCE.flags):
        exec(compile(block[1], "getting-started.md", "exec"), namespace)
        assert_shown(block[2] or "", capsys.readouterr().out)


def test_the_tour_shows_what_a_run_prints(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "200")
    Path("demo").mkdir()
    lookalike.tables.datasets.population(5_000).write_csv("demo/people.csv")
    command, plan = re.search(r"```console\n\$ lookalike (.*?)\n(.*?)\n\nGo ahead", TOUR, re.DOTALL).groups()  # type: ignore[union-attr]
    outcome = re.search(r"Shortened:\n\n```text\n(.*?)```", TOUR, re.DOTALL)[1]  # type: ignore[index]
    done = CliRunner().invoke(app, [*command.split(), "--yes"], catch_exceptions=False)
    assert_shown(f"{plan}\n{outcome}", done.stdout)


@pytest.mark.parametrize("page", PAGES[1:], ids=name)
def test_every_page_is_in_the_menu(page: Path) -> None:
    menu = (ROOT / "mkdocs.yml").read_text(encoding="utf-8").partition("\nnav:")[2]
    assert f": {page.relative_to(ROOT / 'docs').as_posix()}\n" in menu


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_links_between_pages_lead_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\(([^)#\s]+)[^)]*\)", page.read_text(encoding="utf-8")):
        if "://" not in target and not target.startswith("mailto:"):
            assert (page.parent / target).exists(), target


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_benchmarks_that_a_page_names_are_there(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    named = {f"{path}.py" for path in re.findall(r"benchmarks/([\w/]+)\.py", text)}
    named |= {f"{path.replace('.', '/')}.py" for path in re.findall(r"-m benchmarks\.([\w.]+)", text)}
    assert {path for path in named if not (ROOT / "benchmarks" / path).is_file()} == set()


def test_the_list_of_benchmarks_has_every_file() -> None:
    text = (ROOT / "benchmarks" / "README.md").read_text(encoding="utf-8")
    for kind, title in (("bars", "Bars"), ("studies", "Studies"), ("pictures", "Pictures")):
        listed = re.findall(
            r"^\| `(\w+)` \|", text.partition(f"## {title}\n")[2].partition("\n## ")[0], re.MULTILINE
        )
        assert listed == sorted(path.stem for path in (ROOT / "benchmarks" / kind).glob("*.py"))


def docstrings(file: Path) -> Iterator[tuple[str, int]]:
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef) and (
            text := ast.get_docstring(node)
        ):
            yield text, node.body[0].lineno


@pytest.mark.parametrize("file", WITH_EXAMPLES, ids=lambda file: file.relative_to(SOURCE).as_posix())
def test_examples_in_docstrings_run(file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    parts = file.relative_to(SOURCE.parent).with_suffix("").parts
    names = vars(import_module(".".join(parts)))
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS)
    for number, (text, line) in enumerate(docstrings(file)):
        (tmp_path / str(number)).mkdir()
        monkeypatch.chdir(tmp_path / str(number))
        runner.run(doctest.DocTestParser().get_doctest(text, {**names}, file.name, str(file), line))
    assert runner.failures == 0


def test_the_reference_has_every_public_name() -> None:
    listed = {entry.name.partition(".")[0] for entry in reference_hook.entries()}
    assert listed == set(lookalike.__all__) - {"__version__"}


@pytest.mark.parametrize("entry", reference_hook.entries(), ids=lambda entry: entry.name)
def test_the_reference_describes_arguments_and_fields_and_shows_an_example(
    entry: reference_hook.Entry,
) -> None:
    arguments = entry.arguments if entry.is_made else []
    assert [row.name for row in [*arguments, *entry.fields] if not row.text] == []
    assert ">>> " in entry.examples


def test_arguments_are_read_from_docstrings() -> None:
    def blur(people: object, *, width: int = 5, low: float = 0, high: float = 1) -> str:
        """Blur it.

        width: of a range; see https://example.org: there
            is more. low, high: the ends.

        Nothing: else.

        >>> 1 + 1
        2
        """

    entry = reference_hook.Entry("blur", blur)
    assert [(row.name, row.kind, row.default, row.text) for row in entry.arguments[1:]] == [
        ("width", "int", "5", "Of a range; see https://example.org: there is more."),
        ("low", "float", "0", "The ends."),
        ("high", "float", "1", "The ends."),
    ]
    assert (entry.text, entry.examples) == ("Blur it.\n\nNothing: else.", ">>> 1 + 1\n2\n")
    assert (
        entry.signature() == "blur(people: object, *, width: int = 5, low: float = 0, high: float = 1) -> str"
    )


def test_fields_are_read_from_comments() -> None:
    rows = {row.name: row.text for row in reference_hook.Entry("Release", lookalike.Release).fields}
    assert rows["k"] == "Size of the smallest class"
    assert rows["detail_lost"].startswith("The plain mean over records and quasi-identifiers")
