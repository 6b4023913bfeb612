"""Privacy models, one file each, true to their published definitions."""

from __future__ import annotations

from lookalike.models.alpha_k import AlphaK
from lookalike.models.average_risk import AverageRisk
from lookalike.models.beta_likeness import BetaLikeness
from lookalike.models.delta_disclosure import DeltaDisclosure
from lookalike.models.delta_presence import DeltaPresence
from lookalike.models.directional import DirectionalDiversity
from lookalike.models.k_anonymity import KAnonymity
from lookalike.models.k_map import KMap
from lookalike.models.kl_closeness import KLCloseness
from lookalike.models.l_diversity import LDiversity
from lookalike.models.model import ClassBudget, Limit, Model, PopulationLimit, Reference, reference_of
from lookalike.models.registry import MODELS, model_from_dict, register
from lookalike.models.sample_uniqueness import SampleUniqueness
from lookalike.models.sensitive import SensitiveModel
from lookalike.models.t_closeness import TCloseness

__all__ = [
    "MODELS",
    "AlphaK",
    "AverageRisk",
    "BetaLikeness",
    "ClassBudget",
    "DeltaDisclosure",
    "DeltaPresence",
    "DirectionalDiversity",
    "KAnonymity",
    "KLCloseness",
    "KMap",
    "LDiversity",
    "Limit",
    "Model",
    "PopulationLimit",
    "Reference",
    "SampleUniqueness",
    "SensitiveModel",
    "TCloseness",
    "model_from_dict",
    "reference_of",
    "register",
]
