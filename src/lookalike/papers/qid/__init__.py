from lookalike.papers.qid.paper import run

__all__ = ["run"]
