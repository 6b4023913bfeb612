"""Generalisation hierarchies: recipes (`Hierarchy`) and the trees they grow over a column's values (`Tree`)."""

from lookalike.tables.hierarchies.hierarchy import Hierarchy
from lookalike.tables.hierarchies.tree import ROOT, Tree

__all__ = ["ROOT", "Hierarchy", "Tree"]
