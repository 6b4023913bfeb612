"""Options are declared once; commands take them in bundles, and their users see single options."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any

import pytest
import typer
from typer.testing import CliRunner

from lookalike.cli import COMMANDS, _load
from lookalike.cli._options import asks, bundled, option
from lookalike.cli._typed import pairs, split_names


@dataclass(frozen=True, kw_only=True)
class Sweets:
    names: list[str] = option("Which.", "-n", default="toffee", parse=split_names)
    sugar: dict[str, float] = option("How much.", parse=pairs("--sugar"))
    k: int | None = option("How many.")
    boxed_up: bool = option("In a box.", default=False)


def invoke(command: Any, *typed: str) -> Any:
    app = typer.Typer()
    app.command()(bundled(command))
    return CliRunner().invoke(app, list(typed), catch_exceptions=False)


def test_a_command_gets_a_bundle_of_what_was_typed() -> None:
    seen: list[Any] = []

    def buy(sweets: Sweets, top: int = option("Most.", default=3, min=1)) -> None:
        seen.append((sweets, top))

    assert (
        invoke(buy, "-n", 'a,"b, c"', "--sugar", "a=2", "-k", "4", "--boxed-up", "--top", "5").exit_code == 0
    )
    assert invoke(buy).exit_code == 0
    assert seen == [
        (Sweets(names=["a", "b, c"], sugar={"a": 2}, k=4, boxed_up=True), 5),
        (Sweets(names=["toffee"], sugar={}, k=None, boxed_up=False), 3),
    ]
    assert seen[1][0] == Sweets()
    assert invoke(buy, "--top", "0").exit_code == 2


def test_a_command_may_ask_for_some_options_of_a_bundle() -> None:
    def buy(sweets: Annotated[Sweets, asks("k")]) -> None:
        assert sweets == Sweets(k=2)

    assert invoke(buy, "-k", "2").exit_code == 0
    assert invoke(buy, "-k", "2", "--boxed-up").exit_code == 2


def test_a_required_option_must_be_typed() -> None:
    def buy(shop: str = option("Where.", "-s", required=True)) -> None: ...

    assert invoke(buy).exit_code == 2
    assert invoke(buy, "-s", "corner").exit_code == 0


@pytest.mark.parametrize("name", COMMANDS)
def test_no_command_has_two_options_of_one_spelling(name: str) -> None:
    spelt = [flag for option in _load(name).params for flag in option.opts]
    assert len(spelt) == len(set(spelt))
