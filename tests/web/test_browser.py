"""The workbench in a real browser: the whole story, keys, reload, cancel, hostile files, two people."""

from __future__ import annotations

import re
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import lookalike as la

SLOW = 120_000  # milliseconds: on first use kernels are compiled
LOOPBACK = ("http://127.0.0.1", "ws://127.0.0.1", "data:", "blob:http://127.0.0.1")
STEPS = ("Table", "Columns", "Risk", "Blur", "Use", "Attack", "Release", "Explain")


class Visitor:
    """A person with a browser of their own; everything the page asks for and complains about is noted."""

    def __init__(self, chromium: Any, **settings: Any) -> None:
        self.context = chromium.new_context(viewport={"width": 1280, "height": 860}, **settings)
        self.page = self.context.new_page()
        self.page.set_default_timeout(SLOW)
        self.asked: list[str] = []
        self.complaints: list[str] = []
        self.page.on("request", lambda request: self.asked.append(request.url))
        self.page.on("websocket", lambda socket: self.asked.append(socket.url))
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))
        self.page.on("console", self._hear)
        self.page.on("dialog", lambda dialog: (self.complaints.append(dialog.message), dialog.dismiss()))

    def _hear(self, message: Any) -> None:
        if message.type == "error":
            self.complaints.append(message.text)

    def open(self, server: Any) -> None:
        self.page.goto(server.address)
        self.page.wait_for_selector("h1")

    def go(self, step: str) -> None:
        self.page.locator(".rail").get_by_role("button", name=step, exact=True).click()

    def press(self, label: str) -> None:
        self.page.get_by_role("button", name=label, exact=True).click()

    def choose(self, method: str) -> None:
        self.page.get_by_role("radio", name=method).click()

    def see(self, words: str) -> None:
        self.page.get_by_text(words).first.wait_for()

    @property
    def strip(self) -> str:
        return str(self.page.locator(".strip").inner_text())


@pytest.fixture
def visit(chromium: Any) -> Iterator[Callable[..., Visitor]]:
    visitors: list[Visitor] = []

    def make(**settings: Any) -> Visitor:
        visitors.append(Visitor(chromium, **settings))
        return visitors[-1]

    yield make
    for one in visitors:
        one.context.close()


@pytest.fixture
def people(tmp_path: Path) -> Path:
    file = tmp_path / "people.csv"
    la.datasets.population(1500, seed=3).write_csv(file)
    return file


def make_release(it: Visitor) -> None:
    it.go("Blur")
    it.choose("Cut in halves")
    it.page.get_by_text(
        re.compile("On a sample of|On the whole table, made")
    ).first.wait_for()  # a sample is soon gone
    it.press("Make the release")
    it.see("On the whole table, made")


def test_the_whole_is_shown_as_a_draft_while_it_is_improved(
    serve: Callable[..., Any], visit: Callable[..., Visitor], tmp_path: Path
) -> None:
    la.datasets.population(12_000, seed=3).write_csv(tmp_path / "people.csv")
    it = visit()
    it.open(serve(tmp_path / "people.csv"))
    it.go("Blur")
    it.see("Promise kept; still gaining detail")
    it.see("Now it is being improved")
    it.see("On the whole table, made")
    it.page.wait_for_function("() => !document.querySelector('.strip').innerText.includes('still gaining')")
    assert "Promise kept" in it.strip


