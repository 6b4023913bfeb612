"""The public tables that benchmarks read; docs/papers/data.md says where they come from."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import polars as pl


def data_folder() -> Path:
    """The folder that LOOKALIKE_DATA names; without it the benchmark ends with what to do."""
    folder = Path(os.environ.get("LOOKALIKE_DATA", "data"))
    if not folder.is_dir():
        sys.exit("The public tables are needed: set LOOKALIKE_DATA to their folder (docs/papers/data.md).")
    return folder


def adult() -> pl.DataFrame:
    """Adult as the UCI repository has it, 48,842 records."""
    return pl.read_csv(data_folder() / "adult" / "adult.csv")


def adult_arx() -> tuple[pl.DataFrame, Path]:
    """Adult's 30,162 complete records as ARX's authors use them, and the folder of their hierarchies."""
    folder = data_folder() / "adult_arx"
    return pl.read_csv(folder / "adult_arx.csv"), folder / "hierarchies"
