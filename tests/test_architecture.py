"""Imports go one way, heavy and optional libraries stay in their rooms, and `import lookalike` loads none of them."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import lookalike

PACKAGE = Path(lookalike.__file__).parent

# A room may import rooms of earlier lines and of its own line; "|" parts neighbours that leave each other alone.
# On the ground floor of the package are the parts before the first dot.
ORDER = """
base.errors, base.checks, base.charts, base.intervals, base.notebooks, base.printing, base.progress
base.writing
kernels
tables.columns
tables.meanings
tables.hierarchies
tables.sources
tables.datasets
tables, tables.engines
models
recodings
recognition.links
recognition | fca
measures.risks | measures.utility | measures.attacks | explanations
releases.reports
releases.recipes
releases
verifier
anonymizers
runs
web
papers, cli
__main__
"""
LINES = [
    [part.replace(" ", "").split(",") for part in line.split("|")] for line in ORDER.strip().splitlines()
]
PLACE = {
    room: (level, side)
    for level, line in enumerate(LINES)
    for side, rooms in enumerate(line)
    for room in rooms
}
GROUND_FLOOR = {room.split(".")[0] for room in PLACE}

# library -> the rooms or files that may import it
HOMES = {
    "numba": ("kernels/",),
    "nicegui": ("web/",),
    "cryptography": ("releases/signatures.py",),
    "pyspark": ("tables/engines/spark",),
    "sklearn": (
        "recognition/",
        "explanations/",
        "measures/attacks/",
        "measures/utility/",
        "papers/",
        "anonymizers/transformer.py",
    ),
    "typer": ("cli/", "papers/"),
    "rich": ("cli/", "papers/", "base/progress.py"),
}
HEAVY = (
    "pandas",
    "polars",
    "numba",
    "sklearn",
    "scipy",
    "pyspark",
    "narwhals",
    "pyarrow",
    "altair",
    "nicegui",
)

MODULES = sorted(path.relative_to(PACKAGE).as_posix() for path in PACKAGE.rglob("*.py"))


def imports(module: str) -> Iterator[tuple[str, int]]:
    """Every module imported by a file, wherever in it, with the line; `from lookalike import x` counts as x."""
    tree = ast.parse((PACKAGE / module).read_text(encoding="utf-8"))
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from ((alias.name, node.lineno) for alias in node.names if alias.name != "lookalike")
            if any(alias.name == "lookalike" for alias in node.names):
                yield ("lookalike.__version__" if _asks_version_only(tree) else "lookalike"), node.lineno
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{module}:{node.lineno}: relative import; write it out"
            if node.module == "lookalike":
                yield from ((f"lookalike.{alias.name}", node.lineno) for alias in node.names)
            else:
                yield node.module or "", node.lineno


def _asks_version_only(tree: ast.AST) -> bool:
    used = [
        node.attr
        for node in ast.walk(tree)
        if isinstance(node, ast.Attribute)
        and isinstance(node.value, ast.Name)
        and node.value.id == "lookalike"
    ]
    return set(used) == {"__version__"}


def room_of(module: str) -> str:
    """The room of a module, written with dots: the smallest one that has a place."""
    parts = module.removesuffix(".py").split(".")
    return ".".join(parts[:2]) if ".".join(parts[:2]) in PLACE else parts[0]


def dotted(module: str) -> str:
    return module.removesuffix(".py").replace("/", ".")


def test_every_room_has_its_place_on_the_ground_floor() -> None:
    rooms = {room_of(dotted(module)) for module in MODULES} - {"__init__"}
    assert rooms <= {*PLACE, *GROUND_FLOOR}, "give each a place in ORDER"
    assert len(GROUND_FLOOR - {"__main__"}) <= 16


@pytest.mark.parametrize("module", [module for module in MODULES if room_of(dotted(module)) in PLACE])
def test_imports_go_one_way(module: str) -> None:
    mine = room_of(dotted(module))
    level, side = PLACE[mine]
    for name, line in imports(module):
        if name.split(".")[0] != "lookalike":
            continue
        room = room_of(name.removeprefix("lookalike."))
        if room not in PLACE and name != "lookalike.__version__":
            assert level >= PLACE["web"][0], f"{module}:{line} imports the front door; import the room"
            continue
        there, that_side = PLACE.get(room, (-1, 0))
        assert there < level or (there == level and that_side == side), f"{module}:{line} imports {name}"


@pytest.mark.parametrize("library", HOMES)
def test_a_library_stays_in_its_rooms(library: str) -> None:
    strays = [
        f"{module}:{line}"
        for module in MODULES
        for name, line in imports(module)
        if name.split(".")[0] == library and not module.startswith(HOMES[library])
    ]
    assert strays == []


def test_kernels_import_numpy_and_other_kernels_only() -> None:
    """Some files there are no kernels: how they are compiled, lowered, linked and kept."""
    allowed = ("__future__", "math", "typing", "numpy")
    how = ("caching", "compiling", "lean", "linking", "loading", "lowering", "plain", "probing")
    no_kernels = tuple(f"kernels/{file}.py" for file in how)
    strays = [
        f"{module}:{line} {name}"
        for module in MODULES
        if module.startswith("kernels/") and module not in no_kernels
        for name, line in imports(module)
        if name.split(".")[0] not in allowed and not name.startswith("lookalike.kernels")
    ]
    assert strays == []


def test_a_kernel_takes_nine_arguments_at_most() -> None:
    """What belongs together is one argument, a named tuple (`kernels/columns.Shape`)."""
    many = [
        f"{module}:{node.lineno} {node.name}"
        for module in MODULES
        if module.startswith("kernels/")
        for node in ast.walk(ast.parse((PACKAGE / module).read_text(encoding="utf-8")))
        if isinstance(node, ast.FunctionDef) and len(node.args.args + node.args.kwonlyargs) > 9
    ]
    assert many == []


@pytest.mark.parametrize(
    "module", ["lookalike", "lookalike.cli", "lookalike.base.errors", "lookalike.tables.datasets"]
)
def test_importing_loads_no_heavy_library(module: str) -> None:
    script = f"import sys, {module}; print(*[name for name in {HEAVY!r} if name in sys.modules])"
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert run.stdout.split() == []
