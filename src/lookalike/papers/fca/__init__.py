from lookalike.papers.fca.paper import lines, run

__all__ = ["lines", "run"]
