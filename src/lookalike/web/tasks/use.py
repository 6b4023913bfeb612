"""The step Use: every column before and after, and what classifiers still learn."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lookalike.progress import Report
from lookalike.recodings.reading import contents
from lookalike.recodings.treatments import Box, Generalise
from lookalike.utility.encoding import Published
from lookalike.utility.released import open_release
from lookalike.web.tasks.columns import distribution
from lookalike.web.tasks.running import Shop, asked, promises
from lookalike.web.tasks.tables import masked, show


def compare(shop: Shop, recipe: Mapping[str, Any], report: Report) -> dict[str, Any]:
    """Each column of the release beside the original's, on the same values."""
    release = shop.release(recipe, report)
    people = release.people
    published = open_release(people, release)
    columns = []
    for name in people.names:
        coded = people.column(name)
        out = name in release.rows.columns
        columns.append(
            {
                "name": name,
                "role": str(people.roles[name]),
                "before": [] if masked(people.roles[name]) else distribution(coded, release.records),
                "after": distribution(coded, release.records, _expected(published, name)) if out else None,
                "distinct": [len(coded.domain.values), release.rows[name].n_unique() if out else 0],
            }
        )
    return {"columns": columns, "suppressed": release.suppressed, "records": release.records}


def _expected(published: Published, name: str) -> NDArray[np.float64]:
    """Rows per value of the original, a label counting for each value it stands for in equal parts."""
    domain = published.people.column(name).domain
    treatment = published.recoding.columns[name]
    out = np.zeros(domain.size)
    if isinstance(treatment, Generalise | Box) and treatment.numbers == "range":
        labels, codes = published.labels(name)
        inside = contents(labels, domain, treatment)
        times = np.bincount(codes, minlength=len(labels))
        return np.asarray(times @ (inside / np.maximum(inside.sum(axis=1, keepdims=True), 1)))
    column = published.column(name)
    place = domain.find(column.domain)
    known = place >= 0
    np.add.at(out, place[known], column.counts[known])
    return out


def learn(shop: Shop, recipe: Mapping[str, Any], report: Report, *, target: str) -> dict[str, Any]:
    """What classifiers learn from original and release."""
    import lookalike as la

    release = shop.release(recipe)
    found = la.evaluate(release.people, release, targets=[target], progress=report)
    return {"text": str(found), "result": found.to_dict()}


def answer(shop: Shop, recipe: Mapping[str, Any], report: Report) -> dict[str, Any]:
    """The questions of the recipe, asked of original and release."""
    import lookalike as la

    release = shop.release(recipe)
    found = la.evaluate(
        release.people,
        release,
        targets=[],
        questions=_questions(recipe),
        seed=recipe["seed"],
        progress=report,
    )
    return {"answers": [one.to_dict() for one in found.questions]}


def choose_k(shop: Shop, recipe: Mapping[str, Any], report: Report) -> dict[str, Any]:
    """The largest k up to which no answer changes, with everything tried."""
    import lookalike as la

    people = shop.table(recipe)
    others = [model for model in promises(recipe) if model.name != "k-anonymity"]
    told = {name: value for name, value in asked(recipe, people).items() if value is not None}
    return la.choose_k(people, *others, questions=_questions(recipe), progress=report, **told).to_dict()


def who_pays(shop: Shop, recipe: Mapping[str, Any], report: Report, *, by: str | None) -> dict[str, Any]:
    """What each column lost, and what each group of a column pays."""
    import lookalike as la

    release = shop.release(recipe)
    found = la.loss(release.people, release, by=by).to_dict()
    for one in found["groups"]:
        one["group"] = show(str(one["group"]))
    return {"columns": found["columns"], "groups": found["groups"], "notes": found["warnings"]}


def _questions(recipe: Mapping[str, Any]) -> list[Any]:
    import lookalike as la

    return [
        la.Question(one["kind"], **{name: part for name, part in one.items() if name != "kind"})
        for one in recipe["questions"]
    ]
