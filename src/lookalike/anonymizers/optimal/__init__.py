"""The best full-domain generalisation: `search`, what it finds, and what to do `instead`."""

from lookalike.anonymizers.optimal.many import instead
from lookalike.anonymizers.optimal.searching import Alternative, OptimalSearch, Standing, search

__all__ = ["Alternative", "OptimalSearch", "Standing", "instead", "search"]
