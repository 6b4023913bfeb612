"""What a person decided so far: one plain value, the recipe, with undo and redo without limit.

Everything done on the workbench is a change of the recipe; tables, risks and releases follow from it and are computed
elsewhere. So a reload, another worker, or tomorrow's sitting starts from this value alone.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from copy import deepcopy
from typing import Any

Recipe = dict[str, Any]

#: Before anything is decided. `reading` is what `la.read` is told; promises are models as `to_dict` writes them.
EMPTY: Recipe = {
    "source": None,
    "reading": {"na": ["?"]},
    "types": {},
    "unit": None,
    "roles": {},
    "reasons": {},
    "drop": [],
    "linked": {},
    "rounding": {},
    "hierarchies": {},
    "promises": [{"model": "k-anonymity", "k": 10}],
    "method": "auto",
    "options": {},
    "suppression": 0.05,
    "weights": {},
    "seed": 0,
    "answers": [],
    "questions": [],
    "attacks": False,
    "signature": None,
}
#: What reading the file depends on.
READS = ("source", "reading", "types", "unit")
#: What the table itself depends on.
MAKES_TABLE = (*READS, "roles", "drop", "hierarchies")
#: What a release depends on; the rest is about looking at it.
MAKES_RELEASE = (
    *MAKES_TABLE,
    "linked",
    "rounding",
    "promises",
    "method",
    "options",
    "suppression",
    "weights",
    "seed",
)


class Bench:
    """The recipe, its past and its future. A test drives it without a browser."""

    def __init__(self, recipe: Mapping[str, Any] | None = None) -> None:
        self.recipe: Recipe = deepcopy({**EMPTY, **(recipe or {})})
        self._past: list[Recipe] = []
        self._future: list[Recipe] = []

    def change(self, **parts: Any) -> bool:
        """Change parts of the recipe; what is the same already is no step of its own.

        A signature stands for all decisions as they were, so it goes with the next change.
        """
        strange = set(parts) - set(EMPTY)
        if strange:
            raise KeyError(f"a recipe has no {sorted(strange)[0]!r}")
        after = {**self.recipe, **deepcopy(parts)}
        if after == self.recipe:
            return False
        self._past.append(self.recipe)
        self._future.clear()
        self.recipe = after if "signature" in parts else {**after, "signature": None}
        return True

    def amend(self, **parts: Any) -> None:
        """Add what follows from the last change to it, so that one undo takes both back."""
        if self.recipe["signature"] is None:
            self.recipe = {**self.recipe, **deepcopy(parts)}
        else:  # it follows from what was signed, and is not what was signed
            self.change(**parts)

    def change_in(self, part: str, **items: Any) -> bool:
        """Change single entries of a part that is a mapping; None takes an entry away."""
        told = {**self.recipe[part], **items}
        return self.change(**{part: {name: value for name, value in told.items() if value is not None}})

    def undo(self) -> bool:
        """One step back."""
        if not self._past:
            return False
        self._future.append(self.recipe)
        self.recipe = self._past.pop()
        return True

    def redo(self) -> bool:
        """One step forward again."""
        if not self._future:
            return False
        self._past.append(self.recipe)
        self.recipe = self._future.pop()
        return True

    @property
    def can_undo(self) -> bool:
        """Is there a step to take back?"""
        return bool(self._past)

    @property
    def can_redo(self) -> bool:
        """Was a step taken back?"""
        return bool(self._future)

    @property
    def lapsed(self) -> dict[str, Any] | None:
        """The last signature under decisions about this table, where something was decided since."""
        if self.recipe["signature"] is not None:
            return None
        same = (one for one in reversed(self._past) if one["source"] == self.recipe["source"])
        return next((one["signature"] for one in same if one["signature"] is not None), None)

    @property
    def k(self) -> int:
        """The k that is promised; 2 where k-anonymity is not among the promises."""
        return next((one["k"] for one in self.recipe["promises"] if one["model"] == "k-anonymity"), 2)

    def having(self, role: str) -> list[str]:
        """The columns of a role, without those left out."""
        return [
            name
            for name, given in self.recipe["roles"].items()
            if given == role and name not in self.recipe["drop"]
        ]


def rounded(recipe: Mapping[str, Any]) -> dict[str, float]:
    """To what columns are rounded, of those that are published beside the known ones."""
    return {
        name: step
        for name, step in recipe["rounding"].items()
        if recipe["roles"].get(name) not in ("identifier", "quasi") and name not in recipe["drop"]
    }


def key_of(recipe: Mapping[str, Any], parts: tuple[str, ...] = MAKES_RELEASE) -> str:
    """A text that is equal for recipes that agree in some parts."""
    return json.dumps([recipe[part] for part in parts], sort_keys=True, ensure_ascii=False)
