"""TOML as recipes need it: writing with comments, and finding the line of what was read, so that errors can name it.

Python reads TOML but does not write it. https://toml.io/en/v1.0.0
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Mapping, Sequence
from typing import Any

from lookalike.base.errors import FileError

MOST_BYTES = 4 * 2**20  #: a recipe is written by hand; what is larger is none
WIDTH = 110  #: characters from which a value goes on in the next line
_PARTS = re.compile(r"(?:\\.|[^\\<,|+])*(?:[<,|+]\s*|$)")  #: a text up to where it may be broken
_BARE = re.compile(r"[A-Za-z0-9_-]+")


def parse(text: str, where: str) -> dict[str, Any]:
    """The tables of a TOML text; a slip is told with its line."""
    if len(text) > MOST_BYTES:
        raise FileError(f"{where}: is larger than any recipe ({MOST_BYTES // 2**20} MiB at most).")
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as problem:
        raise FileError(f"{where}: is not TOML: {_place(problem)}.") from None
    except (ValueError, RecursionError):
        raise FileError(
            f"{where}: is no recipe that anybody would write: a number without end, or too deep."
        ) from None


def line_of(text: str, *path: str | int) -> int | None:
    """The line where a table or key stands: `line_of(text, "columns", "age", "role")`; None where it cannot be told."""
    names = [part for part in path if isinstance(part, str)]
    turn = next((part for part in path if isinstance(part, int)), None)
    best, inside, seen, goes_on = None, [], -1, ""
    for number, line in enumerate(text.splitlines(), 1):
        stripped = line.strip()
        if goes_on:  # inside a value of several lines
            ended = (
                goes_on in stripped if goes_on != "]" else stripped.partition("#")[0].rstrip().endswith("]")
            )
            goes_on = "" if ended else goes_on
            continue
        goes_on = _closing(stripped)
        header = re.match(r"\[\[?(.+?)\]\]?\s*(#.*)?$", stripped)
        if header and "=" not in stripped.split("]")[0]:
            inside = _split(header[1])
            if stripped.startswith("[[") and inside == names[:1]:
                seen += 1
            if inside == names[: len(inside)] and (turn is None or seen == turn):
                best = number
        elif "=" in stripped and inside == names[: len(inside)] and (turn is None or seen == turn):
            key = _split(stripped.split("=", 1)[0].strip())
            if [*inside, *key] == names[: len(inside) + len(key)] and key:
                best = number
    return best


def write_key(name: str) -> str:
    """A key, quoted where it must be."""
    return name if _BARE.fullmatch(name) else quote(name)


def quote(text: str) -> str:
    """A TOML basic string; JSON's escapes are TOML's, but for the character 7F."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


def write_value(value: Any) -> str:
    """A value as TOML writes it."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return quote(value)
    if isinstance(value, int | float):
        return repr(value)
    if isinstance(value, Mapping):
        return "{ " + ", ".join(f"{write_key(str(k))} = {write_value(v)}" for k, v in value.items()) + " }"
    if isinstance(value, Sequence):
        return "[" + ", ".join(map(write_value, value)) + "]"
    raise TypeError(f"a recipe cannot hold {type(value).__name__}")


def write_line(key: str, value: Any) -> str:
    """`key = value`; a long text or list goes on in the next lines."""
    written = write_value(value)
    if (
        len(key) + len(written) <= WIDTH
        or not isinstance(value, str | list | tuple)
        or written[1:2].isspace()
    ):
        return f"{write_key(key)} = {written}"
    if isinstance(value, str):  # a backslash at the end joins lines, and swallows the spaces that follow
        return f'{write_key(key)} = """\\\n' + "\\\n".join(_wrap(_PARTS.findall(written[1:-1]))) + '"""'
    parts = [f"{write_value(one)}, " for one in value]
    return f"{write_key(key)} = [\n" + "\n".join(f"  {line.rstrip()}" for line in _wrap(parts)) + "\n]"


def _wrap(parts: Sequence[str]) -> list[str]:
    """The parts in lines as long as may be."""
    lines = [""]
    for part in filter(None, parts):
        if lines[-1] and len(lines[-1]) + len(part) > WIDTH:
            lines.append("")
        lines[-1] += part
    return lines


def comment(words: str) -> str:
    """Words that fit behind a `#`: one line, nothing unprintable."""
    return " ".join("".join(c if c.isprintable() else " " for c in words).split())


def _closing(line: str) -> str:
    """What ends the value that begins in a line and goes on in the next; empty where it does not."""
    value = line.partition("=")[2].strip()
    if value.count('"""') == 1:
        return '"""'
    return "]" if value == "[" else ""


def _split(dotted: str) -> list[str]:
    """The parts of a dotted key; quoted parts may hold dots."""
    parts = re.findall(r'"((?:[^"\\]|\\.)*)"|\'([^\']*)\'|([A-Za-z0-9_-]+)', dotted)
    return [json.loads(f'"{double}"') if double else single or bare for double, single, bare in parts]


def _place(problem: tomllib.TOMLDecodeError) -> str:
    """What is wrong and where, without the text that stands there."""
    found = re.search(r"\(at (line \d+, column \d+|end of document)\)", str(problem))
    return f"a slip at {found[1]}" if found else "a slip"
