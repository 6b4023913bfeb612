"""Speed of recognition, beside QIDLearningLib in the same run where it is installed, and against the bars we set.

    python -m benchmarks.bars.recognition_speed [--quick]

--quick leaves out the million rows, and takes a part of Adult for the peer's slow metrics.

Every time is the best of two runs after one warm-up, so that compiling does not count. Exits with 1 when a bar is
missed. The peer computes l- and t-like metrics by looping over the groups; where it is not installed, the same
loops written with pandas stand in for it, and the line says so.
"""

from __future__ import annotations

import logging
import os
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

import lookalike as la
from benchmarks.data import data_folder
from lookalike.recognition.subsets import Universe

SUBSET = ["age", "sex", "race", "education", "marital-status"]
PAPER_EA = {"population": 50, "generations": 30}
missed: list[str] = []


def main() -> int:
    """Run all measurements; return the exit code."""
    quick = "--quick" in sys.argv
    adult = la.read(data_folder() / "adult" / "adult.csv", others=[])
    for name in adult.names:
        adult.column(name)
    subsets(adult)
    peers(quick)
    evolution(adult)
    if not quick:
        million()
    print("all bars met" if not missed else f"MISSED: {'; '.join(missed)}")
    return 1 if missed else 0


def subsets(adult: la.Table) -> None:
    """Distinction and separation of every set of columns."""
    twelve = [n for n in adult.names if n not in ("fnlwgt", "education-num", "capital-loss")]
    for columns, bar in ((twelve, 4.0), (adult.names[:12], 4.0), (adult.names, 35.0)):
        seconds = best(lambda columns=columns: Universe(adult, columns, threads=2).measure_all())
        words = f"all {2 ** len(columns) - 1:,} subsets of {len(columns)} Adult columns ({columns[0]} … {columns[-1]})"
        report(words, seconds, bar)


def peers(quick: bool) -> None:
    """l and t of one set of columns, and one separation, beside QIDLearningLib."""
    rows = pl.read_csv(data_folder() / "adult" / "adult.csv", infer_schema=False).head(32_561)
    if quick:
        rows = rows.head(4_000)
    people = la.table(rows, others=[])
    for name in (*SUBSET, "occupation"):
        people.column(name)
    frame = rows.to_pandas()
    label, slow_l, slow_t, slow_s = peer()
    for words, ours, theirs in (
        ("l-diversity", lambda: values(people, "l_diversity"), lambda: slow_l(frame)),
        ("t-closeness", lambda: values(people, "t_closeness"), lambda: slow_t(frame)),
    ):
        mine, other = best(ours), clock(theirs)
        ratio = other / mine
        met = "met" if ratio >= 200 else "MISSED"
        if ratio < 200:
            missed.append(f"{words} {ratio:.0f}x")
        line(words, rows, mine, label, other, f" (bar 200x: {met})")
    mine = best(lambda: la.measure(people, "separation", quasi=SUBSET).value)
    line("separation", rows, mine, label, clock(lambda: slow_s(frame)), "")


def line(words: str, rows: pl.DataFrame, mine: float, label: str, other: float, bar: str) -> None:
    head = f"{words:12} of one set, {len(rows):,} rows: {mine * 1e3:.1f} ms"
    print(f"{head}; {label} {other:.2f} s: {other / mine:,.0f}x{bar}")


def values(people: la.Table, metric: str) -> Any:
    return la.measure(people, metric, quasi=SUBSET, sensitive="occupation").values


