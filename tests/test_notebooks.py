"""Results in a notebook: panels of escaped HTML that hold what the text says."""

from __future__ import annotations

import polars as pl

import lookalike as la
from lookalike.notebooks import panel

ROWS = pl.DataFrame({"age": [30, 31, 30, 31] * 3, "<b>": ["x & y"] * 12, "disease": ["flu", "cold"] * 6})


def test_everything_is_escaped() -> None:
    html = panel("<i>", heads=["<b>"], rows=[["a & b"]], notes=["<u>"], text="<s>")
    assert "a &amp; b" in html
    for raw in ("<i>", "<b>", "<u>", "<s>"):
        assert raw not in html


def test_tables_risks_inspections_and_releases_have_panels() -> None:
    people = la.table(ROWS, quasi=["age", "<b>"], sensitive=["disease"])
    made = la.anonymize(people, la.KAnonymity(3), method="optimal")
    for result in (people, la.risk(people), la.inspect(people), made, la.interact(people, k=2)):
        html = result._repr_html_()
        assert "<b>" not in html
        assert "age" in html
    assert "promised: k-anonymity" in made._repr_html_()
