"""What size costs: a csv file to a certified release beside the floor of the file, and tables larger than memory.

The floor is Polars reading the file, one group-by and writing it again, in the same run; every number is CPU seconds
and peak memory of a fresh process, imports aside. Exits 1 when a bar is missed: in memory a release within 2.5 times
the floor, `risk` within 1.5 times, `verify` within 2, memory within 1.2 times; a piece at a time `risk` and a release
with half the rows per second of a bare group-by and a bare copy, within 8 GiB; in Spark, local[2], a release within
1.5 times Spark's own group-by and copy, also of a frame whose rows Spark has to hand over; local recoding of ten
million rows within 600 seconds and 8 GiB.

    python -m benchmarks.bars.scale [--rows 1000000] [--far 10000000 ...] [--spark 10000000] [--local 10000000]

Each in-memory number is the best of `--runs`, and so is its floor. Several sizes after `--far` also give what a further
row costs.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from itertools import pairwise
from pathlib import Path

QUASI = ["age", "sex", "race", "marital", "education", "country"]
MAKE = """
import numpy as np, polars as pl
from pathlib import Path
rows, folder, wide = {rows}, Path({folder!r}), {wide}
rng = np.random.default_rng(0)
def pick(word, k, n, a=1.2):
    p = 1 / np.arange(1, k + 1) ** a
    return pl.Series([f"{{word}} {{i}}" for i in range(k)]).gather(rng.choice(k, n, p=p / p.sum()))
for part, start in enumerate(range(0, rows, 1_000_000)):
    n = min(1_000_000, rows - start)
    columns = {{
        "age": rng.integers(17, 91, n),
        "sex": pick("sex", 2, n),
        "race": pick("race", 5, n),
        "marital": pick("marital", 7, n),
        "education": pick("education", 16, n),
        "country": pick("country", 41, n, 2.0),
        "hours": rng.integers(1, 99, n),
        "disease": pick("disease", 300, n),
    }}
    if wide:
        columns |= {{
            "workclass": pick("work", 8, n),
            "occupation": pick("occupation", 14, n),
            "gain": np.where(rng.random(n) < 0.9, 0, rng.integers(100, 20_000, n)),
            "weight": rng.integers(10_000, 900_000, n),
            "income": pick("income", 2, n),
        }}
    made = pl.DataFrame(columns)
    if wide:
        with (folder / "people.csv").open("ab") as file:
            made.write_csv(file, include_header=part == 0)
    else:
        made.write_parquet(folder / f"part-{{part:04}}.parquet")
"""
FLOOR = """
rows = pl.read_csv(f"{folder}/people.csv")
step("read")
rows.group_by(quasi).len()
step("group")
rows.write_csv(f"{folder}/copy.csv")
step("write")
"""
RISK = """
people = la.read(f"{folder}/people.csv", quasi=quasi, sensitive=["disease"], others=[])
la.risk(people, sensitive=[])
"""
RELEASE = """
people = la.read(f"{folder}/people.csv", quasi=quasi, sensitive=["disease"], others=[])
la.anonymize(people, la.KAnonymity(10), method="optimal").save(f"{folder}/out", overwrite=True)
"""
VERIFY = """
assert la.verify(f"{folder}/out/release.csv", f"{folder}/out/certificate.json").ok
"""
BARE = """
rows = pl.scan_parquet(f"{folder}/part-*.parquet")
rows.group_by(quasi).len().collect(engine="streaming")
step("group")
rows.sink_parquet(f"{folder}/copy.pq")
step("copy")
"""
FAR_RISK = """
la.risk(f"{folder}/part-*.parquet", memory="2GB", quasi=quasi)
"""
FAR_RELEASE = """
release = la.anonymize(f"{folder}/part-*.parquet", la.KAnonymity(10), memory="2GB", quasi=quasi, others=[])
step("plan and count")
release.save(f"{folder}/far", format="parquet", overwrite=True)
step("save")
"""
FAR_LOCAL = """
release = la.anonymize(f"{folder}/part-*.parquet", la.KAnonymity(10), method="local", memory="8GB",
                       quasi=[*quasi, "hours"], others=[])
