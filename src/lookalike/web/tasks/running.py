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

from lookalike.base.progress import Report
from lookalike.releases.recipes import Recipe
from lookalike.releases.release import Release
from lookalike.runs.running import arguments
from lookalike.tables.columns.roles import Role
from lookalike.tables.table import Table
from lookalike.web.state import MAKES_RELEASE, MAKES_TABLE, READS, key_of
from lookalike.web.tasks.decisions import Decisions, recipe_of

Kept = TypeVar("Kept")
SAMPLE = 1_500  # rows on which an effect is shown at once
LARGE = 100_000  # rows beyond which less is tried, and less is kept
_MOST_KEPT = 6


def run(cache: Cache, task: str, decisions: Decisions, report: Report, arguments: Mapping[str, Any]) -> Any:
    """Run a task, such as `tables.describe`, and give its answer."""
    module, name = task.split(".")
    return getattr(import_module(f"lookalike.web.tasks.{module}"), name)(
        cache, decisions, report, **arguments
    )


class Cache:
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

    def raw(self, decisions: Decisions) -> Table:
        """The file as it was read, before anything was decided about its columns."""
        return self.keep("raw", key_of(decisions, READS), lambda: _read(decisions), most=2)

    def table(self, decisions: Decisions) -> Table:
        """The table with the roles and hierarchies decided so far; columns left out are nobody's business."""

        def describe() -> Table:
            raw = self.raw(decisions)
            recipe = recipe_of(decisions, raw.names)
            roles = {name: Role.IDENTIFIER if one.drop else one.role for name, one in recipe.columns.items()}
            return raw.with_roles(**roles).with_hierarchies(recipe.hierarchies)

        return self.keep("table", key_of(decisions, MAKES_TABLE), describe)

    def recipe(self, decisions: Decisions) -> Recipe:
        """The recipe that the decisions describe."""
        return recipe_of(decisions, self.raw(decisions).names)

    def needed(self, decisions: Decisions) -> Table:
        """The table with those columns only that a promise is about."""

        def choose() -> Table:
            people = self.table(decisions)
            promised = {name for one in self.recipe(decisions).promises for name in one.columns}
            shown = {*people.quasi, *promised}
            return people.with_roles(**{name: Role.IDENTIFIER for name in people.names if name not in shown})

        return self.keep("needed", key_of(decisions, (*MAKES_TABLE, "promises")), choose)

    def sample(self, decisions: Decisions) -> Table:
        """Some rows of it, the same ones each time."""
        key = key_of(decisions, (*MAKES_TABLE, "promises"))
        return self.keep("sample", key, lambda: self.needed(decisions).some_rows(SAMPLE))

    def release(self, decisions: Decisions, report: Report = lambda share: None) -> Release:
        """The release that the decisions describe, made as `la.run` makes it."""
        import lookalike as la

        def make() -> Release:
            recipe = self.recipe(decisions)
            people = self.table(decisions)
            return la.anonymize(people, *recipe.promises, **arguments(recipe), progress=report)

        few = len(self.raw(decisions)) <= LARGE
        return self.keep("release", key_of(decisions, MAKES_RELEASE), make, most=_MOST_KEPT if few else 2)


def _read(decisions: Decisions) -> Table:
    import lookalike as la

    how: dict[str, Any] = {
        **decisions["reading"],
        "types": decisions["types"] or None,
        "unit": decisions["unit"],
    }
    return la.read(Path(decisions["source"]["path"]), others=[], **how)
