"""The steps, drawn for a simulated user: the whole story without a browser, errors where they belong, undo."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pytest

pytest.importorskip("nicegui", reason="the workbench needs NiceGUI: pip install 'lookalike[web]'")
from nicegui import ElementFilter, ui

import lookalike as la
from lookalike.web import page
from stories import Story, play

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning")


@pytest.fixture(autouse=True)
def _own_places(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))


@pytest.fixture
def people(invented: Callable[[int], dict[str, Any]]) -> dict[str, Any]:
    return invented(600)


def test_a_story_leaves_the_package_as_it_was(tmp_path: Path) -> None:
    async def story(it: Story) -> None:
        await it.see("Table")

    play(tmp_path, story, None)
    assert sys.modules["lookalike"] is la
    assert sys.modules["lookalike.web.page"] is page


def test_from_a_table_to_a_verified_release(tmp_path: Path, people: dict[str, Any]) -> None:
    async def story(it: Story) -> None:
        await it.see("600")
        await it.see("Promise not kept yet")
        await it.press("Columns")
        await it.see("Proposed:")
        await it.press("Risk")
        await it.see("Which columns single people out")
        await it.press("Blur")
        await it.see("Everyone is one of at least")
        it.session.bench.change(method="mondrian")
        await it.press("Make the release")
        await it.see("On the whole table, made")
        await it.see("Promise kept")
        await it.press("Use")
        await it.see("Before and after")
        await it.press("Release")
        await it.press("Check and save")
        await it.see("Verified: every promise holds")
        assert (tmp_path / "out" / "release.csv").is_file()

    play(tmp_path, story, people)


def test_promises_by_any_model_are_made_and_taken_back(tmp_path: Path, people: dict[str, Any]) -> None:
    async def story(it: Story) -> None:
        await it.see("600")
        await it.press("Columns")
        await it.see("Proposed:")
        await it.press("Blur")
        await it.see("Every class has at least l sensitive values. (l-diversity)")
        it.write("A further promise", "average risk")
        await it.press("Promise it")
        assert {"model": "average risk", "limit": 0.1} in it.session.bench.recipe["promises"]
        it.write("A further promise", "beta-likeness")
        it.write("beta", 2)
        await it.press("Promise it")
        made = it.session.bench.recipe["promises"]
        about = it.session.bench.having("sensitive")[0]
        assert {"model": "beta-likeness", "column": about, "beta": 2} in made
        await it.press("Take this promise back")
        assert [one["model"] for one in it.session.bench.recipe["promises"]].count("average risk") == 0
        it.write("A further promise", "delta-presence")
        await it.see("--population")

    play(tmp_path, story, people)


def test_an_empty_workbench_says_what_to_do(tmp_path: Path) -> None:
    async def story(it: Story) -> None:
        await it.see("Or try it with people who do not exist")
        await it.press("Risk")
        await it.see("There is no table yet.")
        await it.press("Open a table")
        await it.see("Or try it with people who do not exist")

    play(tmp_path, story, first=None)


def test_a_bad_file_is_told_at_its_step_and_another_can_be_opened(tmp_path: Path) -> None:
    bad = tmp_path / "bad.csv"
    bad.write_bytes(b"a,b\n1,2\n3\n")

    async def story(it: Story) -> None:
        await it.see("bad.csv")
        await it.see("Or try it with people who do not exist")
        shown = it.shown()
        assert "row" in shown or "line" in shown

    play(tmp_path, story, first={"path": str(bad), "name": "bad.csv"})


def test_the_page_escapes_names_and_values_of_a_hostile_file(tmp_path: Path) -> None:
    hostile = tmp_path / "hostile.csv"
    hostile.write_text(
        "<img src=x onerror=alert(1)>,:age,plain\n"
        + "".join(f"<script>{i % 3}</script>,{i % 5},=HYPERLINK()\n" for i in range(60)),
        encoding="utf-8",
    )

    async def story(it: Story) -> None:
        await it.see("60")
        await it.press("Columns")
        await it.see(":age")
        with it.user:
            for one in ElementFilter(kind=ui.html):
                assert "<script" not in one.content
                assert "<img" not in one.content
            for one in ElementFilter(kind=ui.element):
                strange = [key for key in one.props if key.startswith(":")]
                assert strange == []

    play(tmp_path, story, first={"path": str(hostile), "name": "<b>hostile</b>.csv"})


def test_keys_give_roles_and_undo_takes_them_back(tmp_path: Path, people: dict[str, Any]) -> None:
    async def story(it: Story) -> None:
        await it.see("600")
        await it.press("Columns")
        await it.see("Proposed:")
        step = it.session
        desk = next(iter(it.sessions.desks.values()))
        first = step.column
        assert first is not None
        before = step.bench.recipe["roles"][first]
        await desk.step.press("P")
        assert step.bench.recipe["roles"][first] == "sensitive"
        await desk.undo()
        assert step.bench.recipe["roles"][first] == before

    play(tmp_path, story, people)


def test_a_linked_column_is_flagged_and_decided_by_a_click(tmp_path: Path) -> None:
    rows = la.datasets.population(700, seed=2).select("age", "gender", "area", "occupation")
    areas = {area: i for i, area in enumerate(sorted(rows["area"].unique().to_list()))}
    numbers = rows["area"].replace_strict(areas).alias("hours_of_sport")
    file = tmp_path / "linked.csv"
    rows.with_columns(numbers).write_csv(file)

    async def story(it: Story) -> None:
        await it.see("700")
        roles = {"age": "quasi", "gender": "quasi", "area": "quasi", "hours_of_sport": "other"}
        it.session.bench.change(roles={**it.session.bench.recipe["roles"], **roles}, drop=[], linked={})
        await it.press("Columns")
        await it.see("hours_of_sport says the same as area")
        await it.see("tells area")
        await it.press("Blur along")
        await it.until(lambda: it.session.bench.recipe["linked"] == {"hours_of_sport": "follow"})
        await it.press("Leave out")
        await it.until(lambda: it.session.bench.recipe["drop"] == ["hours_of_sport"])
        assert it.session.bench.recipe["linked"] == {}
        desk = next(iter(it.sessions.desks.values()))
        await desk.undo()
        await it.press("Treat as known")
        await it.until(lambda: it.session.bench.recipe["roles"]["hours_of_sport"] == "quasi")

    play(tmp_path, story, {"path": str(file), "name": "linked.csv"})


def test_the_recipe_is_seen_growing(tmp_path: Path, people: dict[str, Any]) -> None:
    async def story(it: Story) -> None:
        await it.see("600")
        await it.press("Recipe")
        await it.see("[columns.age]")
        assert "<mark>" not in it.shown()
        await it.press("Columns")
        await it.see("Proposed:")
        desk = next(iter(it.sessions.desks.values()))
        await desk.step.show_column("age")
        await desk.step.press("P")
        await it.see("<mark>role = &quot;sensitive&quot;</mark>")

    play(tmp_path, story, people)


def test_another_solution_is_picked_its_table_seen_and_made(tmp_path: Path, people: dict[str, Any]) -> None:
    async def story(it: Story) -> None:
        await it.see("600")
        it.session.tab = "explore"
        await it.press("Blur")
        await it.press("Look for other solutions")
        await it.see("Click a point")
        explorer = next(iter(it.sessions.desks.values())).step.explorer
        near = next(one for one in explorer.points if one["series"] == "near")
        await explorer.pick(near)
        await it.see("Its table: 40 of")
        await it.press("Make this one")
        await it.until(lambda: it.session.bench.recipe["options"] == near["options"])
        await it.until(lambda: it.session.numbers is not None)
        assert it.session.numbers is not None
        assert it.session.numbers["levels"] == near["levels"]

    play(tmp_path, story, people)


def test_a_signature_does_not_survive_what_was_signed(tmp_path: Path, people: dict[str, Any]) -> None:
    async def story(it: Story) -> None:
        await it.see("600")
        it.session.bench.change(method="mondrian", promises=[{"model": "k-anonymity", "k": 5}])
        await it.press("Blur")
        await it.until(lambda: it.session.numbers is not None)
        it.session.bench.change(signature={"name": "Ada", "date": "2024-05-01", "note": "approved at k=5"})
        it.desk.changed()
        await it.press("Release")
        await it.see("Signed by Ada")
        it.session.bench.change(promises=[{"model": "k-anonymity", "k": 2}])
        it.desk.changed()
        assert any("Ada no longer holds" in told for told in it.user.notify.messages)
        await it.press("Blur")
        await it.until(lambda: it.session.numbers is not None)
        await it.press("Release")
        await it.see("The signature of Ada no longer holds")
        await it.press("Check and save")
        await it.see("Verified: every promise holds")
        report = (tmp_path / "out" / "private" / "report-internal.html").read_text(encoding="utf-8")
        assert "Ada" not in report
        assert "approved at k=5" not in report

    play(tmp_path, story, people)


def test_a_file_in_other_letters_is_read_after_a_choice(tmp_path: Path) -> None:
    western = tmp_path / "western.csv"
    lines = [f"{20 + i % 40},{'Zürich' if i % 2 else 'Genève'},{i % 3}" for i in range(200)]
    western.write_bytes("\n".join(["age,town,children", *lines]).encode("cp1252"))

    async def story(it: Story) -> None:
        await it.give(western)
        await it.see("western.csv, line 2: not UTF-8 text. Say what it is with “Letters (encoding)”")
        assert str(it.session.folder) not in it.shown()
        it.write("Letters (encoding)", "cp1252")
        await it.press("Read again")
        await it.see("How the file was read")
        assert it.session.bench.recipe["reading"]["encoding"] == "cp1252"
        assert set(it.session.bench.recipe["roles"]) == {"age", "town", "children"}
        await it.press("Columns")
        await it.see("Proposed:")
        await it.desk.step.show_column("town")
        await it.see("Genève")

    play(tmp_path, story, None)


def test_a_file_that_is_cut_at_the_wrong_sign_is_read_after_a_choice(tmp_path: Path) -> None:
    odd = tmp_path / "odd.csv"
    lines = [f"{20 + i % 40};{i % 2},5{',1' * (i > 50)}" for i in range(200)]
    odd.write_text("\n".join(["age;weight, in kg", *lines]), encoding="utf-8")

    async def story(it: Story) -> None:
        await it.see("or say what stands between fields with “Between fields (delimiter)”")
        it.write("Between fields (delimiter)", ";")
        await it.press("Read again")
        await it.see("How the file was read")
        assert [one["name"] for one in it.session.facts["columns"]] == ["age", "weight, in kg"]
        it.write("Between fields (delimiter)", "|")
        await it.press("Read again")
        await it.until(lambda: len(it.session.bench.recipe["roles"]) == 1)

    play(tmp_path, story, {"path": str(odd), "name": odd.name})


def test_a_folder_that_is_there_is_told_with_what_can_be_done_here(
    tmp_path: Path, people: dict[str, Any]
) -> None:
    async def story(it: Story) -> None:
        (tmp_path / "out").mkdir()
        await it.see("600")
        it.session.bench.change(method="mondrian")
        await it.press("Blur")
        await it.until(lambda: it.session.numbers is not None)
        await it.press("Release")
        await it.press("Check and save")
        await it.see("is there already and stays as it is. Give another name")
        assert "overwrite" not in it.shown()
        assert list((tmp_path / "out").iterdir()) == []

    play(tmp_path, story, people)


def test_a_k_that_is_the_largest_tried_is_not_told_as_the_largest_there_is(
    tmp_path: Path, people: dict[str, Any]
) -> None:
    async def story(it: Story) -> None:
        await it.see("600")
        asked = [{"kind": "entropy", "of": ["gender"]}]
        roles = dict.fromkeys(it.session.bench.recipe["roles"], "other") | {"age": "quasi"}
        it.session.bench.change(
            method="mondrian", roles=roles, drop=["name", "postcode", "dob"], linked={}, questions=asked
        )
        await it.press("Blur")
        await it.until(lambda: it.session.numbers is not None)
        await it.press("Use")
        await it.press("Choose k by them")
        await it.see("Of the group sizes tried, k = 11 is the largest up to which no answer changes")
        await it.see("k = 11 is the largest tried: a larger one may do as well. Try more.")
        it.write("Largest group to try", 14)
        await it.press("Choose k by them")
        await it.see("k = 14 is the largest tried")

    play(tmp_path, story, people)


@pytest.fixture
def rounded(tmp_path: Path) -> dict[str, Any]:
    """People whose incomes mostly nobody else has, so that the draft rounds them."""
    rows = la.datasets.population(500, seed=3).select("age", "gender", "area")
    incomes = pl.Series("income", [18_003 + i * 97 % 50_000 for i in range(500)])
    path = tmp_path / "incomes.csv"
    rows.with_columns(incomes).write_csv(path)
    return {"path": str(path), "name": path.name}


def test_a_column_that_is_rounded_is_told_wherever_it_is_seen(
    tmp_path: Path, rounded: dict[str, Any]
) -> None:
    async def story(it: Story) -> None:
        await it.until(lambda: bool(it.session.bench.recipe["rounding"]))
        step = it.session.bench.recipe["rounding"]["income"]
        told = f"rounded to {step:,}"
        await it.press("Columns")
        await it.see("Proposed:")
        await it.see(told)
        await it.desk.step.show_column("income")
        await it.see(f"of the records are alone with their value: rounded to {step:g}")
        it.session.bench.change(method="mondrian")
        await it.press("Blur")
        await it.until(lambda: it.session.numbers is not None)
        await it.see(f"<td>income</td><td>{told}</td>")
        await it.press("Use")
        await it.see(f"income: {told}")
        await it.press("Columns")
        await it.press("Publish it exactly")
        await it.until(lambda: it.session.bench.recipe["rounding"] == {})
        await it.until(lambda: "rounded to" not in it.shown())
        assert it.session.bench.recipe["reasons"]["income"] == "decided by hand"

    play(tmp_path, story, rounded)


@pytest.mark.parametrize(
    ("step", "start", "task"),
    [
        ("Attack", "Try the attacks", "attacks.battery"),
        ("Use", "Ask them", "use.answer"),
        ("Use", "Choose k by them", "use.choose_k"),
        ("Use", "Train and compare", "use.learn"),
        ("Explain", "Explain", "explain.explain"),
        ("Risk", "Measure it", "semantic.measure"),
    ],
)
def test_long_work_can_be_cancelled_wherever_it_is_begun(
    tmp_path: Path, people: dict[str, Any], step: str, start: str, task: str
) -> None:
    async def story(it: Story) -> None:
        await it.see("600")
        it.session.bench.change(method="mondrian", questions=[{"kind": "mean", "of": "age"}])
        await it.press("Blur")
        await it.until(lambda: it.session.numbers is not None)
        begun, stopped = asyncio.Event(), asyncio.Event()
        call = it.session.worker.call

        async def endless(asked: str, *given: Any, **told: Any) -> Any:
            if asked != task:
                return await call(asked, *given, **told)
            begun.set()
            try:
                await asyncio.sleep(3600)
            except asyncio.CancelledError:
                stopped.set()
                raise

        it.session.worker.call = endless  # type: ignore[method-assign]
        await it.desk.show(step.lower())
        await it.press(start, last=True)  # a step may be called as its button
        await asyncio.wait_for(begun.wait(), 30)
        await it.desk.show("table")
        await it.desk.show(step.lower())  # the work goes on, and can still be cancelled
        await it.press("Cancel")
        await asyncio.wait_for(stopped.wait(), 30)
        await it.see("Stopped. Nothing was changed.")
        assert it.session.works == {}

    play(tmp_path, story, people)


@pytest.fixture
def applicants(tmp_path: Path) -> dict[str, Any]:
    """People with numbers only, so that any model can read them."""
    n = 300
    path = tmp_path / "applicants.csv"
    ages, debts = [20 + i * 7 % 50 for i in range(n)], [i * 13 % 90 for i in range(n)]
    credit = [int(age > 40 and debt < 60) for age, debt in zip(ages, debts, strict=True)]
    pl.DataFrame({"age": ages, "debt": debts, "credit": credit}).write_csv(path)
    return {"path": str(path), "name": path.name}


def test_nothing_of_one_model_stays_when_another_is_given(tmp_path: Path, applicants: dict[str, Any]) -> None:
    tree = pytest.importorskip("sklearn.tree", reason="models need scikit-learn: pip install 'lookalike[ml]'")
    io = pytest.importorskip("skops.io", reason="reading .skops needs skops: pip install 'lookalike[models]'")
    rows = pl.read_csv(applicants["path"]).to_pandas()
    for file, target in (("good.skops", rows["credit"]), ("other.skops", rows["credit"] + 5)):
        model = tree.DecisionTreeClassifier(max_depth=3, random_state=0)
        io.dump(model.fit(rows[["age", "debt"]].astype(float), target), tmp_path / file)
    (tmp_path / "bad.skops").write_bytes(b"not a model")
    (tmp_path / "bad.pkl").write_bytes(b"not a model")

    async def story(it: Story) -> None:
        await it.until(lambda: bool(it.session.bench.recipe["roles"]))
        roles = {"age": "quasi", "debt": "quasi", "credit": "target"}
        it.session.bench.change(roles=roles, drop=[], linked={})
        await it.press("Explain")
        await it.press("Take one from a file")

        def outcomes() -> list[str]:
            return list(it.desk.step._wished.options.values())

        await it.give(tmp_path / "good.skops")
        await it.until(lambda: outcomes() == ["0", "1"])
        await it.press("Explain", last=True)
        await it.see("What would have to be so")
        await it.give(tmp_path / "bad.skops")
        await it.see("bad.skops")
        assert "What would have to be so" not in it.shown()
        assert outcomes() == []
        await it.give(tmp_path / "bad.pkl")
        await it.see("Do you trust whoever made this file?")
        assert "bad.skops" not in it.shown()
        await it.press("Do not load it")
        await it.give(tmp_path / "other.skops")
        await it.until(
            lambda: outcomes() == ["5", "6"]
        )  # the file given now, not one of the same kind before

    play(tmp_path, story, applicants)
