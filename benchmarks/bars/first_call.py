"""What a first call spends on compiling, command by command, each in a new process with an empty cache.

    python -m benchmarks.bars.first_call [word of a command ...]

Bar: no command compiles for more than 8 CPU seconds (they grow on a busy machine). Exits 1 when it is missed.
"""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
import tempfile
import time
from collections import Counter
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path

from numba.core import event

from lookalike.cli import warm

BAR = 8.0


class Clock(event.Listener):
    """CPU seconds of each function without those of the functions it calls."""

    def __init__(self) -> None:
        self.open: list[list[float]] = []
        self.own: Counter[str] = Counter()

    def on_start(self, event: event.Event) -> None:
        self.open.append([time.process_time(), 0.0])

    def on_end(self, event: event.Event) -> None:
        start, inner = self.open.pop()
        took = time.process_time() - start
        if self.open:
            self.open[-1][1] += took
        function = event.data["dispatcher"].py_func
        self.own[f"{function.__module__}.{function.__name__}".removeprefix("lookalike.kernels.")] += (
            took - inner
        )


def call(line: str) -> None:
    """In a process of its own, where the commands before it have run: run a command and print what was compiled."""
    clock = Clock()
    event.register("numba:compile", clock)
    with redirect_stdout(io.StringIO()), redirect_stderr(io.StringIO()):
        warm.perform(line)
    print(json.dumps(clock.own))


def main() -> int:
    wanted = sys.argv[1:]
    missed = 0
    for line in warm.REHEARSALS:
        if wanted and not any(word in line for word in wanted):
            continue
        with tempfile.TemporaryDirectory() as folder:
            warm.invent(Path(folder))
            for command in line.split(" && "):
                missed += show(command, measure(command, folder)) > BAR
    return int(missed > 0)


def measure(command: str, folder: str) -> Counter[str]:
    """CPU seconds by function, with an empty cache."""
    with tempfile.TemporaryDirectory() as cache:
        run = subprocess.run(
            [sys.executable, str(Path(__file__).resolve()), "--call", command],
            env={**os.environ, "NUMBA_CACHE_DIR": cache},
            cwd=folder,
            capture_output=True,
            text=True,
            check=True,
        )
    return Counter(json.loads(run.stdout.splitlines()[-1]))


def show(command: str, own: Counter[str]) -> float:
    """Print one command; the sum."""
    total = sum(own.values())
    print(f"{total:5.1f} CPU s, {len(own):3} functions{'   MISSED' if total > BAR else ''}   {command}")
    print("        " + ", ".join(f"{name} {took:.1f}" for name, took in own.most_common(4)), flush=True)
    return total


if __name__ == "__main__":
    if "--call" in sys.argv:
        call(sys.argv[-1])
    else:
        sys.exit(main())
