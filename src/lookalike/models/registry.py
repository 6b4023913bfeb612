"""Read a model back from the name and parameters it was saved with."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from lookalike import models
from lookalike.errors import RequestError


def model_from_dict(written: Mapping[str, Any]) -> models.Model:
    """The model that `Model.to_dict` wrote."""
    parameters = dict(written)
    name = parameters.pop("model", None)
    known: dict[str, type[models.Model]] = {
        kind.name: kind for kind in vars(models).values() if isinstance(kind, type) and hasattr(kind, "name")
    }
    if name not in known:
        raise RequestError(
            f"there is no privacy model called {name!r}; known are {', '.join(sorted(known))}."
        )
    return known[name](**parameters)
