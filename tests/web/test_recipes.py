"""Everything done is a recipe: what the workbench releases, `lookalike run` makes again, byte for byte."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import lookalike as la
from lookalike.measures.risks.regimes import REGIMES
from lookalike.web.state import EMPTY
from lookalike.web.tasks import blur, columns, explore, hierarchies, recipes, releases, risks, use
from lookalike.web.tasks.running import Cache

Decisions = dict[str, Any]


def quiet(share: float) -> None:
    """Nobody wants to know how far it is."""


def drafted(cache: Cache, source: dict[str, Any]) -> Decisions:
    """The decisions that a person finds when a table was opened."""
    first = {**EMPTY, "source": source}
    return {**first, **columns.propose(cache, first, quiet)["draft"]}


@pytest.fixture
def people(invented: Callable[[int], dict[str, Any]]) -> dict[str, Any]:
    return invented(800)


@pytest.fixture
def linked(tmp_path: Path) -> dict[str, Any]:
    """People with a district's number beside the district, a code nobody knows, and nines for unknown ages."""
    rows = la.datasets.population(900, seed=5).select("age", "gender", "area", "occupation", "marital_status")
    areas = {area: i for i, area in enumerate(sorted(rows["area"].unique().to_list()))}
    rows = rows.with_columns(
        pl.col("area").replace_strict(areas, return_dtype=pl.Int64).alias("area_number"),
        pl.Series("qzx", [f"w{i * 7919 % 13}" for i in range(rows.height)]),
        pl.Series("visits", [999 if i % 17 == 0 else i % 6 for i in range(rows.height)]),
    )
    path = tmp_path / "linked.csv"
    rows.write_csv(path)
    return {"path": str(path), "name": "linked.csv"}


def saved(cache: Cache, decisions: Decisions, folder: Path) -> dict[str, Any]:
    place = folder.parent / "place"
    place.mkdir(exist_ok=True)
    return releases.save(cache, decisions, quiet, folder=str(folder), place=str(place))


def assert_run_gives_the_same(cache: Cache, decisions: Decisions, tmp_path: Path) -> None:
    folder = tmp_path / "bench"
    assert saved(cache, decisions, folder)["verification"]["ok"]
    again = tmp_path / "again"
    la.run(folder / "private" / "recipe.toml", anywhere=True, output=again)
    assert (again / "release.csv").read_bytes() == (folder / "release.csv").read_bytes()


def test_the_draft_is_the_one_that_prepare_writes(people: dict[str, Any]) -> None:
    cache = Cache()
    mine = cache.recipe(drafted(cache, people))
    theirs = la.prepare(people["path"], na=["?"])
    written = [{name: column.to_dict() for name, column in each.columns.items()} for each in (mine, theirs)]
    assert written[0] == written[1]
    assert mine.promises == theirs.promises


@pytest.mark.parametrize("method", ["auto", "optimal", "mondrian", "sangreea"])
def test_a_run_of_the_saved_recipe_gives_the_same_bytes(
    people: dict[str, Any], tmp_path: Path, method: str
) -> None:
    cache = Cache()
    assert_run_gives_the_same(cache, {**drafted(cache, people), "method": method, "seed": 3}, tmp_path)


def test_so_does_one_with_everything_changed(people: dict[str, Any], tmp_path: Path) -> None:
    cache = Cache()
    decisions = drafted(cache, people)
    roles = {**decisions["roles"], "occupation": "sensitive", "num_children": "other"}
    decisions = {**decisions, "roles": roles, "drop": [*decisions["drop"], "qualifications"]}
    widths = hierarchies.widths(cache, decisions, quiet, column="age", typed="5, 10, 20")
    decisions |= {
        "hierarchies": {**decisions["hierarchies"], "age": widths["hierarchy"]},
        "promises": [
            {"model": "k-anonymity", "k": 4},
            {"model": "l-diversity", "column": "occupation", "l": 2},
        ],
        "weights": {"age": 3.0, "occupation": 2.0},
        "suppression": 0.1,
        "method": "optimal",
        "questions": [{"kind": "mean", "of": "num_children"}],
        "attacks": True,
        "signature": {"name": "Ada <b>", "date": "2027-01-02", "note": "for the town"},
    }
    assert_run_gives_the_same(cache, decisions, tmp_path)
    internal = (tmp_path / "bench" / "private" / "report-internal.html").read_text(encoding="utf-8")
    assert "Signed by Ada &lt;b&gt; on 2027-01-02: for the town" in internal
    assert "Signed by" not in (tmp_path / "bench" / "report.html").read_text(encoding="utf-8")


