"""Mondrian on Adult beside anonypy (PyPI), in one run.

Bars: k=10 under 0.3 s of CPU time, anonypy at least 100 times slower, every class at least k.
Needs the public tables (LOOKALIKE_DATA names their folder) and anonypy; without it only ours is run.
"""

from __future__ import annotations

import sys
import time
import warnings
from functools import partial

import numpy as np
import polars as pl

import lookalike as la
from benchmarks.data import adult_arx
from benchmarks.timing import cpu_seconds
from lookalike.anonymizers import mondrian
from lookalike.models import KAnonymity, LDiversity, Model, TCloseness

K = 10


def beside_anonypy(frame: pl.DataFrame) -> float | None:
    """CPU seconds of anonypy's Mondrian on the same rows and columns."""
    try:
        import anonypy
    except ImportError:
        print("anonypy is not installed: pip install anonypy")
        return None
    rows = frame.to_pandas()
    for name in rows.columns:
        if rows[name].dtype == object:
            rows[name] = rows[name].astype("category")
    features = [name for name in frame.columns if name != "occupation"]
    start = time.process_time()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        anonypy.Preserver(rows, features, "occupation").anonymize_k_anonymity(k=K)
    return time.process_time() - start


def main() -> int:
    """Print seconds, classes and the ratio; 1 if a bar is missed."""
    frame, _ = adult_arx()
    features = [name for name in frame.columns if name != "occupation"]
    people = la.table(frame, quasi=features, sensitive=["occupation"])
    missed, first = False, None
    jobs: list[tuple[list[Model], bool]] = [
        ([KAnonymity(K)], True),
        ([KAnonymity(K)], False),
        ([KAnonymity(K), LDiversity("occupation", 3)], True),
        ([KAnonymity(K), TCloseness("occupation", 0.2)], True),
    ]
    for models, strict in jobs:
        seconds, of_row = cpu_seconds(partial(mondrian.partition, people.cells(), models, strict=strict), 3)
        sizes = np.bincount(of_row)
        first = first or seconds
        name = " + ".join(str(model) for model in models)
        cuts = "strict" if strict else "relaxed"
        print(f"{name:60} {cuts} {seconds:.4f} s, {len(sizes):,} classes, smallest {sizes.min()}")
        missed = missed or seconds > 0.3 or sizes.min() < K
    slow = beside_anonypy(frame)
    if slow is not None and first is not None:
        print(f"anonypy k={K}: {slow:.1f} s, {slow / first:.0f} times slower (bar 100)")
        missed = missed or slow < 100 * first
    return int(missed)


if __name__ == "__main__":
    sys.exit(main())
