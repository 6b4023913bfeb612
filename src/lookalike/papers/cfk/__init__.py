from lookalike.papers.cfk.paper import lines, run

__all__ = ["lines", "run"]
