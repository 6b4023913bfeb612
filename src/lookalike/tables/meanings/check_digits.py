"""Numbers that carry their own check: official numbers of people, bank accounts, cards, vehicles.

Each function takes the characters without blanks and punctuation and says whether length, alphabet and check digit
fit. Rules are those published by the issuing authorities; `chance` is how often a random number of the right shape
passes.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import date

_VERHOEFF_D = (
    (0, 1, 2, 3, 4, 5, 6, 7, 8, 9),
    (1, 2, 3, 4, 0, 6, 7, 8, 9, 5),
    (2, 3, 4, 0, 1, 7, 8, 9, 5, 6),
    (3, 4, 0, 1, 2, 8, 9, 5, 6, 7),
    (4, 0, 1, 2, 3, 9, 5, 6, 7, 8),
    (5, 9, 8, 7, 6, 0, 4, 3, 2, 1),
    (6, 5, 9, 8, 7, 1, 0, 4, 3, 2),
    (7, 6, 5, 9, 8, 2, 1, 0, 4, 3),
    (8, 7, 6, 5, 9, 3, 2, 1, 0, 4),
    (9, 8, 7, 6, 5, 4, 3, 2, 1, 0),
)
_VERHOEFF_P = (
    (0, 1, 2, 3, 4, 5, 6, 7, 8, 9),
    (1, 5, 7, 6, 2, 8, 3, 0, 9, 4),
    (5, 8, 0, 3, 7, 9, 6, 1, 4, 2),
    (8, 9, 1, 6, 0, 4, 3, 5, 2, 7),
    (9, 4, 5, 3, 1, 2, 6, 8, 7, 0),
    (4, 2, 8, 6, 5, 7, 3, 9, 0, 1),
    (2, 7, 9, 3, 8, 0, 6, 4, 1, 5),
    (7, 0, 4, 6, 9, 1, 3, 2, 5, 8),
)
_DNI = "TRWAGMYFPDXBNJZSQVHLCKE"
_HETU = "0123456789ABCDEFHJKLMNPRSTUVWXY"
_LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
_FISCALE_DIGITS = (1, 0, 5, 7, 9, 13, 15, 17, 19, 21)
_FISCALE_LETTERS = (*_FISCALE_DIGITS, 2, 4, 18, 20, 11, 3, 6, 8, 12, 14, 16, 10, 22, 25, 24, 23)
_FISCALE_ODD = dict(zip("0123456789" + _LETTERS, _FISCALE_DIGITS + _FISCALE_LETTERS, strict=True))
_VIN_VALUES = (1, 2, 3, 4, 5, 6, 7, 8, 1, 2, 3, 4, 5, 7, 9, 2, 3, 4, 5, 6, 7, 8, 9)
_VIN = dict(zip("ABCDEFGHJKLMNPRSTUVWXYZ", _VIN_VALUES, strict=True))


def luhn(text: str) -> bool:
    """The check of payment cards (13 to 19 digits), after H. P. Luhn."""
    return text.isdigit() and 13 <= len(text) <= 19 and ends_by_luhn(text)


def luhn_of_15(text: str) -> bool:
    """The same for 15 digits, which some cards have, and every phone."""
    return len(text) == 15 and luhn(text)


def iban(text: str) -> bool:
    """International bank account number: ISO 13616, remainder 1 modulo 97."""
    if not (
        15 <= len(text) <= 34
        and text[:2].isalpha()
        and text[2:4].isdigit()
        and text.isalnum()
        and text.isascii()
    ):
        return False
    return int("".join(str(int(c, 36)) for c in text[4:] + text[:4])) % 97 == 1


def nhs(text: str) -> bool:
    """NHS number of England and Wales: ten digits, modulo 11."""
    if not (text.isdigit() and len(text) == 10):
        return False
    check = 11 - sum(int(c) * (10 - i) for i, c in enumerate(text[:9])) % 11
    return check % 11 == int(text[9]) and check != 10


def bsn(text: str) -> bool:
    """Dutch burgerservicenummer: nine digits, the eleven test with the last weight negative."""
    if not (text.isdigit() and len(text) == 9 and int(text)):
        return False
    return (sum(int(c) * (9 - i) for i, c in enumerate(text[:8])) - int(text[8])) % 11 == 0


def nir(text: str) -> bool:
    """French social security number: thirteen characters and a key of 97 minus the rest modulo 97."""
    text = (
        text.upper().replace("2A", "19", 1)
        if "2A" in text.upper()[5:7]
        else text.upper().replace("2B", "18", 1)
    )
    return (
        text.isdigit()
        and len(text) == 15
        and text[0] in "123478"
        and int(text[13:]) == 97 - int(text[:13]) % 97
    )


def dni(text: str) -> bool:
    """Spanish DNI and NIE: the letter is the remainder modulo 23."""
    text = text.upper()
    if len(text) != 9 or not text[1:8].isdigit():
        return False
    head = str("XYZ".index(text[0])) if text[0] in "XYZ" else text[0]
    return head.isdigit() and _DNI[int(head + text[1:8]) % 23] == text[8]


def codice_fiscale(text: str) -> bool:
    """Italian tax code: sixteen characters, the last from the sum over odd and even places modulo 26."""
    text = text.upper()
    if not (
        len(text) == 16 and text.isalnum() and text.isascii() and text[:6].isalpha() and text[15].isalpha()
    ):
        return False
    even = sum(int(c) if c.isdigit() else ord(c) - 65 for c in text[1:15:2])
    return (even + sum(_FISCALE_ODD[c] for c in text[0:15:2])) % 26 == ord(text[15]) - 65


def cpf(text: str) -> bool:
    """Brazilian CPF: eleven digits, two check digits modulo 11."""
    if not (text.isdigit() and len(text) == 11 and len(set(text)) > 1):
        return False
    return all(
        (sum(int(c) * (n + 1 - i) for i, c in enumerate(text[:n])) * 10 % 11) % 10 == int(text[n])
        for n in (9, 10)
    )


def pesel(text: str) -> bool:
    """Polish PESEL: eleven digits that start with a date, weights 1 3 7 9 modulo 10."""
    if not (text.isdigit() and len(text) == 11):
        return False
    if not 1 <= int(text[2:4]) % 20 <= 12 or not 1 <= int(text[4:6]) <= 31:
        return False
    return (10 - sum(int(c) * (1, 3, 7, 9)[i % 4] for i, c in enumerate(text[:10])) % 10) % 10 == int(
        text[10]
    )


def aadhaar(text: str) -> bool:
    """Indian Aadhaar: twelve digits, not starting with 0 or 1, Verhoeff's scheme."""
    if not (text.isdigit() and len(text) == 12 and text[0] not in "01"):
        return False
    return _verhoeff(text)


