"""Whether a release keeps what its certificate promises, recomputed by the plain definitions of `definitions.py`."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from lookalike.models import MODELS, model_from_dict
from lookalike.releases.certificate import label_digest
from lookalike.verifier.contents import as_numbers, count_people
from lookalike.verifier.definitions import NotKnown, by_size, by_values
from lookalike.verifier.findings import Finding
from lookalike.verifier.reading import RISK
from lookalike.verifier.released import Released
from lookalike.verifier.semantic_definition import risks_by_definition, risks_of_people

NOT_PEOPLE = " (the promise counts people; the release only shows records)"


def check_promise(rows: Released, model: Mapping[str, Any], written: Mapping[str, Any]) -> Finding:
    """Whether every class keeps a promise; unknown where the release does not show what the promise speaks about."""
    name = model["model"]
    column = model.get("column")
    check = f"{name} of {column}" if column is not None else str(name)
    if model_from_dict(model).needs_population:
        return Finding(check, None, "speaks about a population that is not part of the release")
    if column is not None and column not in rows.columns:
        return Finding(check, False, f"column {column!r} is not in the release")
    by = list(written["quasi"])
    if model.get("strict"):
        by += [other for other in written["sensitive"] if other != column and other in rows.columns]
    classes = rows.classes(by)
    people = count_people(rows, classes, written)
    sizes = (classes.sizes if people is None else people).tolist()
    if not sizes:
        return Finding(check, True, "the release is empty")
    try:
        histograms: list[dict[str | None, int]] = []
        overall: dict[str | None, int] = {}
        if column is not None:
            histograms, overall = _histograms(_each_once(rows, model, written), by, column)
            if people is not None and [sum(h.values()) for h in histograms] != sizes:
                raise NotKnown("speaks about people, and some have several values in one class")
        if (definition := MODELS[name].definition) is not None:
            broken, level = definition(model, sizes, histograms)
        elif column is None:
            broken, level = by_size(model, sizes)
        else:
            broken, level = by_values(model, sizes, histograms, overall, written["meanings"])
    except NotKnown as problem:
        return Finding(check, None, str(problem))
    note = NOT_PEOPLE if people is None else ""
    if broken:
        where, lines = rows.at(classes.first()[broken])
        # Fewer records, or fewer values, than promised means fewer people too; anything else people may still keep.
        certain = people is not None or model_from_dict(model).broken_by_records
        message = f"{len(broken):,} of {len(sizes):,} classes break it{where and f', one{where}'}{note}"
        return Finding(check, False if certain else None, message, lines)
    if people is None:
        return Finding(
            check, None, f"kept by every class ({len(sizes):,}) of records, level {level:.6g}{note}"
        )
    said = written["achieved"].get(" ".join(part for part in (name, column) if part is not None))
    if not _is_said(level, said, model, written):
        told = "none" if said is None else f"{said:.6g}"
        return Finding(check, False, f"kept, at level {level:.6g} where {told} is certified")
    return Finding(check, True, f"kept by every class ({len(sizes):,}), level {level:.6g}")


def _is_said(level: float, said: float | None, model: Mapping[str, Any], written: Mapping[str, Any]) -> bool:
    """Whether the level recomputed is the one certified.

    Classes published as numbers may share them, so that a reader sees fewer and larger ones: then it may be better.
    And two promises of one kind about one column are certified as one: then it may be either's.
    """

    def about(promise: Mapping[str, Any]) -> tuple[Any, Any]:
        return promise["model"], promise.get("column")

    if sum(about(other) == about(model) for other in written["promise"]) > 1:
        return True
    if said is None or not math.isfinite(level):
        return said is None and not math.isfinite(level)
    if math.isclose(level, said, rel_tol=1e-6, abs_tol=1e-9):
        return True
    larger_is_safer = model_from_dict(model).larger_is_safer
    return as_numbers(written) and (level > said) == larger_is_safer


def _each_once(rows: Released, model: Mapping[str, Any], written: Mapping[str, Any]) -> Released:
    """A person's rows with the same quasi-identifiers and values as one row, where people are counted."""
    unit = written.get("unit")
    if unit is None:
        return rows
    if model_from_dict(model).relative and len(rows.classes([unit]).sizes) < rows.height:
        raise NotKnown("compares people with the whole table, in which some have several rows")
    by = dict.fromkeys([unit, *written["quasi"], *written["sensitive"], model["column"]])
    return rows.once([name for name in by if name in rows.columns])


def check_semantic_risk(rows: Released, written: Mapping[str, Any]) -> list[Finding]:
    """The largest basic semantic risk, where the certificate states one.

    It never exceeds one over the size of the class, whatever the attributes; only smaller classes need them. Where
    people are counted and nothing tells them apart, records are: people are fewer, so too high a risk of records is too
    high, and no more is known.
    """
    limit = written["measured"].get(RISK)
    if limit is None:
        return []
    check, stated = "semantic risk", f"stated as at most {limit:g}, not checked"
    classes = rows.classes(written["quasi"])
    people = count_people(rows, classes, written)
    fine, note = (None, NOT_PEOPLE) if people is None else (True, "")
    sizes = (classes.sizes if people is None else people).tolist()
    small = [i for i, size in enumerate(sizes) if 1 / size > limit]
    if not small:
        least, who = min(sizes, default=0), "records" if written["unit"] is None else "people"
        message = f"at most {limit:g} by class sizes alone: every class has {least:,} {who} or more{note}"
        return [Finding(check, fine, message)]
    held: list[list[int]] = [[] for _ in sizes]
    first = classes.first()
    for name in written["quasi"]:
        known = written.get("attributes", {}).get(name, {})
        texts = [None, *rows.columns[name].texts.to_list()]
        for i, place in enumerate(rows.columns[name].places[first].tolist()):
            if (digest := label_digest(name, texts[place])) not in known:
                reason = f"the certificate does not say which attributes the values of {name!r} have"
                return [Finding(check, None, f"{stated}: {reason}")]
            held[i] += known[digest]
    if written["unit"] is None:
        risks = risks_by_definition(held, sizes, small)
    else:
        of, person, _ = classes.with_values(rows.columns[written["unit"]])
        people_of = [part.tolist() for part in np.split(person, np.flatnonzero(np.diff(of)) + 1)]
        risks = risks_of_people(held, people_of, small)
    broken = [i for i, risk in zip(small, risks, strict=True) if risk > limit]
    if not broken:
        message = f"{max(risks):.6g} at most among classes smaller than 1/{limit:g}, by the attributes certified{note}"
        return [Finding(check, fine, message)]
    where, lines = rows.at(first[broken])
    message = f"above {limit:g} in {len(broken):,} of {len(sizes):,} classes{where and f', one{where}'}"
    return [Finding(check, False, message, lines)]


def _histograms(
    rows: Released, by: list[str], column: str
) -> tuple[list[dict[str | None, int]], dict[str | None, int]]:
    """The sensitive values of each class, and those of the whole release."""
    classes, values = rows.classes(by), rows.columns[column]
    texts: list[str | None] = [None, *values.texts.to_list()]
    out: list[dict[str | None, int]] = [{} for _ in classes.sizes]
    for one, place, times in zip(*(part.tolist() for part in classes.with_values(values)), strict=True):
        out[one][texts[place]] = times
    overall = values.often.tolist()
    return out, {texts[place]: times for place, times in enumerate(overall) if times}
