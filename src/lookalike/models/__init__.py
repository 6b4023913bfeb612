"""Privacy models, one file each, true to their published definitions."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from lookalike.errors import RequestError
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
from lookalike.models.model import Model, Reference, reference_of
from lookalike.models.sample_uniqueness import SampleUniqueness
from lookalike.models.sensitive import SensitiveModel
from lookalike.models.t_closeness import TCloseness

MODELS: dict[str, type[Model]] = {
    model.name: model
    for model in (
        KAnonymity,
        KMap,
        AlphaK,
        LDiversity,
        DirectionalDiversity,
        TCloseness,
        KLCloseness,
        BetaLikeness,
        DeltaDisclosure,
        DeltaPresence,
        AverageRisk,
        SampleUniqueness,
    )
}

__all__ = [
    "MODELS",
    "AlphaK",
    "AverageRisk",
    "BetaLikeness",
    "DeltaDisclosure",
    "DeltaPresence",
    "DirectionalDiversity",
    "KAnonymity",
    "KLCloseness",
    "KMap",
    "LDiversity",
    "Model",
    "Reference",
    "SampleUniqueness",
    "SensitiveModel",
    "TCloseness",
    "model_from_dict",
    "reference_of",
]


def model_from_dict(saved: Mapping[str, Any]) -> Model:
    """The model that `to_dict` wrote down."""
    parameters = dict(saved)
    name = parameters.pop("model", None)
    if name not in MODELS:
        raise RequestError(f"there is no privacy model {name!r}. There are: {', '.join(MODELS)}.")
    try:
        return MODELS[name](**parameters)
    except TypeError:
        raise RequestError(f"{name}: the parameters {', '.join(parameters)} do not fit this model.") from None
