"""Explain: a model trained here, a person, and the counterfactual that k people share."""

from __future__ import annotations

from typing import Any

import numpy as np

from lookalike.errors import RequestError
from lookalike.explanations.explainer import KAnonymousExplainer
from lookalike.explanations.trained import MOST_OUTCOMES, TrainedModel, train_model
from lookalike.progress import Report
from lookalike.web.state import MAKES_TABLE, key_of
from lookalike.web.tasks.decisions import Decisions
from lookalike.web.tasks.running import Shop
from lookalike.web.tasks.tables import show

_PIECES = 60  # of a column, when its box is drawn


def targets(shop: Shop, decisions: Decisions, report: Report) -> dict[str, Any]:
    """Columns a model could decide about, with their outcomes; private and target columns first."""
    people = shop.table(decisions)
    names = [*people.targets, *people.sensitive, *(n for n in people.names if n not in people.identifiers)]
    out = {}
    for name in dict.fromkeys(names):
        texts = people.column(name).domain.texts
        if name not in people.quasi and 2 <= len(texts) <= MOST_OUTCOMES:
            out[name] = [show(text) for text in texts]
    return {"targets": out}


def explain(
    shop: Shop, decisions: Decisions, report: Report, *, target: str, outcome: int, k: int, row: int
) -> dict[str, Any]:
    """The explanation for a row that does not get the outcome: the given one, or the next after it."""
    people = shop.table(decisions)
    key = f"{key_of(decisions, MAKES_TABLE)} {target}"
    model: TrainedModel = shop.keep("model", key, lambda: train_model(people, target), most=2)
    report(0.3)
    desired = people.column(target).domain.texts[outcome]
    predicted = shop.keep(
        "predicted", key, lambda: model.predict(people.rows.select(model.feature_names_in_)), most=2
    )
    refused = np.flatnonzero(predicted != desired)
    if not len(refused):
        raise RequestError(f"the model gives everybody {show(desired)!r}; there is nothing to explain.")
    report(0.4)
    explainer = shop.keep(
        "explainer",
        f"{key} {desired} {k}",
        lambda: KAnonymousExplainer(model, people, desired=desired, k=k, justified=False),
        most=2,
    )
    report(0.7)
    chosen = int(refused[np.searchsorted(refused, max(row - 1, 0)) % len(refused)])
    told = explainer.explain(people.rows[chosen])
    boxes = []
    for name, side in told.box.items():
        column = people.column(name)
        inside = np.asarray(side.matches(column.domain))[: len(column.domain.values)]
        parts = np.array_split(np.arange(len(inside)), min(_PIECES, max(len(inside), 1)))
        code = int(column.codes[chosen])
        boxes.append(
            {
                "column": name,
                "now": show(str(people.rows[name][chosen])),
                "then": show(str(side)),
                "pieces": [bool(inside[part].any()) for part in parts],
                "mine": next((i for i, part in enumerate(parts) if code in part), None),
                "changes": any(change.column == name for change in told.changes),
            }
        )
    return {
        "row": chosen + 1,
        "text": show_all(told.text),
        "k": told.k,
        "pureness": told.pureness,
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
