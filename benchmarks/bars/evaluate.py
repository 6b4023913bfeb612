"""`la.evaluate` on the whole of Adult: four classifiers, five folds, one target, original and release.

    python -m benchmarks.bars.evaluate

Needs the public tables (LOOKALIKE_DATA names their folder). Processor seconds over two
cores are printed beside the wall clock, because a busy machine stretches only the latter. Exits 1 when the
wall clock misses the bar.
"""

from __future__ import annotations

import os
import sys
import time
import warnings

import lookalike as la
from benchmarks.data import adult

QUASI = ["age", "workclass", "education-num", "marital-status", "occupation", "race", "sex", "native-country"]
BAR = 60.0


def main() -> int:
    """Run it; the exit code says whether the bar was kept."""
    warnings.simplefilter("ignore")
    frame = adult().select(*QUASI, "income")
    people = la.table(frame, quasi=QUASI, targets=["income"])
    release = la.anonymize(people, la.KAnonymity(10), method="sangreea")
    wall, busy = time.perf_counter(), time.process_time()
    found = la.evaluate(people, release, targets=["income"])
    wall, busy = time.perf_counter() - wall, time.process_time() - busy
    load = os.getloadavg()[0]
    print(f"{found}\n\n{len(people):,} rows, {os.cpu_count()} cores, load {load:.1f}")
    print(f"wall {wall:.1f} s, processor {busy:.1f} s, over two cores {busy / 2:.1f} s")
    kept = wall <= BAR
    print(f"{'ok  ' if kept else 'MISS'}  four classifiers, five folds, one target (<= {BAR:g} s)")
    return 0 if kept else 1


if __name__ == "__main__":
    sys.exit(main())