def test_a_neighbour_picked_from_the_cloud_is_released_and_run_again(
    people: dict[str, Any], tmp_path: Path
) -> None:
    cache = Cache()
    decisions = drafted(cache, people)
    points = explore.cloud(cache, decisions, quiet)["points"]
    best = next(one for one in points if one["series"] == "optimal")
    near = max((one for one in points if one["series"] == "near"), key=lambda one: one["loss"])
    assert near["loss"] >= best["loss"]
    seen = explore.table(cache, decisions, quiet, method=near["method"], options=near["options"])
    assert 0 < len(seen["rows"]) <= seen["total"]
    picked = {**decisions, "method": near["method"], "options": near["options"]}
    numbers = blur.whole(cache, picked, quiet)
    assert numbers["loss"] == pytest.approx(near["loss"], abs=1e-9)
    assert (numbers["k"], numbers["suppressed"]) == (near["k"], near["suppressed"])
    assert_run_gives_the_same(cache, picked, tmp_path)


def test_a_draft_is_of_the_whole_table_and_keeps_the_promise(
    invented: Callable[[int], dict[str, Any]], monkeypatch: pytest.MonkeyPatch
) -> None:
    cache = Cache()
    decisions = drafted(cache, invented(1_200))
    assert blur.draft(cache, decisions, quiet) is None  # soon made itself
    monkeypatch.setattr(blur, "_SLOW", 1_000)
    draft = blur.draft(cache, decisions, quiet)
    assert draft is not None
    made = blur.whole(cache, decisions, quiet)
    assert draft["records"] == made["records"] == 1_200
    assert draft["promises"] == made["promises"]
    assert draft["k"] >= next(one["k"] for one in decisions["promises"] if one["model"] == "k-anonymity")
    assert made["loss"] <= draft["loss"]
    for method in ("optimal", "mondrian", "datafly"):  # these have no rounds
        assert blur.draft(cache, {**decisions, "method": method}, quiet) is None
    hopeless = [{"model": "k-anonymity", "k": 1_201}]
    assert blur.draft(cache, {**decisions, "promises": hopeless}, quiet) is None  # making the whole says why


def test_the_shown_recipe_is_read_as_it_was_meant(people: dict[str, Any], tmp_path: Path) -> None:
    cache = Cache()
    decisions = drafted(cache, people)
    (tmp_path / "recipe.toml").write_text(recipes.write(cache, decisions, quiet)["text"], encoding="utf-8")
    read = la.Recipe.load(tmp_path / "recipe.toml")
    roles = {name: str(one.role) for name, one in read.columns.items()}
    assert roles == decisions["roles"]
    assert read.source["file"] == people["name"]


def test_an_invented_table_lies_beside_the_recipe_that_reads_it(
    people: dict[str, Any], tmp_path: Path
) -> None:
    cache = Cache()
    source = {**people, "given": True, "invented": 800}
    folder = tmp_path / "bench"
    saved(cache, {**drafted(cache, source), "method": "mondrian"}, folder)
    la.run(folder / "private" / "recipe.toml", output=tmp_path / "again")
    assert (tmp_path / "again" / "release.csv").read_bytes() == (folder / "release.csv").read_bytes()


def test_an_uploaded_table_is_named_and_not_kept(people: dict[str, Any], tmp_path: Path) -> None:
    cache = Cache()
    source = {**people, "given": True, "name": "mine.csv"}
    folder = tmp_path / "bench"
    saved(cache, {**drafted(cache, source), "method": "mondrian"}, folder)
    text = (folder / "private" / "recipe.toml").read_text(encoding="utf-8")
    assert 'file = "mine.csv"' in text
    assert people["path"] not in text
    assert not (folder / "private" / "mine.csv").exists()