step("plan and count")
release.save(f"{folder}/local", format="parquet", overwrite=True)
step("save")
"""
FAR_VERIFY = """
assert la.verify(f"{folder}/far/release.parquet", f"{folder}/far/certificate.json").ok
"""
SPARK = """
import glob, os
os.environ["PYSPARK_SUBMIT_ARGS"] = "--driver-memory 2g pyspark-shell"
from lookalike.tables.engines.spark.session import open_session
spark = open_session("local[2]")
spark.range(10).groupBy("id").count().toArrow()
java = spark._jvm.java.lang.ProcessHandle.current().pid()
def busy():
    ticks, children = {}, {}
    for path in glob.glob("/proc/[0-9]*/stat"):
        try:
            seen = open(path).read().rsplit(") ", 1)[1].split()
        except OSError:
            continue
        who = int(path.split("/")[2])
        ticks[who] = sum(map(int, seen[11:15]))
        children.setdefault(int(seen[1]), []).append(who)
    todo, spent = [java], 0
    while todo:
        who = todo.pop()
        spent += ticks.get(who, 0)
        todo += children.get(who, [])
    return time.process_time() + spent / os.sysconf("SC_CLK_TCK")
rows = spark.read.parquet(f"{folder}/part-*.parquet")
began, wall = busy(), time.perf_counter()
last[0] = began
"""
SPARK_BARE = (
    SPARK
    + """
rows.groupBy(*quasi).count().toArrow()
step("group")
rows.write.parquet(f"{folder}/copy-spark.pq")
step("copy")
"""
)
SPARK_RISK = (
    SPARK
    + """
la.risk(rows, quasi=quasi)
"""
)
SPARK_RELEASE = (
    SPARK
    + """
release = la.anonymize(rows, la.KAnonymity(10), quasi=quasi, others=[])
step("plan and count")
release.save(f"{folder}/out-spark", to=f"{folder}/released-spark.pq")
step("save")
"""
)
SPARK_HANDED = SPARK_RELEASE.replace("la.anonymize(rows,", "la.anonymize(rows.where('age > 0'),").replace(
    "-spark", "-handed"
)
SPARK_VERIFY = (
    SPARK
    + """
released = spark.read.parquet(f"{folder}/released-spark.pq")
assert la.verify(released, f"{folder}/out-spark/certificate.json").ok
"""
)
WRAPPER = """
import json, resource, sys, time, warnings
warnings.simplefilter("ignore")
import polars as pl, numba
import lookalike as la
import lookalike.anonymizers.anonymization, lookalike.kernels.csv
code, folder, quasi = json.load(sys.stdin)
busy = time.process_time
steps, began, wall = {}, busy(), time.perf_counter()
last = [began]
def step(name):
    now = busy()
    steps[name], last[0] = now - last[0], now