def test_adult_from_file_to_verified_release(
    serve: Callable[..., Any], visit: Callable[..., Visitor], shared_data: Path, tmp_path: Path
) -> None:
    server = serve(shared_data / "adult" / "adult.csv")
    it = visit(accept_downloads=True)
    it.open(server)
    it.see("48,842")
    it.page.get_by_text("State-gov").first.wait_for()
    it.go("Columns")
    it.see("How it is made coarser")
    it.go("Risk")
    it.see("Which columns single people out")
    make_release(it)
    assert "Promise kept" in it.strip
    it.go("Use")
    it.see("What each column lost")
    it.go("Release")
    it.page.get_by_label("Your name").fill("Ada")
    it.press("Sign")
    it.see("Signed by Ada")
    it.press("Check and save")
    it.see("Verified: every promise holds")
    assert la.verify(server.out / "out" / "release.csv", server.out / "out" / "certificate.json").ok
    private = server.out / "out" / "private"
    assert "Signed by Ada" in (private / "report-internal.html").read_text(encoding="utf-8")
    report = it.page.frame_locator("iframe.report").first
    report.get_by_role("heading", name="About this release").wait_for()
    la.run(private / "recipe.toml", anywhere=True, output=tmp_path / "again")
    assert (tmp_path / "again" / "release.csv").read_bytes() == (
        server.out / "out" / "release.csv"
    ).read_bytes()
    with it.page.expect_download() as waiting:
        it.press("Check and download")
    waiting.value.save_as(tmp_path / "release.zip")
    names = zipfile.ZipFile(tmp_path / "release.zip").namelist()
    assert "release/certificate.json" in names
    assert not any("private" in name for name in names)
    assert [url for url in it.asked if not url.startswith(LOOPBACK)] == []
    assert it.complaints == []


def test_the_game_is_played_with_keys_and_undone(
    serve: Callable[..., Any], visit: Callable[..., Visitor], people: Path
) -> None:
    it = visit()
    it.open(serve(people))
    it.see("1,500")
    it.go("Blur")
    it.page.get_by_role("tab", name="Question game").click()
    it.press("Start or go on")
    it.see("Question 1:")
    first = it.page.locator(".game").inner_text()
    for number, key in ((2, "a"), (3, "b"), (4, "?")):
        it.page.keyboard.press(key)
        it.see(f"Question {number}:")
    it.page.keyboard.press("u")
    it.see("Question 3:")
    it.page.keyboard.press("Control+z")
    it.see("Question 4:")  # undo took the taking back back
    for number, key in ((5, "b"), (6, "a")):
        it.page.keyboard.press(key)
        it.see(f"Question {number}:")
    it.page.get_by_text(re.compile("More answers could save|Enough: more answers")).first.wait_for()
    it.page.reload()
    it.see("Promises")
    it.page.get_by_role("tab", name="Question game").click()
    it.see("Question ")
    assert first
    assert it.complaints == []


def test_a_reload_keeps_the_work_and_does_not_stop_it(
    serve: Callable[..., Any], visit: Callable[..., Visitor], people: Path
) -> None:
    it = visit()
    it.open(serve(people))
    it.see("1,500")
    it.go("Columns")
    it.see("Proposed:")
    it.page.keyboard.press("ArrowDown")
    it.go("Blur")
    it.choose("Cut in halves")
    it.press("Make the release")
    it.page.reload()
    it.see("On the whole table, made")
    assert it.page.get_by_role("radio", name="Cut in halves").is_checked()


def test_work_can_be_cancelled_and_begun_again(
    serve: Callable[..., Any], visit: Callable[..., Visitor]
) -> None:
    it = visit()
    it.open(serve())
    it.press("100,000 invented people")
    it.see("missing values")
    it.go("Blur")
    it.choose("Groups made to measure")
    it.see("Making the release")  # of its own accord, once the sample was seen
    it.press("Cancel")
    it.see("Stopped. Nothing was changed.")
    it.choose("Cut in halves")
    it.press("Make the release")
    it.see("On the whole table, made")


