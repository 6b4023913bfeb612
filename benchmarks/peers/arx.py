"""ARX itself, where somebody brings its jar: the levels it finds for each k and limit, and the CPU seconds it takes.

Java 17 or newer runs `ArxDriver.java` from its source. Losses are counted here, so that both are judged alike.
"""

from __future__ import annotations

import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import polars as pl

DRIVER = Path(__file__).with_name("ArxDriver.java")


class ArxRun(NamedTuple):
    """What ARX found for one k and limit."""

    k: int
    limit: float
    seconds: float  #: CPU, of the better of two runs
    levels: dict[str, int]


def run_arx(
    jar: Path, frame: pl.DataFrame, hierarchies: Path, ks: Sequence[int], limits: Sequence[float]
) -> list[ArxRun]:
    """Run ARX on a table whose hierarchies are in a folder, one COLUMN.csv each."""
    with tempfile.TemporaryDirectory() as folder:
        table = Path(folder) / "table.csv"
        frame.write_csv(table, separator=";")
        command = ["java", "-cp", str(jar), str(DRIVER), str(table), str(hierarchies)]
        command += [",".join(map(str, ks)), ",".join(map(str, limits)), *frame.columns]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"ARX did not run with {jar}:\n{done.stderr[-2000:]}")
    return parse_runs(done.stdout)


def parse_runs(printed: str) -> list[ArxRun]:
    """Read what the driver printed; other lines are not its own."""
    out = []
    for line in printed.splitlines():
        if line.startswith("ARX;"):
            _, k, limit, seconds, *levels = line.split(";")
            pairs = (pair.rsplit("=", 1) for pair in levels)
            out.append(
                ArxRun(int(k), float(limit), float(seconds), {name: int(level) for name, level in pairs})
            )
    return out
