"""Results as plain values, as JSON that every reader accepts, and on the terminal."""

from __future__ import annotations

import math
import sys
from collections.abc import Mapping
from json import dumps
from typing import Any


def plain(value: Any) -> Any:
    """Mappings, lists, texts and numbers for a result or an array; a number that is not finite becomes None."""
    if hasattr(value, "to_dict"):
        value = value.to_dict()
    elif hasattr(value, "tolist"):
        value = value.tolist()
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple | set | frozenset | range):
        return [plain(item) for item in value]
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    return value if value is None or isinstance(value, bool | int | str) else str(value)


def to_json(result: object, *, ascii: bool = False) -> str:
    """A result, or plain data, as JSON text."""
    return dumps(plain(result), ensure_ascii=ascii, allow_nan=False, indent=2)


def print_json(result: object) -> None:
    """Print a result, or plain data, as JSON; escaped where the terminal does not know every letter."""
    print(to_json(result, ascii=not (sys.stdout.encoding or "").lower().startswith("utf")))


def show(result: object, *, json: bool) -> None:
    """Print a result as JSON or as text."""
    if json:
        print_json(result)
    else:
        print(result)
