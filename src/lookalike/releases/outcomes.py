"""What became of each column, as data and in words: "age: bands of 5, 92 % of detail kept, e.g. [35, 40)".

Everything is read off the released values and the recoding, so it may go wherever the release goes. O(n) per column.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import polars as pl

from lookalike.base.errors import percent
from lookalike.recodings import Recoding
from lookalike.recodings.treatments import Box, Generalise, Keep
from lookalike.tables.coded import ReleasedRows
from lookalike.tables.columns.notation import STAR, write_value
from lookalike.tables.hierarchies.automatic import goes_by_first_letters
from lookalike.tables.table import Table

AS_IT_IS = "as it is"  #: what is said of a column whose values all are published themselves
GONE = 0.05  #: share of detail from which down a column is as good as gone
_GROUP_BETTER = "grouped by first letters, for want of a better grouping: give it a hierarchy"
_LONGEST = 60  #: characters of an example


@dataclass(frozen=True)
class Outcome:
    """What became of one column.

    Examples:
        >>> import polars as pl
        >>> import lookalike as la
        >>> ages, illnesses = [31, 32, 33, 71, 72, 73], ["flu", "flu", "cold", "flu", "cold", "cold"]
        >>> frame = pl.DataFrame({"age": ages, "disease": illnesses})
        >>> people = la.table(frame, quasi=["age"], sensitive=["disease"])
        >>> release = la.anonymize(people, la.KAnonymity(3))
        >>> print(release.outcomes[0].text)
        age: ranges, 60.0% of detail kept, e.g. [30, 34]
    """

    column: str  #: name of the column
    what: str  #: what was done, in a few words
    kept: float | None = None  #: share of its detail that is left; None where it was not generalised
    example: str | None = None  #: a published value, a frequent one
    advice: str | None = None  #: what to try, where the column is gone or grouped by its spelling only

    @property
    def text(self) -> str:
        """All of it as a sentence."""
        kept = None if self.kept is None else f"{percent(self.kept)} of detail kept"
        told = ", ".join(
            part for part in (self.what, kept, self.example and f"e.g. {self.example}") if part is not None
        )
        return f"{self.column}: {told}" + (f"; {self.advice}" if self.advice else "")

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON values."""
        return {**vars(self), "text": self.text}

    def __str__(self) -> str:
        return self.text


def tell_outcomes(
    people: Table, rows: ReleasedRows, recoding: Recoding, kept: Mapping[str, float], *, method: str
) -> tuple[Outcome, ...]:
    """What became of every column of the original, in its order; `kept` is the detail left of each generalised one."""
    out = []
    for name, treatment in recoding.columns.items():
        if not isinstance(treatment, Generalise | Box):
            out.append(Outcome(name, AS_IT_IS if isinstance(treatment, Keep) else str(treatment)))
            continue
        share = kept[name]
        values = {write_value(text) for text in people.column(name).domain.texts}
        counts = rows.values(name).sort("count", "value", descending=[True, False])
        if share <= GONE:
            what = "nothing left" if set(counts["value"].to_list()) <= {STAR} else "almost nothing left"
            out.append(Outcome(name, what, share, advice=_advice(method)))
        else:
            spelled = share < 1 and goes_by_first_letters(
                treatment.hierarchy, people.column(name).domain.texts
            )
            advice = _GROUP_BETTER if spelled else None
            out.append(
                Outcome(name, _what(treatment, counts, values), share, _example(counts, values), advice)
            )
    return tuple(out)


def _example(counts: pl.DataFrame, values: set[str]) -> str | None:
    """The most frequent label that generalises, or else value; shortened where it would fill a line."""
    labels = [str(label) for label, _ in counts.rows() if label != STAR]
    text = next(iter([label for label in labels if label not in values] or labels), None)
    return text if text is None or len(text) <= _LONGEST else text[: _LONGEST - 1] + "…"


def _what(treatment: Generalise | Box, counts: pl.DataFrame, values: set[str]) -> str:
    if treatment.numbers != "range":
        return f"published as the {treatment.numbers} of its class"
    if isinstance(treatment, Generalise):
        return _level(treatment, counts.height)
    total = max(int(counts["count"].sum()), 1)
    plain = sum(n for label, n in counts.rows() if label in values) / total
    starred = sum(n for label, n in counts.rows() if label == STAR) / total
    if plain == 1:
        return AS_IT_IS
    words = {
        "range": "ranges",
        "set": "sets of values",
        "node": "groups of its hierarchy",
        "siblings": "values of one group, or the group,",
    }[treatment.style]
    told = words if plain < 0.005 else f"the value itself in {percent(plain)} of rows, else {words}"
    return told.rstrip(",") + (f" (in {percent(starred)} of rows nothing)" if starred >= 0.005 else "")


def _level(treatment: Generalise, groups: int) -> str:
    recipe, level = treatment.hierarchy, treatment.level
    if level == 0:
        return AS_IT_IS
    widths = recipe.options.get("widths") or []
    if recipe.how == "intervals" and len(widths) >= level and not {"top", "bottom"} & _given(recipe.options):
        return f"bands of {widths[level - 1]:g}"
    if recipe.how == "dates":
        levels = [each for each in recipe.options["levels"] if each != "day"]
        if level <= len(levels):
            return f"by {levels[level - 1]}"
    if recipe.how == "mask":
        return f"{level} character{'s' if level > 1 else ''} hidden"
    return f"level {level} of its hierarchy, {groups} group{'s' if groups != 1 else ''}"


def _given(options: Mapping[str, Any]) -> set[str]:
    return {name for name, value in options.items() if value is not None}


def _advice(method: str) -> str:
    other = "use method 'local'" if method != "local" else "use fewer quasi-identifiers or a smaller k"
    return f"give it weight 3, or {other}"
