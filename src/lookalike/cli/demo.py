"""`lookalike demo`: a synthetic population, its risks, a release that keeps its promise, and the check of it."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lookalike.base.errors import FileError, amount, in_words, percent
from lookalike.base.printing import print_json, to_json
from lookalike.base.progress import track
from lookalike.base.writing import write_file
from lookalike.cli._bars import draw_bar
from lookalike.cli._compiling import announce_compiling
from lookalike.cli._options import Json, option

if TYPE_CHECKING:
    import numpy as np
    import polars as pl
    from numpy.typing import NDArray
    from rich.console import Console

    from lookalike.measures.attacks.results import Attacks
    from lookalike.measures.risks.classical import Risk
    from lookalike.models import Model
    from lookalike.releases.release import Release
    from lookalike.tables.cells import Cells
    from lookalike.verifier import Verification

QUASI = ("area", "age", "gender", "marital_status", "num_children", "qualifications", "occupation")
SENSITIVE = ("income", "on_benefits", "home_ownership", "credit_score")
STEPS = {
    "": "as collected",
    "area": "districts to regions",
    "age": "ages to four bands",
    "marital_status": "marital status to three",
    "num_children": "children to 0, 1-3, 4+",
    "qualifications": "qualifications to four",
    "occupation": "occupations to seven",
}
KS = (2, 3, 5, 10, 20)  #: tried for the curve of risk and loss
SIZES = {"1": (1, 1), "2": (2, 2), "3-4": (3, 4), "5-9": (5, 9), "10-19": (10, 19), "20+": (20, None)}


def demo(
    rows: int = option("How many people to invent.", default=20_000, min=100),
    seed: int = option("Another seed, other people.", default=0, min=0),
    output: Path = option("Folder for the results.", "-o", default=Path("demo")),
    json: Json = False,
) -> None:
    """The whole story on a built-in synthetic population.

    Invents people, counts how many can be told apart by what a neighbour knows, shows what blurring columns does, then
    makes a release in which everybody has nine lookalikes, and checks it as its receiver would. Nobody in it exists.

        lookalike demo
        lookalike demo --rows 5000 --seed 7 -o town/
    """
    import lookalike as la

    if (output / "people.csv").exists() and not (output / "risk.json").exists():
        raise FileError(
            f"{output}: holds a people.csv that is not the demo's. Choose another folder with -o."
        )
    announce_compiling()
    with track(not json, "Inventing people and counting their lookalikes") as advance:
        frame = la.datasets.population(rows, seed)
        advance(0.2)
        groupings = la.datasets.population_groupings()
        people = la.table(
            frame,
            identifiers=["name"],
            quasi=QUASI,
            sensitive=SENSITIVE,
            others=["postcode", "dob"],
            hierarchies={name: la.Hierarchy.groups(groups) for name, groups in groupings.items()},
        )
        risk = la.risk(people, sensitive=())
        advance(0.6)
        sizes = _blur(risk.cells)
    left_out = ["postcode", "dob"]
    coarse = {"income": 1000, "credit_score": 20}
    release = la.anonymize(people, *_promise(), drop=left_out, rounding=coarse, seed=seed, progress=not json)
    question = la.Question("share", of={"on_benefits": "yes"}, by="gender")
    with warnings.catch_warnings():
        warnings.simplefilter(
            "ignore", la.LookalikeWarning
        )  # that even more could be tried is for the report
        tried = la.choose_k(people, ks=KS, questions=[question], drop=left_out, progress=not json)
    found = la.attack(people, release, progress=not json)
    release = replace(release, **found.told, choice=tried.to_dict())
    steps = [{"step": step, **_summary(one)} for step, one in zip(STEPS.values(), sizes, strict=True)]
    result = {"seed": seed, "risk": risk.to_dict(), "steps": steps}
    files = _save(output, frame, result)
    folder = release.save(output / "release", overwrite=True)
    files.append(release.report(output / "report.html"))  # the internal one: nobody in it exists
    check = la.verify(folder / "release.csv", folder / "certificate.json")
    if json:
        made = {"release": release.to_dict(), "verified": check.ok}
        print_json({**result, **made, "files": [str(path) for path in (*files, folder)]})
    else:
        _show(frame, risk, steps, sizes)
        _show_release(release, check, found, output)


def _promise() -> list[Model]:
    """What the demo's release promises."""
    import lookalike as la

    return [la.KAnonymity(10), la.LDiversity("on_benefits", 2)]


def _blur(cells: Cells) -> list[NDArray[np.int64]]:
    """Class sizes after each step: as collected, then one more column on its coarser level each time."""
    levels: dict[str, int] = {}
    sizes = []
    for name in STEPS:
        if name:
            levels[name] = 1
        sizes.append(cells.roll_up(levels).counts)
    return sizes


def _summary(sizes: NDArray[np.int64]) -> dict[str, Any]:
    records, classes = int(sizes.sum()), len(sizes)
    return {
        "records": records,
        "classes": classes,
        "k_min": int(sizes.min()),
        "k_mean": records / classes,
        "uniques": int((sizes == 1).sum()),
        "max": 1 / int(sizes.min()),
        "average": classes / records,
    }


