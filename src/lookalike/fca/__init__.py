"""Formal concept analysis: contexts, scales, lattices, rules, forgetting, and risk read off concepts."""

from lookalike.fca.chains import Chain, risk_chains, unique_chains
from lookalike.fca.contexts import Context
from lookalike.fca.drawing import concept_risk, draw_lattice, draw_most_frequent
from lookalike.fca.forgetting import Forgetting, forget, forget_in_rules, is_disposable, knowledge
from lookalike.fca.formats import read_context, write_context
from lookalike.fca.implications import Implications, Rule, RuleBasis, luxenburger_basis, stem_basis
from lookalike.fca.lattices import (
    Concept,
    Lattice,
    Neighbourhood,
    attribute_concept,
    concept_lattice,
    neighbours,
    object_concept,
    surroundings,
)
from lookalike.fca.noise import Noise, add_noise
from lookalike.fca.people import SafePeople, basic_risk_of_people, safe_people
from lookalike.fca.refinement import Refinement, finest_scales, risk_along_scales
from lookalike.fca.scales import Scale
from lookalike.fca.scaling import Scaling, scale_table
from lookalike.fca.semantics import (
    BasicRisk,
    Bound,
    Deletion,
    SafeSet,
    ThreeWay,
    basic_risk,
    basic_risk_by_lattice,
    chain_risk_of_concepts,
    confidence_bound,
    delete_in_turn,
    safe_set,
    semantic_chain_risk,
    three_way,
)

__all__ = [
    "BasicRisk",
    "Bound",
    "Chain",
    "Concept",
    "Context",
    "Deletion",
    "Forgetting",
    "Implications",
    "Lattice",
    "Neighbourhood",
    "Noise",
    "Refinement",
    "Rule",
    "RuleBasis",
    "SafePeople",
    "SafeSet",
    "Scale",
    "Scaling",
    "ThreeWay",
    "add_noise",
    "attribute_concept",
    "basic_risk",
    "basic_risk_by_lattice",
    "basic_risk_of_people",
    "chain_risk_of_concepts",
    "concept_lattice",
    "concept_risk",
    "confidence_bound",
    "delete_in_turn",
    "draw_lattice",
    "draw_most_frequent",
    "finest_scales",
    "forget",
    "forget_in_rules",
    "is_disposable",
    "knowledge",
    "luxenburger_basis",
    "neighbours",
    "object_concept",
    "read_context",
    "risk_along_scales",
    "risk_chains",
    "safe_people",
    "safe_set",
    "scale_table",
    "semantic_chain_risk",
    "stem_basis",
    "surroundings",
    "three_way",
    "unique_chains",
    "write_context",
]
