"""The best full-domain generalisation: `search` and what it finds."""

from lookalike.anonymizers.optimal.searching import Alternative, Search, Standing, search

__all__ = ["Alternative", "Search", "Standing", "search"]
