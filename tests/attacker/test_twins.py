"""The attack by twins has something to compare, and would see a leak."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

from attacker import twins
from attacker.running import Tally, attempt
from attacker.twins import LEAVING_OUT, METHODS
from lookalike.recodings import plans

pytestmark = pytest.mark.filterwarnings("ignore::lookalike.LookalikeWarning")


def test_twins_are_compared_for_every_method_that_leaves_people_out() -> None:
    tally = Tally()
    for number in range(8 * len(METHODS)):
        if METHODS[number % len(METHODS)] in LEAVING_OUT:
            attempt("twins", twins.twins, number, tally)
    assert not tally.fell
    assert all(tally.done[f"twins by {method}"] >= 2 for method in LEAVING_OUT), tally.done
    compared = sum(n for what, n in tally.done.items() if what.startswith("twins by"))
    assert compared > 3 * tally.done["twins released otherwise"]


def test_labels_of_the_hierarchy_itself_are_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(plans, "publish_level", lambda *_: None)
    tally = Tally()
    for number in range(12 * len(METHODS)):
        if METHODS[number % len(METHODS)] in ("optimal", "datafly"):
            attempt("twins", twins.twins, number, tally)
    assert any("tells somebody left out" in what for what in tally.fell)
    assert any("is in what goes out" in what for what in tally.fell)


def test_a_planted_value_is_found_in_every_format(tmp_path: Path) -> None:
    asked = twins.Asked(["town"], 2, "optimal", {}, "memory", "parquet")
    (tmp_path / "out").mkdir()
    pl.DataFrame({"town": ["{Wien, Kitzcanary}"] * 9}).write_parquet(tmp_path / "out" / "release.parquet")
    rows = [{"town": "Kitzcanary", "tag": "1"}, {"town": "Wien", "tag": "2"}]
    assert list(twins.traces(rows, {"2": ("x",)}, asked, tmp_path))
    assert not list(twins.traces(rows, {"1": ("x",), "2": ("x",)}, asked, tmp_path))
