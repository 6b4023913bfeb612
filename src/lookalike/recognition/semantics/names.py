"""What a column's name says: its words looked up in a lexicon of several languages (lexicon.toml).

`dateOfBirth`, `DATE_OF_BIRTH`, `dob`, `Geburtsdatum` and `patient.birthdate` all mean the same. A name is cut into
words; runs of words, single words, and the parts of compounds are looked up, longest first. O(length of the name).
"""

from __future__ import annotations

import re
import tomllib
import unicodedata
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

_WORD = re.compile(r"[A-ZÀ-ÖØ-Þ]+(?![a-zß-ÿ])|[A-ZÀ-ÖØ-Þ]?[a-zß-ÿ]+|\d+|[^\W\d_]+")
_LONGEST_RUN = 6
_END = 8  # a term of at least this many letters may end any compound: patientengeschlecht
_INSIDE = 6  # a term of at least this many letters may follow one or two letters: wincome
_START = 4  # a term of at least this many letters may be followed by one or two letters
_WHOSE = frozenset("mfwh")  # mother's, father's, wife's, husband's: medu, fage
_OF_RELATIVES = frozenset({"age", "education", "occupation", "race", "birth_date", "birth_year", "income"})


@dataclass(frozen=True)
class Reading:
    """One way to read a name: the concept, how sure, and the words that say so."""

    concept: str
    strength: float
    words: str
    of_thing: bool  #: another word says that it is a thing's, not a person's


@dataclass(frozen=True)
class Lexicon:
    """Terms without blanks -> concepts; and the small words."""

    terms: dict[str, tuple[str, ...]]
    person: frozenset[str]
    thing: frozenset[str]
    filler: frozenset[str]


def fold(text: str) -> str:
    """Lower case without accents: Straße -> strasse, Âge -> age."""
    lowered = text.casefold().replace("ß", "ss").replace("ø", "o").replace("ł", "l").replace("ı", "i")
    return "".join(c for c in unicodedata.normalize("NFKD", lowered) if not unicodedata.combining(c))


def split_words(name: str) -> list[str]:
    """The words of a name, folded: `ZIPCode_3` -> zip, code, 3."""
    return [fold(word) for word in _WORD.findall(unicodedata.normalize("NFC", name))]


@cache
def lexicon() -> Lexicon:
    """The lexicon that comes with the package."""
    raw = tomllib.loads(files(__package__).joinpath("lexicon.toml").read_text(encoding="utf-8"))
    lists = {
        key: frozenset("".join(split_words(w)) for w in raw.pop(key)["words"].split(","))
        for key in ("whose_person", "whose_thing", "filler")
    }
    terms: dict[str, list[str]] = {}
    for concept, languages in raw.items():
        for listed in languages.values():
            for term in listed.split(","):
                for written in _spellings(term):
                    owners = terms.setdefault(written, [])
                    if concept not in owners:
                        owners.append(concept)
    return Lexicon(
        {term: tuple(owners) for term, owners in terms.items()},
        lists["whose_person"],
        lists["whose_thing"],
        lists["filler"],
    )


def _spellings(term: str) -> set[str]:
    """A term in one word, and as German writes it without umlauts."""
    plain = term.strip().casefold()
    long = plain.replace("ä", "ae").replace("ö", "oe").replace("ü", "ue")
    return {"".join(split_words(plain)), "".join(split_words(long))}


def read_name(name: str) -> list[Reading]:
    """Every way to read a name, surest first; empty where no word is known."""
    words = split_words(name)
    known = lexicon()
    found: list[tuple[int, int, str, float]] = []  # start, end, term, strength
    taken = [False] * len(words)
    for length in range(min(_LONGEST_RUN, len(words)), 0, -1):
        for start in range(len(words) - length + 1):
            if any(taken[start : start + length]):
                continue
            term = "".join(words[start : start + length])
            # a small word, or whose it is, says nothing beside others: "year" in "education year", "partner" in
            # "partner income"
            beside = length == 1 and len(words) > 1
            small = beside and (term in known.filler or term in known.person)
            if term in known.terms and not small:
                found.append((start, start + length, term, 1.0))
                taken[start : start + length] = [True] * length
    for i, word in enumerate(words):
        if not taken[i] and word not in known.filler and (inside := find_inside(word)):
            found.append((i, i + 1, inside, 0.9))
            taken[i] = True
    rest = [word for word, used in zip(words, taken) if not used]
    strange = [
        w
        for w in rest
        if not w.isdigit() and w not in known.filler and w not in known.person and w not in known.thing
    ]
    readings = []
    for start, end, term, strength in found:
        others = [w for i, w in enumerate(words) if not start <= i < end]
        of_thing = any(w in known.thing for w in others) and not any(w in known.person for w in others)
        sure = strength * (1.0 if not strange else 0.85) * (0.9 if len(found) > 1 else 1.0)
        for place, concept in enumerate(known.terms[term]):
            shown = " ".join(words[start:end])
            readings.append(
                (-(end - start), Reading(concept, sure * (1.0 if not place else 0.95), shown, of_thing))
            )
    return [reading for _, reading in sorted(readings, key=lambda r: (r[0], -r[1].strength))]


def find_inside(word: str) -> str | None:
    """The longest known term that makes up the word but for a plural, a small word, or a short rest."""
    known = lexicon()
    for end in ("s", "es", "n", "en"):
        if word.endswith(end) and len(word) - len(end) >= 3 and word[: -len(end)] in known.terms:
            return word[: -len(end)]
    best = ""
    for cut in range(1, len(word)):
        head, tail = word[:cut], word[cut:]
        if head in known.terms and (
            (len(head) >= 3 and len(tail) > 1 and (tail in known.filler or tail in known.person))
            or (len(head) >= _START and len(tail) <= 2)
        ):
            best = max(best, head, key=len)
        if tail in known.terms and (
            len(tail) >= _END
            or (len(tail) >= _INSIDE and (len(head) <= 2 or head in known.filler))
            or (len(tail) >= 3 and len(head) > 1 and head in known.person)
            or (len(tail) >= 3 and head in _WHOSE and set(known.terms[tail]) & _OF_RELATIVES)
        ):
            best = max(best, tail, key=len)
        if len(head) >= _START and len(tail) >= _START and head in known.terms and tail in known.terms:
            best = max(best, head, key=len)
    return best or None