def test_values_are_dragged_groups_merged_and_a_run_chosen(
    serve: Callable[..., Any], visit: Callable[..., Visitor], people: Path
) -> None:
    it = visit()
    it.open(serve(people))
    it.see("1,500")
    it.go("Columns")
    it.see("Proposed:")
    it.page.locator(".about", has_text="marital_status").first.click()
    it.press("Change the groups")
    it.see("Groups of marital_status")
    groups = it.page.locator(".group")
    values = it.page.locator(".group [draggable=true]")
    n = values.count()
    values.first.click()
    values.nth(2).click(modifiers=["Shift"])
    it.see("3 chosen")
    it.press("New group from chosen")
    it.page.wait_for_function(
        "[...document.querySelectorAll('.group input')].some(one => one.value === 'New group')"
    )
    labels = it.page.get_by_label("Name of the group")
    named = next(i for i in range(labels.count()) if labels.nth(i).input_value() == "New group")
    labels.nth(named).fill("Together")
    labels.nth(named).blur()
    other = 0 if named else 1
    lone = groups.nth(other).locator("[draggable=true]").first
    dragged = lone.inner_text()
    lone.drag_to(groups.nth(named))
    assert values.count() == n
    it.press("Keep these groups")
    it.see("Groups as they were put together")
    tree = it.page.locator(".tree").inner_text()
    assert "Together" in tree
    assert dragged in tree.split("Together")[1]
    it.page.keyboard.press("Control+z")
    it.see("Grown from the values")
    assert it.complaints == []


def test_a_pickled_model_waits_for_trust(
    serve: Callable[..., Any], visit: Callable[..., Visitor], people: Path, tmp_path: Path
) -> None:
    joblib = pytest.importorskip("joblib")
    dummy = pytest.importorskip("sklearn.dummy")
    rows = la.read(people, others=[]).rows.to_pandas()
    model = dummy.DummyClassifier(strategy="uniform", random_state=0)
    joblib.dump(model.fit(rows[["age", "gender"]], rows["marital_status"]), tmp_path / "model.joblib")
    it = visit()
    it.open(serve(people))
    it.see("1,500")
    it.go("Explain")
    it.press("Take one from a file")
    it.page.locator("input[type=file]").set_input_files(str(tmp_path / "model.joblib"))
    it.see("Do you trust whoever made this file?")
    it.press("Do not load it")
    it.page.get_by_text("Do you trust whoever made this file?").wait_for(state="detached")
    assert it.page.locator(".main").get_by_role("button", name="Explain", exact=True).is_disabled()
    it.page.locator("input[type=file]").set_input_files(str(tmp_path / "model.joblib"))
    it.press("I trust it: load it")
    it.see("The model looks at 2 columns")


def test_a_hostile_file_runs_nothing(
    serve: Callable[..., Any], visit: Callable[..., Visitor], tmp_path: Path
) -> None:
    evil = '<img src=x onerror="window.hacked=1">'
    names = [f'"{evil.replace(chr(34), chr(34) * 2)}"', ":age", '":datasource"', "plain"]
    cells = [
        "<script>window.hacked=1</script>",
        "window.hacked=1",
        '"=HYPERLINK(""http://evil.example"")"',
        "\u202eabc",
    ]
    rows = [
        ",".join([cells[0] + str(i % 3), str(i % 7), cells[2], cells[3] + "x" * (300_000 if i == 5 else 0)])
        for i in range(80)
    ]
    file = tmp_path / "hostile.csv"
    file.write_text("\n".join([",".join(names), *rows]) + "\n", encoding="utf-8")
    it = visit()
    it.open(serve(file))
    it.page.locator(".ag-cell").first.wait_for()
    for step in STEPS[1:4]:
        it.go(step)
        it.page.wait_for_timeout(1500)
    assert it.page.evaluate("window.hacked") is None
    assert it.page.evaluate("document.documentElement.scrollWidth") <= 1280
    assert [url for url in it.asked if not url.startswith(LOOPBACK)] == []


def test_a_bad_file_is_told_and_a_good_one_is_taken_after_it(
    serve: Callable[..., Any], visit: Callable[..., Visitor], tmp_path: Path
) -> None:
    bad = tmp_path / "bad.csv"
    bad.write_bytes(b"a,b\n1,2\n3\n")
    it = visit()
    it.open(serve())
    it.page.locator("input[type=file]").set_input_files(str(bad))
    it.page.locator(".trouble:visible").wait_for()
    good = tmp_path / "good.csv"
    la.datasets.population(200, seed=1).write_csv(good)
    it.page.locator("input[type=file]").set_input_files(str(good))
    it.see("missing values")


