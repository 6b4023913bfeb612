"""The step Blur: a release of the whole, the effect on a sample, and the dialogue that learns what matters."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import copy
from typing import Any

from lookalike.anonymizers.dialogue.interaction import Dialogue
from lookalike.anonymizers.methods import METHODS
from lookalike.anonymizers.requests import fitting_methods
from lookalike.base.errors import LookalikeError, RequestError
from lookalike.base.progress import Report
from lookalike.releases.recipes import Recipe
from lookalike.releases.release import Release
from lookalike.runs.running import arguments
from lookalike.tables.table import Table
from lookalike.web.state import MAKES_RELEASE, MAKES_TABLE, key_of
from lookalike.web.tasks.decisions import Decisions
from lookalike.web.tasks.running import LARGE, Cache
from lookalike.web.tasks.tables import show

_SLOW = 10_000  # rows from which a release takes so long that a draft is shown first


def whole(cache: Cache, decisions: Decisions, report: Report) -> dict[str, Any]:
    """Make the release, and tell its numbers."""
    return numbers(cache.release(decisions, report))


def draft(cache: Cache, decisions: Decisions, report: Report) -> dict[str, Any] | None:
    """The whole table in one round where the release takes several: the promise is kept, the detail still grows."""
    recipe, people = cache.recipe(decisions), cache.needed(decisions)
    options = {**recipe.method.get("options", {}), "rounds": 1}
    first = fitting_methods(recipe.method["name"], people, recipe.promises, options)[0]
    if "rounds" not in METHODS[first].options or not _SLOW < len(people) <= LARGE:
        return None

    def make() -> dict[str, Any] | None:
        try:
            return {**numbers(_quickly(people, recipe, report, rounds=1)), "draft": True}
        except LookalikeError:  # another method may keep the promise, or making the whole tells why none does
            return None

    return cache.keep("draft", key_of(decisions, MAKES_RELEASE), make)


def sample(cache: Cache, decisions: Decisions, report: Report) -> dict[str, Any]:
    """What the same request gives on a sample: quick, and coarser than the whole will be."""
    people = cache.sample(decisions)
    release = _quickly(people, cache.recipe(decisions), report)
    return {**numbers(release), "sample": len(people), "rows": len(cache.raw(decisions))}


def _quickly(people: Table, recipe: Recipe, report: Report, **options: Any) -> Release:
    """What the recipe asks for, without what happens to columns that no promise is about."""
    import lookalike as la

    told = {name: part for name, part in arguments(recipe).items() if name not in ("linked", "rounding")}
    return la.anonymize(people, *recipe.promises, **{**told, **options}, progress=report)


def numbers(release: Release) -> dict[str, Any]:
    """What the strip and the step say about a release."""
    import lookalike as la

    quasi = [name for name in release.recoding.quasi if name in release.rows.columns]
    return {
        **release.to_dict(),
        "uniques": la.risk(release.rows, quasi=quasi).uniques if release.k == 1 else 0,
        "promises": [str(model) for model in release.models],
        "values": {name: release.rows[name].n_unique() for name in quasi},
    }


def ask(cache: Cache, decisions: Decisions, report: Report, *, k: int) -> dict[str, Any]:
    """The next question after the answers so far, with the weights as they are believed now."""
    dialogue = _dialogue(cache, decisions, k)
    question = dialogue.ask()
    cache.keep("answered", _so_far(decisions, k), lambda: copy(dialogue))
    spread = dialogue.uncertainty or {}
    return {
        "question": None if question is None else _shown(question.to_dict()),
        "answers": len(dialogue),
        "weights": dialogue.weights,
        "uncertainty": spread,
    }


def gain(cache: Cache, decisions: Decisions, report: Report, *, k: int) -> float | None:
    """How much of the release's loss further answers could still save; beside the dialogue, which goes on."""
    recipe = cache.recipe(decisions)
    left_out = ("weights", "linked", "rounding")
    told = {name: part for name, part in arguments(recipe).items() if name not in left_out}
    answered = cache.keep(
        "answered", _so_far(decisions, k), lambda: _answer(_begin(cache, decisions, k), decisions["answers"])
    )
    return answered.gain(*recipe.promises, **told, progress=report)


def _so_far(decisions: Decisions, k: int) -> str:
    return f"{key_of(decisions, (*MAKES_TABLE, 'answers'))} {k} {decisions['seed']}"


def _dialogue(cache: Cache, decisions: Decisions, k: int) -> Dialogue:
    """The dialogue after these answers: gone on with, or some answers taken back."""
    key = f"{key_of(decisions, MAKES_TABLE)} {k} {decisions['seed']}"
    return _answer(
        cache.keep("dialogue", key, lambda: _begin(cache, decisions, k), most=2), decisions["answers"]
    )


def _begin(cache: Cache, decisions: Decisions, k: int) -> Dialogue:
    import lookalike as la

    return la.interact(cache.table(decisions), k=k, seed=decisions["seed"])


def _answer(dialogue: Dialogue, wanted: Sequence[str]) -> Dialogue:
    given = [answer for _, answer in dialogue.answers]
    same = 0
    while same < min(len(wanted), len(given)) and wanted[same] == given[same]:
        same += 1
    for _ in given[same:]:
        dialogue.undo()
    for answer in wanted[same:]:
        question = dialogue.ask()
        if question is None:
            raise RequestError("no question is left that would teach anything; take the last answer back.")
        dialogue.answer(question, answer)
    return dialogue


def _shown(question: dict[str, Any]) -> dict[str, Any]:
    """A question whose labels are fit for the screen."""

    def clean(labels: Mapping[str, str | None]) -> dict[str, str | None]:
        return {name: None if label is None else show(label) for name, label in labels.items()}

    sides = {
        word: {**question[word], "now": clean(question[word]["now"]), "then": clean(question[word]["then"])}
        for word in ("A", "B")
    }
    return {**question, "record": clean(question["record"]), **sides}
