"""Linked columns: columns that give a quasi-identifier away, so that blurring it hides nobody."""

from lookalike.links.finding import linked_columns
from lookalike.links.link import Link

__all__ = ["Link", "linked_columns"]
