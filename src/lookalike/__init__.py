"""Lookalike: share tables about people, and explain decisions about them, without giving anyone away.

Every name below is imported from its room on first use, so `import lookalike` itself loads nothing heavy.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from lookalike import datasets as datasets
    from lookalike.anonymizers.anonymization import anonymize as anonymize
    from lookalike.anonymizers.applying import apply as apply
    from lookalike.anonymizers.choosing import ChosenK as ChosenK
    from lookalike.anonymizers.choosing import choose_k as choose_k
    from lookalike.anonymizers.deidentification import deidentify as deidentify
    from lookalike.anonymizers.dialogue.interaction import Dialogue as Dialogue
    from lookalike.anonymizers.dialogue.interaction import interact as interact
    from lookalike.anonymizers.in_parts import PartedRelease as PartedRelease
    from lookalike.anonymizers.in_parts import anonymize_in_parts as anonymize_in_parts
    from lookalike.anonymizers.next_release import NextRelease as NextRelease
    from lookalike.anonymizers.pseudonyms import Key as Key
    from lookalike.anonymizers.pseudonyms import Pseudonyms as Pseudonyms
    from lookalike.anonymizers.pseudonyms import pseudonymise as pseudonymise
    from lookalike.anonymizers.transformer import Anonymizer as Anonymizer
    from lookalike.attacks.attacking import attack as attack
    from lookalike.attacks.explanation_linkage import attack_explanations as attack_explanations
    from lookalike.attacks.results import Attacks as Attacks
    from lookalike.columns.roles import Kind as Kind
    from lookalike.columns.roles import Role as Role
    from lookalike.errors import ColumnError as ColumnError
    from lookalike.errors import FileError as FileError
    from lookalike.errors import GuaranteeError as GuaranteeError
    from lookalike.errors import HierarchyError as HierarchyError
    from lookalike.errors import LinkedColumnError as LinkedColumnError
    from lookalike.errors import LookalikeError as LookalikeError
    from lookalike.errors import LookalikeWarning as LookalikeWarning
    from lookalike.errors import MissingExtra as MissingExtra
    from lookalike.errors import RequestError as RequestError
    from lookalike.errors import UnseenValues as UnseenValues
    from lookalike.explanations import Explanation as Explanation
    from lookalike.explanations import KAnonymousExplainer as KAnonymousExplainer
    from lookalike.explanations import Wording as Wording
    from lookalike.fca import Context as Context
    from lookalike.fca import Scale as Scale
    from lookalike.hierarchies import Hierarchy as Hierarchy
    from lookalike.links import Link as Link
    from lookalike.links import linked_columns as linked_columns
    from lookalike.models import AlphaK as AlphaK
    from lookalike.models import AverageRisk as AverageRisk
    from lookalike.models import BetaLikeness as BetaLikeness
    from lookalike.models import DeltaDisclosure as DeltaDisclosure
    from lookalike.models import DeltaPresence as DeltaPresence
    from lookalike.models import DirectionalDiversity as DirectionalDiversity
    from lookalike.models import KAnonymity as KAnonymity
    from lookalike.models import KLCloseness as KLCloseness
    from lookalike.models import KMap as KMap
    from lookalike.models import LDiversity as LDiversity
    from lookalike.models import Model as Model
    from lookalike.models import SampleUniqueness as SampleUniqueness
    from lookalike.models import TCloseness as TCloseness
    from lookalike.recipes import Recipe as Recipe
    from lookalike.recodings import Recoding as Recoding
    from lookalike.recodings.files import read_release as read_release
    from lookalike.recognition import Fitness as Fitness
    from lookalike.recognition import Inspection as Inspection
    from lookalike.recognition import LinearFitness as LinearFitness
    from lookalike.recognition import discover_graph as discover_graph
    from lookalike.recognition import inspect as inspect
    from lookalike.recognition import measure as measure
    from lookalike.recognition import minimal_quasi as minimal_quasi
    from lookalike.recognition import score_recognition as score_recognition
    from lookalike.recognition import search_quasi as search_quasi
    from lookalike.recognition import select_metrics as select_metrics
    from lookalike.releases.outcomes import Outcome as Outcome
    from lookalike.releases.release import Release as Release
    from lookalike.releases.signatures import generate_signing_key as generate_signing_key
    from lookalike.releases.signatures import sign as sign
    from lookalike.risks.classical import Risk as Risk
    from lookalike.risks.classical import risk as risk
    from lookalike.risks.classical import special_uniques as special_uniques
    from lookalike.risks.levels import Levels as Levels
    from lookalike.risks.levels import levels as levels
    from lookalike.risks.semantic import SemanticRisk as SemanticRisk
    from lookalike.risks.semantic import semantic_risk as semantic_risk
    from lookalike.runs import Run as Run
    from lookalike.runs import prepare as prepare
    from lookalike.runs import run as run
    from lookalike.tables.intake import read as read
    from lookalike.tables.intake import table as table
    from lookalike.tables.populations import with_population as with_population
    from lookalike.tables.table import Table as Table
    from lookalike.utility.evaluation import evaluate as evaluate
    from lookalike.utility.losses import Losses as Losses
    from lookalike.utility.losses import loss as loss
    from lookalike.utility.questions import Answer as Answer
    from lookalike.utility.questions import Question as Question
    from lookalike.utility.questions import read_questions as read_questions
    from lookalike.utility.scores import Evaluation as Evaluation
    from lookalike.verifier import Verification as Verification
    from lookalike.verifier import verify as verify

__version__ = "0.1.0"

_ROOMS: dict[str, tuple[str, ...]] = {
    "errors": (
        "ColumnError",
        "FileError",
        "GuaranteeError",
        "LinkedColumnError",
        "HierarchyError",
        "LookalikeError",
        "LookalikeWarning",
        "MissingExtra",
        "RequestError",
        "UnseenValues",
    ),
    "columns.roles": ("Kind", "Role"),
    "hierarchies": ("Hierarchy",),
    "tables.table": ("Table",),
    "tables.intake": ("read", "table"),
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
    "links": ("Link", "linked_columns"),
    "tables.populations": ("with_population",),
    "risks.classical": ("Risk", "risk", "special_uniques"),
    "risks.levels": ("Levels", "levels"),
    "risks.semantic": ("SemanticRisk", "semantic_risk"),
    "fca": ("Context", "Scale"),
    "recipes": ("Recipe",),
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
    "anonymizers.next_release": ("NextRelease",),
    "anonymizers.in_parts": ("PartedRelease", "anonymize_in_parts"),
    "anonymizers.pseudonyms": ("Key", "Pseudonyms", "pseudonymise"),
    "anonymizers.anonymization": ("anonymize",),
    "anonymizers.transformer": ("Anonymizer",),
    "anonymizers.applying": ("apply",),
    "anonymizers.choosing": ("ChosenK", "choose_k"),
    "anonymizers.deidentification": ("deidentify",),
    "anonymizers.dialogue.interaction": ("Dialogue", "interact"),
    "utility.evaluation": ("evaluate",),
    "utility.losses": ("Losses", "loss"),
    "utility.questions": ("Answer", "Question", "read_questions"),
    "utility.scores": ("Evaluation",),
    "recodings.files": ("read_release",),
    "releases.outcomes": ("Outcome",),
    "releases.release": ("Release",),
    "runs": ("Run", "prepare", "run"),
    "releases.signatures": ("generate_signing_key", "sign"),
    "verifier": ("Verification", "verify"),
    "explanations": ("Explanation", "KAnonymousExplainer", "Wording"),
    "attacks.attacking": ("attack",),
    "attacks.explanation_linkage": ("attack_explanations",),
    "attacks.results": ("Attacks",),
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
