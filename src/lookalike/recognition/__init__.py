"""Recognition: which columns give people away, how that is measured, and how good the guess is."""

from lookalike.recognition.fitness import Fitness, LinearFitness
from lookalike.recognition.inspecting import inspect
from lookalike.recognition.inspection import ColumnReport, Inspection
from lookalike.recognition.metrics import METRICS, measure
from lookalike.recognition.metrics.graphs import Graph, discover_graph
from lookalike.recognition.metrics.performance import Scores, score_recognition
from lookalike.recognition.minimal import MinimalSets, minimal_quasi
from lookalike.recognition.search import QuasiSearch, search_quasi
from lookalike.recognition.selection import Selection, select_metrics
from lookalike.recognition.weighting import Labelled, learn_fitness, leave_one_out

__all__ = [
    "METRICS",
    "ColumnReport",
    "Fitness",
    "Graph",
    "Inspection",
    "Labelled",
    "LinearFitness",
    "MinimalSets",
    "QuasiSearch",
    "Scores",
    "Selection",
    "discover_graph",
    "inspect",
    "learn_fitness",
    "leave_one_out",
    "measure",
    "minimal_quasi",
    "score_recognition",
    "search_quasi",
    "select_metrics",
]
