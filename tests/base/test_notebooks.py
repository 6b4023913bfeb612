"""Results in a notebook: panels of escaped HTML that hold what the text says, and no cell of the original."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import polars as pl
import pytest

import lookalike as la
from lookalike.base.notebooks import panel

HOSTILE = "<script>alert('x & y')</script>"
NAME = "<b>col</b>"
N = 40
ROWS = pl.DataFrame(
    {
        "age": [30 + i % 10 for i in range(N)],
        NAME: [HOSTILE, "<img src=x>"] * (N // 2),
        "disease": ["flu", "cold", "cold", "flu"] * (N // 4),
    }
)


def test_everything_is_escaped() -> None:
    html = panel("<i>", heads=["<b>"], rows=[["a & b"]], notes=["<u>"], text="<s>")
    assert "a &amp; b" in html
    for raw in ("<i>", "<b>", "<u>", "<s>"):
        assert raw not in html


@pytest.fixture(scope="module")
def results() -> dict[str, Any]:
    people = la.table(ROWS, quasi=["age", NAME], sensitive=["disease"])
    release = la.anonymize(people, la.KAnonymity(3), method="mondrian")
    dialogue = la.interact(people, k=2)
    dialogue.answer(dialogue.ask(), "A")
    explainer = la.KAnonymousExplainer(
        lambda rows: np.where(np.asarray(rows["age"]) > 34, HOSTILE, "no"), people, k=2, desired=HOSTILE
    )
    return {
        "Table": people,
        "Inspection": la.inspect(people),
        "Risk": la.risk(people),
        "Levels": la.levels(people),
        "Release": release,
        "Evaluation": la.evaluate(people, release, targets=["disease"], classifiers=["logistic regression"]),
        "Explanation": explainer.explain(ROWS.filter(pl.col("age") == 30).head(1)),
        "Dialogue": dialogue,
    }


KINDS = ("Table", "Inspection", "Risk", "Levels", "Release", "Evaluation", "Explanation", "Dialogue")


@pytest.mark.parametrize("kind", KINDS)
def test_every_result_has_a_panel_that_no_cell_or_name_can_break_out_of(
    results: dict[str, Any], kind: str
) -> None:
    result = results[kind]
    assert type(result).__name__ == kind
    html = result._repr_html_()
    tags = set(re.findall(r"</?([a-zA-Z]+)", html))
    assert tags <= {"div", "strong", "p", "table", "thead", "tbody", "tr", "th", "td", "pre"}
    assert html.count("<div") == html.count("</div") == 1
    assert re.findall(r"(?<!font-)(?<!border-)color:(?!inherit)", html) == []  # colours are the page's


@pytest.mark.parametrize("kind", ["Table", "Inspection", "Risk", "Levels", "Evaluation", "Dialogue"])
def test_no_cell_of_the_original_is_in_a_panel(results: dict[str, Any], kind: str) -> None:
    html = results[kind]._repr_html_()
    for cell in ("alert", "img src", "flu", "cold"):
        assert cell not in html


def test_panels_say_what_matters(results: dict[str, Any]) -> None:
    said = {kind: results[kind]._repr_html_() for kind in KINDS}
    assert "40 rows about people" in said["Table"]
    assert "promised: k-anonymity" in said["Release"]
    assert "detail kept" in said["Release"]
    assert "smallest group" in said["Risk"]
    assert "logistic regression" in said["Evaluation"]
    assert "1 answer so far" in said["Dialogue"]
    assert "&lt;b&gt;col&lt;/b&gt;" in said["Inspection"]
