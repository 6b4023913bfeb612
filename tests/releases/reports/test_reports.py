"""Reports: one file, no script, nothing from outside; the recipient's says no more than the release does."""

from __future__ import annotations

import json
import re
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from typer.testing import CliRunner

import lookalike as la
from lookalike.base.errors import percent
from lookalike.cli import app
from lookalike.releases.reporting import write_reports
from lookalike.releases.reports import drawing
from lookalike.releases.reports.evidence import Evidence, of_release
from lookalike.releases.reports.page import Markup, page, section, table
from lookalike.releases.reports.reporting import recipient

CANARY = "Zebediah"


@pytest.fixture(scope="module")
def release() -> la.Release:
    frame = la.datasets.population(600, seed=3).select("age", "gender", "occupation", "on_benefits")
    odd = pl.DataFrame({"age": [94], "gender": [CANARY], "occupation": ["none"], "on_benefits": ["no"]})
    frame = pl.concat([frame, odd.cast(frame.schema)])  # one who can only be left out
    people = la.table(frame, quasi=["age", "gender", "occupation"], sensitive=["on_benefits"])
    return la.anonymize(people, la.KAnonymity(5), la.LDiversity("on_benefits", 2), method="mondrian")


class Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.links: list[str] = []
        self.open: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.links += [
            value or "" for name, value in attrs if name in ("src", "href", "xlink:href", "action")
        ]
        assert not any(name.startswith("on") for name, _ in attrs)
        if tag not in ("meta", "rect", "line", "circle", "path", "polyline", "br"):
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if tag in self.open:
            while self.open.pop() != tag:
                pass


def read(text: str) -> Reader:
    reader = Reader()
    reader.feed(text)
    return reader


@pytest.mark.parametrize("version", ["internal", "recipient"])
def test_a_report_is_one_file_without_script_or_outside_link(
    release: la.Release, tmp_path: Path, version: str
) -> None:
    text = release.report(tmp_path / "r.html", version=version).read_text(encoding="utf-8")
    found = read(text)
    assert "script" not in found.tags
    assert found.links == []
    assert "@import" not in text
    assert "url(" not in text
    assert found.open == []


def test_the_internal_report_has_its_parts_and_pictures(release: la.Release, tmp_path: Path) -> None:
    text = release.report(tmp_path / "r.html").read_text(encoding="utf-8")
    for heading in (
        "In one page",
        "Who can be told apart",
        "who pays",
        "What is not promised",
        "WP216",
        "HIPAA",
    ):
        assert heading in text
    assert read(text).tags.count("svg") >= 3


def test_the_recipients_report_follows_from_what_goes_out_alone(release: la.Release, tmp_path: Path) -> None:
    release.save(tmp_path / "out")
    sent = tmp_path / "sent"
    sent.mkdir()
    for name in ("release.csv", "certificate.json"):
        (sent / name).write_bytes((tmp_path / "out" / name).read_bytes())
    assert write_reports(sent) == [sent / "report.html"]
    assert (sent / "report.html").read_bytes() == (tmp_path / "out" / "report.html").read_bytes()


def test_the_internal_report_is_made_again_from_what_stays(release: la.Release, tmp_path: Path) -> None:
    folder = release.save(tmp_path / "out")
    inside = folder / "private" / "report-internal.html"
    before = inside.read_bytes()
    assert inside in write_reports(folder)
    assert inside.read_bytes() == before
    assert inside.stat().st_mode & 0o077 == 0


def test_nobody_who_was_left_out_is_in_what_goes_out(release: la.Release, tmp_path: Path) -> None:
    folder = release.save(tmp_path / "out")
    if CANARY not in (folder / "release.csv").read_text(encoding="utf-8"):
        assert CANARY not in (folder / "report.html").read_text(encoding="utf-8")


def test_detail_lost_is_the_mean_of_what_columns_lost_and_groups_pay(tmp_path: Path) -> None:
    rng = np.random.default_rng(5)
    frame = pl.DataFrame(
        {
            "age": rng.integers(20, 80, 400),
            "sex": rng.choice(["f", "m"], 400),
            "zone": rng.choice(list("abcdef"), 400),
        }
    )
    people = la.table(frame, quasi=["age", "sex", "zone"])
    release = la.anonymize(people, la.KAnonymity(10), weights={"zone": 0.1}, method="mondrian")
    assert release.detail_lost > release.loss + 0.01
    assert release.detail_lost == pytest.approx(la.loss(people, release).measures["loss"])
    told = release.evidence.original
    assert told is not None
    assert told["loss"] == release.detail_lost
    groups = told["who_pays"][0]["groups"]
    paid = sum(one["loss"] * one["records"] for one in groups) / sum(one["records"] for one in groups)
    assert told["loss"] == pytest.approx(paid)
    text = release.report(tmp_path / "report.html").read_text(encoding="utf-8")
    assert f"quasi-identifiers {percent(release.detail_lost)} of the detail was lost" in text
    assert (
        f"By the weights that the columns were given, which the method kept low, it is {percent(release.loss)}"
        in text
    )
    plain = la.anonymize(people, la.KAnonymity(10), method="mondrian", suppression=0.1)
    assert plain.detail_lost == pytest.approx(plain.loss)
    assert "By the weights" not in plain.report(tmp_path / "plain.html").read_text(encoding="utf-8")


