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

    A column's phrase may be one text, or a text for "more" and one for "less"; it may use {now}, {then} and, for
    numbers, {difference}.

    Examples:
        >>> import lookalike as la
        >>> frame = la.datasets.population(300, seed=1).select("age", "gender", "num_children")
        >>> model = lambda rows: (rows["age"] > 40).cast(int)
        >>> explainer = la.KAnonymousExplainer(model, frame, quasi=["age", "gender"], others=[], k=5)
        >>> explanation = explainer.explain(frame.filter(frame["age"] < 30)[0])
        >>> short = la.Wording(sentence="{conditions}: {outcome}.", meant="", unsure="", outcomes={1: "yes"})
        >>> print(explanation.sentence(short))
        your age were 44 to 45 (27 to 28 more): yes.
    """

    #: the sentence, with {conditions} and {outcome}
    sentence: str = "If {conditions}, the outcome would have been {outcome}."
    joint: str = ", "  #: between conditions
    last: str = " and "  #: before the last condition
    change: str = "your {column} were {then}"  #: a condition, with {column} and {then}
    #: a condition on a number that would rise, with {difference}
    more: str = "your {column} were {then} ({difference} more)"
    less: str = "your {column} were {then} ({difference} less)"  #: the same for one that would fall
    span: str = "{low} to {high}"  #: a range, with {low} and {high}
    either: str = " or "  #: between the values of a set
    missing: str = "unknown"  #: what a missing value is called
    #: added where not every combination has the outcome, with {share}
    unsure: str = " This holds for {share} of the combinations it covers."
    #: added: how many people fit, with {people}
    meant: str = " At least {people} people fit this description."
    alone: str = " One person fits this description."  #: the same for one person
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
    meant=" Ten minste {people} personen passen in deze beschrijving.",
    alone=" Eén persoon past in deze beschrijving.",
    nothing="u opnieuw werd beoordeeld zoals u bent",
)


def write(wording: Wording, changes: Sequence[Change], outcome: Any, pureness: float, people: int) -> str:
    """The sentence of an explanation."""
    parts = [_phrase(wording, change) for change in changes] or [wording.nothing]
    conditions = wording.joint.join(parts[:-1]) + wording.last + parts[-1] if len(parts) > 1 else parts[0]
    text = wording.sentence.format(conditions=conditions, outcome=wording.outcomes.get(outcome, outcome))
    if pureness < 1:
        digits = 0 if pureness <= 0.99 else 1
        share = floor(pureness * 100 * 10**digits) / 10**digits  # rounded down: only what is sure is 100 %
        text += wording.unsure.format(share=f"{share:.{digits}f}%")
    return text + (wording.meant if people > 1 else wording.alone).format(people=people)


def _phrase(wording: Wording, change: Change) -> str:
    own = wording.columns.get(change.column)
    way = "change"
    if change.low is not None and change.high is not None and (change.low > 0 or change.high < 0):
        way = "more" if change.low > 0 else "less"
    if isinstance(own, str):
        template = own
    elif own is not None:
        template = own.get(way, own.get("change", getattr(wording, way)))
    else:
        template = getattr(wording, way)
    return template.format(
        column=change.column.replace("_", " "),
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
