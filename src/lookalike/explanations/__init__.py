"""Explanations of decisions that do not give anyone away: nearest unlike neighbours, and CF-K around them."""

from lookalike.explanations.alternatives import Alternatives
from lookalike.explanations.explainer import KAnonymousExplainer
from lookalike.explanations.explanation import Change, Explanation
from lookalike.explanations.fairness import Fairness, Gap, compare_groups
from lookalike.explanations.files import read_model
from lookalike.explanations.neighbours import Neighbours
from lookalike.explanations.nice import MixedRows, walk
from lookalike.explanations.wording import DUTCH, ENGLISH, Wording
from lookalike.recodings.labels import Node, Range, ValueSet

__all__ = [
    "DUTCH",
    "ENGLISH",
    "Alternatives",
    "Change",
    "Explanation",
    "Fairness",
    "Gap",
    "KAnonymousExplainer",
    "MixedRows",
    "Neighbours",
    "Node",
    "Range",
    "ValueSet",
    "Wording",
    "compare_groups",
    "read_model",
    "walk",
]
