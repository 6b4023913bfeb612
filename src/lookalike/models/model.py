"""What every privacy model is: a question asked of all classes at once, and all that others must know about it.

`levels(classes)` gives the number the model looks at in each class (its size, its diversity, its distance from the
table), `breaks(classes)` the classes in which that number is not good enough, `achieved(classes)` the strictest
parameter that all classes keep. All look at counts and histograms only, never at rows. Flags and limits say how a
search may use the model; nobody outside this room asks which model it is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import MISSING, asdict, dataclass, fields
from inspect import cleandoc
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from lookalike.models.parameters import Parameter, parameter_of
from lookalike.tables.cells import Cells, Classes, Histogram
from lookalike.tables.columns.roles import Kind

Flags = NDArray[np.bool_]
PerClass = NDArray[np.float64]
#: Per sensitive column how often each of its codes occurs in the table that classes are compared with.
Reference = Mapping[str, NDArray[np.int64]]

#: (parameters, class sizes, sensitive values per class) -> the classes that break the promise, the level reached.
Definition = Callable[
    [Mapping[str, Any], Sequence[int], Sequence[Mapping[str | None, int]]], tuple[list[int], float]
]

#: Two shares that are equal on paper may differ by rounding; so much is forgiven.
ROUNDING = 1e-9


class Limit(NamedTuple):
    """What every class that keeps a promise must have of the values of a sensitive column.

    In a class of s records, h(v) of them with the value v, the sum of min(h(v), weight(v) s) must be at least need s. A
    union of classes that meet it meets it as well. Where sizes do not matter (`sized` is False) only the values present
    count: their weights must add up to the need. `above` counts groups of values besides: the group of each value and
    the weight of each group; what is watched of it adds the sum of its weights to the need.
    """

    weight: NDArray[np.float64]
    need: float
    sized: bool
    above: tuple[tuple[NDArray[np.integer[Any]], NDArray[np.float64]], ...] = ()


class PopulationLimit(NamedTuple):
    """What every class has of a population: at least so many people, a share of them between low and high released.

    Where low is above 0 the share holds for every class of the population, so that no class can be left out.
    """

    least: int = 0
    low: float = 0.0
    high: float = np.inf


class ClassBudget(NamedTuple):
    """A promise about all classes of a release: those below a size, one each, are at most `rate` times its people."""

    rate: float
    below: float


@dataclass(frozen=True)
class Model:
    """A privacy model with its parameters.

    Examples:
        >>> import polars as pl
        >>> import lookalike as la
        >>> ages, illnesses = [31, 32, 33, 71, 72, 73], ["flu", "flu", "cold", "flu", "cold", "cold"]
        >>> frame = pl.DataFrame({"age": ages, "disease": illnesses})
        >>> people = la.table(frame, quasi=["age"], sensitive=["disease"])
        >>> promise = la.KAnonymity(3)
        >>> print(promise, promise.larger_is_safer)
        k-anonymity (k=3) True
        >>> float(min(promise.levels(people.cells().classes())))
        1.0
    """

    name: ClassVar[str]  #: as users write it: "k-anonymity"
    source: ClassVar[str]  #: the paper that defines it
    spelling: ClassVar[str] = ""  #: as it is typed, where that is not the name: "k" in `k=10`
    common: ClassVar[bool] = False  #: most releases want it, so forms show it first
    #: A class with too few records, or values, has too few people too; else a break that records show proves nothing.
    broken_by_records: ClassVar[bool] = False
    #: Merging classes that all keep the promise gives a class that keeps it. So if a table keeps it, every further
    #: generalisation does (while nothing is left out and nobody has rows in two classes): the search may skip them.
    monotone: ClassVar[bool]
    #: More than that: a class that keeps the promise still keeps it when *any* class is merged into it. So the people
    #: who must be left out never become more by generalising: the search may prune with a suppression limit, too.
    absorbing: ClassVar[bool] = False
    #: Both flags hold as well when a person's rows lie in several classes, so that people do not add up.
    holds_for_units: ClassVar[bool] = False
    #: What one class must fulfil depends on the other classes: on the whole table it is compared with, or on an
    #: average. Leaving classes out can then make another one break, so check again after each removal.
    relative: ClassVar[bool] = False
    #: It holds or fails for the whole table; `breaks` then names the classes to leave out, the fewest people it can.
    whole_table: ClassVar[bool] = False
    #: It speaks about every class of the population, also of those of whom nobody is in the table.
    whole_population: ClassVar[bool] = False
    #: A larger level is safer (k, l); otherwise a smaller one is (t, risk).
    larger_is_safer: ClassVar[bool] = False
    #: The promise in plain arithmetic, for `verify`: models outside the project bring their own, or stay unchecked.
    definition: ClassVar[Definition | None] = None

    def __post_init__(self) -> None:
        for name, one in self.parameters().items():
            one.check(getattr(self, name), name, self.name)

    @classmethod
    def parameters(cls) -> dict[str, Parameter]:
        """What can be given besides the column, the required ones first."""
        found = {one.name: parameter_of(one) for one in fields(cls) if one.init and one.name != "column"}
        return dict(sorted(found.items(), key=lambda item: not item[1].required))

    @classmethod
    def about_column(cls) -> bool:
        """Whether it speaks about one sensitive column."""
        return any(one.name == "column" for one in fields(cls))

    @classmethod
    def typed_as(cls) -> str:
        """Its name on the command line: lower case, without blanks."""
        return cls.spelling or cls.name.lower().replace(" ", "-")

    @classmethod
    def summary(cls) -> str:
        """The promise in a sentence, before its parameters are chosen: the first of the class's description."""
        return " ".join(cleandoc(cls.__doc__ or cls.name).split("\n\n")[0].split())

    @classmethod
    def example(cls) -> str:
        """How it is typed: `l=2 of COLUMN`."""
        shown = {n: one.first for n, one in cls.parameters().items() if one.required or one.first is not None}
        values = [(n, n.upper() if first is None else first) for n, first in shown.items()]
        said = [f"{cls.typed_as() if i == 0 else n}={first}" for i, (n, first) in enumerate(values)]
        return ",".join(said) + (" of COLUMN" if cls.about_column() else "")

    @classmethod
    def offer(cls) -> dict[str, Any]:
        """What a form must know of it, as plain JSON values."""
        made = cls._with_first_values("column" if cls.about_column() else None, optional=True)
        return {
            "model": cls.name,
            "typed_as": cls.typed_as(),
            "summary": cls.summary(),
            "common": cls.common,
            "about_column": cls.about_column(),
            "needs_population": made is not None and made.needs_population,
            "parameters": {name: one.to_dict() for name, one in cls.parameters().items()},
        }

    @classmethod
    def call(cls) -> str:
        """How it is written in Python: `la.LDiversity('disease', 2)`."""
        about = ["'disease'"] if cls.about_column() else []
        required = {name: one.first for name, one in cls.parameters().items() if one.required}
        shown = [repr(name if first is None else first) for name, first in required.items()]
        return f"la.{cls.__name__}({', '.join([*about, *shown])})"

    @classmethod
    def gauges(cls, column: str | None = None) -> Iterator[tuple[str, Model]]:
        """Forms of it by which a table is measured as it is, by name; none where something must be said first."""
        made = cls._with_first_values(column)
        if made is not None and not made.needs_population:
            yield cls.name, made

    @classmethod
    def _with_first_values(cls, column: str | None, *, optional: bool = False) -> Model | None:
        """The model as forms begin with it; None where something must be said first."""
        said = {
            n: one
            for n, one in cls.parameters().items()
            if one.required or (optional and one.first is not None)
        }
        if (column is None) == cls.about_column() or any(one.first is None for one in said.values()):
            return None
        first = {n: one.first for n, one in said.items()}
        return cls(**first, **({} if column is None else {"column": column}))

    @property
    def columns(self) -> tuple[str, ...]:
        """The sensitive columns the model looks at."""
        return ()

    @property
    def values_named(self) -> tuple[Any, ...]:
        """The values of its column that it speaks about, as plain JSON values."""
        said = self.to_dict()
        named = [said[name] for name, one in self.parameters().items() if one.of_column]
        return tuple(value for value in named if value is not None)

    @property
    def knows_others(self) -> bool:
        """Whether the other sensitive columns count as known to whoever reads the release."""
        return False

    @property
    def needs_population(self) -> bool:
        """Whether people of a population must be counted."""
        return False

    @property
    def needs_order(self) -> bool:
        """Whether a checker must know the order of its column's values."""
        return False

    @property
    def needs_hierarchy(self) -> bool:
        """Whether a checker must know the hierarchy of its column."""
        return False

    @property
    def smallest_class(self) -> int:
        """The fewest people in a class that keeps the promise."""
        return 1

    @property
    def fewest_values(self) -> int:
        """The fewest different values of its column in a class that keeps the promise."""
        return 1

    @property
    def smallest_population_class(self) -> int:
        """The fewest people of the population that a class of the release stands for."""
        return self.smallest_class

    @property
    def largest_average_risk(self) -> float:
        """The largest mean of 1 / (people who look alike) over the people of a release that keeps the promise."""
        return 1 / self.smallest_class

    @property
    def largest_presence(self) -> float:
        """The largest share of the people of a class of the population who are in the table."""
        return 1.0

    def largest_shares(self, table: Histogram) -> PerClass:
        """The largest share of a class that each value of its column can have; `table` is the whole as one class.

        From the limits: what a value has beyond its weight, all others must make up for.
        """
        out = np.ones(table.size)
        for limit in self.limits(table):
            if limit.sized:
                out = np.minimum(out, limit.weight + 1 - limit.need)
        return out

    def meant_shares(self, table: Histogram) -> PerClass | None:
        """How sure of each value the promise means anybody to be at most; None where it does not say."""
        return None

    def limits(self, table: Histogram) -> Iterator[Limit]:
        """What every class that keeps the promise has of each value; `table` is the whole table as one class."""
        yield from ()

    def told_by_limits(self, *, one_row_each: bool) -> bool:
        """Whether a class with `smallest_class` people that is within the limits keeps the promise for sure."""
        return False

    @property
    def population_limit(self) -> PopulationLimit | None:
        """What follows for the people of the population in each class."""
        return None

    @property
    def class_budget(self) -> ClassBudget | None:
        """What follows for the sizes of all classes together."""
        return None

    def for_each_class(self) -> Model:
        """A promise about single classes that implies this one."""
        return self

    def levels(self, classes: Classes, *, reference: Reference | None = None) -> PerClass:
        """The number the model looks at, per class; NaN for a class without people.

        `reference` is what classes are compared with by models that compare: by default all the classes given.
        """
        raise TypeError(f"{type(self).__name__} must say what it measures.")

    def keeps(self, levels: PerClass) -> Flags:
        """Which levels are good enough."""
        raise TypeError(f"{type(self).__name__} must say which levels are good enough.")

    def breaks(self, classes: Classes, *, reference: Reference | None = None) -> Flags:
        """Which classes break the promise. A class without people breaks nothing."""
        return (classes.counts > 0) & ~self.keeps(self.levels(classes, reference=reference))

    def achieved(self, classes: Classes, *, reference: Reference | None = None) -> float:
        """The strictest parameter that all classes keep; 0 when there are none."""
        present = self.levels(classes, reference=reference)[classes.counts > 0]
        if not len(present):
            return 0.0
        return float(present.min() if self.larger_is_safer else present.max())

    def check(self, classes: Classes) -> None:
        """Refuse, with the reason, what no recoding of this table could reach."""

    def reach(self, classes: Classes, *, spare: int, reference: Reference | None = None) -> str:
        """In words, the strictest form of it that these classes keep when up to `spare` people may be left out."""
        return f"{self.name} with {self.achieved(classes, reference=reference):.4g}"

    def spelled_out(self, kind: Kind) -> Model:
        """The same promise with nothing left to the kind of its column, for whoever does not know the kind."""
        return self

    def remark(self, kind: Kind) -> str:
        """What it takes for granted about a column of this kind, in words; nothing where there is no choice."""
        return ""

    def prunes(self, cells: Cells) -> bool:
        """Whether `monotone` can be relied on in this table, where people may have several rows."""
        return self.monotone and (self.holds_for_units or cells.entries.unit is None)

    @property
    def about(self) -> tuple[str, ...]:
        """Its name and its columns: a table is promised one thing of each kind."""
        return (self.name, *self.columns)

    @property
    def in_words(self) -> str:
        """The promise in plain words."""
        return str(self)

    def counting(self, people: str | None) -> str:
        """The promise in plain words, and what counts as a person: the values of a column, or each row."""
        return self.in_words

    def to_dict(self) -> dict[str, Any]:
        """Name and parameters, as plain JSON values."""
        return {"model": self.name, **{name: _parameter(value) for name, value in asdict(self).items()}}

    def __str__(self) -> str:
        words = []
        for field in fields(self):
            value = getattr(self, field.name)
            if field.default is MISSING or value != field.default:
                words.append(str(value) if field.name == "column" else f"{field.name}={value}")
        return f"{self.name} ({', '.join(words)})"


def what_counts(promise: str, people: str | None) -> str:
    """A promise about people, with what counts as one: the values of a column, or each row."""
    counted = (
        f"different values of {people!r} counted as people" if people else "each row counted as one person"
    )
    return f"{promise.removesuffix('.')}, {counted}."


def _parameter(value: Any) -> Any:
    """A parameter as JSON can hold it."""
    value = value.item() if isinstance(value, np.generic) else value
    return value if value is None or isinstance(value, bool | int | float | str) else str(value)


def reference_of(classes: Classes, *, kept: Flags | None = None) -> dict[str, NDArray[np.int64]]:
    """How often each sensitive value occurs in these classes, or in those that are kept, per sensitive column.

    Pass it to `breaks` and `achieved` to compare with a fixed table: the one before suppression, say, or the release.
    """
    if kept is not None:
        classes = classes.without(~kept[classes.of_cell[classes.cells.entries.cell]])
    return {column.name: classes.overall(column.name) for column in classes.cells.sensitive}