def _save(output: Path, frame: pl.DataFrame, result: dict[str, Any]) -> list[Path]:
    """Write the files, each whole or not at all."""
    try:
        output.mkdir(parents=True, exist_ok=True)
    except OSError as problem:
        raise FileError(
            f"{output}: cannot write the results here ({in_words(problem)}). Choose a folder with -o."
        ) from None
    texts = {"people.csv": frame.write_csv(), "risk.json": to_json(result) + "\n"}
    return [write_file(output / name, text) for name, text in texts.items()]


def _show(
    frame: pl.DataFrame,
    risk: Risk,
    steps: Sequence[dict[str, Any]],
    sizes: Sequence[NDArray[np.int64]],
) -> None:
    from rich.console import Console
    from rich.markup import escape
    from rich.table import Table

    console = Console(highlight=False)
    last = steps[-1]
    console.print(f"\n[bold]{len(frame):,} people who do not exist[/], the first three:\n")
    people = Table(box=None, header_style="dim", pad_edge=False)
    shown = ("name", "area", "age", "gender", "occupation", "income")
    for name in shown:
        people.add_column(name)
    for row in frame.select(shown).head(3).iter_rows():
        people.add_row(*(str(value) for value in row))
    console.print(people)

    console.print(
        "\n[bold]How many can be told apart without their names?[/] "
        f"[bold red]{percent(risk.uniques / risk.people)}[/] share {', '.join(QUASI).replace('_', ' ')} with "
        "nobody else: whoever knows these about a neighbour finds the row. Blur one column after the other:\n"
    )
    table = Table(box=None, header_style="dim", pad_edge=False)
    table.add_column("", no_wrap=True)
    table.add_column("classes", justify="right", no_wrap=True)
    table.add_column("average risk", justify="right")
    table.add_column("unique people", no_wrap=True)
    for step in steps:
        share = step["uniques"] / step["records"]
        unique = f"{step['uniques']:>9,} [red]{draw_bar(share, 14)}[/] {percent(share)}"
        table.add_row(step["step"], f"{step['classes']:,}", f"{step['average']:.3f}", unique)
    console.print(table)

    console.print("\n[bold]People by the number who look alike[/] (themselves included), before and after:\n")
    _draw_histogram(console, sizes[0], sizes[-1])
    console.print("\n[bold]As collected, against thresholds in use:[/]\n")
    readings = Table(box=None, show_header=False, pad_edge=False)
    for reading in risk.readings:
        readings.add_row(reading.regime, escape(reading.text))
    console.print(readings)
    console.print(
        f"\nBlurring whole columns still leaves {amount(last['uniques'], 'person', 'people')} alone: k is "
        f"{last['k_min']}."
    )


def _show_release(release: Release, check: Verification, attacks: Attacks, output: Path) -> None:
    from rich.console import Console
    from rich.markup import escape
    from rich.table import Table

    console = Console(highlight=False)
    promise = " and ".join(str(model) for model in release.models)
    console.print(f"\n[bold]So make a release that promises {promise}[/], losing as little as possible:\n")
    table = Table(box=None, show_header=False, pad_edge=False)
    for outcome in release.outcomes:
        table.add_row(outcome.column, escape(outcome.text.removeprefix(f"{outcome.column}: ")))
    console.print(table)
    kept = release.records - release.suppressed
    console.print(
        f"\n{kept:,} of {release.records:,} people are in it, in {amount(release.classes, 'class', 'classes')}; "
        f"the smallest has [bold green]{release.k}[/]. {percent(release.detail_lost)} of the detail is lost"
        f"{', provably the least' if release.proven_optimal else ''}. {release.seconds:.1f} s."
    )
    console.print("\n[bold]Its receiver, who never saw the original, checks it:[/]\n")
    for finding in check.findings:
        mark = "[green]holds[/]" if finding.ok else "[red]fails[/]"
        console.print(f"  {mark}  {escape(finding.check)}: {escape(finding.message)}")
    console.print("\nWhat an attacker would still learn:\n")
    console.print(escape(attacks.summary))
    console.print("\n[bold]What to look at next[/]\n")
    shown = escape(str(output))
    for what, where in (
        ("the people", f"{shown}/people.csv"),
        ("the risks", f"{shown}/risk.json"),
        ("the release", f"{shown}/release/release.csv"),
        ("its report", f"{shown}/report.html"),
        (
            "check it yourself",
            f"lookalike verify {shown}/release/release.csv {shown}/release/certificate.json",
        ),
        ("the whole job", f"lookalike run {shown}/people.csv --yes -o {shown}/out"),
        ("in a browser", f"lookalike serve {shown}/people.csv"),
    ):
        console.print(f"  {what:<20} [bold]{where}[/]", soft_wrap=True)
    console.print()


def _draw_histogram(console: Console, before: NDArray[np.int64], after: NDArray[np.int64]) -> None:
    from rich.table import Table

    table = Table(box=None, header_style="dim", pad_edge=False)
    table.add_column("alike", justify="right")
    table.add_column("before", width=31)
    table.add_column("after", width=31)
    total = int(before.sum())
    for label, (low, high) in SIZES.items():
        colour = "red" if low < 5 else "yellow" if low < 10 else "green"
        cells = []
        for sizes in (before, after):
            inside = sizes[(sizes >= low) & (sizes <= (high or total))]
            share = int(inside.sum()) / total
            cells.append(f"[{colour}]{draw_bar(share, 20)}[/] {percent(share)}")
        table.add_row(label, *cells)
    console.print(table)
