"""What a dialogue is set to, and the file it is kept in.

The file may have been edited, damaged or planted by others: it is read strictly, key by key, and whatever is not
exactly a saved dialogue is refused before anything is learnt from it.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any

from lookalike.anonymizers.dialogue.preferences import ANSWERS
from lookalike.anonymizers.dialogue.questions import ClusterQuestion, Option
from lookalike.base.checks import is_number, shown, whole_number
from lookalike.base.errors import FileError, RequestError, unknown_column
from lookalike.tables.sources.documents import read_document

FORMAT = 3
RULES = ("bayes", "eg")
QUESTIONS = ("teach", "random")
LARGEST = 1_000_000  #: of sliders and steps: far beyond use, and no sum of them overflows
_ROUNDING = 1e-9


@dataclass(frozen=True)
class Settings:
    """What stays the same during a dialogue. Made by `check_settings`."""

    k: int = 10
    rule: str = "bayes"
    sliders: Mapping[str, float] | None = None
    seed: int = 0
    eta: float = 1.0
    tau: float = 1.0
    questions: str = "teach"


@dataclass(frozen=True)
class DialogueSession:
    """A dialogue as its file tells it."""

    settings: Settings
    answers: Sequence[tuple[ClusterQuestion, str]]


def check_settings(given: Mapping[str, Any], quasi: Sequence[str]) -> Settings:
    """Settings as given, the others by default; what makes no sense is refused."""
    settings = Settings(**given)
    if settings.rule not in RULES:
        raise RequestError(f"there is no rule {settings.rule!r}; choose from {', '.join(RULES)}.")
    if settings.questions not in QUESTIONS:
        raise RequestError(f"questions can be chosen to 'teach' or at 'random', not {settings.questions!r}.")
    for word, value in (("eta", settings.eta), ("tau", settings.tau)):
        if not is_number(value) or not 0 < value <= LARGEST:
            raise RequestError(f"{word} is a positive number, at most {LARGEST:,}; found {shown(value)}.")
    return replace(
        settings,
        k=whole_number(settings.k, "k", least=2),
        seed=whole_number(settings.seed, "seed"),
        eta=float(settings.eta),
        tau=float(settings.tau),
        sliders=None if settings.sliders is None else _sliders(settings.sliders, quasi),
    )


def read(path: Path, quasi: Sequence[str]) -> DialogueSession:
    """Read a saved dialogue about these columns."""
    written = read_document(path, "saved dialogue")
    try:
        return _session(written, quasi)
    except RequestError as problem:
        raise FileError(f"{path}: {problem}") from None


def _session(written: Any, quasi: Sequence[str]) -> DialogueSession:
    if not isinstance(written, dict) or written.get("format") != FORMAT:
        raise RequestError(f"is not a saved dialogue of format {FORMAT}.")
    _keys(written, ("format", "dialogue", "quasi", "answers", "weights"), "the file")
    about = written["quasi"]
    if not isinstance(about, list) or not all(map(_is_text, about)):
        raise _malformed("quasi")
    if about != list(quasi):
        raise RequestError(
            f"the dialogue was about {', '.join(about)}; the table's quasi-identifiers are "
            f"{', '.join(quasi)}. Give the same columns in the same order."
        )
    _keys(written["dialogue"], [field.name for field in fields(Settings)], "dialogue")
    settings = check_settings(written["dialogue"], quasi)
    if not isinstance(written["answers"], list):
        raise _malformed("answers")
    return DialogueSession(
        settings, [_answer(one, i, quasi, settings.k) for i, one in enumerate(written["answers"], 1)]
    )


def _answer(written: Any, number: int, quasi: Sequence[str], k: int) -> tuple[ClusterQuestion, str]:
    where = f"answer {number}"
    _keys(written, ("number", "record", "A", "B", "answer"), where)
    answer = written["answer"]
    if written["number"] != number or not isinstance(answer, str) or answer not in ANSWERS:
        raise _malformed(where)
    a, b = (_side(written[word], f"{where}, {word}", quasi, k) for word in ("A", "B"))
    return ClusterQuestion(number, _labels(written["record"], f"{where}, record", quasi), a, b), answer


def _side(written: Any, where: str, quasi: Sequence[str], k: int) -> Option:
    _keys(written, ("records", "now", "then", "cost"), where)
    records, cost = written["records"], written["cost"]
    _keys(cost, quasi, f"{where}, cost")
    if not all(is_number(one) and -_ROUNDING <= one <= 1 + _ROUNDING for one in cost.values()):
        raise _malformed(f"{where}, cost")
    now, then = (_labels(written[word], f"{where}, {word}", quasi) for word in ("now", "then"))
    return Option(
        whole_number(records, "records", least=1, most=k - 1),
        now,
        then,
        {name: float(cost[name]) for name in quasi},
    )


def _labels(written: Any, where: str, quasi: Sequence[str]) -> dict[str, str | None]:
    _keys(written, quasi, where)
    if not all(label is None or _is_text(label) for label in written.values()):
        raise _malformed(where)
    return {name: written[name] for name in quasi}


def _sliders(given: Any, quasi: Sequence[str]) -> dict[str, float]:
    if not isinstance(given, Mapping):
        raise RequestError("sliders give columns a number from 0 on each, such as {'age': 3}.")
    for name, value in given.items():
        if name not in quasi:
            raise unknown_column(str(name), quasi, "sliders")
        if not is_number(value) or not 0 <= value <= LARGEST:
            raise RequestError(
                f"sliders: column {name!r} is at {shown(value)}; sliders are numbers from 0 on, at most {LARGEST:,}."
            )
    return {name: float(value) for name, value in given.items()}


def _keys(written: Any, names: Collection[str], where: str) -> None:
    if not isinstance(written, dict) or set(written) != set(names):
        raise RequestError(
            f"is not a saved dialogue ({where} must hold {', '.join(names)}, and nothing else)."
        )


def _malformed(where: str) -> RequestError:
    return RequestError(f"is not a saved dialogue ({where} cannot be read).")


def _is_text(value: Any) -> bool:
    """Half a surrogate pair is no text: it cannot be printed or written."""
    return isinstance(value, str) and not any("\ud800" <= letter <= "\udfff" for letter in value)
