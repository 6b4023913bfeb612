"""How noisy a link may be and still be found: detection at 90 to 99 per cent agreement, and chance alarms.

    python -m benchmarks.bars.linked_power

Invented columns: a code beside a quasi-identifier of some values in which so many rows agree and the others are drawn
at random (one to one), and the same with a coarser column (follows from it). Beside them, columns that have nothing to
do with it. What public tables say about false alarms is in `bars/linked_quality.py`.
"""

from __future__ import annotations

import sys

import numpy as np
import polars as pl

import lookalike as la

SEEDS = 40
AGREE = (0.88, 0.9, 0.91, 0.92, 0.93, 0.94, 0.95, 0.97, 0.99)


def main() -> int:
    """Print the share of links found; return 1 where one to one at 90 per cent is missed, or chance is a link."""
    print(f"{'link':14} {'rows':>6} {'values':>6}  " + " ".join(f"{agree:5.0%}" for agree in AGREE))
    worst, alarms = 1.0, 0
    for kind in ("one to one", "follows from"):
        for rows in (200, 1_000, 5_000):
            for values in (5, 12, 40):
                found = [_found(kind, rows, values, agree) for agree in AGREE]
                print(f"{kind:14} {rows:6} {values:6}  " + " ".join(f"{share:5.0%}" for share in found))
                if kind == "one to one" and rows >= 1_000:
                    worst = min(worst, *found[1:])
                alarms += _alarms(rows, values)
    print(f"columns that have nothing to do with it: {alarms} of {18 * SEEDS} are called links")
    return 0 if worst == 1 and not alarms else 1


def _found(kind: str, rows: int, values: int, agree: float) -> float:
    hits = 0
    for seed in range(SEEDS):
        rng = np.random.default_rng([seed, rows, values, round(1000 * agree)])
        area = rng.integers(0, values, rows)
        code = area if kind == "one to one" else area // 2
        noise = rng.integers(0, int(code.max()) + 1, rows)
        code = np.where(rng.random(rows) < agree, code, noise)
        hits += bool(_links(area, code))
    return hits / SEEDS


def _alarms(rows: int, values: int) -> int:
    alarms = 0
    for seed in range(SEEDS):
        rng = np.random.default_rng([seed, rows, values])
        alarms += bool(_links(rng.integers(0, values, rows), rng.integers(0, values, rows)))
    return alarms


def _links(area: np.ndarray, code: np.ndarray) -> tuple[la.Link, ...]:
    frame = pl.DataFrame({"area": [f"area {a}" for a in area], "code": [f"code {c}" for c in code]})
    return la.linked_columns(frame, quasi=["area"], columns=["code"])


if __name__ == "__main__":
    sys.exit(main())
