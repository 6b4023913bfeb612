"""Sentences of explanations, kept apart from the numbers so that they can be translated.

A wording is a handful of templates. Columns may have phrases of their own ("you were {difference} years older").
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import floor
from typing import TYPE_CHECKING, Any

from lookalike.recodings.labels import Range, ValueSet
from lookalike.tables.columns.domains import number_text

if TYPE_CHECKING:
    from lookalike.explanations.explanation import Change


@dataclass(frozen=True)
class Wording:
    """Templates of a language; `{names}` in braces are filled in. `columns` and `outcomes` say what yours mean.

    A column's phrase may be one text, or a text for "more" and one for "less"; it may use {then} and, where values are
    shown as they are, {now} and, for numbers, {difference}. A phrase with {now} or {difference} is used there only.

    Examples:
        >>> import lookalike as la
        >>> frame = la.datasets.population(300, seed=1).select("age", "gender", "num_children")
        >>> model = lambda rows: (rows["age"] > 40).cast(int)
        >>> explainer = la.KAnonymousExplainer(model, frame, quasi=["age", "gender"], others=[], k=5)
        >>> explanation = explainer.explain(frame.filter(frame["age"] < 30)[0])
        >>> short = la.Wording(sentence="{conditions}: {outcome}.", meant="", unsure="", outcomes={1: "yes"})
        >>> print(explanation.sentence(short))
        your age were 44 to 51 (more than now): yes.
    """

    #: the sentence, with {conditions} and {outcome}
    sentence: str = "If {conditions}, the outcome would have been {outcome}."
    joint: str = ", "  #: between conditions
    last: str = " and "  #: before the last condition
    change: str = "your {column} were {then}"  #: a condition, with {column} and {then}
    #: a condition on a number that would rise, with {difference}
    more: str = "your {column} were {then} ({difference} more)"
    less: str = "your {column} were {then} ({difference} less)"  #: the same for one that would fall
    higher: str = (
        "your {column} were {then} (more than now)"  #: `more`, where the person's own value is not told
    )
    lower: str = "your {column} were {then} (less than now)"  #: `less`, where it is not
    span: str = "{low} to {high}"  #: a range, with {low} and {high}
    either: str = " or "  #: between the values of a set
    missing: str = "unknown"  #: what a missing value is called
    #: added where not every combination has the outcome, with {share}
    unsure: str = " This holds for {share} of the combinations it covers."
    #: added: how many people were counted, with {people}, and over what, with {what}
    meant: str = " In the training data at least {people} people fit {what}."
    alone: str = " In the training data one person fits {what}."  #: the same for one person
    everything: str = "all of this"  #: {what}, where all that is said was counted
    within: str = "this in {columns}"  #: {what}, where some {columns} were
    #: added where values are shown as they are, with {columns}
    own: str = " What it says of {columns} is one person's own."
    nothing: str = "you were counted again as you are"  #: the condition where nothing would change
    #: column -> its name or phrase
    columns: Mapping[str, str | Mapping[str, str]] = field(default_factory=dict)
    outcomes: Mapping[Any, str] = field(default_factory=dict)  #: outcome -> its name


ENGLISH = Wording()
DUTCH = Wording(
    sentence="Indien {conditions}, dan was de uitkomst {outcome} geweest.",
    last=" en ",
    change="uw {column} {then} was",
    more="uw {column} {then} was ({difference} meer)",
    less="uw {column} {then} was ({difference} minder)",
    span="{low} tot {high}",
    either=" of ",
    missing="onbekend",
    unsure=" Dit geldt voor {share} van de combinaties die het omvat.",
    higher="uw {column} {then} was (meer dan nu)",
    lower="uw {column} {then} was (minder dan nu)",
    meant=" In de trainingsdata passen ten minste {people} personen in {what}.",
    alone=" In de trainingsdata past één persoon in {what}.",
    everything="dit alles",
    within="dit voor {columns}",
    own=" Wat er over {columns} staat, is van één persoon.",
    nothing="u opnieuw werd beoordeeld zoals u bent",
)


def write(
    wording: Wording,
    changes: Sequence[Change],
    outcome: Any,
    holds: float,
    people: int,
    counted: Sequence[str] | None,
) -> str:
    """The sentence of an explanation. counted: the columns that people were counted over; None for all it names."""
    parts = [_phrase(wording, change) for change in changes] or [wording.nothing]
    text = wording.sentence.format(
        conditions=_join(wording, parts), outcome=wording.outcomes.get(outcome, outcome)
    )
    if holds < 1:
        digits = 0 if holds <= 0.99 else 1
        share = floor(holds * 100 * 10**digits) / 10**digits  # rounded down: only what is sure is 100 %
        text += wording.unsure.format(share=f"{share:.{digits}f}%")
    what = wording.everything
    if counted is not None:
        what = wording.within.format(columns=_join(wording, [_called(name) for name in counted]))
    text += (wording.meant if people > 1 else wording.alone).format(people=people, what=what)
    own = [] if counted is None else [_called(one.column) for one in changes if one.column not in counted]
    return text + wording.own.format(columns=_join(wording, own)) if own else text


def _join(wording: Wording, parts: Sequence[str]) -> str:
    """Parts one after the other: a, b and c."""
    return wording.joint.join(parts[:-1]) + wording.last + parts[-1] if len(parts) > 1 else parts[0]


def _called(column: str) -> str:
    return column.replace("_", " ")


def _phrase(wording: Wording, change: Change) -> str:
    own = wording.columns.get(change.column)
    ways = {"more": "more", "less": "less", None: "change"}
    if not change.exact:
        ways |= {"more": "higher", "less": "lower"}
    usual = getattr(wording, ways[change.way])
    template = (
        own if isinstance(own, str) else (own or {}).get(change.way or "change", (own or {}).get("change"))
    )
    if template is None or (not change.exact and ("{now}" in template or "{difference}" in template)):
        template = usual
    return template.format(
        column=_called(change.column),
        now=wording.missing if change.now is None else change.now,
        then=say(wording, change.then),
        difference=_difference(wording, change),
    )


def say(wording: Wording, then: Any) -> str:
    """A generalised value, or a plain one, in words."""
    if isinstance(then, Range):
        ends = (then.lo, then.hi)
        text = ends[0] if ends[0] == ends[1] else wording.span.format(low=ends[0], high=ends[1])
        return text + wording.either + wording.missing if then.missing else text
    if isinstance(then, ValueSet):
        return wording.either.join(wording.missing if value is None else value for value in then.values)
    return wording.missing if then is None else str(then)


def _difference(wording: Wording, change: Change) -> str:
    if change.low is None or change.high is None:
        return ""
    low, high = sorted((abs(change.low), abs(change.high)))
    ends = [number_text(round(end, 10)) for end in (low, high)]
    return ends[0] if ends[0] == ends[1] else wording.span.format(low=ends[0], high=ends[1])
