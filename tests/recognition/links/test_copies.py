"""Coarsened, embedded and added-up copies of a quasi-identifier are links; what only looks like one is none."""

from __future__ import annotations

import base64
import json
from typing import Any
from urllib.parse import quote

import numpy as np
import polars as pl
import pytest

import lookalike as la

N = 1_000
DRAW = np.random.default_rng(11)
AGE = DRAW.integers(18, 90, N)
PAY = np.round(DRAW.lognormal(10.3, 0.5, N)).astype(int)
ZIP = DRAW.integers(8000, 8100, N)
TOWN = DRAW.choice(["Graz", "Wien", "Linz", "Melk"], N)
SEX = DRAW.choice(["f", "m"], N)
BORN = np.datetime64("1935-01-01") + DRAW.integers(0, 25_000, N)
NAME = np.array(["".join(DRAW.choice(list("abcdefghij"), 7)) for _ in range(N)])
QUASI: dict[str, Any] = {
    "age": AGE,
    "pay": PAY,
    "zip": ZIP.astype(str),
    "town": TOWN,
    "sex": SEX,
    "born": BORN,
    "surname": NAME,
}
LOT = DRAW.integers(1000, 9999, N)
MORE = DRAW.integers(1000, 9999, N)


def links(quasi: str, values: Any) -> tuple[la.Link, ...]:
    frame = pl.DataFrame({quasi: QUASI[quasi], "copy": list(values)})
    return la.linked_columns(frame, quasi=[quasi])


def bands(values: np.ndarray, *shares: float) -> list[str]:
    return [f"band {i}" for i in np.searchsorted(np.quantile(values, shares), values)]


def encoded(texts: list[str]) -> list[str]:
    return [base64.b64encode(text.encode()).decode() for text in texts]


