"""The privacy models that are known by name: those of the project, and those that users register.

A registered model is read back from recodings and certificates, kept by every method, and checked by `verify`.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import fields, is_dataclass
from typing import Any, TypeVar

from lookalike.base.errors import RequestError
from lookalike.models.model import Model

MODELS: dict[str, type[Model]] = {}

Kept = TypeVar("Kept", bound=type[Model])


def register(model: Kept) -> Kept:
    """Make a model known under its `name`; a class decorator.

    The class is a frozen dataclass derived from `Model` or `SensitiveModel` whose parameters JSON can hold. `verify`
    checks it by its `definition`, a static method in plain arithmetic; without one it says "stated, not checked".
    """
    if not (isinstance(model, type) and issubclass(model, Model)):
        raise RequestError(
            "a privacy model is a class derived from la.Model or lookalike.models.SensitiveModel."
        )
    what = model.__name__
    if not is_dataclass(model) or "__dataclass_fields__" not in vars(model):
        raise RequestError(
            f"{what}: put @dataclass(frozen=True) below @register, so that its parameters can be saved."
        )
    for needed in ("name", "source", "monotone"):
        if not hasattr(model, needed):
            raise RequestError(f"{what}: a privacy model has a {needed!r}; see docs/models.md.")
    if any(field.name == "model" for field in fields(model)):
        raise RequestError(f"{what}: a parameter cannot be called 'model', which is where its name is saved.")
    known = MODELS.get(model.name)
    if known is not None and (known.__module__, known.__qualname__) != (model.__module__, model.__qualname__):
        raise RequestError(f"{what}: there is a privacy model {model.name!r} already. Give it another name.")
    MODELS[model.name] = model
    return model


def model_from_dict(saved: Mapping[str, Any]) -> Model:
    """The model that `to_dict` wrote down."""
    parameters = dict(saved)
    name = parameters.pop("model", None)
    if not isinstance(name, str) or name not in MODELS:
        raise RequestError(
            f"there is no privacy model {str(name)[:60]!r}. There are: {', '.join(MODELS)}. "
            "One of your own is known once its code has registered it."
        )
    try:
        return MODELS[name](**parameters)
    except TypeError:
        known = [field.name for field in fields(MODELS[name]) if field.init]
        raise RequestError(
            f"{name}: the parameters {', '.join(parameters) or 'none'} do not fit this model; it has "
            f"{', '.join(known)}."
        ) from None


def parse_promise(text: str) -> Model:
    """The model that `l=3 of diagnosis`, `k=11` or `l-diversity=3,kind=entropy of diagnosis` spells out.

    The first name is the model's, as it is typed or in full; its value is that of the first parameter.
    """
    said, of, column = (part.strip() for part in text.partition(" of "))
    pairs = [[piece.strip() for piece in part.partition("=")] for part in said.split(",")]
    if any(not name or not equals or not value for name, equals, value in pairs) or (of and not column):
        raise RequestError(
            f"a promise is spelled NAME=VALUE of COLUMN, such as 'l=3 of diagnosis' or k=11; found {text!r}."
        )
    first = pairs[0][0].lower()
    chosen = next(
        (model for model in MODELS.values() if first in (model.typed_as(), model.name.lower())), None
    )
    if chosen is None:
        raise RequestError(
            f"there is no privacy model {pairs[0][0]!r}. They are typed like this: {'; '.join(examples())}."
        )
    pairs[0][0] = next(iter(chosen.parameters()))
    texts = {name for name, one in chosen.parameters().items() if one.of_column}  # 007 is not 7
    values = {name: value if name in texts else _value(value) for name, _, value in pairs}
    return model_from_dict({"model": chosen.name, **values, **({"column": column} if of else {})})


def offered() -> list[type[Model]]:
    """All models, those that most releases want first."""
    return sorted(MODELS.values(), key=lambda model: not model.common)


def examples() -> list[str]:
    """How each model is typed: `k=5`, `l=2 of COLUMN`."""
    return [model.example() for model in offered()]


def _value(text: str) -> int | float | bool | str:
    """A parameter as it was typed: a number, true or false, or a word."""
    for read in (int, float):
        with suppress(ValueError):
            return read(text)
    return {"true": True, "false": False}.get(text.lower(), text)
