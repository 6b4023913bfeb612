"""The best full-domain generalisation: `search` and what it finds."""

from lookalike.anonymizers.optimal.searching import Alternative, OptimalSearch, Standing, search

__all__ = ["Alternative", "OptimalSearch", "Standing", "search"]
