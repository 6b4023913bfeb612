"""Runs: a recipe drafted for a file nobody has described, and carried out from the file to the folder that goes out."""

from lookalike.runs.preparing import prepare
from lookalike.runs.running import Run, run

__all__ = ["Run", "prepare", "run"]
