from lookalike.papers.iml.paper import run

__all__ = ["run"]
