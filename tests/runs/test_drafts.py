"""What a draft decides where nobody is asked: it errs on the side of leaving out."""

from __future__ import annotations

import numpy as np
import polars as pl

import lookalike as la

N = 600
DRAW = np.random.default_rng(9)
HOME = np.sort(DRAW.integers(0, N // 2, N))  # households of about two
PEOPLE = {"age": DRAW.integers(3, 90, N), "sex": DRAW.choice(["f", "m"], N)}


def test_keys_and_contacts_of_households_are_left_out() -> None:
    kept = {"qrz": DRAW.choice(["u", "v", "w"], N)}
    contact = [f"0171/{2_000_000 + 37 * h}" if h % 3 else f"someone{h}@web.org" for h in HOME]
    frame = pl.DataFrame(
        {
            **PEOPLE,
            **kept,
            "lat": 47 + HOME / 1000,
            "kzx": [f"F{7 * h + 10_000}" for h in HOME],
            "qx": contact,
        }
    )
    recipe = la.prepare(frame)
    assert recipe.columns["qx"].role is la.Role.IDENTIFIER
    assert recipe.columns["kzx"].drop
    assert not recipe.columns["qrz"].drop
    nobody = la.prepare(
        frame.select("kzx", "qrz")
    )  # nothing is known to outsiders: all else is taken for known
    assert nobody.columns["kzx"].drop
    assert nobody.columns["qrz"].role is la.Role.QUASI
