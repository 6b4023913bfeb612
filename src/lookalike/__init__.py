"""Lookalike: share tables about people, and explain decisions about them, without giving anyone away.

Every name below is imported from its room on first use, so `import lookalike` itself loads nothing heavy.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

__version__ = "0.1.0"

_ROOMS: dict[str, tuple[str, ...]] = {
    "errors": (
        "ColumnError",
        "FileError",
        "GuaranteeError",
        "HierarchyError",
        "LookalikeError",
        "LookalikeWarning",
        "MissingExtra",
        "RequestError",
        "UnseenValues",
    ),
    "roles": ("Kind", "Role"),
    "hierarchies": ("Hierarchy",),
    "tables": ("Table", "read", "table"),
    "models": (
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
        "SampleUniqueness",
        "TCloseness",
    ),
    "populations": ("with_population",),
    "risks.classical": ("Risk", "risk", "special_uniques"),
    "risks.semantic": ("SemanticRisk", "semantic_risk"),
    "fca": ("Context", "Scale"),
    "recodings": ("Recoding",),
    "recognition": (
        "Fitness",
        "Inspection",
        "LinearFitness",
        "discover_graph",
        "inspect",
        "measure",
        "minimal_quasi",
        "score_recognition",
        "search_quasi",
        "select_metrics",
    ),
    "anonymizers.pseudonyms": ("Key", "Pseudonyms", "pseudonymise"),
    "anonymization": ("anonymize",),
    "deidentification": ("deidentify",),
    "interaction": ("Dialogue", "interact"),
    "releases": ("Release",),
    "verifier": ("Verification", "verify"),
    "explanations": ("Explanation", "KAnonymousExplainer", "Wording"),
}
_MODULES = ("datasets",)
_ROOM_OF = {name: room for room, names in _ROOMS.items() for name in names}

__all__ = ["__version__", *_MODULES, *_ROOM_OF]


def __getattr__(name: str) -> Any:
    if name in _MODULES:
        return import_module(f"lookalike.{name}")
    if name not in _ROOM_OF:
        raise AttributeError(f"module 'lookalike' has no attribute {name!r}")
    value = getattr(import_module(f"lookalike.{_ROOM_OF[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
