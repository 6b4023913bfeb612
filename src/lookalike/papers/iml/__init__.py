from lookalike.papers.iml.paper import lines, run

__all__ = ["lines", "run"]
