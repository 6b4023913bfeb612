"""The QID paper's ten patients, shared by the tests of this folder."""

from __future__ import annotations

import polars as pl

import lookalike as la

COLUMNS = ["Age", "Gender", "Diagnosis", "Treatment", "Outcome"]


def patients(**extra: list[object]) -> la.Table:
    """The table; further columns as given."""
    improved = [1, 0, 1, 1, 0, 1, 1, 0, 1, 0]
    return la.table(
        pl.DataFrame(
            {
                "Age": [34, 28, 45, 34, 29, 60, 34, 41, 54, 39],
                "Gender": list("MFFMMFMFFM"),
                "Diagnosis": ["Hypertension" if c == "H" else "Diabetes" for c in "HDHDHHDHDH"],
                "Treatment": ["A" if c == "H" else "B" for c in "HDHDHHDHDH"],
                "Outcome": ["Improved" if i else "Not Improved" for i in improved],
                "Outcome01": improved,
                **extra,
            }
        ),
        others=[],
    )
