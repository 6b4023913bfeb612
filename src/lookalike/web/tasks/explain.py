"""Explain: a model, trained here or given as a file, a person, and the counterfactual that k people share."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lookalike.base.errors import RequestError
from lookalike.base.progress import Report
from lookalike.explanations.explainer import KAnonymousExplainer
from lookalike.explanations.files import read_model
from lookalike.explanations.outcomes import Outcomes
from lookalike.explanations.trained import MOST_OUTCOMES, train_model
from lookalike.web.state import MAKES_TABLE, key_of
from lookalike.web.tasks.decisions import Decisions
from lookalike.web.tasks.running import Cache
from lookalike.web.tasks.tables import show

_PIECES = 60  # of a column, when its box is drawn
#: {"target": name} to train a model here; {"path", "trust", perhaps "features"} for one from a file
Given = dict[str, Any]


@dataclass(frozen=True)
class _Consulted:
    """A model and what it decides about everybody in the table."""

    model: Any
    features: list[str]
    predicted: NDArray[Any]
    outcomes: list[Any]  #: all that it decides, in order


def targets(cache: Cache, decisions: Decisions, report: Report) -> dict[str, Any]:
    """Columns a model could decide about, with their outcomes; private and target columns first."""
    people = cache.table(decisions)
    names = [*people.targets, *people.sensitive, *(n for n in people.names if n not in people.identifiers)]
    out = {}
    for name in dict.fromkeys(names):
        texts = people.column(name).domain.texts
        if name not in people.quasi and 2 <= len(texts) <= MOST_OUTCOMES:
            out[name] = [show(text) for text in texts]
    return {"targets": out}


def meet(cache: Cache, decisions: Decisions, report: Report, *, model: Given) -> dict[str, Any]:
    """What a model looks at and what it decides; the last outcome is the one that people usually wish for."""
    found = _consult(cache, decisions, model)
    return {
        "features": found.features,
        "named": hasattr(found.model, "feature_names_in_"),
        "outcomes": [show(str(one)) for one in found.outcomes],
    }


def _consult(cache: Cache, decisions: Decisions, given: Given) -> _Consulted:
    """The model, and its decision about everybody, asked once."""
    people = cache.table(decisions)

    def ask() -> _Consulted:
        if "target" in given:
            model: Any = train_model(people, given["target"])
        else:
            model = read_model(given["path"], trusted=given["trust"])
        asked = Outcomes(model, people, desired=None, features=given.get("features"))
        predicted = asked.predict(people.rows)
        outcomes = sorted(set(predicted.tolist()), key=lambda one: (str(type(one)), one))
        if "target" in given:
            outcomes = list(people.column(given["target"]).domain.texts)
        if len(outcomes) > MOST_OUTCOMES:
            raise RequestError(
                f"the model decides between {len(outcomes)} outcomes; one to explain has 2 to {MOST_OUTCOMES}."
            )
        return _Consulted(model, asked.features, predicted, outcomes)

    return cache.keep("model", f"{key_of(decisions, MAKES_TABLE)} {sorted(given.items())}", ask, most=2)


def explain(
    cache: Cache,
    decisions: Decisions,
    report: Report,
    *,
    model: Given,
    outcome: int,
    k: int,
    row: int,
    exact: bool = False,
) -> dict[str, Any]:
    """The explanation for a row that does not get the outcome: the given one, or the next after it.

    exact: values that are not blurred are shown as one person has them, and so are the person's own.
    """
    people = cache.table(decisions)
    found = _consult(cache, decisions, model)
    report(0.4)
    desired = found.outcomes[outcome]
    refused = np.flatnonzero(np.array([one != desired for one in found.predicted.tolist()]))
    if not len(refused):
        raise RequestError(f"the model gives everybody {show(str(desired))!r}; there is nothing to explain.")
    explainer = cache.keep(
        "explainer",
        f"{key_of(decisions, MAKES_TABLE)} {sorted(model.items())} {desired!r} {k} {exact}",
        lambda: KAnonymousExplainer(
            found.model,
            people,
            desired=desired,
            k=k,
            features=found.features,
            justified=False,
            values="exact" if exact else "shared",
        ),
        most=2,
    )
    report(0.7)
    chosen = int(refused[np.searchsorted(refused, max(row - 1, 0)) % len(refused)])
    (told,) = explainer.explain_many(people.rows[[chosen]], called=[chosen + 1])
    boxes = []
    for name, side in told.box.items():
        column = people.column(name)
        inside = np.asarray(side.matches(column.domain))[: len(column.domain.values)]
        parts = np.array_split(np.arange(len(inside)), min(_PIECES, max(len(inside), 1)))
        code = int(column.codes[chosen])
        boxes.append(
            {
                "column": name,
                "now": show(str(people.rows[name][chosen])) if exact else None,
                "then": show(str(side)),
                "pieces": [bool(inside[part].any()) for part in parts],
                "mine": next((i for i, part in enumerate(parts) if code in part), None) if exact else None,
                "changes": any(change.column == name for change in told.changes),
            }
        )
    return {
        "row": chosen + 1,
        "text": show_all(told.text),
        "k": told.k,
        "holds": told.holds,
        "ncp": told.ncp,
        "boxes": boxes,
        "others": {
            change.column: show(str(change.then)) for change in told.changes if change.column not in told.box
        },
        "refused": len(refused),
    }


def show_all(text: str) -> str:
    """A sentence for the screen, uncut."""
    return "".join(letter if letter.isprintable() else "�" for letter in text)