exec(code)
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1024 if sys.platform != "darwin" else 1)
spent, wall = busy() - began, time.perf_counter() - wall
print(json.dumps({"busy": spent, "wall": wall, "gigabytes": peak / 1e9, "steps": steps}))
"""


def make(rows: int, folder: str, *, wide: bool) -> None:
    """Invent people: a csv file of 13 columns, or parquet files of 8 in place of those that are there."""
    for old in Path(folder).glob("part-*.parquet"):
        old.unlink()
    subprocess.run([sys.executable, "-c", MAKE.format(rows=rows, folder=folder, wide=wide)], check=True)


def measure(code: str, folder: str) -> dict[str, float]:
    """One run in a process of its own, in which modules are compiled once and for all, as for users."""
    done = subprocess.run(
        [sys.executable, "-c", WRAPPER],
        input=json.dumps([code, folder, QUASI]),
        capture_output=True,
        text=True,
        check=False,
        env={name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"},
    )
    if done.returncode:
        raise SystemExit(done.stderr)
    found: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    return found


def best(code: str, folder: str, runs: int) -> dict[str, float]:
    """The run that took least."""
    return min((measure(code, folder) for _ in range(runs)), key=lambda found: found["busy"])


def show(name: str, found: dict[str, float], ratio: float | None = None, bar: float | None = None) -> bool:
    """A line; whether the bar is missed."""
    missed = ratio is not None and bar is not None and ratio > bar
    beside = "" if ratio is None else f"{ratio:6.2f} x"
    asked = "" if bar is None else f"  bar {bar:g} x{'  MISSED' if missed else ''}"
    print(f"{name:<34} {found['busy']:8.2f} s CPU {found['gigabytes']:6.2f} GB {beside}{asked}", flush=True)
    return missed


def in_memory(rows: int, folder: str, runs: int) -> int:
    """A csv file of 13 columns."""
    make(rows, folder, wide=True)
    size = (Path(folder) / "people.csv").stat().st_size / 1e6
    print(f"\n{rows:,} rows x 13 columns in a csv file of {size:,.0f} MB")
    floor = best(FLOOR, folder, runs)
    show("floor: read, group, write", floor)
    counted = floor["steps"]["read"] + floor["steps"]["group"]  # type: ignore[index]
    missed = 0
    for name, code, bar, against in (
        ("risk (against read, group)", RISK, 1.5, counted),
        ("release", RELEASE, 2.5, floor["busy"]),
        ("verify", VERIFY, 2.0, floor["busy"]),
    ):
        found = best(code, folder, runs)
        missed += show(name, found, found["busy"] / against, bar)
        missed += show("  memory", found, found["gigabytes"] / floor["gigabytes"], 1.2)
    return missed


def far_away(rows: int, folder: str, spent: dict[str, list[tuple[int, float]]]) -> int:
    """Parquet files of 8 columns, a piece at a time; what was spent is written down by name and rows."""
    make(rows, folder, wide=False)
    size = sum(path.stat().st_size for path in Path(folder).glob("part-*")) / 1e6
    print(f"\n{rows:,} rows x 8 columns in parquet files of {size:,.0f} MB")
    bare = measure(BARE, folder)
    show("floor: group, copy", bare)
    missed = 0
    found = measure(FAR_RISK, folder)
    spent.setdefault("risk", []).append((rows, found["busy"]))
    missed += show("risk (against group)", found, found["busy"] / bare["steps"]["group"], 2.0)  # type: ignore[index]
    found = measure(FAR_RELEASE, folder)
    spent.setdefault("release", []).append((rows, found["busy"]))
    missed += show("release", found, found["busy"] / bare["busy"], 2.0)
    print(f"{'':<34} {found['steps']}")
    missed += found["gigabytes"] > 8.6
    found = measure(FAR_VERIFY, folder)
    return missed + show("verify", found, found["busy"] / bare["busy"], 2.0)


def show_slopes(spent: dict[str, list[tuple[int, float]]]) -> None:
    """What a further row costs between one size and the next."""
    for name, sizes in spent.items():
        for (rows, busy), (more, longer) in pairwise(sizes):
            print(
                f"{name}: {rows:,} to {more:,} rows, {(longer - busy) / (more - rows) * 1e6:.3f} µs a further row"
            )


def recode_locally(rows: int, folder: str) -> int:
    """Local recoding of parquet files with a seventh quasi-identifier: more than half of the tuples are distinct."""
    make(rows, folder, wide=False)
    print(f"\n{rows:,} rows x 8 columns, local recoding")
    found = measure(FAR_LOCAL, folder)
    show("release", found)
    print(f"{'':<34} {found['steps']}; seconds on the clock {found['wall']:.0f}")
    return int(found["wall"] > 600 or found["gigabytes"] > 8.6)


def in_spark(rows: int, folder: str) -> int:
    """The same parquet files in Spark on two cores; CPU seconds are of Python, Java and workers, memory of Python."""
    make(rows, folder, wide=False)
    print(f"\n{rows:,} rows x 8 columns in Spark, local[2]")
    bare = measure(SPARK_BARE, folder)
    show("floor: group, copy", bare)
    found = measure(SPARK_RISK, folder)
    show("risk (against group)", found, found["busy"] / bare["steps"]["group"])  # type: ignore[index]
    found = measure(SPARK_RELEASE, folder)
    missed = int(show("release", found, found["busy"] / bare["busy"], 1.5))
    print(f"{'':<34} {found['steps']}; seconds on the clock {found['wall']:.0f} against {bare['wall']:.0f}")
    for name, code, bar in (("the same of a filtered frame", SPARK_HANDED, 1.5), ("verify", SPARK_VERIFY, 2)):
        found = measure(code, folder)
        missed += show(name, found, found["busy"] / bare["busy"], bar)
    return missed


def main() -> int:
    """Run, print, and say whether a bar was missed."""
    parser = argparse.ArgumentParser(description="What size costs.")
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--far", type=int, nargs="*", default=[10_000_000])
    parser.add_argument("--spark", type=int, default=10_000_000)
    parser.add_argument("--local", type=int, default=0)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--folder", default=None)
    options = parser.parse_args()
    missed = 0
    with tempfile.TemporaryDirectory(dir=options.folder) as folder:
        measure("la.risk(la.datasets.population(2000, seed=0), quasi=['age', 'area'])", folder)  # compiles
        missed += in_memory(options.rows, folder, options.runs) if options.rows else 0
        spent: dict[str, list[tuple[int, float]]] = {}
        for rows in options.far:
            missed += far_away(rows, folder, spent) if rows else 0
        show_slopes(spent)
        missed += recode_locally(options.local, folder) if options.local else 0
        missed += in_spark(options.spark, folder) if options.spark else 0
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
