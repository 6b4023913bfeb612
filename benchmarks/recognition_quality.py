"""Recognition on every public data set with a known truth: precision, recall and F1 beside the QID paper's Table 7.

    python benchmarks/recognition_quality.py [FOLDER]

Exits with 1 when F1 over all columns is below 0.9, or below twice the paper's mean F1.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

import lookalike as la
from lookalike.recognition.metrics.performance import Scores
from lookalike.recognition.truths import truth_of, truths

PRINTED_F1 = {
    "adult": 0.61,
    "car": 0.50,
    "diabetes_aim94": 0.50,
    "heart_disease_qidlib": 0.20,
    "nursery": 0.40,
}
BAR = 0.9


def main() -> int:
    """Print the table; return the exit code."""
    beside = Path(__file__).resolve().parents[2] / "shared" / "data"
    folder = Path(sys.argv[1] if len(sys.argv) > 1 else os.environ.get("LOOKALIKE_DATA", beside))
    print(f"{'data set':34} {'precision':>9} {'recall':>7} {'F1':>6} {'Table 7':>8}   missed / too many")
    total, strict = Scores(0, 0, 0, 0), Scores(0, 0, 0, 0)
    for name, known in truths().items():
        if not (folder / known.path).is_file():
            print(f"{name:34} not found in {folder}")
            continue
        people = la.read(folder / known.path, others=[])
        truth = truth_of(name, people.names)
        found = la.inspect(people).quasi
        scores = la.score_recognition(found, truth.quasi, people.names)
        total += scores
        if truth.cfk is not None:
            strict += la.score_recognition(found, truth.cfk, people.names)
        printed = f"{PRINTED_F1[name]:.2f}" if name in PRINTED_F1 else ""
        missed = ", ".join(sorted(set(truth.quasi) - set(found))) or "-"
        extra = ", ".join(sorted(set(found) - set(truth.quasi))) or "-"
        print(
            f"{name:34} {scores.precision:9.2f} {scores.recall:7.2f} {scores.f1:6.2f} {printed:>8}   {missed} / {extra}"
        )
    mean = sum(PRINTED_F1.values()) / len(PRINTED_F1)
    print(
        f"{'all columns':34} {total.precision:9.2f} {total.recall:7.2f} {total.f1:6.2f} {mean:8.2f}   (mean of Table 7)"
    )
    print(
        f"{'against the choice of cfk alone':34} {strict.precision:9.2f} {strict.recall:7.2f} {strict.f1:6.2f}"
    )
    good = total.f1 >= BAR and total.f1 >= 2 * mean
    print(f"bar: F1 at least {max(BAR, 2 * mean):.2f}: {'met' if good else 'MISSED'}")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
