"""What a column's name says: its words looked up in a lexicon of several languages (lexicon.toml).

`dateOfBirth`, `DATE_OF_BIRTH`, `dob`, `Geburtsdatum` and `patient.birthdate` all mean the same. A name is cut into
words; runs of words, single words, and the parts of compounds are looked up, longest first. Where several are known,
the head counts most: a "health service area" is an area. O(length of the name).
"""

from __future__ import annotations

import re
import tomllib
import unicodedata
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Literal

_LETTERS = re.compile(r"[^\W\d_]+")
_ABBREVIATED = 4  #: letters up to which capitals do not begin a word
_WORD = re.compile(r"[A-ZÀ-ÖØ-Þ]+(?![a-zß-ÿ])|[A-ZÀ-ÖØ-Þ]?[a-zß-ÿ]+|\d+|[^\W\d_]+")
_LONGEST_RUN = 6
_END = 8  # a term of at least this many letters may end any compound: patientengeschlecht
_INSIDE = 6  # a term of at least this many letters may follow one or two letters: wincome
_START = 4  # a term of at least this many letters may be followed by one or two letters
_WHOSE = frozenset("mfwh")  # mother's, father's, wife's, husband's: medu, fage
_PREFIXED = re.compile(r"[bcdfghjklmnpqrstvwxz]{2}|resp|int")  # pp, sp, resp: marks of a survey, as in ppage
_NO_AGE = frozenset({"stage", "phage"})
_ILL = 4  # an ending of illnesses has at least this many letters before it
_OF_RELATIVES = frozenset({"age", "education", "occupation", "race", "birth_date", "birth_year", "income"})

_HEAD, _BESIDE = 0.95, 0.75  # how much of its strength a term keeps beside others, as the head and otherwise

#: What a key is of: a person, who keeps something (a household, an account), an event, or what is none of these.
KeyOf = Literal["person", "holder", "event", "other", ""]

#: Whose attribute it is: the person's in the row, a professional's, an institution's, or a thing's.
Whose = Literal["person", "staff", "site", "thing"]


@dataclass(frozen=True)
class Reading:
    """One way to read a name: the concept, how sure, the words that say so, and whose attribute it is."""

    concept: str
    strength: float
    words: str
    whose: Whose


@dataclass(frozen=True)
class Lexicon:
    """Terms without blanks -> concepts; and the small words."""

    terms: dict[str, tuple[str, ...]]
    romance: frozenset[str]  #: terms of languages that put the head first
    person: frozenset[str]
    staff: frozenset[str]
    site: frozenset[str]
    thing: frozenset[str]
    filler: frozenset[str]
    link: frozenset[str]
    year: frozenset[str]
    month: frozenset[str]
    vague: frozenset[str]
    about_things: frozenset[str]
    keyed: frozenset[str]
    keyed_holder: frozenset[str]
    keyed_event: frozenset[str]
    keyed_other: frozenset[str]
    keying: frozenset[str]
    naming: frozenset[str]
    called: frozenset[str]
    ill_endings: frozenset[str]
    weighing: frozenset[str]
    amounts: frozenset[str]
    codes: frozenset[str]
    alone: frozenset[str]
    bare: frozenset[str]
    asked: frozenset[str]
    taught: frozenset[str]
    rounds: frozenset[str]


@dataclass(frozen=True)
class _Term:
    """A known term in a name: its words from `start` to `end`."""

    start: int
    end: int
    text: str
    strength: float


def fold(text: str) -> str:
    """Lower case without accents: Straße -> strasse, Âge -> age."""
    if text.isascii():
        return text.lower()
    lowered = text.casefold().replace("ß", "ss").replace("ø", "o").replace("ł", "l").replace("ı", "i")
    return "".join(c for c in unicodedata.normalize("NFKD", lowered) if not unicodedata.combining(c))


def split_words(name: str) -> list[str]:
    """The words of a name, folded: `ZIPCode_3` -> zip, code, 3."""
    return [fold(word) for word in _WORD.findall(unicodedata.normalize("NFC", name))]


