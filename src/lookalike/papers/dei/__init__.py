from lookalike.papers.dei.paper import lines, run

__all__ = ["lines", "run"]
