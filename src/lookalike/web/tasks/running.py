"""The tasks by name, and what is kept between them: tables, releases and the dialogue that belong to a recipe.

Whatever is kept can be made again from the recipe, so a worker that was ended loses time and nothing else.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Mapping
from importlib import import_module
from pathlib import Path
from threading import Lock
from typing import Any, TypeVar

import numpy as np

from lookalike.columns.roles import Role
from lookalike.hierarchies import Hierarchy
from lookalike.models import Model, model_from_dict
from lookalike.progress import Report
from lookalike.releases.release import Release
from lookalike.tables.table import Table
from lookalike.web.state import MAKES_RELEASE, MAKES_TABLE, key_of

Kept = TypeVar("Kept")
SAMPLE = 2_000  # rows on which an effect is shown at once
_MOST_KEPT = 6


def run(shop: Shop, task: str, recipe: Mapping[str, Any], report: Report, told: Mapping[str, Any]) -> Any:
    """Run a task, such as `tables.describe`, and give its answer."""
    module, name = task.split(".")
    return getattr(import_module(f"lookalike.web.tasks.{module}"), name)(shop, recipe, report, **told)


class Shop:
    """Things made from recipes, the last few of each kind."""

    def __init__(self) -> None:
        self._kept: dict[str, OrderedDict[str, Any]] = {}
        self._lock = Lock()

    def keep(self, kind: str, key: str, make: Callable[[], Kept], most: int = _MOST_KEPT) -> Kept:
        """What was made for this key, or is made now."""
        shelf = self._kept.setdefault(kind, OrderedDict())
        with self._lock:
            if key in shelf:
                shelf.move_to_end(key)
                found: Kept = shelf[key]
                return found
        made = make()
        with self._lock:
            shelf[key] = made
            while len(shelf) > most:
                shelf.popitem(last=False)
        return made

    def table(self, recipe: Mapping[str, Any]) -> Table:
        """The table with the roles and hierarchies decided so far."""
        raw_key = key_of(recipe, ("source", "reading", "types", "unit"))

        def with_decisions() -> Table:
            raw = self.keep("raw", raw_key, lambda: _read(recipe), most=2)
            roles = {name: Role(role) for name, role in recipe["roles"].items() if name in raw.roles}
            grown = {
                name: Hierarchy.from_dict(how)
                for name, how in recipe["hierarchies"].items()
                if name in raw.roles
            }
            out = raw.with_roles(**roles)
            return out.with_hierarchies(grown) if grown else out

        return self.keep("table", key_of(recipe, MAKES_TABLE), with_decisions)

    def sample(self, recipe: Mapping[str, Any]) -> Table:
        """Some rows of the table, the same ones each time; all where there are few."""

        def draw() -> Table:
            people = self.table(recipe)
            chosen = np.random.default_rng(0).permutation(len(people)) < SAMPLE
            return people if len(people) <= SAMPLE else people.filter(chosen)

        return self.keep("sample", key_of(recipe, MAKES_TABLE), draw)

    def release(self, recipe: Mapping[str, Any], report: Report = lambda share: None) -> Release:
        """The release that the recipe describes."""
        import lookalike as la

        def make() -> Release:
            people = self.table(recipe)
            return la.anonymize(people, *promises(recipe), **asked(recipe, people), progress=report)

        return self.keep("release", key_of(recipe, MAKES_RELEASE), make, most=4)


def promises(recipe: Mapping[str, Any]) -> list[Model]:
    """The promises as models."""
    return [model_from_dict(one) for one in recipe["promises"]]


def asked(recipe: Mapping[str, Any], people: Table) -> dict[str, Any]:
    """How the release is to be made, as `la.anonymize` is told."""
    weights = {name: weight for name, weight in recipe["weights"].items() if name in people.quasi}
    return {
        "method": recipe["method"],
        "suppression": recipe["suppression"],
        "weights": weights or None,
        "drop": [name for name in recipe["drop"] if name in people.names],
        "seed": recipe["seed"],
    }


def _read(recipe: Mapping[str, Any]) -> Table:
    import lookalike as la

    source = recipe["source"]
    how: dict[str, Any] = {**recipe["reading"], "types": recipe["types"] or None, "unit": recipe["unit"]}
    if "sample" in source:
        frame = la.datasets.population(source["rows"], seed=source.get("seed", 0))
        return la.table(frame, others=[], types=how["types"], unit=how["unit"], na=how["na"])
    return la.read(Path(source["path"]), others=[], **how)
