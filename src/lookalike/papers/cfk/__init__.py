from lookalike.papers.cfk.paper import run

__all__ = ["run"]