COARSENED = {
    **{
        f"rounded to {unit}": ("pay", PAY // unit * unit)
        for unit in (7, 100, 999, 1000, 2500, 5000, 10_000, 25_000)
    },
    "rounded to the nearest": ("pay", np.round(PAY / 3000) * 3000),
    "halves": ("pay", bands(PAY, 0.5)),
    "quintiles": ("pay", bands(PAY, 0.2, 0.4, 0.6, 0.8)),
    "bands that are uneven": ("pay", bands(PAY, 0.03, 0.1, 0.5, 0.97)),
    "bands mistyped in 2 of 100": (
        "pay",
        np.where(DRAW.random(N) < 0.02, DRAW.permutation(PAY // 5000), PAY // 5000),
    ),
    "ages by ten": ("age", AGE // 10 * 10),
    "ages by seven": ("age", [f"from {7 * (a // 7)}" for a in AGE]),
    "a flag": ("pay", (PAY > 30_000).astype(int)),
    "decade of birth": ("born", [f"{str(day)[:3]}0s" for day in BORN]),
    "year of birth": ("born", [str(day)[:4] for day in BORN]),
    "first letter": ("surname", [name[0] for name in NAME]),
    "two letters": ("surname", [name[:2] for name in NAME]),
    "first half of the alphabet": ("surname", NAME < "e"),
    "prefix of a code": ("zip", [str(z)[:3] for z in ZIP]),
    "rank": ("pay", np.argsort(np.argsort(PAY, kind="stable"))),
    "place in a sorted file": ("age", np.argsort(np.argsort(AGE, kind="stable"))),
    "place in a file sorted by town": ("town", np.argsort(np.argsort(TOWN, kind="stable"))),
    "logarithm": ("pay", np.log(PAY).round(2)),
    "with a little noise": ("pay", (PAY * (1 + 0.01 * DRAW.standard_normal(N))).round()),
}
ADDED = {
    "running sum": ("age", np.cumsum(AGE)),
    "running sum of pay": ("pay", np.cumsum(PAY)),
    "before the row": ("age", np.cumsum(AGE) - AGE),
    "share of the whole": ("pay", np.cumsum(PAY) / PAY.sum()),
    "from a start": ("pay", 5_000_000 + np.cumsum(PAY)),
    "falling": ("age", 100_000 - np.cumsum(AGE)),
    "in another order": ("age", np.cumsum(AGE[(p := DRAW.permutation(N))])[np.argsort(p)]),
}
EMBEDDED = {
    "digits in a text": ("age", [f"{a}{b:02d}{c}" for a, b, c in zip(LOT, AGE, MORE, strict=True)]),
    "digits in a number": ("age", [int(f"{a}{b:02d}{c}") for a, b, c in zip(LOT, AGE, MORE, strict=True)]),
    "a code in a key": ("zip", [f"K{a}-{b}-{c}" for a, b, c in zip(LOT, ZIP, MORE, strict=True)]),
    "json": (
        "age",
        [
            json.dumps({"no": int(a), "age": int(b), "x": int(c)})
            for a, b, c in zip(LOT, AGE, MORE, strict=True)
        ],
    ),
    "json within json": (
        "pay",
        [json.dumps({"p": {"pay": int(b)}, "t": int(a)}) for a, b in zip(LOT, PAY, strict=True)],
    ),
    "base64": ("age", encoded([f"{i}:{a}" for i, a in enumerate(AGE)])),
    "base64 of json": ("pay", encoded([json.dumps({"no": i, "pay": int(a)}) for i, a in enumerate(PAY)])),
    "base64 without padding": (
        "town",
        [t.rstrip("=") for t in encoded([f"{i}/{t}" for i, t in enumerate(TOWN)])],
    ),
    "hexadecimal text": ("town", [f"{i}-{t}".encode().hex() for i, t in enumerate(TOWN)]),
    "hexadecimal digits": ("age", [f"{i:06x}{a:02x}" for i, a in enumerate(AGE)]),
    "a web address": ("age", [f"https://x.org/?u={i}&a={a}&z=1" for i, a in enumerate(AGE)]),
    "an encoded web address": ("town", [quote(f"/{i}/{t} Süd", safe="") for i, t in enumerate(TOWN)]),
    "other letters": ("town", [f"{i}|{t.upper()}|x" for i, t in enumerate(TOWN)]),
    "a code of the sex": (
        "sex",
        [f"{a}{1 if s == 'f' else 2}{b}" for a, s, b in zip(LOT, SEX, MORE, strict=True)],
    ),
    "a date in a number": ("born", [f"{a}{str(d).replace('-', '')}" for a, d in zip(LOT, BORN, strict=True)]),
    "a date the other way": (
        "born",
        [f"{d.astype(object):%d%m%y}-{a}" for d, a in zip(BORN, LOT, strict=True)],
    ),
    "a name in an address": ("surname", [f"{x}.{t}@example.org" for x, t in zip(NAME, TOWN, strict=True)]),
    "in a sentence": (
        "pay",
        [f"Case {a}: earns {b} since {c % 30 + 1990}." for a, b, c in zip(LOT, PAY, MORE, strict=True)],
    ),
    "in another place each": (
        "age",
        [f"{'x' * (a % 9)}{b}{'y' * (c % 7)}{a}" for a, b, c in zip(LOT, AGE, MORE, strict=True)],
    ),
}


@pytest.mark.parametrize("quasi, values", COARSENED.values(), ids=COARSENED)  # noqa: PT006
def test_coarsened_and_sorted_copies_are_found(quasi: str, values: Any) -> None:
    assert [link.quasi for link in links(quasi, values)] == [(quasi,)]


@pytest.mark.parametrize("quasi, values", ADDED.values(), ids=ADDED)  # noqa: PT006
def test_running_sums_are_found(quasi: str, values: Any) -> None:
    assert [link.how for link in links(quasi, values)] == ["adds up"]


@pytest.mark.parametrize("quasi, values", EMBEDDED.values(), ids=EMBEDDED)  # noqa: PT006
def test_embedded_copies_are_found(quasi: str, values: Any) -> None:
    (link,) = links(quasi, values)
    assert link.quasi == (quasi,)
    assert link.known < link.k == N


STRANGE = {
    "small numbers": DRAW.integers(0, 50, N),
    "large numbers": DRAW.integers(10**5, 10**7, N),
    "numbers of ten digits": DRAW.integers(10**9, 10**10, N),
    "numbers of twenty digits": [f"{a}{b}" for a, b in DRAW.integers(10**9, 10**10, (N, 2))],
    "amounts that go along": (PAY * (1 + 0.3 * DRAW.standard_normal(N))).round(),
    "bands that go along": bands(PAY * (1 + 0.3 * DRAW.standard_normal(N)), 0.25, 0.5, 0.75),
    "random keys": [DRAW.bytes(16).hex() for _ in range(N)],
    "random bytes as base64": [base64.b64encode(DRAW.bytes(12)).decode() for _ in range(N)],
    "a row number": np.arange(N),
    "a serial number": DRAW.permutation(N) + 100_000,
    "other people's ages in json": [
        json.dumps({"i": i, "age": int(a)}) for i, a in enumerate(DRAW.permutation(AGE))
    ],
    "sums of something else": np.cumsum(DRAW.integers(1, 90, N)),
    "sums of other people's": np.cumsum(DRAW.permutation(AGE)),
    "even steps": np.arange(N) * 7 + 3,
    "sentences": [
        f"Case {a} was seen in room {b % 90} with 12 others" for a, b in zip(LOT, MORE, strict=True)
    ],
    "a rare mark": (DRAW.random(N) < 0.01).astype(int),
    "a shuffled flag": DRAW.permutation((PAY > 30_000).astype(int)),
    "letters": ["".join(DRAW.choice(list("abcdefgmfwGrazWien"), 9)) for _ in range(N)],
    "dates": [str(np.datetime64("2020-01-01") + i) for i in DRAW.integers(0, 900, N)],
    "decimals": DRAW.random(N).round(6),
    "empty": [None] * N,
    "mostly empty": [*["x17"] * 15, *[None] * (N - 15)],
}


@pytest.mark.parametrize("quasi", QUASI)
def test_what_only_looks_like_a_copy_is_none(quasi: str) -> None:
    frame = pl.DataFrame({quasi: QUASI[quasi], **{name: list(values) for name, values in STRANGE.items()}})
    assert la.linked_columns(frame, quasi=[quasi]) == ()


def test_random_tables_hold_no_copies() -> None:
    for seed in range(25):
        draw = np.random.default_rng(seed)
        n = int(draw.integers(20, 400))
        frame = pl.DataFrame(
            {
                "age": draw.integers(18, 90, n),
                "pay": draw.lognormal(10, 1, n).round(),
                "few": draw.choice(["a", "b", "c"], n, p=[0.9, 0.08, 0.02]),
                "code": [f"{a:07d}" for a in draw.integers(0, 10**7, n)],
                "sum": draw.integers(1, 50, n).cumsum(),
                "key": [draw.bytes(4).hex() for _ in range(n)],
                "text": [" ".join(draw.choice(["of", "a", "Graz", "12", "7", "x"], 6)) for _ in range(n)],
            }
        )
        for quasi in ("age", "pay", "few"):
            assert la.linked_columns(frame, quasi=[quasi], columns=frame.columns[3:]) == (), (seed, quasi)


def test_the_order_of_rows_changes_nothing() -> None:
    frame = pl.DataFrame(
        {
            "age": AGE,
            "pay": PAY,
            "sum": np.cumsum(AGE),
            "step": PAY // 5000,
            "half": PAY > 30_000,
            "id": EMBEDDED["json"][1],
        }
    )
    there = {(link.columns, link.quasi, link.how) for link in la.linked_columns(frame, quasi=["age", "pay"])}
    assert {how for _, _, how in there} == {"adds up", "in step with", "follows from", "holds"}
    for seed in range(3):
        mixed = frame.sample(fraction=1, shuffle=True, seed=seed)
        again = {
            (link.columns, link.quasi, link.how) for link in la.linked_columns(mixed, quasi=["age", "pay"])
        }
        assert again == there


@pytest.mark.filterwarnings("ignore::lookalike.LookalikeWarning")
@pytest.mark.parametrize("role", ["others", "sensitive"])
@pytest.mark.parametrize("which", ["running sum", "json", "digits in a number", "base64", "rounded to 1000"])
def test_no_release_is_made_with_a_copy_beside_what_it_blurs(which: str, role: str) -> None:
    quasi, values = {**COARSENED, **ADDED, **EMBEDDED}[which]
    frame = pl.DataFrame({quasi: QUASI[quasi], "sex": SEX, "copy": list(values)})
    people = la.table(frame, quasi=[quasi, "sex"], **{role: ["copy"]})  # type: ignore[arg-type]
    with pytest.raises(la.LinkedColumnError, match="undone by its own columns"):
        la.anonymize(people, la.KAnonymity(5))
    release = la.anonymize(people, la.KAnonymity(5), linked={"copy": "follow"})
    assert release.rows.group_by("copy", quasi, "sex").len()["len"].min() >= 5


@pytest.mark.filterwarnings("ignore::lookalike.LookalikeWarning")
@pytest.mark.parametrize("which", ["running sum", "json", "rounded to 1000", "quintiles", "first letter"])
def test_a_draft_decides_about_copies_so_that_it_can_be_carried_out(which: str) -> None:
    quasi, values = {**COARSENED, **ADDED, **EMBEDDED}[which]
    frame = pl.DataFrame({quasi: QUASI[quasi], "sex": SEX, "town": TOWN, "zustand": list(values)})
    recipe = la.prepare(la.table(frame, others=[]))
    release = la.run(recipe.__class__(**{**vars(recipe), "attacks": {}}), source=frame).release
    known = [name for name in release.rows.columns if recipe.columns[name].role != "sensitive"]
    assert release.rows.group_by(known).len()["len"].min() >= 5
