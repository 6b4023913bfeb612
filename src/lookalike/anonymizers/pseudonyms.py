"""Pseudonyms: HMAC-SHA3-256 over length-prefixed fields, or random tokens with a private table.

A pseudonym is not anonymity: whoever holds the key, or the table, links every record. Keys never enter a release, a
certificate, a log or an error. HMAC: RFC 2104; SHA-3: FIPS 202. Fields are length-prefixed because plain
concatenation is ambiguous: "Ann Lee" + "AB1" reads the same as "Ann LeeA" + "B1". Fields are taken as they stand, so
no other row of the table changes a pseudonym.
"""

from __future__ import annotations

import hmac
import os
import secrets
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import polars as pl

from lookalike.base.errors import FileError, RequestError, unknown_column
from lookalike.recognition.frames import takes_frames
from lookalike.tables.columns.naming import named, nameless
from lookalike.tables.columns.spelling import canonical_texts, is_nested
from lookalike.tables.engines.engine import TIMES
from lookalike.tables.engines.origin import Origin
from lookalike.tables.sources.secrets import read_secret, write_secret
from lookalike.tables.table import Table

KEY_BYTES = 32
DIFFERENT_BYTES = (
    12  #: of a random key, or one in hexadecimal digits, about 30, or 16; hardly ever fewer than this
)
PSEUDONYM = "pseudonym of these"  #: the last column of `Pseudonyms.of_tuple`


@dataclass(frozen=True)
class Key:
    """A secret key. It prints as dots, compares in constant time, and is read from a file or the environment.

    Examples:
        >>> import lookalike as la
        >>> key = la.Key.generate("project.key")
        >>> la.Key.read("project.key") == key
        True
    """

    secret: bytes = field(repr=False)  #: at least 32 random bytes

    def __post_init__(self) -> None:
        if not isinstance(self.secret, bytes) or len(self.secret) < KEY_BYTES:
            raise RequestError(
                f"a pseudonym key must have at least {KEY_BYTES} bytes (256 bits). Key.generate(path) makes one."
            )
        if len(set(self.secret)) < DIFFERENT_BYTES:
            raise RequestError(
                "this pseudonym key repeats a few bytes over and over, so it can be guessed. Key.generate(path) makes "
                "a random one."
            )

    @staticmethod
    def generate(path: str | Path) -> Key:
        """Write a new random key to a file that only its owner can read; an existing file is never touched."""
        secret = secrets.token_bytes(KEY_BYTES)
        write_secret(path, secret.hex().encode() + b"\n")
        return Key(secret)

    @staticmethod
    def read(path: str | Path) -> Key:
        """Read a key file (hexadecimal digits); warns where others than its owner can read it."""
        try:
            text = read_secret(path).decode("ascii").strip()
        except UnicodeDecodeError:
            raise FileError(f"{path}: no key can be read from this file.") from None
        return _from_hex(text, str(path))

    @staticmethod
    def from_environment(name: str = "LOOKALIKE_KEY") -> Key:
        """Read a key from an environment variable (hexadecimal digits)."""
        text = os.environ.get(name)
        if text is None:
            raise RequestError(
                f"the environment variable {name} is not set; it should hold the key in hexadecimal."
            )
        return _from_hex(text.strip(), f"environment variable {name}")

    def pseudonym(self, fields: Sequence[str]) -> str:
        """The pseudonym of one person: 64 hexadecimal digits."""
        message = b"".join(len(part).to_bytes(4, "big") + part for part in (text.encode() for text in fields))
        return hmac.new(self.secret, message, "sha3_256").hexdigest()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Key) and hmac.compare_digest(self.secret, other.secret)

    def __hash__(self) -> int:
        return hash("a pseudonym key")

    def __repr__(self) -> str:
        return "Key(…)"


@dataclass(frozen=True)
class Pseudonyms:
    """The pseudonym of each row, for `la.anonymize(..., pseudonyms={column: these})`.

    Examples:
        >>> import polars as pl
        >>> import lookalike as la
        >>> ages, sexes = [31, 32, 33, 71, 72, 73], ["f", "m", "f", "m", "f", "m"]
        >>> illnesses = ["flu", "flu", "cold", "flu", "cold", "cold"]
        >>> frame = pl.DataFrame({"age": ages, "sex": sexes, "disease": illnesses})
        >>> made = la.pseudonymise(la.table(frame, others=[]), ["sex"])
        >>> made.how, made.private.columns
        ('random tokens', ['sex', 'pseudonym'])
    """

    how: str  #: "hmac-sha3-256" or "random tokens"
    fields: tuple[str, ...]  #: the columns they are made from
    duplicates: int  #: rows whose fields are the same as another row's: they get the same pseudonym
    values: list[str] = field(repr=False)  #: the pseudonym of each row
    private: pl.DataFrame | None = field(default=None, repr=False)  #: who is behind each random token
    of_tuple: pl.DataFrame | None = field(
        default=None, repr=False
    )  #: of rows that are not in memory: the distinct fields as they stand, and `PSEUDONYM`


