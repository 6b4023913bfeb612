"""The step Use: every column before and after, and what classifiers still learn."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from lookalike.base.progress import Report
from lookalike.measures.utility.encoding import Published
from lookalike.measures.utility.questions.answers import Answer
from lookalike.measures.utility.questions.question import Question
from lookalike.measures.utility.released import open_release
from lookalike.recodings.reading import contents
from lookalike.recodings.treatments import Box, Generalise, Round
from lookalike.runs.running import arguments
from lookalike.web.state import MAKES_RELEASE, key_of
from lookalike.web.tasks.columns import distribution
from lookalike.web.tasks.decisions import Decisions
from lookalike.web.tasks.running import Cache
from lookalike.web.tasks.tables import masked, show


def compare(cache: Cache, decisions: Decisions, report: Report) -> dict[str, Any]:
    """Each column of the release beside the original's, on the same values."""
    release = cache.release(decisions, report)
    people = release.people
    published = open_release(people, release)
    columns = []
    for name in people.names:
        coded = people.column(name)
        out = name in release.rows.columns
        columns.append(
            {
                "name": name,
                "role": decisions["roles"].get(name, "other"),
                "before": [] if masked(decisions, name) else distribution(coded, release.records),
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
    if isinstance(treatment, Round):  # a rounded number counts for the nearest of the original
        own, given = domain.numbers[: len(domain.values)], column.domain.numbers[: len(column.domain.values)]
        place[: len(given)] = np.searchsorted((own[1:] + own[:-1]) / 2, given)
    known = place >= 0
    np.add.at(out, place[known], column.counts[known])
    return out


def learn(cache: Cache, decisions: Decisions, report: Report, *, target: str) -> dict[str, Any]:
    """What classifiers learn from original and release."""
    import lookalike as la

    release = cache.release(decisions)
    found = la.evaluate(release.people, release, targets=[target], progress=report)
    return {"text": str(found), "result": found.to_dict()}


def answer(cache: Cache, decisions: Decisions, report: Report) -> dict[str, Any]:
    """The questions that were put together, asked of original and release."""
    return {"answers": [one.to_dict() for one in answers_of(cache, decisions, report)]}


def answers_of(cache: Cache, decisions: Decisions, report: Report) -> tuple[Answer, ...]:
    """The answers to all questions, asked once."""
    import lookalike as la

    def ask() -> tuple[Answer, ...]:
        release = cache.release(decisions)
        asked = [Question(**one) for one in decisions["questions"]]
        return la.evaluate(release.people, release, targets=[], questions=asked, progress=report).questions

    return cache.keep("answers", key_of(decisions, (*MAKES_RELEASE, "questions")), ask, most=2)


def choose_k(cache: Cache, decisions: Decisions, report: Report, *, most: int) -> dict[str, Any]:
    """The largest k, of those up to `most`, up to which no answer changes, with everything tried and what to note."""
    import lookalike as la

    people = cache.table(decisions)
    recipe = cache.recipe(decisions)
    others = [model for model in recipe.promises if model.name != "k-anonymity"]
    asked = [Question(**one) for one in decisions["questions"]]
    ks = range(2, most + 1)
    found = la.choose_k(people, *others, ks=ks, questions=asked, progress=report, **arguments(recipe))
    return {**found.to_dict(), "notes": list(found.warnings)}


def who_pays(cache: Cache, decisions: Decisions, report: Report, *, by: str | None) -> dict[str, Any]:
    """What each column lost, and what each group of a column pays."""
    import lookalike as la

    release = cache.release(decisions)
    found = la.loss(release.people, release, by=by).to_dict()
    for one in found["groups"]:
        one["group"] = show(str(one["group"]))
    return {"columns": found["columns"], "groups": found["groups"], "notes": found["warnings"]}
