"""Whether a release keeps what its certificate promises, recomputed by the plain definitions of `definitions.py`."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import polars as pl

from lookalike.models import MODELS, model_from_dict
from lookalike.releases.certificate import label_digest
from lookalike.verifier.contents import as_numbers, counting
from lookalike.verifier.definitions import NotKnown, by_size, by_values
from lookalike.verifier.findings import SHOWN, Finding
from lookalike.verifier.reading import RISK
from lookalike.verifier.semantic_definition import risks_by_definition, risks_of_people

NOT_PEOPLE = " (the promise counts people; the release only shows records)"


def check_promise(rows: pl.DataFrame, model: Mapping[str, Any], written: Mapping[str, Any]) -> Finding:
    """Whether every class keeps a promise; unknown where the release does not show what the promise speaks about."""
    name = model["model"]
    column = model.get("column")
    check = f"{name} of {column}" if column is not None else str(name)
    if model_from_dict(model).needs_population:
        return Finding(check, None, "speaks about a population that is not part of the release")
    if column is not None and f"column {column}" not in rows.columns:
        return Finding(check, False, f"column {column!r} is not in the release")
    by = [f"column {quasi}" for quasi in written["quasi"]]
    if model.get("strict"):
        others = [f"column {other}" for other in written["sensitive"] if other != column]
        by += [other for other in others if other in rows.columns]
    people = counting(written)
    classes = rows.group_by(by, maintain_order=True).agg(
        (pl.len() if people is None else people).alias("people"), pl.col("row").first()
    )
    sizes = classes["people"].to_list()
    if not sizes:
        return Finding(check, True, "the release is empty")
    first = classes["row"].to_list()
    try:
        histograms: list[dict[str | None, int]] = []
        overall: dict[str | None, int] = {}
        if column is not None:
            histograms, overall = _histograms(_each_once(rows, model, written), by, f"column {column}")
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
        lines = tuple(sorted(first[i] for i in broken)[:SHOWN])
        # Fewer records, or fewer values, than promised means fewer people too; anything else people may still keep.
        certain = (
            people is not None
            or name == "k-anonymity"
            or (name == "l-diversity" and model["kind"] == "distinct")
        )
        message = f"{len(broken):,} of {len(sizes):,} classes break it, one at row {lines[0]}{note}"
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


def _each_once(rows: pl.DataFrame, model: Mapping[str, Any], written: Mapping[str, Any]) -> pl.DataFrame:
    """A person's rows with the same quasi-identifiers and values as one row, where people are counted."""
    if written.get("unit") is None:
        return rows
    unit = f"column {written['unit']}"
    if model_from_dict(model).relative and rows[unit].n_unique() < rows.height:
        raise NotKnown("compares people with the whole table, in which some have several rows")
    by = [
        f"column {name}"
        for name in dict.fromkeys([*written["quasi"], *written["sensitive"], model["column"]])
    ]
    return rows.unique(
        [name for name in [unit, *by] if name in rows.columns], keep="first", maintain_order=True
    )


def check_semantic_risk(rows: pl.DataFrame, written: Mapping[str, Any]) -> list[Finding]:
    """The largest basic semantic risk, where the certificate states one.

    It never exceeds one over the size of the class, whatever the attributes; only smaller classes need them. Where
    people are counted and nothing tells them apart, records are: people are fewer, so too high a risk of records is too
    high, and no more is known.
    """
    limit = written["measured"].get(RISK)
    if limit is None:
        return []
    check, stated = "semantic risk", f"stated as at most {limit:g}, not checked"
    by = [f"column {name}" for name in written["quasi"]]
    people = counting(written)
    fine, note = (None, NOT_PEOPLE) if people is None else (True, "")
    classes = rows.group_by(by, maintain_order=True).agg(
        (pl.len() if people is None else people).alias("people"), pl.col("row").first()
    )
    sizes = classes["people"].to_list()
    small = [i for i, size in enumerate(sizes) if 1 / size > limit]
    if not small:
        least, who = min(sizes, default=0), "records" if written["unit"] is None else "people"
        message = f"at most {limit:g} by class sizes alone: every class has {least:,} {who} or more{note}"
        return [Finding(check, fine, message)]
    held: list[list[int]] = [[] for _ in sizes]
    for name in written["quasi"]:
        known = written.get("attributes", {}).get(name, {})
        for i, label in enumerate(classes[f"column {name}"].to_list()):
            if (digest := label_digest(name, label)) not in known:
                reason = f"the certificate does not say which attributes the values of {name!r} have"
                return [Finding(check, None, f"{stated}: {reason}")]
            held[i] += known[digest]
    if written["unit"] is None:
        risks = risks_by_definition(held, sizes, small)
    else:
        named = pl.col(f"column {written['unit']}").unique().alias("named")
        people_of = rows.group_by(by, maintain_order=True).agg(named)["named"].to_list()
        risks = risks_of_people(held, people_of, small)
    broken = [i for i, risk in zip(small, risks) if risk > limit]
    if not broken:
        message = f"{max(risks):.6g} at most among classes smaller than 1/{limit:g}, by the attributes certified{note}"
        return [Finding(check, fine, message)]
    lines = tuple(sorted(classes["row"].to_list()[i] for i in broken)[:SHOWN])
    message = f"above {limit:g} in {len(broken):,} of {len(sizes):,} classes, one at row {lines[0]}"
    return [Finding(check, False, message, lines)]


def _histograms(
    rows: pl.DataFrame, by: list[str], column: str
) -> tuple[list[dict[str | None, int]], dict[str | None, int]]:
    """The sensitive values of each class, classes in the order of their first row, and those of the whole release."""
    classes = rows.group_by(by, maintain_order=True).agg(
        pl.col(column).alias("value").value_counts(name="times")
    )
    out = []
    overall: dict[str | None, int] = {}
    for entries in classes["value"].to_list():
        histogram = {entry["value"]: int(entry["times"]) for entry in entries}
        out.append(histogram)
        for value, count in histogram.items():
            overall[value] = overall.get(value, 0) + count
    return out, overall