@takes_frames
def pseudonymise(people: Table, fields: Sequence[str], *, key: Key | None = None) -> Pseudonyms:
    """A pseudonym for each row from some of its columns.

    With a key: keyed hashes, the same person getting the same pseudonym in every table made with that key. Without:
    random tokens, and `private`, the table that links them to people; keep it apart, or destroy it.
    fields: the columns that tell people apart. key: a secret `la.Key`.

    Examples:
        >>> import polars as pl
        >>> import lookalike as la
        >>> ages, sexes = [31, 32, 33, 71, 72, 73], ["f", "m", "f", "m", "f", "m"]
        >>> illnesses = ["flu", "flu", "cold", "flu", "cold", "cold"]
        >>> frame = pl.DataFrame({"age": ages, "sex": sexes, "disease": illnesses})
        >>> made = la.pseudonymise(la.table(frame, others=[]), ["age", "sex"], key=la.Key(bytes(range(32))))
        >>> made.how, len(made.values), made.duplicates
        ('hmac-sha3-256', 6, 0)
    """
    if key is not None and not isinstance(key, Key):
        raise RequestError(f"`key` must be a la.Key, found {type(key).__name__}.")
    if people.origin is not None:
        return _of_tuples(people, people.origin, fields, key)
    rows, distinct, duplicates = _people(people, fields)
    if key is not None:
        made = [key.pseudonym(texts) for texts in distinct]
        return Pseudonyms("hmac-sha3-256", tuple(fields), duplicates, [made[i] for i in rows])
    made = [secrets.token_hex(16) for _ in distinct]
    private = pl.DataFrame({name: [texts[i] for texts in distinct] for i, name in enumerate(fields)})
    private = private.with_columns(pl.Series("pseudonym", made))
    return Pseudonyms("random tokens", tuple(fields), duplicates, [made[i] for i in rows], private)


def made_pseudonyms(given: Any, column: str) -> Pseudonyms:
    """What was given for a column, where it is what `pseudonymise` returns."""
    if isinstance(given, Pseudonyms):
        return given
    raise RequestError(
        f"pseudonyms: column {column!r} needs what la.pseudonymise returns, found {type(given).__name__}."
    )


def _of_tuples(people: Table, origin: Origin, fields: Sequence[str], key: Key | None) -> Pseudonyms:
    """One pseudonym for each distinct tuple of the fields, which alone are taken into memory."""
    _check_fields(people, fields)
    counted = origin.tuples(list(fields))
    tuples, times = counted.select(named(fields)), counted[TIMES]
    distinct = list(zip(*(_as_it_stands(tuples[name]) for name in fields), strict=True))
    made = {
        texts: secrets.token_hex(16) if key is None else key.pseudonym(texts)
        for texts in dict.fromkeys(distinct)
    }
    records: Counter[tuple[str, ...]] = Counter()
    for texts, n in zip(distinct, times.to_list(), strict=True):
        records[texts] += n
    how, private = "hmac-sha3-256", None
    if key is None:
        private = pl.DataFrame({name: [texts[i] for texts in made] for i, name in enumerate(fields)})
        how, private = "random tokens", private.with_columns(pl.Series("pseudonym", list(made.values())))
    return Pseudonyms(
        how,
        tuple(fields),
        sum(n for n in records.values() if n > 1),
        [],
        private,
        tuples.with_columns(pl.Series(PSEUDONYM, [made[texts] for texts in distinct], dtype=pl.String)),
    )


def _check_fields(table: Table, fields: Sequence[str]) -> None:
    if not fields:
        raise RequestError("a pseudonym needs at least one column to be made from.")
    for name in fields:
        if name not in table.names:
            raise unknown_column(name, table.names, "pseudonyms")


def _people(table: Table, fields: Sequence[str]) -> tuple[list[int], list[tuple[str, ...]], int]:
    """For each row the number of its person, and the fields of each person as text."""
    _check_fields(table, fields)
    number: dict[tuple[str, ...], int] = {}
    rows = [
        number.setdefault(texts, len(number))
        for texts in zip(*(_as_it_stands(table.rows[f]) for f in fields), strict=True)
    ]
    times = Counter(rows)
    return rows, list(number), sum(n for n in times.values() if n > 1)


def _as_it_stands(column: pl.Series) -> list[str]:
    """Each value as text that depends on nothing else in the column: 1E5 is not 100000, 1.10 is not 1.1.

    A whole number held as a decimal one, as pandas does beside a missing value, is written as the whole number.
    """
    column = nameless(column)
    if is_nested(column.dtype):
        texts = canonical_texts(column)
    elif column.dtype.is_float():
        whole = (column == column.round(0)) & (column.abs() < 2**53)
        texts = pl.select(
            pl.when(whole)
            .then(column.cast(pl.Int64, strict=False).cast(pl.String))
            .otherwise(column.cast(pl.String))
        ).to_series()
    else:
        texts = column.cast(pl.String)
    return texts.fill_null("").to_list()


def _from_hex(text: str, where: str) -> Key:
    try:
        return Key(bytes.fromhex(text))
    except RequestError as problem:
        raise RequestError(f"{where}: {problem}") from None
    except ValueError:
        raise RequestError(f"{where}: the key must be at least {2 * KEY_BYTES} hexadecimal digits.") from None
