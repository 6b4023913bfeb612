"""Recodings: what turns a table into its release, as a value."""

from lookalike.recodings.recoding import Applied, Recoding

__all__ = ["Applied", "Recoding"]
