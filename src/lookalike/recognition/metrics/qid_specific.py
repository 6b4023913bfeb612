"""Metrics made for quasi-identifiers: distinction and separation (Motwani and Xu 2007), and the length penalty.

Separation is computed from class sizes as 1 - sum s(s-1) / n(n-1), never from pairs. O(classes).
"""

from __future__ import annotations

from lookalike.recognition.metrics.metric import Definition, Metric, of_set
from lookalike.recognition.metrics.view import ClassView


def distinction(view: ClassView) -> Metric:
    """Classes per record: 1 where every record is alone, 1/n where all look alike."""
    return of_set(DISTINCTION, view, len(view.classes) / view.records)


def separation(view: ClassView) -> Metric:
    """Share of the pairs of records that differ in some column of the set; 0 for a single record."""
    n, sizes = view.records, view.sizes
    together = int((sizes * (sizes - 1)).sum())
    return of_set(SEPARATION, view, 1 - together / (n * (n - 1)) if n > 1 else 0.0)


def attribute_length_penalty(view: ClassView) -> Metric:
    """(1-p)^2 + p^2 for a set that holds the share p of all attributes: sets of half of them are favoured."""
    share = len(view.quasi) / len(view.universe)
    return of_set(ATTRIBUTE_LENGTH_PENALTY, view, (1 - share) ** 2 + share**2, share=share)


DISTINCTION = Definition("distinction", "qid-specific", "G / n", +1, 0, "mean", (), distinction)
SEPARATION = Definition(
    "separation", "qid-specific", "pairs that differ / all pairs", +1, 0, "mean", (), separation
)
ATTRIBUTE_LENGTH_PENALTY = Definition(
    "attribute_length_penalty",
    "qid-specific",
    "(1-p)^2 + p^2, p = |Q| / |U|",
    0,
    +1,
    "mean",
    (),
    attribute_length_penalty,
)
