"""`lookalike semantic`: regions, the safe set, rules, forgetting, chains and noise of a table as a formal context."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Any, cast

import typer

from lookalike.base.errors import RequestError, amount
from lookalike.base.printing import print_json
from lookalike.base.progress import track
from lookalike.cli._options import File, Json, asks, option
from lookalike.cli._reading import FILE, KNOWN, PeopleOptions
from lookalike.cli._semantic import ScaleOptions
from lookalike.cli._typed import split_names

if TYPE_CHECKING:
    from lookalike.fca import Deletion, Noise
    from lookalike.measures.risks.semantic import SemanticRisk

SHOWN = 20  #: rows or chains of a list on the terminal; JSON has all
_RULES, _CHANGES = "Rules", "What a change would do"


def _rows(text: str | None) -> list[int]:
    found = split_names(text)
    if not all(name.isdigit() and int(name) for name in found):
        raise RequestError("--delete: expected numbers of rows, counted from 1, such as 25,8,20.")
    return [int(name) for name in found]


def semantic(
    file: File,
    table: Annotated[PeopleOptions, asks(*KNOWN, "unit", *FILE)],
    scales: ScaleOptions,
    threshold: float = option("The largest semantic risk to accept.", default=0.35),
    alpha: float | None = option("Keep records up to this risk without a look; 0.2 unless given."),
    beta: float | None = option("Discard records from this risk on; the threshold unless given."),
    rules: bool = option(
        "The stem basis: the fewest exact rules that give all others.", default=False, panel=_RULES
    ),
    confidence: float | None = option(
        "Rules that hold this often, too (Luxenburger basis): 0.75.", metavar="SHARE", panel=_RULES
    ),
    support: float = option("Only inexact rules of this share of the records.", default=0.0, panel=_RULES),
    chains: bool = option(
        "Who becomes unique, or nearly so, once others are deleted.", default=False, panel=_CHANGES
    ),
    delete: list[int] = option(
        "Delete these rows, counted from 1, one after the other.", metavar="ROWS", parse=_rows, panel=_CHANGES
    ),
    forget: list[str] = option(
        'Do without these attributes: "sex=M,sex=F"; --json lists them all.',
        metavar="ATTRIBUTES",
        parse=split_names,
        panel=_CHANGES,
    ),
    noise: bool = option(
        "Exchange values of the records at risk, and assess again.", default=False, panel=_CHANGES
    ),
    seed: int = option("Same seed, same noise.", default=0, min=0),
    json: Json = False,
) -> None:
    """Sort records into three regions by semantic risk, and ask the table read as a formal context.

    Without further options: who to discard, look at and keep, and the greatest safe set. Rows are counted from 1.

        lookalike semantic people.csv --quasi sex,year --scale year=windows:20/10 --alpha 0.2 --beta 0.35
        lookalike semantic people.csv --quasi sex,year --confidence 0.75
        lookalike semantic people.csv --quasi sex,year --forget sex=M,sex=F --json
    """
    import lookalike as la
    from lookalike import fca

    people = replace(table, others=[]).read(file)
    read: dict[str, Any] = {"scales": scales.scale, "uncovered": cast(Any, scales.uncovered or "error")}
    with track(not json, "Semantic risk") as report:
        result = la.semantic_risk(
            people, **read, threshold=threshold, alpha=alpha, beta=beta, progress=report
        )
    found: dict[str, Any] = {"attributes": list(result.context.attributes), **_regions(result)}
    if confidence is not None:
        found["rules"] = fca.luxenburger_basis(result.context, confidence=confidence, support=support)
    elif rules:
        found["rules"] = result.rules()
    if chains:
        found["chains"] = [_numbered(chain.steps) for chain in result.chains()]
    if delete:
        found["deleting"] = [_state(state) for state in result.delete(delete)]
    if forget:
        if unknown := sorted(set(forget) - set(found["attributes"])):
            raise RequestError(
                f"--forget: there is no attribute {unknown[0]!r}; --json without --forget lists them as `attributes`."
            )
        found["forgetting"] = result.forget(forget)
    if noise:
        found["noise"] = fca.add_noise(people, **read, threshold=threshold, seed=seed)
    if json:
        print_json(found)
    else:
        _show(found, result)


def _regions(result: SemanticRisk) -> dict[str, Any]:
    """The three regions and the greatest safe set, with their rows."""
    regions = result.regions
    rows = {name: _counted(getattr(regions, name)) for name in ("discard", "look", "keep")}
    left = [i + 1 for i, stays in enumerate(result.safe.keep.tolist()) if not stays]
    return {
        "regions": {"alpha": regions.alpha, "beta": regions.beta, **rows},
        "safe_set": {**result.safe.to_dict(), "left_out": left},
    }


def _counted(positions: Sequence[Any]) -> list[int]:
    """Positions from 0 as rows counted from 1."""
    return [int(position) + 1 for position in positions]


def _numbered(steps: Sequence[Sequence[Any]]) -> list[list[int]]:
    return [_counted(step) for step in steps]


def _show(found: dict[str, Any], result: SemanticRisk) -> None:
    regions, safe = found["regions"], found["safe_set"]
    _title("Three regions")
    for name, limit in (
        ("discard", f"risk from {regions['beta']:g} on"),
        ("look", "between"),
        ("keep", f"risk up to {regions['alpha']:g}"),
    ):
        typer.echo(f"  {name:<8} {limit:<18} {_listed(regions[name])}")
    _title(f"The greatest safe set (G*) at {result.threshold:g}")
    typer.echo(f"  without {_listed(safe['left_out'])}")
    if "rules" in found:
        _title("Rules")
        typer.echo("  " + str(found["rules"]).replace("\n", "\n  "))
    if "chains" in found:
        _title(f"Chains: each step adds so few rows that their risk is at least {result.threshold:g}")
        for chain in found["chains"][:SHOWN]:
            typer.echo("  " + " < ".join("+" + ",".join(map(str, step)) for step in chain))
        typer.echo(f"  {amount(len(found['chains']), 'chain')}")
    if "deleting" in found:
        _title("Deleting in turn")
    for state in found.get("deleting", ()):
        gone = "before" if state["removed"] is None else f"without row {state['removed']}"
        concepts = amount(state["concepts"], "concept")
        typer.echo(f"  {gone:<16} {concepts}; unique: {_listed(state['unique'])}")
    if "forgetting" in found:
        _title("Forgetting")
        typer.echo(f"  {found['forgetting']!r}\n  " + str(found["forgetting"].after).replace("\n", "\n  "))
    if "noise" in found:
        _title("Noise")
        typer.echo("  " + _noise(found["noise"]))


def _title(text: str) -> None:
    typer.secho(f"\n{text}", bold=True)


def _listed(rows: Sequence[int]) -> str:
    if not rows:
        return "nobody"
    more = f", … ({len(rows):,} rows)" if len(rows) > SHOWN else ""
    return f"row{'s' if len(rows) > 1 else ''} {', '.join(map(str, rows[:SHOWN]))}{more}"


def _state(state: Deletion) -> dict[str, Any]:
    """The table after one more deletion, rows counted from 1."""
    gone = None if state.removed is None else _counted([state.removed])[0]
    return state.to_dict() | {
        "removed": gone,
        "unique": _counted(state.unique),
        "certain": _counted(state.certain),
    }


def _noise(noise: Noise) -> str:
    before, after = noise.found
    return (
        f"{noise.rounds[0]:,} records above the threshold before, {noise.rounds[-1]:,} after {len(noise.rounds) - 1} "
        f"rounds; {noise.changed:,} values changed; people found by their attributes: {before:.1%}, then {after:.1%}"
    )
