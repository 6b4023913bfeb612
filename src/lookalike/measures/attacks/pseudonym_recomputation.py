"""Pseudonym recomputation: whoever knows the fields a pseudonym was made from makes it again.

A hash without a key hides nothing from somebody who can list the people: the attacker tries the common hashes with
guessed salts, separators and spellings. A random key of 256 bits (HMAC, RFC 2104) stops it.
O(recipes x people tried), then the people for recipes that hit.
"""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import permutations, product

import numpy as np
import polars as pl

from lookalike.measures.attacks.exposure import Exposure
from lookalike.measures.attacks.results import Attacked
from lookalike.recodings.treatments import Pseudonymise
from lookalike.tables.columns.naming import nameless

HASHES = (
    "sha256",
    "sha3_256",
    "md5",
    "sha1",
    "sha512",
    "sha3_512",
    "sha224",
    "sha384",
    "sha3_224",
    "sha3_384",
)
SALTS = ("salt", "pepper", "secret", "password", "123456", "lookalike")
SEPARATORS = ("", " ", ",", ";", "|", "-", "_", ":", "\t")
Spelling = Callable[[str], str]
SPELLINGS: tuple[Spelling, ...] = (str, str.lower, str.upper, lambda text: "".join(text.split()))
TRIED = 10  #: people on whom every recipe is tried
_SHORTEST = 16  #: hexadecimal digits that are taken for a hash


@dataclass(frozen=True)
class PseudonymRecipe:
    """One way to make a pseudonym: fields spelt, joined, salted and hashed, or HMAC with a key anybody would guess."""

    digest: str
    used: tuple[int, ...]
    separator: str = ""
    spell: Spelling = str
    before: str = ""
    after: str = ""
    key: str | None = None

    def make(self, person: Sequence[str]) -> str:
        """The pseudonym of somebody with these fields."""
        texts = [self.spell(person[i]) for i in self.used]
        if self.key is None:
            text = self.before + self.separator.join(texts) + self.after
            return str(getattr(hashlib, self.digest)(text.encode()).hexdigest())
        parts = (text.encode() for text in texts)
        message = b"".join(len(part).to_bytes(4, "big") + part for part in parts)
        return hmac.new(self.key.encode(), message, self.digest).hexdigest()


def attack(exposure: Exposure, *, seed: int = 0) -> list[Attacked]:
    """Every column of pseudonyms, and every published column that looks like hashes."""
    return [
        _recompute(exposure, name, fields, published, seed)
        for name, fields, published in targets(exposure)
        if fields and published
    ]


def targets(exposure: Exposure) -> list[tuple[str, list[str], set[str]]]:
    """Columns to attack, the fields they may be made from, and what is published."""
    people = exposure.people
    out = []
    for name, treatment in exposure.recoding.columns.items():
        if isinstance(treatment, Pseudonymise) and exposure.pseudonyms is not None:
            out.append((name, list(treatment.fields), _texts(exposure.pseudonyms[name])))
    for name in exposure.published:
        column = people.rows[name]
        if column.dtype == pl.String and _looks_hashed(column):
            out.append((name, people.identifiers, _texts(column.filter(pl.Series(exposure.kept)))))
    return out


def _texts(column: pl.Series) -> set[str]:
    return {text.lower() for text in nameless(column).cast(pl.String).drop_nulls().to_list()}


def _looks_hashed(column: pl.Series) -> bool:
    some = nameless(column).drop_nulls().head(200)
    lengths = some.str.len_chars()
    return (
        len(some) > 0
        and lengths.min() == lengths.max()
        and len(some[0]) >= _SHORTEST
        and bool(some.str.contains("^[0-9a-fA-F]+$").all())
    )


def _recompute(exposure: Exposure, name: str, fields: list[str], published: set[str], seed: int) -> Attacked:
    kept = np.flatnonzero(exposure.kept)
    some = np.sort(np.random.default_rng(seed).choice(kept, min(TRIED, len(kept)), replace=False))
    length = len(next(iter(published)))
    texts = [
        nameless(exposure.people.rows[field]).cast(pl.String).fill_null("").to_list() for field in fields
    ]
    people = [[column[i] for column in texts] for i in kept.tolist()]
    sample = [[column[i] for column in texts] for i in some.tolist()]
    found: set[str] = set()
    tried = hits = 0
    for recipe in _recipes(len(fields)):
        tried += 1
        if any(recipe.make(person)[:length] in published for person in sample):
            hits += 1
            found |= {recipe.make(person)[:length] for person in people} & published
    return Attacked(
        "pseudonym recomputation",
        "linkability",
        "The attacker knows the fields that pseudonyms may be made from, for everybody, and makes them again with the "
        "common hashes, guessed salts and separators. Success is a published pseudonym reproduced: a record found for "
        "sure, whatever the classes.",
        len(published),
        len(found),
        baseline=min(1.0, len(published) * len(kept) / 16.0 ** min(length, 200)),
        column=name,
        bound=0.0,
        details={"recipes_tried": tried, "recipes_that_hit": hits},
    )


def _recipes(fields: int) -> Iterator[PseudonymRecipe]:
    salts = [("", ""), *((salt, "") for salt in SALTS), *(("", salt) for salt in SALTS)]
    for used in _orders(fields):
        for separator, spell in product(SEPARATORS if len(used) > 1 else ("",), SPELLINGS):
            for (before, after), digest in product(salts, HASHES):
                yield PseudonymRecipe(digest, used, separator, spell, before, after)
        for key, digest in product(("", *SALTS), HASHES):
            yield PseudonymRecipe(digest, used, key=key)


def _orders(fields: int) -> Iterator[tuple[int, ...]]:
    """The fields in every order, and each by itself; only as given where there are many."""
    if fields <= 3:
        for m in range(1, fields + 1):
            yield from permutations(range(fields), m)
    else:
        yield tuple(range(fields))
        yield from ((i,) for i in range(fields))
