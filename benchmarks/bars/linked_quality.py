"""Linked columns on public tables: every pair of columns, what is found, and how much of it is a false alarm.

    python -m benchmarks.bars.linked_quality

Each column in turn is the only quasi-identifier, so every ordered pair is judged once. What is a link is known by hand:
codes beside descriptions, classifications within each other, the same question asked twice. Beside it, the same tables
with every column shuffled by itself, where nothing is linked. Last, a million invented rows of thirty columns, timed.
Exits with 1 when there is a false alarm, or when the million rows take more than ten seconds of CPU.
"""

from __future__ import annotations

import sys
import time
import warnings

import numpy as np
import polars as pl

import lookalike as la
from benchmarks.data import data_folder

#: groups of columns within which a link is a link, by hand
TRUE: dict[str, list[set[str]]] = {
    "adult/adult.csv": [{"education", "education-num"}, {"fnlwgt", "sex", "race"}],
    "adult_arx/adult_arx.csv": [],
    "car/car.csv": [],
    "cmc/cmc.csv": [],
    "diabetes_aim94/diabetes_aim94.csv": [],
    "german_credit/german_credit.csv": [],
    "heart_cleveland/heart_cleveland.csv": [],
    "heart_disease_qidlib/heart_disease_qidlib.csv": [],
    "hospital_sparcs_2016_random1000/hospital_sparcs_2016_random1000.csv": [
        {
            "Health Service Area",
            "Hospital County",
            "Operating Certificate Number",
            "Facility Id",
            "Facility Name",
            "source_row",  # the rows are sorted by hospital
        },
        {
            "CCS Diagnosis Code",
            "CCS Diagnosis Description",
            "APR DRG Code",
            "APR DRG Description",
            "APR MDC Code",
            "APR MDC Description",
            "APR Medical Surgical Description",
            "CCS Procedure Code",
            "CCS Procedure Description",
        },
        {"APR Severity of Illness Code", "APR Severity of Illness Description"},
    ],
    "informs/informs.csv": [{"RACEX", "RACEAX", "RACEBX", "RACEWX", "RACETHNX", "HISPANX", "HISPCAT"}],
    "nursery/nursery.csv": [],
    "smartnoise_linkage/demographic.csv": [{"Name", "Gender"}],
    "smartnoise_linkage/medical.csv": [],
}
MOST_SECONDS = 10.0


def main() -> int:
    """Print the table; return the exit code."""
    warnings.simplefilter("ignore")
    folder = data_folder()
    print(f"{'table':40} {'pairs':>6} {'links':>6} {'false':>6} {'shuffled':>9} {'CPU s':>6}")
    pairs = alarms = luck = 0
    for path, true in TRUE.items():
        if not (folder / path).is_file():
            print(f"{path:40} not found in {folder}")
            continue
        people = la.read(folder / path, others=[])
        started = time.process_time()
        found = find_links(people)
        seconds = time.process_time() - started
        false = sorted(link for link in found if not any(set(link) <= group for group in true))
        shuffled = find_links(_shuffled(people))
        judged = len(people.names) * (len(people.names) - 1)
        pairs, alarms, luck = pairs + judged, alarms + len(false), luck + len(shuffled)
        print(f"{path[:40]:40} {judged:6} {len(found):6} {len(false):6} {len(shuffled):9} {seconds:6.2f}")
        for link in false:
            print(f"    false alarm: {' and '.join(link)}")
    print(f"{'all':40} {pairs:6} {'':6} {alarms:6} {luck:9}")
    if pairs:
        print(f"false alarms: {alarms / pairs:.2%} of pairs, {luck / pairs:.2%} after shuffling")
    seconds = _time_a_million()
    print(f"1,000,000 rows x 30 columns, 5 of them quasi-identifiers: {seconds:.1f} s of CPU after coding")
    good = alarms == luck == 0 and seconds <= MOST_SECONDS
    print(f"bar: no false alarm, at most {MOST_SECONDS:g} s: {'met' if good else 'MISSED'}")
    return 0 if good else 1


def find_links(people: la.Table) -> set[tuple[str, ...]]:
    return {
        (*link.columns, *link.quasi)
        for name in people.names
        for link in la.linked_columns(people, quasi=[name])
    }


def _shuffled(people: la.Table) -> la.Table:
    rng = np.random.default_rng(0)
    rows = people.rows
    return la.table(
        pl.DataFrame([rows[name].gather(rng.permutation(rows.height)) for name in rows.columns]), others=[]
    )


def _time_a_million() -> float:
    rng, n = np.random.default_rng(0), 1_000_000
    age, area, degree = rng.integers(18, 95, n), rng.integers(0, 400, n), rng.integers(0, 16, n)
    columns = {
        "age": age,
        "area": area,
        "job": rng.integers(0, 300, n),
        "sex": rng.integers(0, 2, n),
        "degree": degree,
        "density": (rng.permutation(4000)[:400] / 7)[area],
        "born": 2024 - age - rng.integers(0, 2, n),
        "degree name": np.array([f"degree {i}" for i in range(16)])[degree],
        "income": np.round(rng.lognormal(10, 1, n) + age * 200),
        "number": rng.permutation(n),
        "weight": rng.random(n).round(5),
    }
    sizes = (2, 5, 10, 50, 200, 1000, 5000)
    columns |= {f"x{i}": rng.integers(0, sizes[i % 7], n) for i in range(30 - len(columns))}
    people = la.table(pl.DataFrame(columns), quasi=["age", "area", "job", "sex", "degree"], others=[])
    for name in people.names:
        people.column(name)
    started = time.process_time()
    found = {link.columns for link in la.linked_columns(people)}
    assert found == {("density",), ("born",), ("degree name",)}, found
    return time.process_time() - started


if __name__ == "__main__":
    sys.exit(main())