def is_of_amounts(name: str) -> bool:
    """Whether a column's name says how long, how far, how much or how many: `YearsAtCompany`, `JobLevel`, `rooms`."""
    return not lexicon().amounts.isdisjoint(split_words(name))


_CODES_INSIDE = ("fips", "geoid", "statefp", "countyfp", "code")


def is_of_codes(name: str) -> bool:
    """Whether a column's name says that it holds codes: `px_cd`, `dept_code_2`, `código municipio`, `ManagerID`, `ward
    no`."""
    words = [word for word in split_words(name) if not word.isdigit()]
    if not words:
        return False
    first = words[0] in ("codigo", "codice", "code", "cod") and words[-1] not in ("length", "count")
    listed = words[-1] in lexicon().codes or first
    return listed or words[-1].endswith(_CODES_INSIDE) or keys_a_place_or_thing(name) or keys_a_person(words)


def weighs(name: str) -> bool:
    """Whether a column's name speaks of a weight, be it of a body or of a survey: `weight`, `hhwt`, `Gewicht`."""
    return any(
        word in lexicon().weighing or word == "wt" or find_inside(word) in lexicon().weighing
        for word in split_words(name)
    )


@cache
def lexicon() -> Lexicon:
    """The lexicon that comes with the package."""
    raw = tomllib.loads(files(__package__).joinpath("lexicon.toml").read_text(encoding="utf-8"))
    lists = {
        name: frozenset("".join(split_words(word)) for word in words.split(","))
        for name, words in raw.pop("lists").items()
    }
    terms: dict[str, list[str]] = {}
    romance: set[str] = set()
    elsewhere: set[str] = set()
    for concept, languages in raw.items():
        for language, listed in languages.items():
            for term in listed.split(","):
                for written in _spellings(term):
                    owners = terms.setdefault(written, [])
                    if concept not in owners:
                        owners.append(concept)
                    (romance if language in ("fr", "es", "pt", "it") else elsewhere).add(written)
    for ending in lists["ill_endings"]:
        terms.setdefault(ending, ["diagnosis"])
    return Lexicon(
        {term: tuple(owners) for term, owners in terms.items()},
        frozenset(romance - elsewhere),
        site=frozenset(term for term, owners in terms.items() if "institution" in owners),
        **lists,
    )


def _spellings(term: str) -> set[str]:
    """A term in one word, and as German writes it without umlauts."""
    plain = term.strip().casefold()
    long = plain.replace("ä", "ae").replace("ö", "oe").replace("ü", "ue")
    return {"".join(split_words(plain)), "".join(split_words(long))}


def read_name(name: str) -> list[Reading]:
    """Every way to read a name, surest first; empty where no word is known."""
    words = split_words(name)
    if keys_a_person(words):
        concept = "event_id" if key_of(name) == "event" else "person_id"
        return [Reading(concept, 1.0, " ".join(words), "person")]
    words = split_words(_LETTERS.sub(_as_one_word, name))
    known = lexicon()
    terms = find_terms(words)
    head = _find_head(terms, words)
    taken = {i for term in terms for i in range(term.start, term.end)}
    strange = [word for i, word in enumerate(words) if i not in taken and not _is_small(word)]
    readings = []
    for term in terms:
        if term.text in known.site and not (term is head and _ends_there(term, words)):
            continue  # "hospital charges" are charges; a "hospital stay" is no hospital
        others = [word for i, word in enumerate(words) if not term.start <= i < term.end]
        sure = term.strength * (1.0 if not strange else 0.85)
        if len(terms) > 1:
            sure *= _HEAD if term is head else _BESIDE
        shown = " ".join(words[term.start : term.end])
        for place, concept in enumerate(known.terms[term.text]):
            reading = Reading(concept, sure * (1.0 if not place else 0.95), shown, _whose(others))
            readings.append((term.start - term.end, reading))
    return [reading for _, reading in sorted(readings, key=lambda r: (r[0], -r[1].strength))]


