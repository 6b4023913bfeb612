"""Values that may stand for "missing": words among numbers, codes such as -9 or 999, and known words for no answer.

Only known spellings, codes of nines and eights, and short words that many records share are named, so that no
message shows a value of one person. Few of them are sure enough to be read as missing before anybody is asked: known
words among numbers, codes that lie further from the rest than the rest is wide or that the meaning of the column rules
out as values, -99 or -999 of some records below many different numbers of which none is negative, and -9 or 999 where
all other values are words. 7 is a number of children, and 99 is an age. O(distinct values).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from lookalike.tables.columns.bands import is_band
from lookalike.tables.columns.coding import Column
from lookalike.tables.columns.roles import Kind
from lookalike.tables.meanings.concepts import CODED
from lookalike.tables.meanings.names import fold

_KNOWN = """
na | n/a | n.a. | nan | null | nil | missing | unknown | unk | not known | not stated | not specified | not reported
not available | not applicable | not recorded | not done | no answer | no response | refused | declined
prefer not to say
don't know | dont know | dk | undisclosed | undefined | unspecified | inapplicable | not ascertained | tbd | ? | - | --
. | .. | unbekannt | keine angabe | k.a. | k. a. | ka | entfallt | nicht erhoben | trifft nicht zu | weiss nicht
ohne angabe | inconnu | non renseigne | nr | nsp | sans objet | ne sait pas | non reponse | sans reponse | nd
non precise | desconocido | no consta | sin dato | sin datos | no sabe | ns/nc | nc | no aplica | no contesta
no especificado | desconhecido | nao informado | nao sabe | sem informacao | ignorado | sconosciuto | non noto
non disponibile | onbekend | niet van toepassing | weet niet | geen antwoord
"""
#: Words for no answer, whatever the column; in small letters, without accents.
WORDS = frozenset(word.strip() for line in _KNOWN.strip().splitlines() for word in line.split("|"))
_WRITTEN_BY_MACHINES = frozenset(
    {"NULL", "null", "NaN", "nan", "N/A", "n/a", "NA"}
)  #: people seldom spell so
_NUMBER = re.compile(r"[-+]?(\d+([.,]\d+)*|\d*[.,]\d+)([eE][-+]?\d+)?%?")
_WHOLE = re.compile(r"-?\d{1,9}")
_DATE = re.compile(r"\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4}.*")
_SHAPES: tuple[tuple[str, Callable[[str], object]], ...] = (
    ("numbers", _NUMBER.fullmatch),
    ("dates", _DATE.fullmatch),
    ("bands of numbers", is_band),
)
_HIGH = re.compile(r"9+|8+|7+|9+[78]")  # 9, 99, 999; 88; 77; 97, 98
_AMOUNTS = frozenset({"more", "less", "many", "few", "none", "all", "over", "under", "mehr", "plus", "mas"})
_MOST_WORDS = 2  # more words among numbers are values of their own
_FEWEST = 3  # numbers or dates beside the words
_SHORT, _SHARED = 4, 5  # letters up to which a word, and records from which, it is named without being known
_REPEATED, _VARIED = 3, 20  # records with -999, and other numbers, from which on it is no value
_SPREAD, _BEYOND = 8, 4  # numbers from which their spread says how far others lie, and times it before
_GAP = 3  # a code lies this many steps beyond the other values
_BRIEF, _MANY = (
    3,
    2,
)  # letters of a known word, and other values like it, from which on it may be initials or a code
_COUNTED = frozenset({"children", "household"})  # 7 and 9 are numbers of people
_NEVER_NEGATIVE = frozenset({"age", "birth_year", "income"}) | _COUNTED | CODED
_LONG = 100  # from here on a code among words is no value: 99 may be a bus line
_OLDEST = 120  # up to here 99 may be an age


@dataclass(frozen=True)
class StandIns:
    """Values of a column that may stand for missing, how many records have one, and why that is thought."""

    values: tuple[str, ...]  #: those that can be named
    records: int
    words: str
    sure: tuple[str, ...] = ()  #: those of the values that can hardly be anything else


def stand_ins(column: Column, concept: str = "") -> StandIns | None:
    """The values that may stand for missing in a column about `concept`; None where nothing looks like it."""
    texts, counts = column.domain.texts, column.counts[: len(column.domain.values)]
    if column.kind in (Kind.INTEGER, Kind.DECIMAL):
        return _codes(column.domain.values.astype(np.float64), counts, concept)
    if column.kind not in (Kind.NOMINAL, Kind.ORDINAL) or len(texts) < 2:
        return None
    if column.kind is Kind.NOMINAL and all(
        _WHOLE.fullmatch(text) for text in texts
    ):  # numbers that are names: 1 and 2 for women and men, 9 for nobody
        numbers = np.array([float(text) for text in texts])
        order = np.argsort(numbers, kind="stable")
        return _codes(numbers[order], counts[order], concept)
    coded = _among_words(texts, counts)
    words = None
    if column.kind is Kind.NOMINAL:
        others = np.setdiff1d(np.arange(len(texts)), coded)
        words = _words([texts[i] for i in others.tolist()] if coded else texts, counts[others])
    if not coded:
        return words
    named = [texts[i].strip() for i in coded]
    mostly_words = len(texts) >= 3 * len(coded)
    sure = [text for text in named if _is_sure_of_words(int(text), mostly_words)]
    codes = _told(named, int(counts[coded].sum()), "codes among words", sure)
    return codes if words is None else _both(codes, words)


def _words(texts: list[str], counts: NDArray[np.int64]) -> StandIns | None:
    """Words among numbers, dates or bands; else known words for no answer."""
    for what, fits in _SHAPES:
        odd = _odd(texts, fits)
        if odd and len(texts) - len(odd) >= _FEWEST:
            named = [texts[i] for i in odd if is_known(texts[i]) or _is_shared(texts[i], int(counts[i]))]
            number = "one word" if len(odd) == 1 else "two words"
            sure = [text for text in named if is_known(text)]
            return _told(named, int(counts[odd].sum()), f"all {what} but {number}", sure)
    known = [i for i, text in enumerate(texts) if is_known(text)]
    known = [i for i in known if not _is_one_of_many(texts[i], texts)]
    if not known or len(known) == len(texts):
        return None
    named = [texts[i] for i in known]
    sure = [text for text in named if text.strip() in _WRITTEN_BY_MACHINES]
    return _told(named, int(counts[known].sum()), "words for no answer", sure)


def _among_words(texts: list[str], counts: NDArray[np.int64]) -> list[int]:
    """The places of codes such as -9 and 999, where no other value is a number: among words, dates or bands."""
    codes: list[int] = []
    for i, text in enumerate(texts):
        if _is_number(text.strip()):
            if not _is_code_of_words(text.strip(), int(counts[i])):
                return []
            codes.append(i)
    return codes if len(texts) - len(codes) >= 2 else []


def _is_number(text: str) -> bool:
    return _NUMBER.fullmatch(text) is not None and _DATE.fullmatch(text) is None


def _is_code_of_words(text: str, records: int) -> bool:
    if not _WHOLE.fullmatch(text):
        return False
    number = int(text)
    return -9 <= number < 0 or (_is_code(abs(number)) and (number < 0 or (number > 9 and records > 1)))


def _is_sure_of_words(code: int, mostly_words: bool) -> bool:
    """-9 and 999 can hardly be values beside words, -2 only beside many: "plano" is a lens that is not of -2."""
    return code >= _LONG or (code < 0 and (mostly_words or _is_code(-code)))


def _both(one: StandIns, other: StandIns) -> StandIns:
    return StandIns(
        one.values + other.values,
        one.records + other.records,
        f"{one.words} {other.words}",
        one.sure + other.sure,
    )


def values_elsewhere(
    columns: Sequence[Column], per_column: Sequence[StandIns | None]
) -> Mapping[str, tuple[str, ...]]:
    """For each value that may stand for missing, the columns that have it as a value. O(columns x such values)."""
    asked = sorted({text for one in per_column if one is not None for text in one.values})
    return {
        text: tuple(
            column.name
            for column, one in zip(columns, per_column, strict=True)
            if (one is None or text not in one.values) and _holds(column, text) and not _says_nothing(column)
        )
        for text in asked
    }


def _says_nothing(column: Column) -> bool:
    """Whether all that a column holds are words for no answer, as an export of an empty one has."""
    texts = column.domain.texts
    return column.kind is Kind.NOMINAL and len(texts) <= _MOST_WORDS and all(map(is_known, texts))


def _holds(column: Column, text: str) -> bool:
    values = column.domain.values
    if column.kind is Kind.DATE:
        return False
    if not column.kind.numeric:
        return bool((values == text).any())
    try:
        return bool((values == float(text)).any())
    except ValueError:
        return False


def _codes(numbers: NDArray[np.float64], counts: NDArray[np.int64], concept: str) -> StandIns | None:
    """Negative codes where all else is not negative; nines, eights and sevens far above all other values."""
    if len(numbers) < _FEWEST:
        return None
    low = _below(numbers, concept)
    high = _above(numbers, counts, concept)
    marked = np.flatnonzero(low | high)
    if not len(marked):
        return None
    rest = numbers[~(low | high)]
    again = (numbers <= -99) & (counts >= _REPEATED) & (len(rest) >= _VARIED)
    sure = [i for i in marked.tolist() if again[i] or _is_far(numbers[i], rest, concept)]
    why = "negative codes below all other numbers" if low.any() else "codes far above all other numbers"
    names = {i: f"{numbers[i]:.0f}" for i in marked.tolist()}
    return _told([*names.values()], int(counts[marked].sum()), why, [names[i] for i in sure])


def _below(numbers: NDArray[np.float64], concept: str) -> NDArray[np.bool_]:
    """Negative codes, where all other numbers are not negative; -3, -2, -1 next to 0 are values, unless of an age."""
    low = np.array([n < 0 and (_is_code(-n) or (n >= -9 and n == round(n))) for n in numbers.tolist()])
    rest = numbers[~low]
    if (rest < 0).any() or len(rest) < 2:
        return np.zeros_like(low)
    lowest = rest[0] - np.arange(1, 3)
    values = concept not in _NEVER_NEGATIVE and np.isin(lowest, numbers[low]).all()
    return np.zeros_like(low) if values else low


def _above(numbers: NDArray[np.float64], counts: NDArray[np.int64], concept: str) -> NDArray[np.bool_]:
    """Codes of one length at the upper end, repeated, and beyond a gap."""
    out = np.zeros(len(numbers), dtype=bool)
    top = f"{numbers[-1]:.0f}"
    if numbers[-1] != round(numbers[-1]) or not _HIGH.fullmatch(top):
        return out
    first = len(numbers) - 1
    while first > 0 and _is_code(numbers[first - 1]) and len(f"{numbers[first - 1]:.0f}") == len(top):
        first -= 1
    rest = numbers[:first]
    if len(rest) < 2 or (counts[first:] < 2).any() or (len(top) == 1 and not _is_ninth(numbers, concept)):
        return out
    step = float(np.median(np.diff(rest)))
    if numbers[first] - rest[-1] >= max(_GAP * step, _GAP) and rest[-1] < 0.95 * 10 ** (len(top) - 1) * 8:
        out[first:] = True
    return out


def _is_ninth(numbers: NDArray[np.float64], concept: str) -> bool:
    """Whether a single 9 at the end may be a code: of a list of codes, or far beyond a few numbers; no count."""
    rest = numbers[:-1]
    return (
        numbers[-1] == 9
        and concept not in _COUNTED
        and (concept in CODED or 9 - rest[-1] > rest[-1] - rest[0])
    )


def _is_far(code: float, rest: NDArray[np.float64], concept: str) -> bool:
    """Whether a code can hardly be a value: by what the column is about, or further off than all the rest is wide."""
    if code < 0 and concept in _NEVER_NEGATIVE:
        return True
    if 0 <= code <= 9:
        return concept in CODED and concept != "housing"  # flats of nine rooms
    if concept == "age" and 0 < code <= _OLDEST:
        return False
    away = rest[0] - code if code < 0 else code - rest[-1]
    wide = rest[-1] - rest[0]
    return bool(
        away > (wide if len(rest) >= _SPREAD else _BEYOND * wide)
    )  # few prices say little of the next


def _is_code(number: float) -> bool:
    return number == round(number) and _HIGH.fullmatch(f"{number:.0f}") is not None


def _odd(texts: list[str], fits: Callable[[str], object]) -> list[int]:
    """The few texts that have no such shape; none where they are many, or say how much ("more", "5+")."""
    odd: list[int] = []
    for i, text in enumerate(texts):
        if fold(text.strip()) in _AMOUNTS:
            return []
        if not fits(text.strip()):
            odd.append(i)
            if len(odd) > _MOST_WORDS:
                return []
    return odd


def is_known(text: str) -> bool:
    """Whether a text is a word for no answer."""
    word = fold(text.strip())
    return word in WORDS or word.rstrip(".") in WORDS  # also cut short: "Unk."


def _is_one_of_many(text: str, texts: Iterable[str]) -> bool:
    """Whether a short word is written as other values are, which then are initials or codes of two letters."""
    if sum(map(str.isalpha, text)) > _BRIEF:
        return False
    shape = _shape(text)
    return sum(len(other) == len(text) and _shape(other) == shape for other in texts) > _MANY


def _shape(text: str) -> str:
    return re.sub(r"[^\W\d_]", "a", text.strip())


def _is_shared(text: str, records: int) -> bool:
    return text.strip().isalpha() and len(text.strip()) <= _SHORT and records >= _SHARED


def _told(named: list[str], records: int, why: str, sure: Iterable[str]) -> StandIns:
    shown = " or ".join(repr(text) for text in named)
    asked = f": is {shown} missing?" if named else ": is that missing?"
    return StandIns(
        tuple(text.strip() for text in named), records, why + asked, tuple(text.strip() for text in sure)
    )