def snomed(text: str) -> bool:
    """SNOMED CT concepts: 6 to 18 digits, a partition of 00 or 10 before the check digit, Verhoeff's scheme."""
    fits = text.isdigit() and 6 <= len(text) <= 18 and text[0] != "0" and text[-3:-1] in ("00", "10")
    return fits and _verhoeff(text)


def steuer_id(text: str) -> bool:
    """German tax identification number: eleven digits, ISO 7064 modulo 11, 10; one digit of the first ten repeats."""
    if not (text.isdigit() and len(text) == 11 and text[0] != "0" and 8 <= len(set(text[:10])) <= 9):
        return False
    product = 10
    for c in text[:10]:
        total = (int(c) + product) % 10 or 10
        product = total * 2 % 11
    return (11 - product) % 10 == int(text[10])


def ahv(text: str) -> bool:
    """Swiss AHV number: thirteen digits from 756, the check of EAN-13."""
    if not (text.isdigit() and len(text) == 13 and text.startswith("756")):
        return False
    return (10 - sum(int(c) * (1, 3)[i % 2] for i, c in enumerate(text[:12])) % 10) % 10 == int(text[12])


def belgian(text: str) -> bool:
    """Belgian national number: eleven digits that start with a date, 97 minus the rest modulo 97."""
    if not (text.isdigit() and len(text) == 11 and int(text[2:4]) <= 12 and int(text[4:6]) <= 31):
        return False
    return any(97 - int(century + text[:9]) % 97 == int(text[9:]) for century in ("", "2"))


def personnummer(text: str) -> bool:
    """Swedish personal number: ten or twelve digits that hold a date, Luhn over the last ten."""
    if not (text.isdigit() and len(text) in (10, 12)):
        return False
    short = text[-10:]
    return _is_day(short[:2], short[2:4], str(int(short[4:6]) % 60)) and ends_by_luhn(short)


def fodselsnummer(text: str) -> bool:
    """Norwegian birth number: eleven digits that start with a day, two check digits modulo 11."""
    if not (text.isdigit() and len(text) == 11):
        return False
    digits = [int(c) for c in text]
    one = sum(a * b for a, b in zip(digits[:10], (3, 7, 6, 1, 8, 9, 4, 5, 2, 1), strict=True))
    two = sum(a * b for a, b in zip(digits, (5, 4, 3, 2, 7, 6, 5, 4, 3, 2, 1), strict=True))
    return one % 11 == 0 and two % 11 == 0 and 1 <= digits[0] % 4 * 10 + digits[1] <= 31