def _as_one_word(letters: re.Match[str]) -> str:
    """Few letters with capitals among them are one abbreviation: in `KSt` and `StKl` nobody speaks of `st`."""
    return letters[0].lower() if len(letters[0]) <= _ABBREVIATED else letters[0]


def keys_a_person(words: list[str]) -> bool:
    """Whether a name says no more than whose number it is: `Pat-Nr`, `cust_no`, `Kundennr`, `num client`, `Patient`.

    A household's, an account's or a visit's counts as well: it is somebody's.
    """
    if len(words) == 1 and words[0] in lexicon().alone:
        return True
    return _keys_one_of(words, _keyed())


def keys_a_place_or_thing(name: str) -> bool:
    """Whether a name says no more than which place, thing or professional a number is of: `school_id`, `Produkt-Nr`."""
    known = lexicon()
    return _keys_one_of(split_words(name), known.keyed_other | known.staff | known.site)


def _keys_one_of(words: list[str], nouns: frozenset[str]) -> bool:
    known = lexicon()
    parts = [part for word in words for part in _key_parts(word)]
    rest = {part for part in parts if part not in nouns and part not in known.keying}
    return (
        rest <= known.link
        and any(part in nouns for part in parts)
        and any(part in known.keying for part in parts)
    )


def key_of(name: str) -> KeyOf:
    """What a key of this name is of, by the last noun in it: a "patient visit id" is a visit's. Empty if none says."""
    known = lexicon()
    parts = [part for word in split_words(name) for part in _key_parts(word)]
    said: KeyOf = ""
    for part in parts:
        if part in known.link and said:
            break  # "visit of patient" is a visit
        if part in known.keyed_event:
            said = "event"
        elif part in known.keyed_holder:
            said = "holder"
        elif part in known.keyed_other or part in known.staff or part in known.site:
            said = "other"
        elif part in known.keyed:
            said = "person"
    return said


def is_of_somebody(name: str) -> bool:
    """Whether a name says no more than whose a row is: `borrower`, `member_2`, `FARM`; not `months as customer`."""
    words = {word for word in split_words(name) if not word.isdigit()}
    return bool(words) and words <= lexicon().keyed | lexicon().keyed_holder


def is_bare_key(name: str) -> bool:
    """Whether a name says that it is a key and not of what: `id`, `ID_2`, `newid`, `key`."""
    words = [word for word in split_words(name) if not word.isdigit()]
    return bool(words) and lexicon().bare.issuperset(words)


@cache
def _keyed() -> frozenset[str]:
    """Whatever a person's key may be called after."""
    known = lexicon()
    return known.keyed | known.keyed_holder | known.keyed_event


def _key_parts(word: str) -> tuple[str, ...]:
    """A word, or the two it is made of where these are whose number it is and that it is one: kunden, nr."""
    known = lexicon()
    keyed = _keyed() | known.keyed_other
    if word in keyed or word in known.keying:
        return (word,)
    for cut in range(2, len(word) - 1):
        head, tail = word[:cut], word[cut:]
        if (head in keyed and tail in known.keying) or (head in known.keying and tail in keyed):
            return (head, tail)
    return (word,)


def find_terms(words: list[str]) -> list[_Term]:
    """The known terms in a name, longest first, none over another; then the parts of compounds."""
    known = lexicon()
    terms: list[_Term] = []
    taken = [False] * len(words)
    for length in range(min(_LONGEST_RUN, len(words)), 0, -1):
        for start in range(len(words) - length + 1):
            if any(taken[start : start + length]):
                continue
            text = "".join(words[start : start + length])
            # a small word, or whose it is, says nothing beside others: "year" in "education year", "partner" in
            # "partner income"
            beside = length == 1 and len(words) > 1
            small = (
                beside and (text in known.filler or text in known.person) and not _names_somebody(text, words)
            )
            if text in known.terms and not small:
                terms.append(_Term(start, start + length, text, 1.0))
                taken[start : start + length] = [True] * length
    for i, word in enumerate(words):
        if not taken[i] and word not in known.filler and (inside := find_inside(word)):
            terms.append(_Term(i, i + 1, inside, 0.9))
    return terms


