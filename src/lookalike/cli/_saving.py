"""The options by which commands write a release into a folder, and what they say about it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lookalike.base.errors import FileError, amount, percent
from lookalike.base.printing import print_json
from lookalike.cli._options import option
from lookalike.cli._typed import split_names

if TYPE_CHECKING:
    from lookalike.models import Model
    from lookalike.releases.release import Release
    from lookalike.tables.table import Table

_MOST_SHOWN = 60  # columns; of more, only the first that were changed are listed
_how = partial(option, panel="How it is done")


@dataclass(frozen=True, kw_only=True)
class SavingOptions:
    """Where a release goes, and in which form."""

    output: Path = option("Folder for the release; made whole or not at all.", "-o", required=True)
    force: bool = option("Replace the output folder.", default=False)
    format: str = _how("csv or parquet.", default="csv")
    spreadsheet_safe: bool = _how(
        "An apostrophe before cells that a spreadsheet would run as formulas (csv).",
        default=False,
    )
    despite: str | None = _how(
        "Why this release may be held together with another one of the same people beside it.",
        metavar="REASON",
    )
    to: str | None = _how(
        "With --engine spark: where Spark writes the rows (parquet, or a new table if there is no slash).",
        metavar="ADDRESS",
    )

    def check(self) -> None:
        """Refuse a folder that holds something, or cannot be written to."""
        from lookalike.releases.release import check_destination

        if self.output.exists() and not self.force:
            raise FileError(
                f"{self.output}: exists already. Choose another folder, or pass --force to replace it."
            )
        check_destination(self.output, format=self.format, overwrite=self.force)

    def save(self, release: Release, *, json: bool) -> None:
        """Write the release, and show it."""
        release.save(
            self.output,
            format=self.format,
            overwrite=self.force,
            spreadsheet_safe=self.spreadsheet_safe,
            to=self.to,
            despite=self.despite,
        )
        if json:
            print_json({**release.to_dict(), "output": str(self.output)})
        else:
            show_release(release, self.output, self.format, to=self.to)


@dataclass(frozen=True, kw_only=True)
class PseudonymOptions:
    """A pseudonym for people, and the key it is made with."""

    pseudonym: list[str] = _how(
        "Publish a pseudonym made from these columns in place of the first.",
        metavar="COLUMNS",
        parse=split_names,
    )
    key: Path | None = _how("Key file for pseudonyms; else the variable LOOKALIKE_KEY.")

    def make(self, people: Table) -> dict[str, Any]:
        """A pseudonym from some columns in place of the first, by the key in a file or in the environment."""
        import lookalike as la

        if not self.pseudonym:
            return {}
        secret = la.Key.read(self.key) if self.key is not None else la.Key.from_environment()
        return {self.pseudonym[0]: la.pseudonymise(people, self.pseudonym, key=secret)}


def _remark(release: Release, model: Model) -> str:
    """What a model takes for granted about its columns, a line for each."""
    columns = {name: release.people.column(name) for name in model.columns}
    remarks = [model.remark(column.kind) for column in columns.values()]
    remarks += [
        f"{name!r} being missing counts as a value"
        for name, column in columns.items()
        if column.domain.missing
    ]
    return "".join(f"\n    where {remark}" for remark in remarks if remark)


def show_release(release: Release, output: Path, format: str, *, to: str | None = None) -> None:
    """What was reached and what it cost, and where it is."""
    from rich.console import Console
    from rich.markup import escape
    from rich.table import Table as Grid

    from lookalike.recodings.files import PRIVATE
    from lookalike.releases.outcomes import AS_IT_IS
    from lookalike.tables.columns.notation import MISSING, MISSING_EXPLAINED

    console = Console()
    kept = release.records - release.suppressed
    console.print(
        f"\n[bold]{kept:,}[/] of {amount(release.records, 'record')} released in "
        f"[bold]{amount(release.classes, 'class', 'classes')}[/]; "
        f"the smallest has [bold]{amount(release.k, 'person', 'people')}[/]. "
        f"{amount(release.suppressed, 'record')} left out ({percent(release.suppressed / release.records)})."
    )
    for model, level in zip(release.models, release.achieved.values(), strict=True):
        console.print(f"  promised {escape(str(model))}, reached {level:.4g}{_remark(release, model)}")
    if (risk := release.measured.get("largest basic semantic risk")) is not None:
        console.print(f"  promised a semantic risk of at most {risk:g} for every record")
    lost, weighted = percent(release.detail_lost), percent(release.loss)
    by_weight = "" if lost == weighted else f"; {weighted} by the weights of the columns"
    console.print(f"  detail lost: {lost} on average (0% nothing, 100% everything){by_weight}\n")
    grid = Grid("column", "what happened to it", box=None, header_style="bold")
    changed = [outcome for outcome in release.outcomes if outcome.what != AS_IT_IS]
    shown = list(release.outcomes) if len(release.outcomes) <= _MOST_SHOWN else changed[:_MOST_SHOWN]
    for outcome in shown:
        grid.add_row(escape(outcome.column), escape(outcome.text.removeprefix(f"{outcome.column}: ")))
    if len(shown) < len(release.outcomes):
        rest = amount(len(release.outcomes) - len(shown), "column")
        grid.add_row("…", f"{rest} {'as they are' if shown == changed else 'more: see dictionary.md'}")
    console.print(grid)
    if any(MISSING in (outcome.example or "") for outcome in shown):
        console.print(f"  [dim]{escape(MISSING_EXPLAINED)}[/]")
    note = (
        "proven to be the best of its kind"
        if release.proven_optimal
        else "not proven to be the best of its kind"
    )
    console.print(f"\nmethod {release.method}, {note}; {release.seconds:.1f} s")
    told = release.evidence.original or {}
    for words in (words for who in told.get("who_pays", ()) for words in who["warnings"]):
        console.print(f"[yellow]who pays:[/] {escape(words)}")
    folder = escape(str(output))
    sent = sorted(f"{folder}/{escape(path.name)}" for path in output.iterdir() if path.name != PRIVATE)
    console.print(
        f"\nSend: {' '.join(sent)}. Keep: {folder}/{PRIVATE}/, which only you can read; it says more than the release."
    )
    where, spark = (f"{folder}/release.{format}", "") if to is None else (escape(to), " --engine spark")
    check = f"Check it: lookalike verify {where} {folder}/certificate.json{spark}"
    if release.people.unit is None:
        console.print(check)
    else:  # the release does not say whose rows are whose
        console.print(f"{check} --allow-unknown (who counts its rows cannot count its people)")
