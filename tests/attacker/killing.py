"""A run that writes releases without end is killed at some moment: all that is there is whole, the next cleans up."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import textwrap
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import polars as pl

import lookalike as la

_WRITER = """
    import sys
    from attacker.killing import releases
    some = releases()
    print("ready", flush=True)
    for i in range(1_000_000):
        some[i % 2].save(sys.argv[1], overwrite=True)
"""


def releases() -> list[la.Release]:
    """Two releases of different people."""
    out = []
    for first in (0, 50):
        frame = pl.DataFrame({"q": [first + i // 5 for i in range(20)], "s": list("abcde") * 4})
        people = la.table(frame, quasi=["q"], sensitive=["s"])
        out.append(la.anonymize(people, la.KAnonymity(5), method="mondrian"))
    return out


def kill(seed: int, folder: Path, done: Counter[str]) -> Iterator[str]:
    """Kill a writer after up to a third of a second of writing."""
    out = folder / "out"
    path = os.pathsep.join([*sys.path])
    with subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(_WRITER), str(out)],
        stdout=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": path},
    ) as writer:
        assert writer.stdout is not None
        writer.stdout.readline()
        time.sleep(random.Random(seed).random() / 3)
        writer.send_signal(signal.SIGKILL)
    done["kills"] += 1
    if out.exists():
        yield from _whole(out)
    some = releases()[0].save(out, overwrite=True)
    yield from _whole(some)
    if [path.name for path in folder.iterdir()] != ["out"]:
        yield "something of the killed run is left after the next one"


def _whole(out: Path) -> Iterator[str]:
    result = la.verify(out / "release.csv", out / "certificate.json")
    if not result.ok:
        yield f"the release is not whole: {result}"
