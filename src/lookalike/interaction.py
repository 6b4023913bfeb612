"""`interact`: weights for an anonymisation learnt from a person's choices, one question at a time.

The person is shown a record and two partly built groups and says which should take it (Malle, Kieseberg and Holzinger
2017, Interactive anonymization for privacy aware machine learning). Every answer changes the weights; the next groups
are built with them.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from lookalike.anonymization import anonymize
from lookalike.anonymizers import questions
from lookalike.anonymizers.preferences import ANSWERS, Beliefs, Exponentiated, Posterior, prior_weights
from lookalike.anonymizers.questions import Question
from lookalike.errors import FileError, GuaranteeError, RequestError, amount, unknown_column
from lookalike.models import KAnonymity, Model
from lookalike.releases import Release
from lookalike.tables import Table

RULES = ("bayes", "eg")
FORMAT = 1
_SLIDER_TRUST = 2.0  # sliders count about as much as a belief twice as firm as none at all


class Dialogue:
    """A running dialogue. Made by `la.interact`.

    >>> import lookalike as la
    >>> people = la.table(la.datasets.population(200, seed=1), quasi=["age", "gender", "area"], others=[])
    >>> dialogue = la.interact(people, k=5)
    >>> question = dialogue.ask()
    >>> dialogue.answer(question, "A")
    >>> len(dialogue)
    1
    """

    def __init__(
        self,
        people: Table,
        *,
        k: int,
        rule: str,
        sliders: Mapping[str, float] | None,
        seed: int,
        eta: float,
        tau: float,
        teach: bool,
    ) -> None:
        self.people = people
        self.k = k
        self.rule = rule
        self.sliders = None if sliders is None else dict(sliders)
        self.seed = seed
        self._options = {"eta": eta, "tau": tau, "teach": teach}
        self._cells = people.cells(sensitive=[])
        numeric = [name for name in people.quasi if people.column(name).kind.numeric]
        ranges = [name for name in numeric if name not in people.hierarchies]  # as method "sangreea" has it
        self._space = questions.lay_out(self._cells, ranges)
        names = self._cells.names
        given = None if sliders is None else [sliders.get(name, 1.0) for name in names]
        start = prior_weights(names, given)
        first: Beliefs = (
            Exponentiated(start, eta=eta, tau=tau)
            if rule == "eg"
            else Posterior.before(start, seed=seed, trust=1.0 if given is None else _SLIDER_TRUST)
        )
        self._beliefs = [first]  # one per answer, so that undoing is exact and free
        self._answers: list[tuple[Question, str]] = []
        self._asked: Question | None = None

    @property
    def weights(self) -> dict[str, float]:
        """How much the person minds losing detail in each quasi-identifier, as far as is known; they sum to 1."""
        return dict(zip(self._cells.names, self._beliefs[-1].weights.tolist()))

    @property
    def uncertainty(self) -> dict[str, float] | None:
        """The standard deviation of each weight; None under rule "eg", which knows none."""
        spread = self._beliefs[-1].spread
        return None if spread is None else dict(zip(self._cells.names, spread.tolist()))

    @property
    def answers(self) -> list[tuple[Question, str]]:
        """The questions answered so far, with their answers."""
        return list(self._answers)

    def __len__(self) -> int:
        return len(self._answers)

    def ask(self) -> Question | None:
        """The next question; the same one until it is answered. None where no answer could teach anything."""
        if self._asked is None:
            self._asked = questions.ask(
                self._cells,
                self._space,
                self._beliefs[-1],
                k=self.k,
                number=len(self._answers) + 1,
                seed=(self.seed,),
                teach=bool(self._options["teach"]),
            )
        return self._asked

    def answer(self, question: Question, answer: str) -> None:
        """Record an answer, "A", "B" or "can't say", and learn from it."""
        if answer not in ANSWERS:
            raise RequestError(f"{answer!r} is not an answer; choose from {', '.join(map(repr, ANSWERS))}.")
        if not isinstance(question, Question):
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

    def undo(self) -> Question:
        """Take the last answer back; its question is asked again, and returned."""
        if not self._answers:
            raise RequestError("there is no answer to take back.")
        question, _ = self._answers.pop()
        self._beliefs.pop()
        self._asked = question
        return question

    def release(self, *models: Model, method: str = "sangreea", **options: Any) -> Release:
        """Anonymise the table with the weights learnt so far. Promises and options as in `la.anonymize`."""
        options.setdefault("seed", self.seed)
        return anonymize(
            self.people, KAnonymity(self.k), *models, method=method, weights=self.weights, **options
        )

    def to_dict(self) -> dict[str, Any]:
        """The dialogue as plain JSON values: what was set, what the person saw and answered, nothing else."""
        return {
            "format": FORMAT,
            "dialogue": {
                "k": self.k,
                "rule": self.rule,
                "sliders": self.sliders,
                "seed": self.seed,
                **self._options,
            },
            "quasi": self._cells.names,
            "answers": [{**question.to_dict(), "answer": answer} for question, answer in self._answers],
            "weights": self.weights,
        }

    def save(self, path: str | Path) -> Path:
        """Write the dialogue to a file that `la.interact(people, resume=path)` takes up again."""
        path = Path(path)
        beside = path.with_name(f".{path.name}.part")
        try:
            beside.touch(mode=0o600)  # it holds the records the person was shown
            beside.write_text(
                json.dumps(self.to_dict(), ensure_ascii=False, indent=1) + "\n", encoding="utf-8"
            )
            os.replace(beside, path)
        except OSError as problem:
            raise FileError(f"{path}: cannot be written ({problem.strerror}).") from None
        return path

    def _learn(self, question: Question, answer: str) -> None:
        self._beliefs.append(self._beliefs[-1].told(question.difference, answer))
        self._answers.append((question, answer))
        self._asked = None

    def __repr__(self) -> str:
        weights = ", ".join(f"{name} {weight:.2f}" for name, weight in self.weights.items())
        return f"Dialogue({amount(len(self), 'answer')}, k={self.k}, rule {self.rule!r}; {weights})"


def interact(
    people: Table,
    *,
    k: int = 10,
    rule: str = "bayes",
    sliders: Mapping[str, float] | None = None,
    seed: int = 0,
    eta: float = 1.0,
    tau: float = 1.0,
    questions: str = "teach",
    resume: str | Path | None = None,
) -> Dialogue:
    """Start a dialogue that learns how much losing detail in each quasi-identifier hurts.

    k: size of the groups that are built.
    rule: "bayes" keeps a belief about the weights and knows how sure it is; "eg" makes one step per answer.
    sliders: what the person says outright, a number from 0 on per column (1 where not named): where learning starts.
    eta, tau: step size and decisiveness of rule "eg"; 0.1 to 0.3 suits long dialogues.
    questions: "teach" asks what teaches most, "random" anything sensible, for comparison.
    resume: a file written by `dialogue.save`; everything else is then taken from it.
    """
    if resume is not None:
        return _resume(people, Path(resume))
    _check(people, k, rule, sliders, eta, tau, questions)
    return Dialogue(
        people, k=k, rule=rule, sliders=sliders, seed=seed, eta=eta, tau=tau, teach=questions == "teach"
    )


def _check(
    people: Table,
    k: Any,
    rule: str,
    sliders: Mapping[str, float] | None,
    eta: float,
    tau: float,
    how: str,
) -> None:
    if not people.quasi:
        raise RequestError("the table has no quasi-identifiers. Name them with `quasi`.")
    if isinstance(k, bool) or not isinstance(k, int | np.integer) or k < 2:
        raise RequestError(f"k is the size of the smallest group, 2 or more; found {k!r}.")
    if len(people) < k:
        raise GuaranteeError(
            f"{amount(len(people), 'record')} cannot make a group of {k}. Ask for a smaller k."
        )
    if rule not in RULES:
        raise RequestError(f"there is no rule {rule!r}; choose from {', '.join(RULES)}.")
    if how not in ("teach", "random"):
        raise RequestError(f"questions can be chosen to 'teach' or at 'random', not {how!r}.")
    for word, value in (("eta", eta), ("tau", tau)):
        if not (np.isfinite(value) and value > 0):
            raise RequestError(f"{word} is a positive number; found {value}.")
    for name, value in (sliders or {}).items():
        if name not in people.quasi:
            raise unknown_column(name, people.quasi, "sliders")
        if not (np.isfinite(value) and value >= 0):
            raise RequestError(f"sliders: column {name!r} is at {value}; sliders are numbers from 0 on.")


def _resume(people: Table, path: Path) -> Dialogue:
    try:
        written = json.loads(path.read_text(encoding="utf-8"))
    except OSError as problem:
        raise FileError(f"{path}: cannot be read ({problem.strerror}).") from None
    except ValueError:
        raise FileError(f"{path}: is not a saved dialogue (not JSON).") from None
    if not isinstance(written, dict) or written.get("format") != FORMAT or "dialogue" not in written:
        raise FileError(f"{path}: is not a saved dialogue of format {FORMAT}.")
    if written["quasi"] != people.quasi:
        raise RequestError(
            f"{path}: the dialogue was about {', '.join(written['quasi'])}; the table's quasi-identifiers are "
            f"{', '.join(people.quasi)}. Give the same columns in the same order."
        )
    options = dict(written["dialogue"])
    options["questions"] = "teach" if options.pop("teach") else "random"
    dialogue = interact(people, **options)
    for one in written["answers"]:
        question = Question.from_dict(one)
        if one.get("answer") not in ANSWERS or set(question.record) != set(people.quasi):
            raise FileError(f"{path}: answer {len(dialogue) + 1} cannot be read.")
        dialogue._learn(question, one["answer"])
    return dialogue
