"""Values that may stand for "missing": words among numbers, codes such as -9 or 999, and known words for no answer.

Only known spellings, codes of nines and eights, and short words that many records share are named, so that no
message shows a value of one person. O(distinct values).
"""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from lookalike.columns.coding import Column
from lookalike.columns.roles import Kind
from lookalike.meanings.names import fold

_KNOWN = """
na | n/a | n.a. | nan | null | nil | missing | unknown | unk | not known | not stated | not specified | not reported
not available | not applicable | not recorded | no answer | no response | refused | declined | prefer not to say
don't know | dont know | dk | undisclosed | undefined | unspecified | inapplicable | not ascertained | tbd | ? | - | --
. | .. | unbekannt | keine angabe | k.a. | k. a. | ka | entfallt | nicht erhoben | trifft nicht zu | weiss nicht
ohne angabe | inconnu | non renseigne | nr | nsp | sans objet | ne sait pas | non reponse | sans reponse | nd
non precise | desconocido | no consta | sin dato | sin datos | no sabe | ns/nc | nc | no aplica | no contesta
no especificado | desconhecido | nao informado | nao sabe | sem informacao | ignorado | sconosciuto | non noto
non disponibile | onbekend | niet van toepassing | weet niet | geen antwoord
"""
#: Words for no answer, whatever the column; in small letters, without accents.
WORDS = frozenset(word.strip() for line in _KNOWN.strip().splitlines() for word in line.split("|"))
_NUMBER = re.compile(r"[-+]?(\d+([.,]\d+)*|\d*[.,]\d+)([eE][-+]?\d+)?%?")
_WHOLE = re.compile(r"-?\d{1,9}")
_DATE = re.compile(r"\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4}.*")
_HIGH = re.compile(r"9+|8+|7+|9+[78]")  # 9, 99, 999; 88; 77; 97, 98
_AMOUNTS = frozenset({"more", "less", "many", "few", "none", "all", "over", "under", "mehr", "plus", "mas"})
_MOST_WORDS = 2  # more words among numbers are values of their own
_FEWEST = 3  # numbers or dates beside the words
_SHORT, _SHARED = 4, 5  # letters up to which a word, and records from which, it is named without being known
_GAP = 3  # a code lies this many steps beyond the other values


@dataclass(frozen=True)
class StandIns:
    """Values of a column that may stand for missing, how many records have one, and why that is thought."""

    values: tuple[str, ...]  #: those that can be named
    records: int
    words: str


def stand_ins(column: Column) -> StandIns | None:
    """The values that may stand for missing; None where nothing looks like it."""
    texts, counts = column.domain.texts, column.counts[: len(column.domain.values)]
    if column.kind in (Kind.INTEGER, Kind.DECIMAL):
        return _codes(column.domain.values.astype(np.float64), counts)
    if column.kind is not Kind.NOMINAL or len(texts) < 2:
        return None
    if all(
        _WHOLE.fullmatch(text) for text in texts
    ):  # numbers that are names: 1 and 2 for women and men, 9 for nobody
        numbers = np.array([float(text) for text in texts])
        order = np.argsort(numbers, kind="stable")
        return _codes(numbers[order], counts[order])
    for what, shape in (("numbers", _NUMBER), ("dates", _DATE)):
        odd = _odd(texts, shape)
        if odd and len(texts) - len(odd) >= _FEWEST:
            named = [texts[i] for i in odd if _is_known(texts[i]) or _is_shared(texts[i], int(counts[i]))]
            number = "one word" if len(odd) == 1 else "two words"
            return _told(named, int(counts[odd].sum()), f"all {what} but {number}")
    known = [i for i, text in enumerate(texts) if _is_known(text)]
    if not known or len(known) == len(texts):
        return None
    return _told([texts[i] for i in known], int(counts[known].sum()), "words for no answer")


def _codes(numbers: NDArray[np.float64], counts: NDArray[np.int64]) -> StandIns | None:
    """Negative codes where all else is not negative; nines, eights and sevens far above all other values."""
    if len(numbers) < _FEWEST:
        return None
    low = np.array([n < 0 and (_is_code(-n) or (n >= -9 and n == round(n))) for n in numbers.tolist()])
    if (numbers[~low] < 0).any() or (~low).sum() < 2:
        low[:] = False
    marked = np.flatnonzero(low | _above(numbers, counts))
    if not len(marked):
        return None
    why = "negative codes below all other numbers" if low.any() else "codes far above all other numbers"
    return _told([f"{numbers[i]:.0f}" for i in marked.tolist()], int(counts[marked].sum()), why)


def _above(numbers: NDArray[np.float64], counts: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Codes of one length at the upper end, repeated, and beyond a gap."""
    out = np.zeros(len(numbers), dtype=bool)
    top = f"{numbers[-1]:.0f}"
    if numbers[-1] != round(numbers[-1]) or not _HIGH.fullmatch(top):
        return out
    first = len(numbers) - 1
    while first > 0 and _is_code(numbers[first - 1]) and len(f"{numbers[first - 1]:.0f}") == len(top):
        first -= 1
    rest = numbers[:first]
    if len(rest) < 2 or (counts[first:] < 2).any():
        return out
    step = float(np.median(np.diff(rest)))
    if numbers[first] - rest[-1] >= max(_GAP * step, _GAP) and rest[-1] < 0.95 * 10 ** (len(top) - 1) * 8:
        out[first:] = True
    return out


def _is_code(number: float) -> bool:
    return number == round(number) and _HIGH.fullmatch(f"{number:.0f}") is not None


def _odd(texts: list[str], shape: re.Pattern[str]) -> list[int]:
    """The few texts that have no such shape; none where they are many, or say how much ("more", "5+")."""
    odd: list[int] = []
    for i, text in enumerate(texts):
        if fold(text.strip()) in _AMOUNTS:
            return []
        if not shape.fullmatch(text.strip()):
            odd.append(i)
            if len(odd) > _MOST_WORDS:
                return []
    return odd


def _is_known(text: str) -> bool:
    return fold(text.strip()) in WORDS


def _is_shared(text: str, records: int) -> bool:
    return text.strip().isalpha() and len(text.strip()) <= _SHORT and records >= _SHARED


def _told(named: list[str], records: int, why: str) -> StandIns:
    shown = " or ".join(repr(text) for text in named)
    asked = f": is {shown} missing?" if named else ": is that missing?"
    return StandIns(tuple(text.strip() for text in named), records, why + asked)
