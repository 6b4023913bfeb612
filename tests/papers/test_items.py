"""The page of all items: every call is there with the arguments shown, every command with its options, every step."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

import lookalike as la
from lookalike.cli import COMMANDS, _load
from lookalike.papers.inventory import ITEMS
from lookalike.web.page import STEPS

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "papers" / "items.md").read_text(encoding="utf-8")
HEAD = "| item | call | command | workbench |"
NONE = "–"


def rows() -> list[tuple[str, list[str]]]:
    """The heading and the cells of every row."""
    found, heading = [], ""
    for line in PAGE.splitlines():
        if line.startswith("## "):
            heading = line[3:]
        elif line.startswith("| ") and line != HEAD and not line.startswith("| ---"):
            found.append((heading, [cell.strip() for cell in line.strip("|").split(" | ")]))
    return found


def spans(column: int) -> Iterator[str]:
    for _, cells in rows():
        yield from re.findall(r"`([^`]+)`", cells[column])


def resolved(dotted: str) -> Any:
    """What a name such as la.Hierarchy.groups or lookalike.papers.cfk.lines stands for."""
    first, *rest = dotted.split(".")
    if first == "la":
        found: Any = la
    else:
        assert first == "lookalike", dotted
        found = import_module("lookalike")
        while rest:
            try:
                found = import_module(f"{found.__name__}.{rest[0]}")
            except ModuleNotFoundError:
                break
            rest = rest[1:]
    for name in rest:
        found = getattr(found, name)
    return found


def takes(call: Any) -> set[str]:
    """The arguments of a call by name, those of options typed as a dictionary too."""
    names: set[str] = set()
    for one in inspect.signature(call).parameters.values():
        if one.kind is not inspect.Parameter.VAR_KEYWORD:
            names.add(one.name)
            continue
        written = str(one.annotation)
        if not written.startswith("Unpack["):
            continue
        module = import_module(
            inspect.unwrap(call).__module__ if inspect.isfunction(call) else call.__module__
        )
        names |= set(getattr(module, written[len("Unpack[") : -1]).__annotations__)
    return names


def test_every_row_has_four_cells_and_a_call() -> None:
    assert len(rows()) > 60
    for heading, cells in rows():
        assert len(cells) == 4, (heading, cells)
        assert cells[1].startswith("`"), cells


@pytest.mark.parametrize("span", sorted(set(spans(1))))
def test_every_call_is_there_with_its_arguments(span: str) -> None:
    name, _, given = span.partition("(")
    call = resolved(name)
    known = takes(call) if given else set()
    shown = re.findall(r"(\w+)=", given)
    assert bool(given) == bool(shown), span
    assert set(shown) <= known, f"{name} has no {set(shown) - known}"


@pytest.mark.parametrize("span", sorted(set(spans(2))))
def test_every_command_has_the_options_shown(span: str) -> None:
    called, name, *typed = span.split()
    assert called == "lookalike"
    assert name in COMMANDS
    options = {flag for one in _load(name).params for flag in one.opts}
    assert {flag for flag in typed if flag.startswith("-")} <= options
    if name == "paper":
        assert typed[0] in ITEMS


def test_every_step_of_the_workbench_is_one() -> None:
    steps = {step.capitalize() for step in STEPS}
    assert {cells[3] for _, cells in rows()} <= steps | {NONE}
    assert all(cells[2] == NONE or cells[2].startswith("`") for _, cells in rows())


def test_every_paper_has_its_tables_and_figures() -> None:
    headings = {heading.partition(":")[0] for heading, _ in rows()}
    assert headings == {"Shared", *map(str.upper, ITEMS)}
    for paper in ITEMS:
        assert any(f"lookalike.papers.{paper}.lines" in cells[1] for _, cells in rows())


def test_every_metric_optimiser_and_fca_verb_has_a_row() -> None:
    import lookalike.fca as fca

    verbs = {name for name, one in vars(fca).items() if inspect.isfunction(one) and not name.startswith("_")}
    listed = {span.partition("(")[0].rpartition(".")[2] for span in spans(1)}
    helpers = {
        "attribute_concept", "object_concept", "neighbours", "surroundings", "basic_risk", "basic_risk_by_lattice",
        "basic_risk_of_people", "safe_people", "chain_risk_of_concepts", "concept_risk", "draw_most_frequent",
        "is_disposable", "knowledge", "scale_table", "write_context",
    }  # fmt: skip
    assert verbs - helpers <= listed
