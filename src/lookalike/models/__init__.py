"""Privacy models, one file each, true to their published definitions."""

from __future__ import annotations

from lookalike.models.alpha_k import AlphaK as AlphaK
from lookalike.models.average_risk import AverageRisk as AverageRisk
from lookalike.models.beta_likeness import BetaLikeness as BetaLikeness
from lookalike.models.delta_disclosure import DeltaDisclosure as DeltaDisclosure
from lookalike.models.delta_presence import DeltaPresence as DeltaPresence
from lookalike.models.directional import DirectionalDiversity as DirectionalDiversity
from lookalike.models.k_anonymity import KAnonymity as KAnonymity
from lookalike.models.k_map import KMap as KMap
from lookalike.models.kl_closeness import KLCloseness as KLCloseness
from lookalike.models.l_diversity import LDiversity as LDiversity
from lookalike.models.model import ClassBudget as ClassBudget
from lookalike.models.model import Limit as Limit
from lookalike.models.model import Model as Model
from lookalike.models.model import PopulationLimit as PopulationLimit
from lookalike.models.model import Reference as Reference
from lookalike.models.model import reference_of as reference_of
from lookalike.models.registry import MODELS as MODELS
from lookalike.models.registry import model_from_dict as model_from_dict
from lookalike.models.registry import register as register
from lookalike.models.sample_uniqueness import SampleUniqueness as SampleUniqueness
from lookalike.models.sensitive import SensitiveModel as SensitiveModel
from lookalike.models.t_closeness import TCloseness as TCloseness