def hetu(text: str) -> bool:
    """Finnish personal code: date, sign of the century, three digits, a character from the remainder modulo 31."""
    plain = text.upper().replace("-", "").replace("+", "")
    if len(plain) == 11 and plain[6] in "ABCDEFYXWVU":
        plain = plain[:6] + plain[7:]
    return len(plain) == 10 and plain[:9].isdigit() and _HETU[int(plain[:9]) % 31] == plain[9]


def chinese(text: str) -> bool:
    """Chinese resident identity number: seventeen digits with a date, ISO 7064 modulo 11, 2."""
    if not (len(text) == 18 and text[:17].isdigit() and _is_day(text[6:10], text[10:12], text[12:14])):
        return False
    return (
        "10X98765432"[sum(int(c) * pow(2, 17 - i, 11) for i, c in enumerate(text[:17])) % 11]
        == text[17].upper()
    )


def nif_pt(text: str) -> bool:
    """Portuguese NIF: nine digits, modulo 11."""
    if not (text.isdigit() and len(text) == 9 and text[0] in "12356789"):
        return False
    check = 11 - sum(int(c) * (9 - i) for i, c in enumerate(text[:8])) % 11
    return (check if check < 10 else 0) == int(text[8])


def tc_kimlik(text: str) -> bool:
    """Turkish identity number: eleven digits, two check digits."""
    if not (text.isdigit() and len(text) == 11 and text[0] != "0"):
        return False
    d = [int(c) for c in text]
    return (sum(d[0:9:2]) * 7 - sum(d[1:8:2])) % 10 == d[9] and sum(d[:10]) % 10 == d[10]


def vin(text: str) -> bool:
    """Vehicle identification number: seventeen characters, the ninth is the check modulo 11."""
    text = text.upper()
    if len(text) != 17 or not all(c.isdigit() or c in _VIN for c in text):
        return False
    weights = (8, 7, 6, 5, 4, 3, 2, 10, 0, 9, 8, 7, 6, 5, 4, 3, 2)
    return (
        "0123456789X"[
            sum((int(c) if c.isdigit() else _VIN[c]) * w for c, w in zip(text, weights, strict=True)) % 11
        ]
        == text[8]
    )


def _verhoeff(text: str) -> bool:
    check = 0
    for i, c in enumerate(reversed(text)):
        check = _VERHOEFF_D[check][_VERHOEFF_P[i % 8][int(c)]]
    return check == 0


def ends_by_luhn(text: str) -> bool:
    """Whether digits end with the check digit of H. P. Luhn."""
    doubled = (int(c) * 2 if i % 2 else int(c) for i, c in enumerate(reversed(text)))
    return sum(d - 9 if d > 9 else d for d in doubled) % 10 == 0


def _is_day(year: str, month: str, day: str) -> bool:
    try:
        date(int(year) or 2000, int(month), int(day))
    except ValueError:
        return False
    return True


@dataclass(frozen=True)
class Checked:
    """A kind of number that checks itself."""

    words: str
    concept: str
    valid: Callable[[str], bool]
    chance: float  #: how often a random number of the right shape passes
    shortest: int = 9  #: digits that nearly all have at least


#: Every such kind; the less likely a random pass, the earlier it is tried.
CHECKED = (
    Checked("IBAN", "account", iban, 0.01),
    Checked("French social security number", "national_id", nir, 0.004),
    Checked("Italian codice fiscale", "national_id", codice_fiscale, 0.02),
    Checked("Chinese identity number", "national_id", chinese, 0.002),
    Checked("Spanish DNI or NIE", "national_id", dni, 0.04),
    Checked("Finnish personal code", "national_id", hetu, 0.03),
    Checked("Belgian national number", "national_id", belgian, 0.003),
    Checked("Brazilian CPF", "national_id", cpf, 0.01),
    Checked("Turkish identity number", "national_id", tc_kimlik, 0.01),
    Checked("Norwegian birth number", "national_id", fodselsnummer, 0.003),
    Checked("Polish PESEL", "national_id", pesel, 0.02),
    Checked("Swiss AHV number", "national_id", ahv, 0.0001),
    Checked("German tax number", "national_id", steuer_id, 0.03),
    Checked("Swedish personal number", "national_id", personnummer, 0.01),
    Checked("Indian Aadhaar", "national_id", aadhaar, 0.08),
    Checked("NHS number", "national_id", nhs, 0.09),
    Checked("Dutch BSN", "national_id", bsn, 0.09),
    Checked("Portuguese NIF", "national_id", nif_pt, 0.09),
    Checked("vehicle identification number", "vehicle_id", vin, 0.09),
    Checked("payment card or a phone (IMEI)", "account", luhn_of_15, 0.1),
    Checked("payment card", "account", luhn, 0.1),
    Checked("SNOMED CT concept", "diagnosis", snomed, 0.002, shortest=6),
)
