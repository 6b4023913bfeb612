"""A TOML file of questions: one `[[question]]` each, with `kind`, perhaps `name`, and the options of the kind.

Errors name the file, the line and the key.
"""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any

from lookalike.base.checks import checked
from lookalike.base.errors import FileError, RequestError, in_words
from lookalike.measures.utility.questions.question import Question


@checked
def read_questions(path: str | Path) -> list[Question]:
    """The questions in a TOML file.

    Examples:
        >>> from pathlib import Path
        >>> import lookalike as la
        >>> _ = Path("questions.toml").write_text('[[question]]\\nkind = "mean"\\nof = "income"\\ntolerance = 500\\n')
        >>> la.read_questions("questions.toml")
        [Question(mean: mean of income)]
    """
    path = Path(path)
    try:
        text = path.read_text(encoding="utf-8")
    except OSError as problem:
        raise FileError(f"{path}: cannot be read ({in_words(problem)}).") from None
    except UnicodeDecodeError:
        raise FileError(f"{path}: is not a text in UTF-8.") from None
    try:
        return parse_questions(text)
    except RequestError as problem:
        raise FileError(f"{path}: {problem}") from None


def parse_questions(text: str) -> list[Question]:
    """The questions in a TOML text."""
    try:
        written = tomllib.loads(text)
    except tomllib.TOMLDecodeError as problem:
        raise RequestError(f"is not TOML: {problem}.") from None
    except (ValueError, RecursionError):
        raise RequestError(
            "is not TOML that anybody would write: a number without end, or too deep."
        ) from None
    strange = [key for key in written if key != "question"]
    if strange:
        raise RequestError(
            f"{_at(text, None, strange[0])}: there is no table {strange[0]!r} here; each question is a [[question]]."
        )
    listed = written.get("question")
    if not isinstance(listed, list) or not listed:
        raise RequestError("has no question. Write [[question]] with a `kind` and its options for each.")
    return [_read(text, i, options) for i, options in enumerate(listed)]


def _read(text: str, number: int, options: Any) -> Question:
    if not isinstance(options, dict) or not isinstance(options.get("kind"), str):
        raise RequestError(
            f"{_at(text, number, 'kind')}: a question needs a `kind`: {', '.join(Question.kinds())}."
        )
    try:
        return Question(options["kind"], **{key: value for key, value in options.items() if key != "kind"})
    except RequestError as problem:
        named, _, rest = str(problem).partition(": ")
        known = named in options
        where = _at(text, number, named if known else "kind")
        raise RequestError(f"{where}: {rest if known else problem}") from None
    except TypeError:
        raise RequestError(
            f"{_at(text, number, 'kind')}: an option of this question has a wrong name."
        ) from None


def _at(text: str, question: int | None, key: str) -> str:
    """The line of a key, in words: that of the n-th question, or anywhere."""
    header = re.compile(r"^\s*\[\[\s*question\s*\]\]")
    wanted = re.compile(rf"^\s*(?:\[+\s*)?(?:question\s*\.\s*)?[\"']?{re.escape(key)}[\"']?\s*(?:[=\].])")
    seen, first = -1, None
    for line, content in enumerate(text.splitlines(), start=1):
        if header.match(content):
            seen += 1
            if seen == question:
                first = line
        if (question is None or seen == question) and wanted.match(content):
            return f"line {line}, {key}"
    return f"line {first or 1}, {key}"
