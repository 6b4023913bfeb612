"""What a first call spends on compiling, command by command, each in a new process with an empty cache.

    python benchmarks/bench_first_call.py [word of a command ...]

Bar: no command compiles for more than 8 CPU seconds (they grow on a busy machine). Exits 1 when it is missed.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from collections import Counter
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
    """In a process of its own: run a command and print what was compiled."""
    clock = Clock()
    event.register("numba:compile", clock)
    with tempfile.TemporaryDirectory() as folder:
        warm.invent(Path(folder))
        warm.rehearse(folder, line)
        os.chdir("/")
    print(json.dumps(clock.own))


def main() -> int:
    wanted = sys.argv[1:]
    missed = 0
    for line in warm.REHEARSALS:
        if wanted and not any(word in line for word in wanted):
            continue
        with tempfile.TemporaryDirectory() as cache:
            run = subprocess.run(
                [sys.executable, __file__, "--call", line],
                env={**os.environ, "NUMBA_CACHE_DIR": cache},
                capture_output=True,
                text=True,
                check=True,
            )
        own = Counter(json.loads(run.stdout.splitlines()[-1]))
        total = sum(own.values())
        missed += total > BAR
        print(
            f"{total:5.1f} CPU s, {len(own):3} functions{'   MISSED' if total > BAR else ''}   {line}",
            flush=True,
        )
        print("        " + ", ".join(f"{name} {took:.1f}" for name, took in own.most_common(4)), flush=True)
    return int(missed > 0)


if __name__ == "__main__":
    if "--call" in sys.argv:
        call(sys.argv[-1])
    else:
        sys.exit(main())
