"""Synthetic people for examples, tests and the demo; nobody in them exists."""

from lookalike.tables.datasets.people import REFERENCE_DAY, population, population_groupings

__all__ = ["REFERENCE_DAY", "population", "population_groupings"]
