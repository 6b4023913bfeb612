"""Lookalike: share tables about people, and explain decisions about them, without giving anyone away.

The public names are listed in `__init__.pyi`, each with the module that it comes from. A name is imported on first use,
so `import lookalike` itself loads nothing heavy.
"""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import Any

__version__ = "0.1.0"

_LISTED = Path(__file__).with_suffix(".pyi").read_text(encoding="utf-8").splitlines()
_MODULE_OF = {
    line.split()[3]: line.split()[1] for line in _LISTED if line.startswith("from ")
}  # from MODULE import NAME as NAME

__all__ = ["__version__", *_MODULE_OF]


def __getattr__(name: str) -> Any:
    if name not in _MODULE_OF:
        raise AttributeError(f"module 'lookalike' has no attribute {name!r}")
    module = import_module(_MODULE_OF[name])
    value = getattr(module, name) if hasattr(module, name) else import_module(f"{module.__name__}.{name}")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
