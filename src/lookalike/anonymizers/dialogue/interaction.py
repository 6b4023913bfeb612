"""`interact`: weights for an anonymisation learnt from a person's choices, one question at a time.

The person is shown a record and two partly built groups and says which should take it (Malle, Kieseberg and Holzinger
2017, Interactive anonymization for privacy aware machine learning). Every answer changes the weights; the next groups
are built with them.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict
from functools import cached_property
from pathlib import Path
from typing import Any

from lookalike.anonymizers.anonymization import anonymize
from lookalike.anonymizers.dialogue import questions as asking
from lookalike.anonymizers.dialogue import sessions
from lookalike.anonymizers.dialogue.gain import MEMBERS, expected_gain, sample_of
from lookalike.anonymizers.dialogue.preferences import (
    ANSWERS,
    Beliefs,
    Exponentiated,
    Posterior,
    prior_weights,
)
from lookalike.anonymizers.dialogue.questions import ClusterQuestion
from lookalike.anonymizers.dialogue.sessions import Settings
from lookalike.base.errors import GuaranteeError, RequestError, amount
from lookalike.base.notebooks import panel
from lookalike.base.writing import write_file
from lookalike.models import KAnonymity, Model
from lookalike.recognition.frames import takes_frames
from lookalike.releases.release import Release
from lookalike.tables.table import Table

_SLIDER_TRUST = 2.0  # sliders count about as much as a belief twice as firm as none at all


class Dialogue:
    """A running dialogue. Made by `la.interact`.

    Examples:
        >>> import lookalike as la
        >>> people = la.table(la.datasets.population(200, seed=1), quasi=["age", "gender", "area"], others=[])
        >>> dialogue = la.interact(people, k=5)
        >>> question = dialogue.ask()
        >>> dialogue.answer(question, "A")
        >>> len(dialogue)
        1
    """

    def __init__(self, people: Table, settings: Settings) -> None:
        self.people = people
        self.settings = settings
        self._cells = people.cells(sensitive=[])
        if self._cells.people < settings.k:
            found = ("record", "records") if people.unit is None else ("person", "people")
            raise GuaranteeError(
                f"{amount(self._cells.people, *found)} cannot make a group of {settings.k}. Ask for a smaller k."
            )
        numeric = [name for name in people.quasi if people.column(name).kind.numeric]
        ranges = [name for name in numeric if name not in people.hierarchies]  # as method "sangreea" has it
        self._space = asking.question_space(self._cells, ranges)
        names = self._cells.names
        sliders = settings.sliders
        given = None if sliders is None else [sliders.get(name, 1.0) for name in names]
        start = prior_weights(names, given)
        first: Beliefs = (
            Exponentiated(start, eta=settings.eta, tau=settings.tau)
            if settings.rule == "eg"
            else Posterior.before(start, seed=settings.seed, trust=1.0 if given is None else _SLIDER_TRUST)
        )
        self._beliefs = [first]  # one per answer, so that undoing is exact and free
        self._answers: list[tuple[ClusterQuestion, str]] = []
        self._asked: ClusterQuestion | None = None

    def __copy__(self) -> Dialogue:
        """The dialogue as it is now; what is answered later does not change it."""
        made = object.__new__(Dialogue)
        made.__dict__.update(self.__dict__, _beliefs=[*self._beliefs], _answers=[*self._answers])
        return made

    @property
    def weights(self) -> dict[str, float]:
        """How much the person minds losing detail in each quasi-identifier, as far as is known; they sum to 1."""
        return dict(zip(self._cells.names, self._beliefs[-1].weights.tolist(), strict=True))

    @property
    def uncertainty(self) -> dict[str, float] | None:
        """The standard deviation of each weight; None under rule "eg", which knows none."""
        spread = self._beliefs[-1].spread
        return None if spread is None else dict(zip(self._cells.names, spread.tolist(), strict=True))

    @property
    def answers(self) -> list[tuple[ClusterQuestion, str]]:
        """The questions answered so far, with their answers."""
        return list(self._answers)

    def __len__(self) -> int:
        return len(self._answers)

    def ask(self) -> ClusterQuestion | None:
        """The next question; the same one until it is answered. None where no answer could teach anything."""
        if self._asked is None:
            self._asked = asking.ask(
                self._cells,
                self._space,
                self._beliefs[-1],
                k=self.settings.k,
                number=len(self._answers) + 1,
                seed=(self.settings.seed,),
                teach=self.settings.questions == "teach",
            )
        return self._asked

    def answer(self, question: ClusterQuestion, answer: str) -> None:
        """Record an answer, "A", "B" or "can't say", and learn from it."""
        if not isinstance(answer, str) or answer not in ANSWERS:
            raise RequestError(f"{answer!r} is not an answer; choose from {', '.join(map(repr, ANSWERS))}.")
        if not isinstance(question, ClusterQuestion):
            raise RequestError("answer a question that ask() returned.")
        if question != self._asked:
            if any(question == answered for answered, _ in self._answers):
                raise RequestError(
                    f"question {question.number} was answered already. Take answers back with undo(), or ask() anew."
                )
            raise RequestError(
                f"question {question.number} is not the one being asked. Answer what ask() returns, in this dialogue."
            )
        self._learn(question, answer)

    def undo(self) -> ClusterQuestion:
        """Take the last answer back; its question is asked again, and returned."""
        if not self._answers:
            raise RequestError("there is no answer to take back.")
        question, _ = self._answers.pop()
        self._beliefs.pop()
        self._asked = question
        return question

    def release(self, *models: Model, method: str = "sangreea", **options: Any) -> Release:
        """Anonymise the table with the weights learnt so far. Promises and options as in `la.anonymize`."""
        if "weights" in options:
            raise RequestError(
                "the release of a dialogue has the weights it learnt. For others, call la.anonymize."
            )
        options.setdefault("seed", self.settings.seed)
        return anonymize(
            self.people, KAnonymity(self.settings.k), *models, method=method, weights=self.weights, **options
        )

    def gain(self, *models: Model, method: str = "sangreea", **options: Any) -> float | None:
        """The share of the release's loss that further answers could save at most, as expected on a sample.

        Promises and options as in `release`. None under rule "eg", which knows no uncertainty, and where the sample is
        too small for the promises.
        """
        belief = self._beliefs[-1]
        if not isinstance(belief, Posterior):
            return None
        members = belief.members[:: len(belief.members) // MEMBERS][:MEMBERS]
        try:
            return expected_gain(
                self._sample,
                (KAnonymity(self.settings.k), *models),
                belief.weights,
                members,
                method=method,
                **{"seed": self.settings.seed, **options},
            )
        except GuaranteeError:
            return None

    @cached_property
    def _sample(self) -> Table:
        return sample_of(self.people)

    def to_dict(self) -> dict[str, Any]:
        """The dialogue as plain JSON values: what was set, what the person saw and answered, nothing else."""
        return {
            "format": sessions.FORMAT,
            "dialogue": asdict(self.settings),
            "quasi": self._cells.names,
            "answers": [{**question.to_dict(), "answer": answer} for question, answer in self._answers],
            "weights": self.weights,
        }

    def save(self, path: str | Path) -> Path:
        """Write the dialogue to a file that `la.interact(people, resume=path)` takes up again."""
        text = json.dumps(self.to_dict(), ensure_ascii=False, indent=1) + "\n"
        return write_file(path, text, mode=0o600)  # it holds the records the person was shown

    def _learn(self, question: ClusterQuestion, answer: str) -> None:
        self._beliefs.append(self._beliefs[-1].told(question.difference, answer))
        self._answers.append((question, answer))
        self._asked = None

    def _repr_html_(self) -> str:
        rows = [(name, f"{weight:.2f}") for name, weight in self.weights.items()]
        return panel(f"Dialogue, {amount(len(self), 'answer')} so far", heads=("column", "weight"), rows=rows)

    def __repr__(self) -> str:
        weights = ", ".join(f"{name} {weight:.2f}" for name, weight in self.weights.items())
        return f"Dialogue({amount(len(self), 'answer')}, k={self.settings.k}, rule {self.settings.rule!r}; {weights})"


@takes_frames
def interact(
    people: Table,
    *,
    k: int | None = None,
    rule: str | None = None,
    sliders: Mapping[str, float] | None = None,
    seed: int | None = None,
    eta: float | None = None,
    tau: float | None = None,
    questions: str | None = None,
    resume: str | Path | None = None,
) -> Dialogue:
    """Start a dialogue that learns how much losing detail in each quasi-identifier hurts.

    k: size of the groups that are built; 10 unless given.
    rule: "bayes" (default) keeps a belief about the weights and knows how sure it is; "eg" makes one step per answer.
    sliders: what the person says outright, a number from 0 on per column (1 where not named): where learning starts.
    seed: same seed, same questions; 0 unless given.
    eta, tau: step size and decisiveness of rule "eg", 1 unless given; eta from 0.1 to 0.3 suits long dialogues.
    questions: "teach" (default) asks what teaches most, "random" anything sensible, for comparison.
    resume: a file written by `dialogue.save`: all the above is taken from it, and what is given but differs is refused.

    Examples:
        >>> import lookalike as la
        >>> frame = la.datasets.population(200, seed=1).select("age", "gender", "income")
        >>> people = la.table(frame, quasi=["age", "gender"], sensitive=["income"])
        >>> dialogue = la.interact(people, k=5)
        >>> question = dialogue.ask()
        >>> dialogue.answer(question, "A")
        >>> len(dialogue)
        1
    """
    if not people.quasi:
        raise RequestError("the table has no quasi-identifiers. Name them with `quasi`.")
    steps = {"eta": eta, "tau": tau}
    named = {"k": k, "rule": rule, "sliders": sliders, "seed": seed, **steps, "questions": questions}
    given = {name: value for name, value in named.items() if value is not None}
    settings = sessions.check_settings(given, people.quasi)
    if resume is None:
        return Dialogue(people, settings)
    session = sessions.read(Path(resume), people.quasi)
    for name in given:
        asked, kept = getattr(settings, name), getattr(session.settings, name)
        if asked != kept:
            raise RequestError(
                f"`{name}` is {asked!r}, but {kept!r} in the dialogue of {resume}. Leave it out to go on with that "
                "dialogue, or start a new one."
            )
    dialogue = Dialogue(people, session.settings)
    for question, answer in session.answers:
        dialogue._learn(question, answer)
    return dialogue
