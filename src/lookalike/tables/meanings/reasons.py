"""Reasons as data: why a column is what it is, and what becomes of it. Their words are made here and nowhere else.

Code asks a reason for its kind and its facts; people read its text.
"""

from __future__ import annotations

import shlex
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from lookalike.base.errors import percent


class Why(StrEnum):
    """The kinds of reasons, and in which facts each consists."""

    # what a column is
    READING = "reading"  #: words, of its name and its values
    ALIKE_NAMES = "alike names"  #: columns, concept
    QUESTIONNAIRE = "questionnaire"  #: columns
    KNOWN_BY_LINK = "known by link"  #: link
    SAYS_THE_SAME = "says the same"  #: column
    ABOUT_THINGS = "about things"  #: columns
    CLASS_OR_LABEL = "class or label"
    COUNTED_BY = "counted by"
    KEY_OF_PEOPLE = "key of people"  #: values, people
    REJOINS = "rejoins"  #: told, people, kind, nearly, others
    # what follows from that, and how far it tells people apart
    CONCEPT = "concept"  #: words
    COUNTS = "counts"  #: distinct, unique, missing
    ADDS = "adds"  #: share
    ADDS_NOTHING = "adds nothing"
    UNDECIDED = "undecided"
    LOOK_AT_IT = "look at it"  #: share
    TELLS = "tells"  #: share, column
    STAND_INS = "stand-ins"  #: words, na, free, taken
    GIVEN_ROLE = "given role"  #: role
    LINK = "link"  #: link
    # what is decided about it
    WRITTEN = "written"  #: text, of a person
    COMMAND_LINE = "command line"
    PROPOSED = "proposed"  #: confidence, evidence
    EMPTY = "empty"
    PEOPLE_COUNTED = "people counted"
    NOBODYS_ROWS = "nobody's rows"
    LEFT_OUT_UNDECIDED = "left out undecided"
    ALONE = "alone"  #: share, people, step
    TAKEN_FOR_KNOWN = "taken for known"
    BLURRED_FIRST = "blurred first"
    SAME_AS = "same as"  #: column
    SAME_AGE = "same age"  #: column
    TOO_FINE = "too fine"  #: column, k
    LEFT_OUT_LINKED = "left out linked"  #: link
    FOLLOWS = "follows"  #: link
    PSEUDONYM = "pseudonym"


@dataclass(frozen=True)
class Reason:
    """Why something was thought or decided: a kind and its facts."""

    why: Why
    facts: Mapping[str, Any] = field(default_factory=dict)

    @property
    def text(self) -> str:
        """The reason in words."""
        words = _ENGLISH[self.why]
        return words.format(**self.facts) if isinstance(words, str) else words(self.facts)

    def __str__(self) -> str:
        return self.text


def written_by_hand(text: str) -> tuple[Reason, ...]:
    """What somebody wrote as the reason; nothing where it is empty."""
    return (Reason(Why.WRITTEN, {"text": text}),) if text else ()


def _counts(facts: Mapping[str, Any]) -> str:
    distinct, unique, missing = facts["distinct"], facts["unique"], facts["missing"]
    words = f"{distinct:,} distinct value{'s' if distinct != 1 else ''}"
    if unique >= 0.0005:
        words += f", {unique:.1%} of records alone with theirs"
    if missing:
        words += f", {missing:.1%} missing" if missing >= 0.0005 else ", a few missing"
    return words


def _rejoins(facts: Mapping[str, Any]) -> str:
    kind = f" that are alike in {facts['kind']}" if facts["kind"] else ""
    nearly = " but for little" if facts["nearly"] and not kind else ""
    others = ", with others that do," if facts["others"] else ""
    people = f"{facts['told']:,} of {facts['people']:,} people's rows"
    return f"stays the same in all rows of a person{kind}{nearly} and{others} would put {people} together"


def _stand_ins(facts: Mapping[str, Any]) -> str:
    """The question, and the option that answers it with yes, unless that would take values of other columns."""
    words: str = facts["words"]
    if facts["free"]:
        words += f" If so, read the table with --na={shlex.quote(','.join([*facts['na'], *facts['free']]))}"
    if facts["taken"]:
        held = "; ".join(
            f"{text!r} is a value of {', '.join(where[:3])}" for text, where in facts["taken"].items()
        )
        words += (
            f" {held}: `na` would take it there too, so empty these cells in the file if they say nothing."
        )
    return words


def _alone(facts: Mapping[str, Any]) -> str:
    words = f"{percent(facts['share'])} of the records are alone with their value"
    if facts["people"]:
        words = f"{percent(facts['share'])} of the records have a value that no other person has"
    return f"{words}: left out" if facts["step"] is None else f"{words}: rounded to {facts['step']:g}"


_ENGLISH: Mapping[Why, str | Callable[[Mapping[str, Any]], str]] = {
    Why.READING: "{words}",
    Why.ALIKE_NAMES: "{columns} columns have such a name, and most hold {concept}",
    Why.QUESTIONNAIRE: "{columns} columns of like names share the same few values, as the items of a "
    "questionnaire do",
    Why.KNOWN_BY_LINK: "{link.text}, which outsiders may know",
    Why.SAYS_THE_SAME: "it says nearly all that {column!r} says",
    Why.ABOUT_THINGS: "{columns} columns speak of things and none of a person: the table seems to be about things",
    Why.CLASS_OR_LABEL: "a class may be one of pupils, or a label",
    Why.KEY_OF_PEOPLE: "{values:,} values for {people:,} people, each the same in all rows of a person: "
    "a key of people",
    Why.COUNTED_BY: "the name says a key and its values come again: rows that share one are counted as one person's",
    Why.REJOINS: _rejoins,
    Why.CONCEPT: "{words}",
    Why.COUNTS: _counts,
    Why.ADDS: "adds {share:.1%} of distinction to the other quasi-identifiers",
    Why.ADDS_NOTHING: "the other quasi-identifiers already tell apart whom it would; it can stand in for one of them",
    Why.UNDECIDED: "decide: name and values do not say what it is, so it should not be published unseen",
    Why.LOOK_AT_IT: "look at it: it would add {share:.1%} of distinction if somebody knew it",
    Why.TELLS: "tells {share:.0%} of what there is to know about {column!r}",
    Why.STAND_INS: _stand_ins,
    Why.GIVEN_ROLE: "was given the role {role}",
    Why.LINK: "{link}",
    Why.WRITTEN: "{text}",
    Why.COMMAND_LINE: "said on the command line",
    Why.PROPOSED: "{confidence:.0%} sure: {evidence}",
    Why.EMPTY: "no row has a value: left out",
    Why.PEOPLE_COUNTED: "people have several rows, so people are counted, not rows",
    Why.NOBODYS_ROWS: "rows without one could be anybody's: left out",
    Why.LEFT_OUT_UNDECIDED: "left out until somebody says what it is",
    Why.ALONE: _alone,
    Why.TAKEN_FOR_KNOWN: "nothing says what outsiders know, so it is taken for known",
    Why.BLURRED_FIRST: "nothing says what it is: blurred as if outsiders knew it, and before the others, until "
    "somebody says",
    Why.SAME_AS: "it says the same as {column!r}: left out",
    Why.SAME_AGE: "it tells the age, which {column!r} tells less exactly: left out",
    Why.TOO_FINE: "it is too fine for groups of {k}, and {column!r} says where people live: left out",
    Why.LEFT_OUT_LINKED: "{link.text}: left out",
    Why.FOLLOWS: "{link.text}: it follows as it is blurred",
    Why.PSEUDONYM: "was published as a pseudonym, which needs its key",
}
