"""Values that reach or belong to somebody: e-mail addresses, phone numbers and licence plates, alone or mixed.

A column may hold what people happened to give: a phone number here, an address there, a note besides. A good part of
such values is enough, since no other column has them by accident. O(values looked at).
"""

from __future__ import annotations

import re

from lookalike.tables.meanings.spreads import Resemblance

_MAIL = re.compile(r"[^@\s,;:<>()]+@[^@\s,;:<>()]+\.[^\W\d_]{2,}")
_PHONE = re.compile(
    r"(\+|00|\(?0)[\d\s().\-/]{6,19}|\(?\d{3}\)?[\s.\-]\d{3}[\s.\-]\d{4}( ?x\d+)?|\d{3}[\s.\-]\d{4}"
)
_GIVEN = re.compile(r"[01]\d{2}[\s.\-]\d{4}")  # no exchange begins so: a site, and a subject's number there
# within a text only what begins as dialled numbers do; dates and decimals begin with zeros too
_INSIDE = re.compile(r"(?<![\w.,/\-])(?:\+|00|\(0|0)[1-9][\d \u00a0().\-/]{5,17}\d(?![\w.,])")
_DATE = re.compile(r"\d{1,2}[-/.]\d{1,2}[-/.]\d{2,4}.*|\d{4}[-/.]\d{1,2}[-/.]\d{1,2}.*|0[.,]\d+")
_PLATES = (
    re.compile(r"[A-ZÄÖÜ]{1,3}-[A-Z]{1,2} ?\d{1,4}[EH]?"),  # Germany
    re.compile(r"[A-Z]{2}-\d{3}-[A-Z]{2}"),  # France
    re.compile(r"[A-Z]{1,2}-\d{3,5} ?[A-Z]{1,2}"),  # Austria
)
_MOST = 0.9  # the share of values that must look alike where their look alone says what they are
_MIXED = (
    0.3  # the share of values with a contact from which a column is one of contacts, whatever else it holds
)
_MAILS = 0.05  # the same for e-mail addresses, which look like nothing else
_FEW = 5  # below this many values a look proves less
_SOME = 3  # values from which a mix is spoken of
_LONGEST = 120  # contacts are short; prose is told as such


def read_contacts(texts: list[str]) -> list[Resemblance]:
    """What contacts and plates the values hold."""
    proof = 1.0 if len(texts) >= _FEW else 0.7
    out = []
    whole = sum(map(_is_phone, texts)) / len(texts)
    if whole >= _MOST and any(map(_GIVEN.fullmatch, texts)):
        words = f"{whole:.0%} of the values look like numbers given to people, or phone numbers"
        out.append(Resemblance("person_id", 0.9 * proof, words))
    elif whole >= _MOST:
        out.append(Resemblance("phone", 0.9 * proof, f"{whole:.0%} of the values look like phone numbers"))
    if (share := max(_share(texts, plate) for plate in _PLATES)) >= _MOST:
        out.append(
            Resemblance("vehicle_id", 0.85 * proof, f"{share:.0%} of the values look like licence plates")
        )
    short = [text for text in texts if len(text) <= _LONGEST]
    mails = sum(_MAIL.search(text) is not None for text in short)
    either = sum(_MAIL.search(text) is not None or _has_phone(text) for text in short)
    if mails >= max(_SOME, _MAILS * len(texts)):
        words = f"{either / len(texts):.0%} of the values hold e-mail addresses or phone numbers"
        out.append(Resemblance("email", 0.95, words))
    elif either >= max(_SOME, _MIXED * len(texts)) and whole < _MOST:
        out.append(Resemblance("phone", 0.9, f"{either / len(texts):.0%} of the values hold phone numbers"))
    return out


def _is_phone(text: str) -> bool:
    return _PHONE.fullmatch(text) is not None and _dialled(text)


def _has_phone(text: str) -> bool:
    if _DATE.fullmatch(text):
        return False
    return any(
        _dialled(found.group()) and not _DATE.fullmatch(found.group()) for found in _INSIDE.finditer(text)
    )


def _dialled(text: str) -> bool:
    return 7 <= sum(map(str.isdigit, text)) <= 15


def _share(texts: list[str], shape: re.Pattern[str]) -> float:
    return sum(shape.fullmatch(text) is not None for text in texts) / len(texts)
