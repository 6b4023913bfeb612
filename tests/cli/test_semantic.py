"""`lookalike semantic` on the 27 records of the FCA paper: the numbers of its half-open windows, by hand."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from lookalike.cli import app
from lookalike.papers.fca.examples import SEX, YEARS

run = CliRunner().invoke
WINDOWS = ["--scale", "year=intervals:1935..1955,1945..1965,1955..1975,1965..1985,1975..1995"]


@pytest.fixture(scope="module")
def records(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The records as a file."""
    file = tmp_path_factory.mktemp("semantic") / "records.csv"
    file.write_text("sex,year\n" + "".join(f"{s},{y}\n" for s, y in zip(SEX, YEARS, strict=True)))
    return file


def asked(records: Path, *options: str) -> dict[str, Any]:
    done = run(app, ["semantic", str(records), "-q", "sex,year", *WINDOWS, *options, "--json"])
    assert done.exit_code == 0, done.output
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def test_the_three_regions_and_the_safe_set_name_their_rows(records: Path) -> None:
    found = asked(records, "--alpha", "0.2", "--beta", "0.35")
    assert found["regions"]["discard"] == [5, 6, 8, 20, 24, 25, 26]
    assert set(found["regions"]["keep"]) >= {2, 10, 11, 13, 14, 17, 22, 23, 27}
    every = [row for name in ("discard", "look", "keep") for row in found["regions"][name]]
    assert sorted(every) == list(range(1, 28))
    assert found["safe_set"]["left_out"] == [5, 6, 8, 20, 24, 25, 26]
    wider = asked(records, "--alpha", "0.34", "--beta", "0.9")["regions"]
    assert len(wider["keep"]) > len(found["regions"]["keep"])
    assert len(wider["discard"]) < 7


def test_rules_are_the_stem_basis_or_with_a_confidence_the_luxenburger_basis(records: Path) -> None:
    stem = asked(records, "--rules")["rules"]
    both = asked(records, "--confidence", "0.75")["rules"]
    assert both["exact"] == stem
    assert min(rule["confidence"] for rule in both["inexact"]) >= 0.75
    fewer = asked(records, "--confidence", "0.75", "--support", "0.4")["rules"]["inexact"]
    assert 0 < len(fewer) < len(both["inexact"])
    assert all(rule["support"] >= 0.4 * 27 for rule in fewer)


def test_deleting_one_of_two_alike_makes_the_other_unique(records: Path) -> None:
    found = asked(records, "--chains", "--delete", "25,8")
    assert found["chains"]
    assert all(len(step) <= 1 / 0.35 for chain in found["chains"] for step in chain)
    before, without_25, without_8 = found["deleting"]
    assert [before["removed"], without_25["removed"], without_8["removed"]] == [None, 25, 8]
    assert 6 not in before["unique"], "record 25 has the same attributes"
    assert 6 in without_25["unique"]


def test_forgetting_says_what_is_left_and_lost(records: Path) -> None:
    gone = asked(records, "--forget", "sex=M,sex=F")["forgetting"]
    assert gone["forgotten"] == ["sex=M", "sex=F"]
    assert 0 < gone["knowledge_loss"] < 1
    done = run(app, ["semantic", str(records), "-q", "sex,year", *WINDOWS, "--forget", "sex=X"])
    assert done.exit_code == 2
    assert "there is no attribute 'sex=X'; --json without --forget lists them" in done.stderr
    assert "sex=M" in asked(records)["attributes"]


def test_noise_repeats_with_its_seed(records: Path) -> None:
    one, again = (asked(records, "--noise", "--seed", "3")["noise"] for _ in range(2))
    assert one == again
    assert one["rounds"][0] == 7
    assert one["found_after"] < one["found_before"]


def test_the_report_has_a_section_for_every_question(records: Path) -> None:
    options = ["--confidence", "0.75", "--chains", "--delete", "25", "--forget", "sex=M,sex=F", "--noise"]
    done = run(app, ["semantic", str(records), "-q", "sex,year", *WINDOWS, *options])
    assert done.exit_code == 0, done.output
    for title in (
        "Three regions",
        "safe set (G*)",
        "Rules",
        "Chains",
        "Deleting in turn",
        "Forgetting",
        "Noise",
    ):
        assert title in done.stdout
    assert "rows 5, 6, 8, 20, 24, 25, 26" in done.stdout
    assert "without row 25" in done.stdout


def test_rows_to_delete_are_numbers_from_1(records: Path) -> None:
    done = run(app, ["semantic", str(records), "-q", "sex,year", "--delete", "0"])
    assert done.exit_code == 2
    assert "counted from 1" in done.stderr