def test_every_text_is_escaped() -> None:
    evil = '<script>alert("x")</script>&'
    text = page(
        evil,
        evil,
        [section(evil, evil, table((evil,), [(evil,)]), Markup(drawing.bars(evil, [evil], {"a": [1]})))],
    )
    assert "<script" not in text
    assert "alert(&quot;x&quot;)" in text


def test_hostile_names_and_values_stay_text(tmp_path: Path) -> None:
    evil = "<img src=x onerror=alert(1)>"
    frame = pl.DataFrame({evil: ["<b>a</b>", "b"] * 10, "s": ["x", "y", "y", "x"] * 5})
    people = la.table(frame, quasi=[evil], sensitive=["s"])
    text = la.anonymize(people, la.KAnonymity(2)).report(tmp_path / "r.html").read_text(encoding="utf-8")
    assert "<img" not in text
    assert "<b>a" not in text


def test_pictures_hold_their_numbers() -> None:
    svg = drawing.intervals(
        "attacks", [{"name": "linkage", "rate": 0.25, "low": 0.2, "high": 0.3, "baseline": 0.1, "bound": 0.2}]
    )
    assert "linkage: 25.0% (20.0% to 30.0%), baseline 10.0%" in svg
    places = [float(x) for x in re.findall(r'class="(?:baseline|bound)" x1="([\d.]+)"', svg)]
    assert places[0] < places[1]
    curve = drawing.curves("risk", [2, 5, 11], {"risk": [0.5, 0.2, 0.09]}, mark=5)
    assert "chosen: 5" in curve
    fan = drawing.tree("t", [(f"v{i}", 1) for i in range(20)], root="age")
    assert "6 more" in fan


def test_a_version_that_there_is_not_is_refused(release: la.Release, tmp_path: Path) -> None:
    with pytest.raises(la.RequestError, match="one of 'internal', 'recipient'"):
        release.report(tmp_path / "r.html", version="public")


def test_evidence_is_plain_json(release: la.Release) -> None:
    again = json.loads(json.dumps(release.evidence.to_dict()))
    assert recipient(Evidence(**again)) == recipient(Evidence(of_release(release.coded, release.certificate)))


def test_a_report_made_again_is_the_same_and_the_release_still_verifies(tmp_path: Path) -> None:
    frame = la.datasets.population(300, seed=4).select("occupation", "name", "gender", "area", "age")
    people = la.table(frame, identifiers=["name"], quasi=["gender", "area", "age"], others=["occupation"])
    la.anonymize(people, la.KAnonymity(3)).save(tmp_path / "out")
    first = (tmp_path / "out" / "report.html").read_bytes()
    assert CliRunner().invoke(app, ["report", str(tmp_path / "out")]).exit_code == 0
    assert (tmp_path / "out" / "report.html").read_bytes() == first
    assert la.verify(tmp_path / "out" / "release.csv", tmp_path / "out" / "certificate.json").ok


def test_people_with_several_rows_are_counted_once_and_never_as_their_rows(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    person = np.repeat(np.arange(200), 4)
    frame = pl.DataFrame(
        {
            "who": person,
            "age": rng.integers(20, 80, 200)[person],
            "sex": rng.choice(["f", "m"], 200)[person],
            "ward": rng.choice(["a", "b", "c"], 800),
        }
    )
    people = la.table(frame, identifiers=["who"], quasi=["age", "sex", "ward"], unit="who")
    release = la.anonymize(people, la.KAnonymity(6))
    rows = release.frame.group_by("age", "sex", "ward").len()["len"].min()
    assert (release.k, rows > release.k) == (6, True)
    recipients = release.report(tmp_path / "r.html", version="recipient").read_text()
    internal = release.report(tmp_path / "i.html").read_text()
    for text in (recipients, internal):
        assert re.search(r">6</[^>]*>[^<]*<[^>]*>people share the smallest class", text)
        assert "looks like those of at least 5 other people in them" in text
        assert "the smallest here has 6" in text
        assert "here it is at most 0.167" in text
    before = la.risk(people)
    assert before.uniques <= 200
    assert f"{before.uniques:,} people could be told apart" in internal
    original = release.evidence.original
    assert original is not None
    assert original["average"] == pytest.approx(before.average)
