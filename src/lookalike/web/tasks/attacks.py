"""The step Attack: the battery on the release, and the class an attacker would love, as counts."""

from __future__ import annotations

from typing import Any

import polars as pl

from lookalike.base.progress import Report
from lookalike.measures.attacks.results import Attacks
from lookalike.releases.release import Release
from lookalike.tables.columns.naming import named
from lookalike.web.state import MAKES_RELEASE, key_of
from lookalike.web.tasks.decisions import Decisions
from lookalike.web.tasks.running import Cache


def battery(cache: Cache, decisions: Decisions, report: Report) -> dict[str, Any]:
    """Every attack that applies, with its interval, baseline, control and bound."""
    release = cache.release(decisions)
    found = attacks_on(cache, decisions, report)
    results = [{**one.to_dict(), "title": one.title} for one in found]
    return {"attacks": results, "skipped": dict(found.skipped), "loved": _loved(release)}


def attacks_on(cache: Cache, decisions: Decisions, report: Report) -> Attacks:
    """The battery on the release, tried once."""
    import lookalike as la

    release = cache.release(decisions)
    return cache.keep(
        "attacks",
        key_of(decisions, MAKES_RELEASE),
        lambda: la.attack(release.people, release, seed=decisions["seed"], progress=report),
        most=2,
    )


def _loved(release: Release) -> list[dict[str, Any]]:
    """Per sensitive column the class in which one value is commonest: how many of how many, no label."""
    quasi = [name for name in release.recoding.quasi if name in release.rows.columns]
    out = []
    for name in release.people.sensitive:
        if name not in release.rows.columns or not quasi:
            continue
        rows = release.rows.select(named([*quasi, name]))
        rows.columns = [*map(str, range(len(quasi))), "value"]
        each = rows.group_by(pl.all()).len("times")
        classes = each.group_by(pl.exclude("value", "times")).agg(
            pl.col("times").sum().alias("size"), pl.col("times").max().alias("most")
        )
        worst = classes.with_columns((pl.col("most") / pl.col("size")).alias("share")).sort(
            "share", "size", descending=True
        )
        top = worst.row(0, named=True)
        alike = int((worst["share"] == 1.0).sum())
        out.append(
            {
                "column": name,
                "size": top["size"],
                "most": top["most"],
                "alike": alike,
                "classes": worst.height,
            }
        )
    return out
