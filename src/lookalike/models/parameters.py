"""What a parameter of a privacy model is, said once in the model's class: its words, its bounds, and a first value.

The model checks itself by it; recipes, the command line, the workbench and the reference offer it by the same words.

    k: int = field(metadata=parameter("the least number of people in a class", first=5, least=1, whole=True))
"""

from __future__ import annotations

from dataclasses import MISSING, Field, dataclass
from math import inf
from typing import Any

from lookalike.base.checks import choice, number, whole_number

_KEY = "parameter"


@dataclass(frozen=True)
class Parameter:
    """What may be given for a parameter; without words and bounds, anything."""

    about: str = ""  #: what it is, a phrase
    first: Any = None  #: the value that forms and examples begin with
    least: float = -inf
    most: float = inf
    above: bool = False  #: the least itself is not allowed
    whole: bool = False
    step: float = 0.05  #: between two values in a form
    choices: tuple[Any, ...] = ()
    of_column: bool = False  #: it is one of the values of the model's column
    required: bool = True
    may_be_none: bool = False  #: None, its default, says that it is not given

    @property
    def is_number(self) -> bool:
        """Whether it has bounds, as only numbers do."""
        return self.least > -inf or self.most < inf

    def check(self, value: Any, name: str, where: str) -> None:
        """Refuse a value that it cannot have."""
        if value is None and self.may_be_none:
            return
        if self.choices:
            choice(value, name, self.choices, where=where)
        elif self.whole:
            most = {} if self.most == inf else {"most": int(self.most)}
            whole_number(value, name, least=int(self.least), where=where, **most)
        elif self.is_number:
            number(value, name, least=self.least, most=self.most, above=self.above, where=where)

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON values; no bound is None."""
        least, most = (None if abs(bound) == inf else bound for bound in (self.least, self.most))
        return {**vars(self), "least": least, "most": most, "is_number": self.is_number}


def parameter(about: str, **said: Any) -> dict[str, Parameter]:
    """Metadata for the field of a model: what `Parameter` holds."""
    return {_KEY: Parameter(about, **said)}


def parameter_of(field: Field[Any]) -> Parameter:
    """What a field of a model says about its parameter."""
    optional = field.default is not MISSING or field.default_factory is not MISSING
    said = field.metadata.get(_KEY, Parameter())
    return Parameter(**{**vars(said), "required": not optional, "may_be_none": field.default is None})
