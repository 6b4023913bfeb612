"""A question asked of a table and of its release: a kind, a name, and the kind's own options.

A kind is a frozen dataclass in a file of its own. Its fields are the options, in Python and in TOML alike; it measures
a side of the comparison (`measure`), and says by a stated rule whether the two sides differ too much (`judge`).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import MISSING, dataclass, field, fields
from typing import Any, ClassVar

from lookalike.base.checks import is_number
from lookalike.base.errors import RequestError
from lookalike.measures.utility.views import READINGS, Floats, Pair, View


@dataclass(frozen=True)
class Measured:
    """What a question measures on one side: named numbers, and whatever else belongs to the answer."""

    values: Mapping[str, float]
    details: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Verdict:
    """Whether the release changes the answer, by which rule, and the numbers the rule looks at."""

    impact: bool
    rule: str
    summary: Mapping[str, Any] = field(default_factory=dict)


class QuestionKind(ABC):
    """What every kind of question can do."""

    kind: ClassVar[str]
    intervals: ClassVar[bool] = True  #: whether its values are differenced with intervals by resampling

    @abstractmethod
    def columns(self) -> list[str]:
        """The columns the question is about."""

    def check(self, pair: Pair) -> None:  # noqa: B027 (most kinds have nothing to refuse)
        """Refuse what does not fit the tables."""

    @abstractmethod
    def measure(self, view: View, weights: Floats | None = None) -> Measured:
        """The answer on one side; `weights` counts each row so many times."""

    @abstractmethod
    def judge(self, before: Measured, after: Measured) -> Verdict:
        """Whether the release changes the answer."""

    def reads(self, pair: Pair) -> list[str]:
        """In words, how blurred values are read."""
        return []

    def in_words(self) -> str:
        """A name for a question that was given none."""
        return f"{self.kind} of {', '.join(self.columns())}"


@dataclass(frozen=True)
class Question:
    """A question: `la.Question("mean", of="income", by="sex", tolerance=500)`.

    kind: one of `la.Question.kinds()`; options: those of the kind, the same as in a TOML file of questions.

    Examples:
        >>> import lookalike as la
        >>> question = la.Question("mean", of="income", by="gender", tolerance=500)
        >>> question
        Question(mean: mean of income, gender)
        >>> "share" in la.Question.kinds()
        True
    """

    asked: QuestionKind  #: the kind with its options
    name: str  #: what the question is called

    def __init__(self, kind: str, *, name: str | None = None, **options: Any) -> None:
        asked = make_kind(kind, options)
        if name is not None and (not isinstance(name, str) or not name.strip()):
            raise RequestError(f"the name of a question is a text, found {type(name).__name__}.")
        object.__setattr__(self, "asked", asked)
        object.__setattr__(self, "name", name or asked.in_words())

    @property
    def kind(self) -> str:
        """What kind of question this is."""
        return self.asked.kind

    @staticmethod
    def kinds() -> list[str]:
        """The kinds there are."""
        return list(_kinds())

    def to_dict(self) -> dict[str, Any]:
        """The question as it would stand in a TOML file."""
        options = {
            one.name: value
            for one in fields(self.asked)  # type: ignore[arg-type]
            if (value := getattr(self.asked, one.name)) != one.default and not callable(value)
        }
        return {"kind": self.kind, "name": self.name, **options}

    def __repr__(self) -> str:
        return f"Question({self.kind}: {self.name})"


def make_kind(kind: str, options: Mapping[str, Any]) -> QuestionKind:
    """A kind with its options, refused where it has none of that name or misses one."""
    kinds = _kinds()
    if kind not in kinds:
        raise RequestError(f"there is no kind of question {kind!r}; choose from {', '.join(kinds)}.")
    known = {one.name: one for one in fields(kinds[kind])}  # type: ignore[arg-type]
    for name in options:
        if name not in known:
            raise RequestError(
                f"{name}: a question of kind {kind} has no such option; it has {', '.join(known)}."
            )
    for name, one in known.items():
        if one.default is MISSING and one.default_factory is MISSING and name not in options:
            raise RequestError(f"{name}: a question of kind {kind} needs this option.")
    made: QuestionKind = kinds[kind](**options)
    return made


def _kinds() -> dict[str, type[QuestionKind]]:
    from lookalike.measures.utility.questions.kinds import KINDS

    return KINDS


# --- checks that kinds share; messages begin with the option, so that a reader of files can name its line ------------


def need_text(value: Any, option: str) -> str:
    """An option that names one column."""
    if not isinstance(value, str) or not value:
        raise RequestError(f"{option}: give the name of one column, found {type(value).__name__}.")
    return value


def need_list(value: Any, option: str, *, least: int = 1, most: int | None = None) -> list[str]:
    """An option that names several columns."""
    good = isinstance(value, list | tuple) and all(isinstance(one, str) for one in value)
    if (
        not good
        or len(value) < least
        or (most is not None and len(value) > most)
        or len(set(value)) < len(value)
    ):
        wanted = f"{least}" if most == least else f"at least {least}"
        raise RequestError(f"{option}: give a list of {wanted} different column names.")
    return list(value)


def need_number(value: Any, option: str, *, least: float = 0.0, most: float = float("inf")) -> float:
    """An option that is a number within bounds."""
    if not is_number(value) or not least <= value <= most:
        bounds = f"from {least:g} on" if most == float("inf") else f"from {least:g} to {most:g}"
        raise RequestError(f"{option}: give a number {bounds}, found {value!r}.")
    return float(value)


def need_whole(value: Any, option: str, *, least: int = 0) -> int:
    """An option that is a whole number."""
    if isinstance(value, bool) or not isinstance(value, int) or value < least:
        raise RequestError(f"{option}: give a whole number from {least} on, found {value!r}.")
    return value


def need_choice(value: Any, option: str, choices: tuple[str, ...]) -> None:
    """An option that is one of some words."""
    if value not in choices:
        raise RequestError(f"{option}: choose from {', '.join(choices)}, found {value!r}.")


def need_conditions(value: Any, option: str) -> None:
    """An option that says which records: {column = value, or list, or {from, to}}."""
    if not isinstance(value, Mapping) or not all(isinstance(name, str) for name in value):
        raise RequestError(f"{option}: give conditions by column, such as {{sex = 'female'}}.")


def need_reading(value: Any) -> None:
    """The option `read`."""
    need_choice(value, "read", tuple(READINGS))


def ordered(pair: Pair, name: str, option: str) -> None:
    """Refuse a column without an order where numbers are needed."""
    pair.check(name)
    if not pair.people.column(name).kind.ordered:
        raise RequestError(f"{option}: column {name!r} has no order, so it cannot be read as numbers.")


def reading_of(pair: Pair, names: list[str], read: str) -> list[str]:
    """In words, how the numbers of blurred columns are read."""
    return [f"{name}: {READINGS[read]}" for name in names if pair.blurred(name)]


def chances_of(pair: Pair, conditions: Mapping[str, Any]) -> list[str]:
    """In words, how conditions on blurred columns are read."""
    return [
        f"{name}: a record counts by the share of the values it may have that the condition allows"
        for name in conditions
        if pair.blurred(name)
    ]
