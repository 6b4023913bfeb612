"""Linked columns: columns that give a quasi-identifier away, so that blurring it hides nobody."""

from lookalike.recognition.links.finding import linked_columns
from lookalike.recognition.links.link import Link

__all__ = ["Link", "linked_columns"]
