"""The second half of the de-identification study on invented people: use cases, the choice of k, remaining risks."""

from __future__ import annotations

import warnings
from dataclasses import dataclass, replace

import lookalike as la
from lookalike.anonymizers.deidentification import Deidentification
from lookalike.measures.attacks.results import Attacks
from lookalike.measures.utility.questions.answers import Answer
from lookalike.papers.dei.pipeline import LEFT_OUT, LEVELS, NEGATIVE
from lookalike.papers.dei.printed import CHOSEN_K

ATTACKS = ("homogeneity", "skewness", "gap inference")
FIRST, SECOND, THIRD = (
    "education of people on benefits by region",
    "gender and income by occupation",
    "entropy left",
)
JOINT = f"{THIRD}, joint"


@dataclass(frozen=True, eq=False)
class SeededStudy:
    """One seed: the pipeline, the choice of k, the answers at the study's k, and what attackers still learn."""

    found: Deidentification  #: without its release, twenty of which would take gigabytes
    chosen: la.ChosenK
    at_nine: dict[str, Answer]
    attacks: Attacks


def questions(quasi: list[str]) -> list[la.Question]:
    """The study's use cases as questions, the third one by both readings of an entropy ratio."""
    return [
        la.Question(
            "ranking",
            name=FIRST,
            by="area",
            share={"qualifications": "lower"},
            among={"on_benefits": "yes"},
            top=3,
            keep=2,
        ),
        la.Question(
            "two-sample test", name=SECOND, of="income", between="gender", by="occupation", test="student"
        ),
        la.Question("entropy", name=THIRD, of=quasi, least=0),
        la.Question("entropy", name=JOINT, of=quasi, joint=True, least=0),
    ]


def study(found: Deidentification, *, seed: int) -> SeededStudy:
    """Choose k as the study did, and attack the release at its k."""
    assert found.release is not None
    people = found.release.people
    models = [la.DirectionalDiversity(name, value) for name, value in NEGATIVE.items()]
    with warnings.catch_warnings():  # the choice is told with its notes
        warnings.simplefilter("ignore", la.LookalikeWarning)
        chosen = la.choose_k(
            people,
            *models,
            ks=range(2, 12),
            questions=questions(people.quasi),
            method="levels",
            levels=LEVELS,
            suppression=1.0,
            drop=LEFT_OUT,
            seed=seed,
        )
    nine = next(one for one in chosen.table if one.k == CHOSEN_K)
    attacks = la.attack(people, found.release, only=list(ATTACKS), seed=seed)
    answers = {answer.question: answer for answer in nine.answers}
    return SeededStudy(replace(found, release=None), chosen, answers, attacks)