def _names_somebody(word: str, words: list[str]) -> bool:
    """Whether a word says name, and all others whose or what kind of name: `Pupil name`, `name_2`, `legal name`."""
    known = lexicon()
    rest = {other for other in words if other not in known.naming and not other.isdigit()}
    return word in known.naming and rest <= known.person | known.staff | known.link | known.called


def _find_head(terms: list[_Term], words: list[str]) -> _Term | None:
    """What the name speaks of: the last term ("income tax district"), or the first in languages that put it first;
    before the first "of", where something known stands there ("county of residence").

    A vague place beside an illness is where it sits: in a "tumour location" the tumour counts.
    """
    known = lexicon()
    links = [i for i, word in enumerate(words) if word in known.link]
    before = next((part for link in links if (part := [t for t in terms if t.end <= link])), terms)
    if not before:
        return None
    first = all(term.text in known.romance for term in before)
    head = (min if first else max)(before, key=lambda term: term.start)
    ill = [term for term in terms if "diagnosis" in known.terms[term.text]]
    return ill[0] if ill and head.text in known.vague else head


def _ends_there(term: _Term, words: list[str]) -> bool:
    """Only small words follow, up to the next "of"."""
    known = lexicon()
    rest = words[term.end :]
    link = next((i for i, word in enumerate(rest) if word in known.link), len(rest))
    return all(_is_small(word) for word in rest[:link])


def _is_small(word: str) -> bool:
    known = lexicon()
    listed = (known.filler, known.person, known.staff, known.thing, known.link)
    return word.isdigit() or any(word in words for words in listed)


def _whose(others: list[str]) -> Whose:
    """Whose attribute it is, by the other words of the name; a person's where they do not say."""
    known = lexicon()
    if any(word in known.person for word in others):
        return "person"
    for whose, listed in (("staff", known.staff), ("site", known.site), ("thing", known.thing)):
        if any(word in listed for word in others):
            return whose  # type: ignore[return-value]
    return "person"


def find_inside(word: str) -> str | None:
    """The longest known term that makes up the word but for a plural, a small word, or a short rest."""
    known = lexicon()
    for end in ("s", "es", "n", "en"):
        if end == "s" and word.endswith("ss"):
            continue  # a loss is not several of "los"
        if word.endswith(end) and len(word) - len(end) >= 3 and word[: -len(end)] in known.terms:
            return word[: -len(end)]
    if word.endswith(("wt", "wgt", "wght")) or word.startswith("wt"):
        return "wt" if "wt" in known.terms else None  # no word of a language begins or ends so
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
            or (len(tail) >= _START and len(head) >= _START and head in known.filler)
            or (len(tail) >= 3 and len(head) > 1 and head in known.person)
            or (len(tail) >= 3 and head in _WHOSE and set(known.terms[tail]) & _OF_RELATIVES)
            or (_is_marked(word, cut) and set(known.terms[tail]) & _OF_RELATIVES)
            or (len(head) >= _ILL and tail in known.ill_endings)
        ):
            best = max(best, tail, key=len)
        # two terms in one word, as Gesundheit-s-region: the second is what it is about
        known_tail = tail in known.terms and tail not in known.filler
        if len(tail) >= _START and known_tail and _first_part(head):
            return tail
    return best or None


def _is_marked(word: str, cut: int) -> bool:
    """Whether a survey's mark begins a word, as in `ppage`, and no longer term ends it, as in `lwage`."""
    longer = any(word[place:] in lexicon().terms for place in range(1, cut))
    return _PREFIXED.fullmatch(word[:cut]) is not None and not longer and word not in _NO_AGE


def _first_part(head: str) -> bool:
    """Whether a known term can begin a compound so, with or without the letters that join German and Dutch ones."""
    known = lexicon()
    return any(
        head.endswith(joint) and len(head) - len(joint) >= _START and head.removesuffix(joint) in known.terms
        for joint in ("", "s", "es", "n", "en")
    )
