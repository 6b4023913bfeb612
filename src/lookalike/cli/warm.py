"""`lookalike warm`: compiles every kernel once, on all cores, so that no later command has to.

Each command is rehearsed on a few invented people, with the options that lead to other kernels.
"""

from __future__ import annotations

import io
import os
import shlex
import shutil
import sys
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor, as_completed
from contextlib import redirect_stderr, redirect_stdout
from multiprocessing import get_context
from pathlib import Path
from tempfile import TemporaryDirectory

import typer

from lookalike.base.printing import print_json
from lookalike.base.progress import track
from lookalike.cli._options import Json

_Q = "-q area,age,gender,marital_status,occupation"
_MANY = f"{_Q},num_children,qualifications,income,credit_score"  # more nodes than are walked one by one
_S = "-s income,on_benefits"
_MAKE = f"anonymize people.csv {_Q} {_S} --others '' --suppression 0.2 -k 3 --despite rehearsed -o"
#: the longest first, so that no core waits for another at the end; what shares kernels with another, well after it
REHEARSALS = (
    f"{_MAKE} a --method local",
    f"{_MAKE} b --method optimal",
    f"{_MAKE} c --method sangreea -t income=0.2",
    "risk people.csv -q age,gender,marital_status --semantic && "
    "semantic people.csv -q age,gender,marital_status --noise",
    "explain",
    f"{_MAKE} d --method mondrian && {_MAKE} e --method local && "
    "attack people.csv e --second d --population people.csv --json && attack people.csv e --unit name && "
    f"{_MAKE} f --method optimal && attack people.csv f",
    f"interact people.csv {_Q} --answers 1",
    f"{_MAKE} g --method local --publish hierarchy -l income=2",
    f"anonymize people.csv {_MANY} --others '' --suppression 0.2 -k 3 --method optimal --seconds 1 -o o",
    f"anonymize people.csv {_Q} --others '' --suppression 0 -k 3 --method optimal -o p",
    "inspect people.csv",
    f"{_MAKE} h --method local -t income=0.2",
    f"{_MAKE} i -l income=2 -t income=0.6:hierarchical --loss discernibility",
    f"{_MAKE} j --loss 'average class size'",
    f"{_MAKE} k --method mondrian --relaxed",
    f"{_MAKE} l --method datafly -t income=0.9:equal",
    "anonymize people.csv -q age,gender,marital_status --others '' --method semantic --suppression 0.5 -o m",
    f"risk people.csv {_Q} {_S} --unit name",
    f"risk people.csv {_Q} {_S} --missing wildcard --unit name",
    f"{_MAKE} n --method local --engine streaming",
)
#: columns that give others away: no release keeps them beside these
_LINKED = ("dob", "postcode")
_PEOPLE = 400


def warm(json: Json = False) -> None:
    """Compile everything once, on all cores, so that no later command waits for it.

    Lookalike compiles its inner loops for the machine it runs on. That is done on first use, which then takes some
    seconds, or here for all commands at once; what is compiled is kept in your cache folder, and made anew after an
    update.

        lookalike warm
    """
    from lookalike.kernels.caching import cache_folder

    folder = cache_folder()
    if folder is None:
        typer.echo(
            "No folder for compiled code belongs to you alone, so it cannot be kept: set NUMBA_CACHE_DIR."
        )
        raise typer.Exit(1)
    with track(not json, "compiling for this machine") as report:
        compiled = warm_up(report)
    if json:
        print_json({"compiled": compiled, "folder": str(folder)})
    else:
        typer.echo(
            f"Compiled {compiled} functions into {folder}." if compiled else "All is compiled already."
        )


def warm_up(report: Callable[[float], None]) -> int:
    """Rehearse all commands, on as many cores as there are; how many functions were compiled."""
    compiled = 0
    cores = ProcessPoolExecutor(os.cpu_count(), mp_context=get_context("spawn"))
    with TemporaryDirectory() as folder, cores:
        invent(Path(folder))
        jobs = [cores.submit(rehearse, folder, line) for line in REHEARSALS]
        for done, job in enumerate(as_completed(jobs), start=1):
            compiled += job.result()
            report(done / len(jobs))
    return compiled


def invent(folder: Path) -> None:
    """Write the file of people that commands are rehearsed on."""
    from lookalike import datasets

    datasets.population(_PEOPLE, 0).drop(_LINKED).write_csv(folder / "people.csv")


def rehearse(folder: str, line: str) -> int:
    """Run a command on the invented people, its words unheard; how many functions it compiled."""
    from lookalike.kernels.compiling import tell_compiling

    compiled: list[str] = []
    tell_compiling(compiled.append)
    with (
        TemporaryDirectory(dir=folder) as here,
        redirect_stdout(io.StringIO()),
        redirect_stderr(io.StringIO()),
    ):
        os.chdir(here)
        shutil.copy(Path(folder) / "people.csv", here)
        perform(line)
        os.chdir(folder)
    return len(compiled)


def perform(line: str) -> None:
    """Run commands where the people's file is."""
    if line == "explain":
        _explain()
    else:
        for command in line.split(" && "):
            _run(shlex.split(command))


def _run(args: list[str]) -> None:
    from lookalike.cli import app

    stdin, sys.stdin = sys.stdin, io.StringIO("a\n")
    try:
        if app(args, standalone_mode=False):
            raise RuntimeError(f"could not be rehearsed: lookalike {shlex.join(args)}")
    finally:
        sys.stdin = stdin


def _explain() -> None:
    import numpy as np
    import polars as pl

    import lookalike as la

    class OldEnough:
        """A model that accepts whoever is over forty."""

        def predict(self, rows: pl.DataFrame) -> np.ndarray:
            return (np.asarray(rows["age"]) > 40).astype(int)

    people = pl.read_csv("people.csv")
    young = people.filter(pl.col("age") < 30)[0]
    for unit in (None, "name"):
        table = la.table(people, quasi=["area", "age", "gender"], sensitive=["income"], others=[], unit=unit)
        la.KAnonymousExplainer(OldEnough(), table, desired=1, k=5).explain(young)
