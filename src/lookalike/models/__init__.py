"""Privacy models, one file each, true to their published definitions."""

from lookalike.models.k_anonymity import KAnonymity
from lookalike.models.model import Model

__all__ = ["KAnonymity", "Model"]
