"""k, l and t of Adult beside pycanon and beside a bare numpy floor; special uniques; first use of the kernels.

    python -m benchmarks.bars.models

Needs the public tables (LOOKALIKE_DATA names their folder). Same input for all: a frame
in memory, pandas or Polars; same output: the three numbers. Exits 1 when a bar is missed, and says which.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import polars as pl

import lookalike as la
from benchmarks.data import adult

QUASI = ["age", "workclass", "education", "marital-status", "race", "sex"]
SENSITIVE = "occupation"
FASTER_THAN_PYCANON, SLOWER_THAN_FLOOR, FIRST_USE = 100, 3, 5.0
FRESH = """
import time
import numpy as np, polars as pl, lookalike as la
rng = np.random.default_rng(0)
frame = pl.DataFrame({name: rng.integers(0, 9, 3000) for name in "abcdefghs"})
people = la.table(frame, quasi=list("abcdefgh"), sensitive=["s"], types={"s": "nominal"})
classes = people.cells().classes()
distances = [la.TCloseness("s", 0.2, distance=name) for name in ("equal", "ordered", "hierarchical")]
others = [la.LDiversity("s", 2, kind="entropy"), la.KLCloseness("s", 1), la.BetaLikeness("s", 1)]
for model in [*distances, *others, la.DeltaDisclosure("s", 1)]:
    model.breaks(classes)
la.risk(people, missing="wildcard")
print(time.process_time())
"""

Numbers = tuple[int, int, float]


def ours(frame: Any) -> Numbers:
    """The three numbers through the public calls."""
    people = la.table(frame, quasi=QUASI, sensitive=[SENSITIVE], others=[])
    classes = people.cells().classes()
    k = la.KAnonymity(1).achieved(classes)
    l = la.LDiversity(SENSITIVE, 1).achieved(classes)  # noqa: E741
    return int(k), int(l), la.TCloseness(SENSITIVE, 1, distance="equal").achieved(classes)


def floor(frame: Any) -> Numbers:
    """The same by the shortest way through numpy: codes, one key per row, one table of counts."""
    key = np.zeros(len(frame), dtype=np.int64)
    for name in QUASI:
        codes, size = encode(frame[name])
        key = key * size + codes
    present = np.zeros(int(key.max()) + 1, dtype=bool)
    present[key] = True
    label = (np.cumsum(present) - 1)[key]
    codes, size = encode(frame[SENSITIVE])
    counts = np.bincount(label * size + codes, minlength=(int(label.max()) + 1) * size).reshape(-1, size)
    sizes = counts.sum(axis=1)
    distance = np.abs(counts / sizes[:, None] - counts.sum(axis=0) / len(frame)).sum(axis=1) / 2
    return int(sizes.min()), int((counts > 0).sum(axis=1).min()), float(distance.max())


def encode(column: Any) -> tuple[np.ndarray[Any, Any], int]:
    """Codes of a column of either frame, by that frame's own means."""
    if isinstance(column, pd.Series):
        codes, values = pd.factorize(column)
        return codes, len(values)
    if column.dtype.is_integer():
        numbers = column.to_numpy() - column.min()
        return numbers, int(numbers.max()) + 1
    codes = column.cast(pl.Categorical).to_physical().to_numpy()
    return codes, int(codes.max()) + 1


def peer(frame: pd.DataFrame) -> Numbers:
    """pycanon's three functions."""
    from pycanon import anonymity

    return (
        anonymity.k_anonymity(frame, QUASI),
        anonymity.l_diversity(frame, QUASI, [SENSITIVE]),
        anonymity.t_closeness(frame, QUASI, [SENSITIVE]),
    )


def best(call: Callable[[], Any], times: int = 7) -> tuple[float, Any]:
    """Least CPU seconds of several runs, and the answer."""
    seconds, answer = [], None
    for _ in range(times):
        start = time.process_time()
        answer = call()
        seconds.append(time.process_time() - start)
    return min(seconds), answer


def main() -> int:
    """Print the table; return the exit code."""
    missed = []
    rows = adult()
    needed = rows.select(*QUASI, SENSITIVE)
    inputs = {"polars": needed, "pandas": needed.to_pandas()}
    ours(rows)
    print(
        f"Adult, {len(rows):,} rows, {len(QUASI)} quasi-identifiers, {SENSITIVE} sensitive: k, l and t; CPU seconds\n"
    )
    slow, wanted = best(lambda: peer(inputs["pandas"]), times=1)
    print(f"{'pycanon':24} {slow:9.4f}   {wanted}")
    for kind, frame in inputs.items():
        quick, answer = best(lambda frame=frame: ours(frame))
        bare, least = best(lambda frame=frame: floor(frame))
        assert answer == least or np.allclose(answer, least)
        assert np.allclose(answer, wanted)
        print(f"{'numpy floor, ' + kind:24} {bare:9.4f}")
        ratios = f"{slow / quick:6.0f} times faster than pycanon (bar {FASTER_THAN_PYCANON})"
        ratios += f", {quick / bare:.2f} times the floor (bar {SLOWER_THAN_FLOOR})"
        print(f"{'lookalike, ' + kind:24} {quick:9.4f}   {ratios}")
        if slow / quick < FASTER_THAN_PYCANON:
            missed.append(f"{kind}: {slow / quick:.0f} times faster than pycanon")
        if quick / bare > SLOWER_THAN_FLOOR:
            missed.append(f"{kind}: {quick / bare:.2f} times the floor")
    eight = [*QUASI, "relationship", "native-country"]
    seconds, found = best(lambda: la.special_uniques(rows, quasi=eight), times=2)
    print(f"\nspecial uniques, 8 columns, all 255 sets: {seconds:.2f} s; {found}")
    with tempfile.TemporaryDirectory() as cache:
        clean = {**os.environ, "NUMBA_CACHE_DIR": cache}
        fresh = subprocess.run(
            [sys.executable, "-c", FRESH], env=clean, capture_output=True, text=True, check=True
        )
    first = float(fresh.stdout)
    print(
        f"first use of every kernel here on a fresh cache, imports included: {first:.1f} CPU s (bar {FIRST_USE})"
    )
    if first > FIRST_USE:
        missed.append(f"first use {first:.1f} s")
    print("\nmissed: " + "; ".join(missed) if missed else "\nall bars met")
    return bool(missed)


if __name__ == "__main__":
    sys.exit(main())
