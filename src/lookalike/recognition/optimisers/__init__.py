"""Searches for the set of columns that is most likely the quasi-identifier, one file per algorithm."""
