from lookalike.papers.qid.paper import lines, run

__all__ = ["lines", "run"]
