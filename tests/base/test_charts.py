"""Charts hold the numbers of the results they draw, are right on light and dark pages, and can be rendered."""

from __future__ import annotations

import sys
from itertools import pairwise
from typing import Any

import polars as pl
import pytest

import lookalike as la
from lookalike.base.charts import INK

ROWS = pl.DataFrame({"age": [30] * 4 + [31] * 6 + [50, 70], "sex": ["f"] * 12, "ill": ["flu", "cold"] * 6})


@pytest.fixture(scope="module")
def people() -> la.Table:
    return la.table(ROWS, quasi=["age", "sex"], sensitive=["ill"])


@pytest.fixture(scope="module")
def release(people: la.Table) -> la.Release:
    levels = {"age": people.tree("age").height, "sex": 0}
    return la.anonymize(people, la.KAnonymity(5), method="levels", levels=levels)


def drawn(chart: Any) -> list[dict[str, Any]]:
    """The rows in a chart, as its own description says them."""
    rows: list[dict[str, Any]] = chart.to_dict()["data"]["values"]
    return rows


def test_risk_counts_people_by_the_size_of_their_group(people: la.Table) -> None:
    rows = drawn(la.risk(people, threshold=0.2).plot())
    assert {row["group of"]: row["people"] for row in rows} == {"1": 2, "4": 4, "5–9": 6}
    assert [row["risk"] for row in rows] == ["risk above 0.2", "risk above 0.2", "risk up to 0.2"]


@pytest.mark.parametrize("threshold", [0.05, 0.09, 0.2, 0.33, 0.5, 1.0])
def test_no_bar_of_risk_is_on_both_sides_of_the_threshold(people: la.Table, threshold: float) -> None:
    risk = la.risk(people, threshold=threshold)
    rows = drawn(risk.plot())
    above = sum(row["people"] for row in rows if row["risk"].startswith("risk above"))
    assert above == round(risk.above * risk.people)
    assert sum(row["people"] for row in rows) == risk.people


def test_people_are_counted_where_they_have_several_rows() -> None:
    frame = pl.DataFrame({"id": [1, 1, 2, 3], "age": [30, 30, 30, 40]})
    rows = drawn(la.risk(la.table(frame, quasi=["age"], unit="id")).plot())
    assert {row["group of"]: row["people"] for row in rows} == {"1": 1, "2": 2}


def test_a_release_shows_what_each_column_keeps_and_which_are_gone(release: la.Release) -> None:
    rows = drawn(release.plot())
    assert {row["column"]: row["detail kept"] for row in rows} == dict(release.kept)
    assert {row["column"]: row["is"] for row in rows} == {"age": "gone", "sex": "kept"}


def test_a_hierarchy_shows_every_group_as_wide_as_its_values(people: la.Table) -> None:
    tree = la.Hierarchy.groups({"young": ["a", "b"], "old": ["c"]}).grow(
        la.table(pl.DataFrame({"x": ["a", "b", "c"]}), others=[]).column("x").domain
    )
    rows = drawn(tree.plot())
    boxes = {(row["level"], row["label"]): row["to"] - row["from"] for row in rows}
    assert boxes == {(0, "a"): 1, (0, "b"): 1, (0, "c"): 1, (1, "young"): 2, (1, "old"): 1, (2, "*"): 3}
    for level in (0, 1, 2):
        edges = sorted((row["from"], row["to"]) for row in rows if row["level"] == level)
        assert edges[0][0] == 0
        assert all(end == start for (_, end), (start, _) in pairwise(edges))


def test_levels_of_too_many_groups_are_not_drawn() -> None:
    frame = pl.DataFrame({"zip": [f"{i:05d}" for i in range(1000)]})
    rows = drawn(la.table(frame, quasi=["zip"]).tree("zip").plot())
    assert {row["level"] for row in rows} == {1, 2, 3, 4, 5}


def test_an_inspection_shows_roles_and_how_sure(people: la.Table) -> None:
    found = la.inspect(ROWS.with_columns(pl.Series("xkv", [1, 2, 3] * 4)))
    rows = {row["column"]: row for row in drawn(found.plot())}
    assert {name: row["sure"] for name, row in rows.items()} == {c.name: c.confidence for c in found.columns}
    assert rows["age"]["role"] == "quasi"
    assert rows["xkv"]["role"] == "decide"


def test_charts_have_no_background_and_an_ink_for_any_page_and_can_be_rendered(
    people: la.Table, release: la.Release
) -> None:
    render = pytest.importorskip("vl_convert").vegalite_to_svg
    for chart in (la.risk(people).plot(), release.plot(), people.tree("age").plot(), la.inspect(ROWS).plot()):
        described = chart.to_dict()
        assert described["background"] == "transparent"
        assert described["config"]["axis"]["labelColor"] == INK
        assert "NaN" not in render(described)


def test_ink_can_be_read_on_white_and_on_black() -> None:
    channels = [int(INK[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    r, g, b = (c / 12.92 if c <= 0.03928 else ((c + 0.055) / 1.055) ** 2.4 for c in channels)
    luminance = 0.2126 * r + 0.7152 * g + 0.0722 * b
    assert 1.05 / (luminance + 0.05) > 3
    assert (luminance + 0.05) / 0.05 > 3


def test_a_missing_library_names_its_extra(people: la.Table, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "altair", None)
    with pytest.raises(la.MissingExtra, match="Drawing a chart needs altair"):
        la.risk(people).plot()