def test_two_people_never_see_each_others_table(
    serve: Callable[..., Any], visit: Callable[..., Visitor], tmp_path: Path
) -> None:
    server = serve()
    files = []
    for i, n in enumerate((210, 340)):
        files.append(tmp_path / f"town{i}.csv")
        la.datasets.population(n, seed=i).write_csv(files[-1])
    visitors = [visit(), visit()]
    for it, file in zip(visitors, files, strict=True):
        it.open(server)
        it.page.locator("input[type=file]").set_input_files(str(file))
    for it, n in zip(visitors, ("210", "340"), strict=True):
        it.see("missing values")
        assert it.page.locator(".stat b").first.inner_text() == n
    theirs = next(url for url in visitors[0].asked if "/rows/" in url)
    stranger = visit()
    stranger.page.goto(theirs)
    assert "key" in stranger.page.content()
    assert "c0" not in stranger.page.content()


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_no_serious_findings_of_accessibility(
    serve: Callable[..., Any], visit: Callable[..., Visitor], people: Path, axe: str, theme: str
) -> None:
    it = visit()
    it.open(serve(people))
    it.see("missing values")
    if theme == "dark":
        it.press("Light or dark")
    make_release(it)
    found: dict[str, list[str]] = {}
    for step in STEPS:
        it.go(step)
        it.page.wait_for_timeout(2500)
        it.page.evaluate(axe)
        result = it.page.evaluate("axe.run(document, {runOnly: ['wcag2a', 'wcag2aa', 'wcag21aa']})")
        for one in result["violations"]:
            if one["impact"] in ("serious", "critical"):
                places = [node["html"][:160] for node in one["nodes"][:3]]
                found[f"{step}: {one['id']}"] = places
    assert found == {}


def test_nothing_is_cut_off_or_overprinted_on_a_narrow_page(
    serve: Callable[..., Any], visit: Callable[..., Visitor], people: Path
) -> None:
    it = visit()
    it.open(serve(people))
    it.see("missing values")
    make_release(it)
    it.page.set_viewport_size({"width": 420, "height": 860})
    too_wide = """() => [...document.querySelectorAll('.card, .hint, .roles, .pairs > *, .strip')]
        .filter(one => one.scrollWidth > one.clientWidth + 1).map(one => one.className)"""
    overprinted = """() => {
        const seen = [...document.querySelectorAll('.strip .pair b, .strip .pair span, .strip .chip')]
            .map(one => {const r = document.createRange(); r.selectNodeContents(one); return r})
            .map(range => range.getBoundingClientRect());
        return seen.some((a, i) => seen.slice(i + 1).some(b =>
            a.left < b.right - 1 && b.left < a.right - 1 && a.top < b.bottom - 1 && b.top < a.bottom - 1));
    }"""
    for step in STEPS:
        it.go(step)
        it.page.wait_for_timeout(1500)
        assert it.page.evaluate(too_wide) == [], step
        assert not it.page.evaluate(overprinted), step


def test_dark_and_german(serve: Callable[..., Any], visit: Callable[..., Visitor], people: Path) -> None:
    it = visit()
    it.open(serve(people))
    it.see("1,500")
    it.press("Light or dark")
    paper = "getComputedStyle(document.body).getPropertyValue('--paper').trim()"
    it.page.wait_for_function(f"{paper} === '#141b22'")
    it.press("Language")
    it.page.get_by_text("Deutsch").click()
    it.see("Um welche Tabelle geht es?")
    it.see("1.500")
    assert it.page.evaluate("document.body.classList.contains('body--dark')")


def test_nothing_is_left_behind_and_nothing_is_logged(
    serve: Callable[..., Any], visit: Callable[..., Visitor], people: Path
) -> None:
    server = serve(people)
    it = visit()
    it.open(server)
    it.see("1,500")
    assert any(server.temporary.glob("lookalike-serve-*"))
    server.process.terminate()
    assert server.process.wait(20) == 0
    assert not any(server.temporary.glob("lookalike-serve-*"))
    assert len(server.told.splitlines()) <= 6