def test_a_linked_column_is_named_with_what_it_costs_and_is_decided(
    linked: dict[str, Any], tmp_path: Path
) -> None:
    cache = Cache()
    decisions = drafted(cache, linked)
    decisions["roles"] |= {"area": "quasi", "area_number": "other"}
    decisions = {**decisions, "drop": [], "linked": {}, "rounding": {}, "method": "mondrian"}
    found = columns.links(cache, decisions, quiet)["links"]
    one = next(link for link in found if link["columns"] == ["area_number"])
    assert one["quasi"] == ["area"]
    assert one["how"] == "one to one"
    assert (one["known"], one["alone_known"]) <= (one["k"], one["alone_known"])
    assert one["alone_known"] >= one["alone"]
    with pytest.raises(la.GuaranteeError, match="area_number"):
        cache.release({**decisions, "promises": [{"model": "k-anonymity", "k": 40}]})
    for choice in ("follow", "accept"):
        release = cache.release({**decisions, "linked": {"area_number": choice}})
        assert "area_number" in release.rows.columns
    assert_run_gives_the_same(cache, {**decisions, "linked": {"area_number": "follow"}}, tmp_path)
    assert "area_number" not in cache.release({**decisions, "drop": ["area_number"]}).rows.columns


def test_a_column_nobody_knows_is_not_published_as_it_is_until_somebody_decides(
    linked: dict[str, Any],
) -> None:
    cache = Cache()
    decisions = drafted(cache, linked)
    found = {one["name"]: one for one in columns.propose(cache, decisions, quiet)["columns"]}
    assert found["qzx"]["decide"]
    assert decisions["roles"]["qzx"] == "quasi" or "qzx" in decisions["drop"]
    assert "qzx" in decisions["reasons"]
    decided = {**decisions, "method": "mondrian", "roles": {**decisions["roles"], "qzx": "other"}}
    decided |= {"drop": [name for name in decisions["drop"] if name != "qzx"]}
    assert set(cache.release(decided).rows["qzx"]) <= set(cache.raw(decisions).rows["qzx"])


def test_codes_that_stand_for_missing_are_read_so_and_can_be_taken_back(linked: dict[str, Any]) -> None:
    cache = Cache()
    decisions = drafted(cache, linked)
    assert decisions["reading"]["na"] == ["?", "999"]
    assert cache.raw(decisions).column("visits").counts[-1] == 53
    back = {**decisions, "reading": {"na": ["?"]}}
    found = {one["name"]: one for one in columns.propose(cache, back, quiet)["columns"]}
    assert found["visits"]["stand_ins"] == ["999"]
    assert not cache.raw(back).column("visits").domain.missing


def test_a_column_left_out_tells_nobody_apart(people: dict[str, Any]) -> None:
    cache = Cache()
    decisions = drafted(cache, people)
    known = list(cache.table(decisions).quasi)
    fewer = {**decisions, "drop": [*decisions["drop"], known[0]]}
    assert cache.table(fewer).quasi == known[1:]
    assert risks.before(cache, fewer, quiet)["uniques"] <= risks.before(cache, decisions, quiet)["uniques"]


def test_rounded_numbers_are_all_seen_after_as_before(tmp_path: Path) -> None:
    path = tmp_path / "incomes.csv"
    rows = la.datasets.population(400, seed=3).select("age", "gender")
    rows.with_columns(pl.Series("income", [18_003 + i * 97 % 50_000 for i in range(400)])).write_csv(path)
    cache = Cache()
    decisions = {**drafted(cache, {"path": str(path), "name": path.name}), "method": "mondrian"}
    assert decisions["rounding"] == {"income": 500}
    found = use.compare(cache, decisions, quiet)
    income = next(one for one in found["columns"] if one["name"] == "income")
    gone = found["suppressed"] / found["records"]
    assert sum(one["share"] for one in income["after"]) == pytest.approx(1 - gone)


def test_the_risk_of_a_table_is_measured_once(
    people: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    cache, measured = Cache(), []
    decisions = drafted(cache, people)
    own = la.risk
    monkeypatch.setattr(la, "risk", lambda *given, **how: measured.append(given) or own(*given, **how))
    shown = risks.measure(cache, decisions, quiet)
    assert len(measured) == 1
    readings = own(cache.table(decisions), regime=list(REGIMES)).readings
    assert shown["regimes"] == [reading.to_dict() for reading in readings]
