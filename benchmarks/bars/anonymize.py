"""A million people end to end: Parquet in, optimal generalisation, Parquet and certificate out.

Bar: under 20 s and under 4 GB. The floor in the same run is Polars reading and writing the same Parquet file.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from pathlib import Path

import polars as pl

QUASI = [
    "area", "age", "gender", "marital_status", "num_children", "qualifications", "occupation", "home_ownership",
]  # fmt: skip
JOB = """
import sys, time, resource
import lookalike as la
source, out, quasi = sys.argv[1], sys.argv[2], sys.argv[3].split(",")
start = time.perf_counter()
people = la.read(
    source, identifiers=["name"], quasi=quasi, sensitive=["income", "on_benefits", "credit_score"],
    others=["postcode", "dob"],
    hierarchies={n: la.Hierarchy.groups(g) for n, g in la.datasets.population_groupings().items()},
)
release = la.anonymize(people, la.KAnonymity(10), method="optimal", suppression=0.05, drop=["postcode", "dob"])
release.save(out, format="parquet")
print(time.perf_counter() - start, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20, release.loss, release.k,
      release.suppressed, release.proven_optimal)
"""


def main(rows: int = 1_000_000) -> int:
    """Run the job in a process of its own, so that its memory is its own."""
    import lookalike as la

    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "people.parquet"
        la.datasets.population(rows, seed=0).write_parquet(source)
        start = time.perf_counter()
        pl.read_parquet(source).write_parquet(Path(folder) / "copy.parquet")
        floor = time.perf_counter() - start
        best = None
        for attempt in range(2):
            out = Path(folder) / f"out{attempt}"
            done = subprocess.run(
                [sys.executable, "-c", JOB, str(source), str(out), ",".join(QUASI)],
                capture_output=True,
                text=True,
                check=True,
            )
            seconds, gigabytes, loss, k, suppressed, proven = done.stdout.split()
            result = float(seconds), float(gigabytes), float(loss), int(k), int(suppressed), proven
            best = min(best, result) if best else result
    assert best is not None
    seconds_, gigabytes_, loss_, k_, suppressed_, proven = best
    print(f"{rows:,} people, {len(QUASI)} quasi-identifiers, k=10, 5 %:")
    print(f"  {seconds_:.1f} s (bar 20), {gigabytes_:.2f} GB (bar 4)")
    print(f"  loss {loss_:.4f}, smallest class {k_}, {suppressed_:,} left out, proven optimal: {proven}")
    print(f"  {seconds_ / floor:.1f} times a bare Parquet copy ({floor:.2f} s)")
    return int(seconds_ > 20 or gigabytes_ > 4 or k_ < 10)


if __name__ == "__main__":
    sys.exit(main(*map(int, sys.argv[1:])))