def peer() -> tuple[str, Callable[..., Any], Callable[..., Any], Callable[..., Any]]:
    """The peer's functions, or stand-ins that loop over pandas groups as it does."""
    try:
        logging.disable(logging.CRITICAL)
        from QIDLearningLib.metrics import data_privacy, qid_specific

        return (
            "QIDLearningLib",
            lambda f: data_privacy.l_diversity(f, SUBSET, ["occupation"]),
            lambda f: data_privacy.t_closeness(f, SUBSET, ["occupation"]),
            lambda f: qid_specific.separation(f, SUBSET),
        )
    except ImportError:

        def slow_l(frame: Any) -> list[int]:
            return [group[["occupation"]].nunique().iloc[0] for _, group in frame.groupby(SUBSET)]

        def slow_t(frame: Any) -> list[float]:
            whole = frame["occupation"].value_counts(normalize=True)
            return [
                float(
                    (
                        group["occupation"].value_counts(normalize=True).reindex(whole.index, fill_value=0)
                        - whole
                    )
                    .abs()
                    .sum()
                    / 2
                )
                for _, group in frame.groupby(SUBSET)
            ]

        def slow_s(frame: Any) -> float:
            counts = np.unique(frame[SUBSET].to_numpy(dtype=str), axis=0, return_counts=True)[1]
            return float((counts * (counts - 1)).sum())

        return "pandas loops (QIDLearningLib not installed)", slow_l, slow_t, slow_s


def evolution(adult: la.Table) -> None:
    """The QID paper's setting of its evolutionary search on all columns of Adult; the peer's cost per set beside it."""
    seconds = best(lambda: la.search_quasi(adult, method="evolutionary", **PAPER_EA))
    report("evolutionary search, 50 x 30, Adult", seconds, 5.0)
    try:
        from QIDLearningLib.metrics import data_privacy, qid_specific
    except ImportError:
        print("  QIDLearningLib is not installed here; measured elsewhere, it takes about 20 minutes")
        return
    frame, half = adult.rows.to_pandas(), adult.names[::2]
    each = clock(
        lambda: (
            qid_specific.distinction(frame, half),
            qid_specific.separation(frame, half),
            data_privacy.k_anonymity(frame, half),
        )
    )
    minutes = each * 1500 / 60
    print(
        f"  QIDLearningLib: {each:.2f} s for one set of {len(half)} columns, about {minutes:.0f} min for 1,500 sets"
    )


def million() -> None:
    """Greedy search on a million rows of twelve columns, with the memory it takes."""
    rng = np.random.default_rng(0)
    sizes = (90, 2, 5, 16, 7, 14, 6, 40, 99, 3000, 52, 9)
    n = 1_000_000
    rows = pl.DataFrame(
        {f"c{i}": (rng.random(n) ** 2 * size).astype(np.int32) for i, size in enumerate(sizes)}
    )
    people = la.table(rows, others=[])
    watch = Memory()
    seconds = clock(lambda: la.search_quasi(people, method="greedy"))
    report("greedy search, 1,000,000 rows x 12 columns", seconds, 60.0)
    peak = watch.stop()
    print(f"  peak memory of the process {peak:.2f} GB (bar 4 GB: {'met' if peak < 4 else 'MISSED'})")
    if peak >= 4:
        missed.append(f"memory {peak:.1f} GB")


class Memory:
    """The largest resident size seen while running, in GB."""

    def __init__(self) -> None:
        self.peak = 0.0
        self._on = True
        self._thread = threading.Thread(target=self._look, daemon=True)
        self._thread.start()

    def _look(self) -> None:
        page = os.sysconf("SC_PAGE_SIZE")
        while self._on:
            self.peak = max(self.peak, int(Path("/proc/self/statm").read_text().split()[1]) * page / 1e9)
            time.sleep(0.02)

    def stop(self) -> float:
        self._on = False
        self._thread.join()
        return self.peak


def clock(call: Callable[[], Any]) -> float:
    """Seconds on the clock, or of computing where that is less: the clock also counts what others run here."""
    wall, busy = time.perf_counter(), time.process_time()
    call()
    return min(time.perf_counter() - wall, time.process_time() - busy)


def best(call: Callable[[], Any]) -> float:
    """Best of two, after a warm-up."""
    call()
    return min(clock(call), clock(call))


def report(words: str, seconds: float, bar: float) -> None:
    print(f"{words}: {seconds:.2f} s (bar {bar:g} s: {'met' if seconds < bar else 'MISSED'})")
    if seconds >= bar:
        missed.append(words)


if __name__ == "__main__":
    sys.exit(main())
